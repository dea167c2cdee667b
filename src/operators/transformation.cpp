// src/operators/transformation.cpp
#include "sinew/operators/transformation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "operators/small_inverse.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew::sko {
namespace {

constexpr double kLost = 1e-9;  // what a wide map may lose, relative

Shape make_new_shape(const Shape& s, const std::vector<int>& new_sizes) {
  if (!new_sizes.empty()) check_size("Transformation", "the list of sizes", new_sizes.size(), at(s.nodes()));
  std::vector<NodeSize> sizes;
  std::vector<Edge> edges;
  for (int k = 0; k < s.nodes(); ++k) {
    sizes.push_back({s.name(k), new_sizes.empty() ? s.size(k) : new_sizes[at(k)], s.freedoms(k)});
    edges.push_back({s.parent(k), k});
  }
  return Shape(std::move(sizes), edges);
}

void set_identity(Blocks<double>& X, int k) {
  for (int i = 0; i < X.rows(k); ++i)
    for (int j = 0; j < X.cols(k); ++j) X[k][i * X.cols(k) + j] = i == j ? 1 : 0;
}

void take_map(const Shape& s, const char* what, int k, MatrixView<const double> from, Blocks<double>& to) {
  if (from.rows() != at(to.rows(k)) || from.cols() != at(to.cols(k)))
    throw std::invalid_argument(std::string("Transformation: ") + what + " of " + s.describe(k) + " is " +
                                std::to_string(from.rows()) + " x " + std::to_string(from.cols()) + ", it must be " +
                                std::to_string(to.rows(k)) + " x " + std::to_string(to.cols(k)));
  for (std::size_t i = 0; i < from.rows(); ++i)
    for (std::size_t j = 0; j < from.cols(); ++j) to[k][i * from.cols() + j] = from(i, j);
}

// S with S T = 1 (tall T) or T S = 1 (wide T), of least size. False where T has not full rank.
bool invert_one_sided(int rows, int cols, const double* T, double* S) {
  if (rows == cols) return invert_small(rows, T, S);
  const int n = std::min(rows, cols);
  std::vector<double> gram(at(n * n)), inverse(gram), pivots(at(n)), L(gram);
  if (rows > cols)
    multiply_transposed<false>(n, rows, n, T, T, gram.data());  // T^* T
  else
    multiply_by_transposed<false>(n, cols, n, T, T, gram.data());  // T T^*
  if (!linear::invert_symmetric(n, gram.data(), inverse.data(), pivots.data(), L.data(), kSingular,
                                [](double a, double b) { return a > b; }))
    return false;
  if (rows > cols)
    multiply_by_transposed<false>(n, n, rows, inverse.data(), T, S);
  else
    multiply_transposed<false>(cols, n, n, T, inverse.data(), S);
  return true;
}

}  // namespace

Transformation::Transformation(const SkoModel<double>& original, const std::vector<int>& new_sizes)
    : original_(&original), sko(make_new_shape(original.shape(), new_sizes)) {
  const Shape &s = original.shape(), &fresh = sko.shape();
  int most = 0;
  for (int k = 0; k < s.nodes(); ++k) {
    T_.add(fresh.size(k), s.size(k)), T_rate_.add(fresh.size(k), s.size(k)), S_.add(s.size(k), fresh.size(k));
    for (Blocks<double>* x : {&N_, &N_inverse_, &N_rate_}) x->add(s.freedoms(k), s.freedoms(k));
    set_identity(T_, k), set_identity(S_, k), set_identity(N_, k), set_identity(N_inverse_, k);
    most = std::max({most, s.size(k), fresh.size(k)});
  }
  V_.resize(at(s.size())), nu_.resize(at(s.freedoms())), rate_.resize(at(fresh.size()));
  work_.resize(at(2 * most * most));
}

void Transformation::set_velocity_map(int node, MatrixView<const double> T, MatrixView<const double> rate) {
  const Shape& s = original_->shape();
  check_index("Transformation", "node", node, at(s.nodes()));
  take_map(s, "T", node, T, T_);
  if (!invert_one_sided(T_.rows(node), T_.cols(node), T_[node], S_[node]))
    throw std::invalid_argument("Transformation: T of " + s.describe(node) + " is singular; it must have full rank");
  take_rate(s, "the rate of T", node, rate, T_rate_);
}

void Transformation::set_hinge_map(int node, MatrixView<const double> N, MatrixView<const double> rate) {
  const Shape& s = original_->shape();
  check_index("Transformation", "node", node, at(s.nodes()));
  take_map(s, "N", node, N, N_);
  if (!invert_small(s.freedoms(node), N_[node], N_inverse_[node]))
    throw std::invalid_argument("Transformation: N of " + s.describe(node) + " is singular; it must be regular");
  take_rate(s, "the rate of N", node, rate, N_rate_);
}

void Transformation::take_rate(const Shape& s, const char* what, int k, MatrixView<const double> from,
                               Blocks<double>& to) {
  if (from.data() == nullptr && from.rows() == 0 && from.cols() == 0) {  // none was given
    std::fill_n(to[k], to.rows(k) * to.cols(k), 0.0);
    return;
  }
  take_map(s, what, k, from, to);
  moves_ = true;
}

// X (rows of node k x columns) must be S T X.
void Transformation::check_kept(int k, const char* what, int columns, const double* X) {
  const int m = S_.rows(k), fresh = S_.cols(k);
  if (fresh >= m) return;
  double *TX = work_.data() + work_.size() / 2, size = 0, lost = 0;
  multiply<false>(fresh, m, columns, T_[k], X, TX);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < columns; ++j) {
      double kept = 0;
      for (int c = 0; c < fresh; ++c) kept += S_[k][i * fresh + c] * TX[c * columns + j];
      size = std::max(size, std::abs(X[i * columns + j]));
      lost = std::max(lost, std::abs(X[i * columns + j] - kept));
    }
  if (lost > kLost * size)
    throw std::invalid_argument("Transformation: T of " + original_->shape().describe(k) + " loses part of " + what +
                                "; keep the components that move");
}

