// src/sim/loop_slopes.cpp
#include "loop_slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "constraint/rows/constraint_entry.hpp"
#include "linear/dense_system.hpp"
#include "sinew/base/dual.hpp"
#include "sinew/joint/joint.hpp"

namespace sinew::stepping {
namespace {

using linear::Matrix;

constexpr double kImplied = 1e-12;  // of the first pivot: rows that leave less are implied by the others
constexpr double kNoForce = 1e-24;  // of the largest T_ii: a row that is zero but for rounding
constexpr RowWeights kVelocity{0, 1, 0}, kRate{1, 0, 0};

// x with K_D x_D = -right, and zero in the other coordinates: (nv x columns). Rows of K may imply each other.
Matrix solve_dependent(const Matrix& K, const std::vector<char>& dependent, const Matrix& right) {
  std::vector<int> D, order;
  for (int k = 0; k < K.cols(); ++k)
    if (dependent[at(k)]) D.push_back(k);
  const int size = std::max(K.rows(), static_cast<int>(D.size()));
  Matrix T(size, size), B(size, right.cols()), x(K.cols(), right.cols());
  for (int i = 0; i < K.rows(); ++i) {
    for (std::size_t j = 0; j < D.size(); ++j) T(i, static_cast<int>(j)) = K(i, D[j]);
    std::copy_n(right.row(i), right.cols(), B.row(i));
  }
  const int rank = linear::eliminate(T, B, order, kImplied);
  linear::divide_by_upper(std::as_const(T), rank, B);
  for (int k = 0; k < rank; ++k)
    for (int j = 0; j < right.cols(); ++j) x(D[at(order[at(k)])], j) = -B(k, j);
  return x;
}

}  // namespace

Matrix solve_semidefinite(Matrix T, Matrix B) {
  const int m = T.rows();
  double most = 0;
  for (int i = 0; i < m; ++i) most = std::max(most, T(i, i));
  std::vector<double> unit(at(m), 0.0);
  for (int i = 0; i < m; ++i)
    if (T(i, i) > kNoForce * most) unit[at(i)] = 1 / std::sqrt(T(i, i));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < B.cols(); ++j) B(i, j) *= unit[at(i)];
    for (int j = 0; j < m; ++j) T(i, j) *= unit[at(i)] * unit[at(j)];
  }
  std::vector<int> order;
  const int rank = linear::eliminate(T, B, order, kImplied);
  linear::divide_by_upper(std::as_const(T), rank, B);
  Matrix x(m, B.cols());
  for (int k = 0; k < rank; ++k)
    for (int j = 0; j < B.cols(); ++j) x(order[at(k)], j) = unit[at(order[at(k)])] * B(k, j);
  return x;
}

LoopSlopes::LoopSlopes(const Model& m, const ConstraintSet& set)
    : K(set.rows(), m.nv()),
      by_q(K),
      by_v(K),
      model_(m),
      set_(set),
      slopes_(m, set),
      rows_(m, set),
      still_(at(m.nv())),
      touched_(at(m.nv())),
      none_(K) {
  for (const ConstraintEntry& e : set.entries()) blocks_.push_back({e.row, e.rows()});
}

void LoopSlopes::place_rows(In<double> q, In<double> u, double time, double share) {
  q_.assign(q.begin(), q.end());
  calc_constraint_rows(model_, set_, rows_, q, u, time);
  place_row_slopes(model_, set_, slopes_, q, u, still_, time, true);
  calc_row_slopes(model_, slopes_, q, u, still_, {0, 1, share}, by_q, K);
}

void LoopSlopes::place_rates(In<double> q, In<double> v, In<double> a, double time) {
  q_.assign(q.begin(), q.end());
  calc_constraint_rows(model_, set_, rows_, q, v, time);
  place_row_slopes(model_, set_, slopes_, q, v, a, time, false);
  calc_row_slopes(model_, slopes_, q, v, a, kVelocity, none_, K);
  calc_row_slopes(model_, slopes_, q, v, a, kRate, by_q, by_v);
}

void LoopSlopes::add_forces(In<double> r, double dt, Out<Force<double>> external, Out<double> force,
                            MatrixView<double> slopes) {
  std::vector<double> over_time(r.begin(), r.end());
  for (double& x : over_time) x /= dt;
  add_pair_forces(model_, set_, slopes_, rows_, over_time, external);
  add_gear_forces(slopes_, q_, over_time, force);
  add_force_slopes(model_, slopes_, q_, r, slopes, touched_);
}