void Transformation::update(In<double> theta) {
  const Shape &s = original_->shape(), &fresh = sko.shape();
  if (moves_ || theta.size() != 0) check_size("Transformation", "the hinge velocities", theta.size(), at(s.freedoms()));
  double* W = work_.data();
  for (const SweepNode& x : s.sweep()) {
    const int k = x.node, p = x.parent, m = x.size, r = x.freedoms, n = fresh.size(k);
    const double *A = original_->A()[k], *H = original_->H()[k], *a = original_->a().data() + x.begin;
    double *V = V_.data() + x.begin, *nu = nu_.data() + x.freedom_begin, *rate = rate_.data() + fresh.begin(k);
    std::fill_n(rate, n, 0.0);
    std::fill_n(nu, r, 0.0);
    if (moves_) {
      multiply<false>(r, r, 1, N_inverse_[k], theta.data() + x.freedom_begin, nu);
      multiply_transposed<false>(m, r, 1, H, theta.data() + x.freedom_begin, V);
      if (p != kInertial) multiply_transposed<true>(m, x.parent_size, 1, A, V_.data() + x.parent_begin, V);
      multiply<false>(n, m, 1, T_rate_[k], V, rate);
    }
    // A' = S_p^* A T^*
    if (p != kInertial) {
      multiply_transposed<false>(m, x.parent_size, fresh.size(p), A, S_[p], W);  // A^* S_p
      check_kept(k, "its parent's velocity", fresh.size(p), W);
      double* out = sko.A(k);
      for (int i = 0; i < fresh.size(p); ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int c = 0; c < m; ++c) sum += W[c * fresh.size(p) + i] * T_[k][j * m + c];
          out[i * n + j] = sum;
        }
    }
    // H' = N^* H T^*
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < r; ++j) W[i * r + j] = H[j * m + i];
    check_kept(k, "its hinge velocity", r, W);
    multiply_by_transposed<false>(r, m, n, H, T_[k], W);
    multiply_transposed<false>(r, r, n, N_[k], W, sko.H(k));
    // M' = S^* M S, symmetric to the last bit
    double* M = sko.M(k);
    multiply<false>(m, m, n, original_->M()[k], S_[k], W);
    multiply_transposed<false>(n, m, n, S_[k], W, M);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) M[i * n + j] = M[j * n + i] = (M[i * n + j] + M[j * n + i]) / 2;
    // a' and b'
    check_kept(k, "its bias acceleration", 1, a);
    std::copy_n(a, m, W);
    if (moves_) {
      double* dN_nu = W + m;
      multiply<false>(r, r, 1, N_rate_[k], nu, dN_nu);
      multiply_transposed<true>(m, r, 1, H, dN_nu, W);
    }
    multiply<false>(n, m, 1, T_[k], W, sko.a(k));
    multiply_transposed<false>(n, m, 1, S_[k], original_->b().data() + x.begin, sko.b(k));
    if (!moves_) continue;
    for (int i = 0; i < n; ++i) {
      sko.a(k)[i] += rate[i];
      for (int j = 0; p != kInertial && j < fresh.size(p); ++j)
        sko.a(k)[i] -= sko.A()[k][j * n + i] * rate_[at(fresh.begin(p) + j)];
      for (int j = 0; j < n; ++j) sko.b(k)[i] -= M[i * n + j] * rate[j];
    }
  }
}

void set_inertial_axes(Transformation& t, const RigidSko& r, In<double> q, In<double> v, double time) {
  if (!t.original().identity().is_same(r.sko.identity()))
    throw std::invalid_argument("set_inertial_axes: the transformation was made for another model");
  for (const Node& n : r.model().nodes())
    if (n.joint.kind == JointKind::prescribed)
      throw std::invalid_argument("set_inertial_axes: a joint of " + r.model().name() +
                                  " moves by a law of time, so V is not A* H* theta");
  const Shape& s = r.sko.shape();
  KinematicsWorkspace<double> ws(r.model());
  calc_kinematics(r.model(), ws, q, time);
  const std::vector<double> theta = r.stack(v);
  std::vector<double> V(at(s.size())), T, rate;
  for (const SweepNode& x : s.sweep()) {
    double* of_node = V.data() + x.begin;
    multiply_transposed<false>(x.size, x.freedoms, 1, r.sko.H()[x.node], theta.data() + x.freedom_begin, of_node);
    if (x.parent != kInertial)
      multiply_transposed<true>(x.size, x.parent_size, 1, r.sko.A()[x.node], V.data() + x.parent_begin, of_node);
    const Mat3<double> R = transpose(ws.X[at(x.node + 1)].E.m),
                       dR = R * skew(Vec3<double>{of_node[0], of_node[1], of_node[2]});
    const auto fill = [&](std::vector<double>& out, const Mat3<double>& block, double rest) {
      const double rows[3][3] = {
          {block.xx, block.xy, block.xz}, {block.yx, block.yy, block.yz}, {block.zx, block.zy, block.zz}};
      out.assign(at(x.size * x.size), 0.0);
      for (int i = 0; i < x.size; ++i) out[at(i * (x.size + 1))] = i < 6 ? 0 : rest;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (const int half : {0, 3}) out[at((half + i) * x.size + half + j)] = rows[i][j];
    };
    fill(T, R, 1), fill(rate, dR, 0);
    const std::size_t n = at(x.size);
    t.set_velocity_map(x.node, {T.data(), n, n}, {rate.data(), n, n});
  }
}

}  // namespace sinew::sko