void LoopSlopes::find_impulses(In<double> f, std::vector<double>& r) const {
  const int m = rows();
  Matrix T(m, m), B(m, 1);
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < K.cols(); ++k) {
      B(i, 0) += K(i, k) * f[at(k)];
      for (int j = 0; j < m; ++j) T(i, j) += K(i, k) * K(j, k);
    }
  const Matrix x = solve_semidefinite(std::move(T), std::move(B));
  r.assign(x.data(), x.data() + m);
}

// Of a joint that closing has moved from q_moved by some tangent x: the tangents of its end by those of q_moved and by
// x.
void LoopSlopes::find_turns(const Node& n, In<double> from, In<double> to, Matrix& A, Matrix& B) const {
  std::array<double, 6> way{};
  difference(n.joint, from.data() + n.q, to.data() + n.q, way.data());
  std::array<Dual, 7> start{}, end{};
  for (int i = 0; i < n.nq; ++i) start[at(i)] = Dual{from[at(n.q + i)]}, end[at(i)] = Dual{to[at(n.q + i)]};
  for (int k = 0; k < 2 * n.nv; ++k) {
    std::array<Dual, 6> before{}, x{}, change{};
    for (int i = 0; i < n.nv; ++i) x[at(i)] = Dual{way[at(i)]};
    (k < n.nv ? before[at(k)] : x[at(k - n.nv)]).slope = 1;
    std::array<Dual, 7> moved{}, closed{};
    integrate<Dual>(n.joint, start.data(), before.data(), moved.data());
    integrate<Dual>(n.joint, moved.data(), x.data(), closed.data());
    difference<Dual>(n.joint, end.data(), closed.data(), change.data());
    for (int i = 0; i < n.nv; ++i) (k < n.nv ? A : B)(n.v + i, n.v + k % n.nv) = change[at(i)].slope;
  }
}

LoopSlopes::Closing LoopSlopes::find_closing(const EmbeddedStep& s, In<double> q, In<double> v, double time) {
  const int n = model_.nv();
  std::vector<char> of_q(at(n), 1), of_v(of_q);  // dependent ones
  for (const int k : s.independent_q) of_q[at(k)] = 0;
  for (const int k : s.independent_v) of_v[at(k)] = 0;
  place_row_slopes(model_, set_, slopes_, q, v, still_, time, false);
  Matrix here(K), by_place(K);
  calc_row_slopes(model_, slopes_, q, v, still_, kVelocity, by_place, here);
  Matrix A = linear::make_identity(n), B = A;
  for (const Node& node : model_.nodes())
    if (node.nv > 1) find_turns(node, s.q_moved, q, A, B);
  Closing out;
  out.q_by_q = A;
  const Matrix x = multiply(B, solve_dependent(multiply(here, B), of_q, multiply(here, A)));
  for (std::size_t i = 0; i < x.size(); ++i) out.q_by_q.data()[i] += x.data()[i];
  out.v_by_q = solve_dependent(here, of_v, multiply(by_place, out.q_by_q));
  Matrix kept = here;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < kept.rows() && of_v[at(k)]; ++i) kept(i, k) = 0;
  out.v_by_v = solve_dependent(here, of_v, kept);
  for (int k = 0; k < n; ++k)
    if (!of_v[at(k)]) out.v_by_v(k, k) = 1;
  return out;
}

void LoopSlopes::Closing::apply_to_columns(MatrixView<double> columns) const {
  const auto n = at(q_by_q.rows());
  std::vector<double> end(2 * n);
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      const int row = static_cast<int>(i);
      double q = 0, v = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double dq = columns(k, c), dv = columns(n + k, c);
        q += q_by_q.row(row)[k] * dq, v += v_by_q.row(row)[k] * dq + v_by_v.row(row)[k] * dv;
      }
      end[i] = q, end[n + i] = v;
    }
    for (std::size_t i = 0; i < 2 * n; ++i) columns(i, c) = end[i];
  }
}

void LoopSlopes::Closing::apply_to_rows(Matrix& rows) const {
  const int n = q_by_q.rows();
  std::vector<double> by(2 * at(n));
  for (int r = 0; r < rows.rows(); ++r) {
    std::fill(by.begin(), by.end(), 0.0);
    for (int i = 0; i < n; ++i) {
      const double q = rows(r, i), v = rows(r, n + i);
      for (int k = 0; k < n; ++k) by[at(k)] += q * q_by_q(i, k) + v * v_by_q(i, k), by[at(n + k)] += v * v_by_v(i, k);
    }
    std::copy(by.begin(), by.end(), rows.row(r));
  }
}

}  // namespace sinew::stepping
