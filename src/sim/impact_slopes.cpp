// src/sim/impact_slopes.cpp
#include "impact_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "linear/dense_system.hpp"
#include "linear/rows.hpp"
#include "sinew/contact/cone.hpp"

namespace sinew::stepping {
namespace {

constexpr double kDependent = 1e-9;  // of the first pivot: smaller ones are rows that depend on others
constexpr double kNoRow = 1e-24;     // of the largest A_ii of a contact: zero but for rounding
constexpr double kNoChange = 1e-6;   // of the largest change of the velocity by an impulse: less is none

void clear_matrix(linear::Matrix& m, int rows, int cols) { m.resize(rows, cols); }

// C += A B
void add_dense(const linear::Matrix& A, const linear::Matrix& B, linear::Matrix& C, double scale) {
  for (int i = 0; i < A.rows(); ++i)
    for (int k = 0; k < A.cols(); ++k) {
      const double a = scale * A(i, k);
      if (a == 0) continue;
      for (int j = 0; j < B.cols(); ++j) C(i, j) += a * B(k, j);
    }
}

}  // namespace

ImpactSlopes::ImpactSlopes(const Model& m)
    : model_(m), nv_(m.nv()), touching_(m), rnea_(m), inverses_(m), still_(at(m.nv())), tau_(at(m.nv())) {
  for (Matrix* x : {&inverse_, &M_, &Fq_, &by_weight_, &Fv_, &d_force_}) x->resize(nv_, nv_);
}

bool ImpactSlopes::calc(const ContactShapes& shapes, const ImpactLog::Round& round, std::span<const int> body_of,
                        RestitutionFriction friction, const StepDerivativeOptions& o, double time) {
  contacts_ = static_cast<int>(round.contacts.size()), time_ = time;
  const std::size_t m = at(contacts_);
  modes.assign(m, StepMode::open), distances.assign(m, INFINITY), at_switch.assign(m, 0);
  unique = true, inconsistency = 0;
  calc_mass_inverse<double>(model_, inverses_, round.q, inverse_, time_);
  // What depends on the position alone: gravity, which is no part of an impact.
  calc_rnea_derivatives<double>(model_, rnea_, round.q, still_, still_, tau_, by_weight_, Fv_, M_, {.time = time_});

  std::vector<double> none(m, 0.0);
  touching_.place(round.q, round.v, time_);
  touching_.find_velocities(round.contacts, velocities_);
  approach.resize(m);
  for (std::size_t c = 0; c < m; ++c) approach[c] = velocities_[3 * c];
  if (!calc_phase(shapes, round, body_of, {round.v, round.compressed, round.compression, none}, o, true)) return false;
  const Matrix compressed = to_by_, stored = impulse_by_;
  // What is given back.
  known_.assign(m, 0.0), rest_.assign(round.restitution.begin(), round.restitution.end());
  bool any = false;
  for (std::size_t c = 0; c < m; ++c) {
    known_[c] = round.contacts[c].restitution * std::max(0.0, round.compression[3 * c]);
    rest_[3 * c] -= known_[c], any = any || known_[c] > 0;
    if (friction == RestitutionFriction::printed && round.contacts[c].friction > 0) return refused = int(c), false;
  }
  clear_matrix(after_by_q, nv_, nv_), clear_matrix(after_by_v, nv_, nv_);
  clear_matrix(after_by_restitution, nv_, contacts_);
  if (any && !calc_phase(shapes, round, body_of, {round.compressed, round.after, rest_, known_}, o, false))
    return false;
  for (int i = 0; i < nv_ && any; ++i)
    for (int c = 0; c < contacts_; ++c)
      after_by_restitution(i, c) = to_by_(i, 2 * nv_ + c) * std::max(0.0, round.compression[at(3 * c)]);
  for (int i = 0; i < nv_; ++i)
    for (int j = 0; j < nv_; ++j) {
      if (!any) {
        after_by_q(i, j) = compressed(i, j), after_by_v(i, j) = compressed(i, nv_ + j);
        continue;
      }
      double q = to_by_(i, j), v = 0;
      for (int k = 0; k < nv_; ++k)
        q += to_by_(i, nv_ + k) * compressed(k, j), v += to_by_(i, nv_ + k) * compressed(k, nv_ + j);
      for (int c = 0; c < contacts_; ++c) {
        if (known_[at(c)] == 0) continue;
        const double by = to_by_(i, 2 * nv_ + c) * round.contacts[at(c)].restitution;
        q += by * stored(3 * c, j), v += by * stored(3 * c, nv_ + j);
      }
      after_by_q(i, j) = q, after_by_v(i, j) = v;
    }
  return true;
}

// Inputs: place, velocity before, and the known normal impulses.
bool ImpactSlopes::calc_phase(const ContactShapes& shapes, const ImpactLog::Round& round, std::span<const int> body_of,
                              const Phase& p, const StepDerivativeOptions& o, bool first) {
  const int rows = 3 * contacts_, inputs = 2 * nv_ + contacts_;
  touching_.place(round.q, p.to, time_);
  touching_.find_velocities(round.contacts, velocities_);
  clear_matrix(J_, rows, nv_), clear_matrix(Uq_, rows, nv_), clear_matrix(d_force_, nv_, nv_);
  if (first) clear_matrix(gap_by_q, contacts_, nv_);
  external_.assign(model_.bodies().size(), {});
  gap_.assign(at(nv_), 0.0);
  for (int c = 0; c < contacts_; ++c) {
    const ContactPoint& point = round.contacts[at(c)];
    const double* x = p.impulses.data() + 3 * c;
    const Vec3<double> impulse = to_world(point.normal, x[0] + p.known[at(c)], x[1], x[2]);
    bool tie = false;
    const ContactRowSlopes::Result out{J_.row(3 * c), Uq_.row(3 * c), first ? gap_by_q.row(c) : gap_.data(),
                                       d_force_.data(), nv_};
    if (!touching_.add(shapes, point, impulse, out, tie)) return refused = c, false;
    at_switch[at(c)] |= tie ? 1 : 0;
    for (const bool on_a : {true, false}) {
      const int node = on_a ? point.node_a : point.node_b;
      if (node == 0) continue;
      const int body = body_of[at(node)];
      const Transform<double> X = model_.bodies()[at(body)].in_node * touching_.pose(node);
      const Vec3<double> lin = apply(X.E, on_a ? impulse : -impulse);
      external_[at(body)] += Force<double>{cross(apply_to_point(X, point.point), lin), lin};
    }
  }
  change_.resize(at(nv_));
  for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = p.to[k] - p.from[k];
  calc_rnea_derivatives<double>(model_, rnea_, round.q, still_, change_, tau_, Fq_, Fv_, M_,
                                {.external = external_, .time = time_});
  for (std::size_t i = 0; i < Fq_.size(); ++i) Fq_.data()[i] -= by_weight_.data()[i] + d_force_.data()[i];

  clear_matrix(C_, rows, nv_), clear_matrix(A_, rows, rows), clear_matrix(free_, nv_, inputs);
  add_dense(J_, inverse_, C_, 1);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) A_(i, j) = linear::dot(C_.row(i), J_.row(j), nv_);
  for (int i = 0; i < nv_; ++i) {
    for (int j = 0; j < nv_; ++j)
      for (int k = 0; k < nv_; ++k) free_(i, j) -= inverse_(i, k) * Fq_(k, j);
    free_(i, nv_ + i) = 1;
    for (int c = 0; c < contacts_; ++c) free_(i, 2 * nv_ + c) = C_(3 * c, i);
  }
  // d(J w) without a change of the impulses.
  clear_matrix(B_, rows, inputs);
  add_dense(J_, free_, B_, 1);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < nv_; ++k) B_(i, k) += Uq_(i, k);
  find_laws(round, p, o, first);
  solve_laws();
  return true;
}

void ImpactSlopes::find_laws(const ImpactLog::Round& round, const Phase& p, const StepDerivativeOptions& o,
                             bool first) {
  const int rows = 3 * contacts_;
  double most_impulse = 0, most_speed = 0;
  for (int i = 0; i < rows; ++i) {
    most_impulse = std::max(most_impulse, std::abs(p.impulses[at(i)]));
    most_speed = std::max(most_speed, std::abs(velocities_[at(i)]));
  }
  for (const double x : p.known) most_impulse = std::max(most_impulse, x);
  for (const double x : approach) most_speed = std::max(most_speed, std::abs(x));
  const double least_p = o.near * most_impulse, least_u = o.near * most_speed;
  clear_matrix(T_, rows, rows), of_velocity_.assign(at(rows), 0);
  Matrix& B = B_;
  const auto keep_velocity = [&](int i) {
    of_velocity_[at(i)] = 1;
    for (int j = 0; j < rows; ++j) T_(i, j) = A_(i, j);
  };
  const auto no_impulse = [&](int i) {
    T_(i, i) = 1;
    std::fill_n(B.row(i), B.cols(), 0.0);
  };
  for (int c = 0; c < contacts_; ++c) {
    const int i = 3 * c;
    const double *w = velocities_.data() + i, *x = p.impulses.data() + i;
    const double mu = round.contacts[at(c)].friction, bound = x[0] + p.known[at(c)];
    double& distance = distances[at(c)];
    const auto near_by = [&](double room, double least) {
      distance = std::min(distance, room);
      if (room <= least) at_switch[at(c)] = 1;
    };
    const bool weak = x[0] <= least_p && std::abs(w[0]) <= least_u;
    const bool closed = weak ? o.side == StepSide::hold : x[0] > least_p;
    near_by(closed ? x[0] : std::abs(w[0]), weak ? INFINITY : closed ? least_p : least_u);
    closed ? keep_velocity(i) : no_impulse(i);
    if (first) modes[at(c)] = closed ? StepMode::presses : StepMode::open;
    if (mu == 0 || bound <= least_p) {
      no_impulse(i + 1), no_impulse(i + 2);
      continue;
    }
    const double slip = std::hypot(w[1], w[2]), friction = std::hypot(x[1], x[2]), spare = mu * bound - friction;
    const bool neither = spare <= least_p && slip <= least_u;
    const bool slides = neither ? o.side == StepSide::release : spare / most_impulse < slip / most_speed;
    near_by(slides ? slip : spare, neither ? INFINITY : 0);
    if (first) modes[at(c)] = slides ? StepMode::slides : StepMode::sticks;
    if (!slides) {
      keep_velocity(i + 1), keep_velocity(i + 2);
      continue;
    }
    const bool slips = slip > least_u;
    const double s[2] = {slips ? w[1] / slip : -x[1] / friction, slips ? w[2] / slip : -x[2] / friction};
    const double r[2] = {-s[1], s[0]};
    const double gain = slips ? mu * bound / slip : 0;
    // Along s, then across it.
    std::vector<double> across(at(B.cols())), turned(at(rows));
    for (int k = 0; k < 2; ++k) {
      for (int j = 0; j < B.cols(); ++j) across[at(j)] += r[k] * B(i + 1 + k, j);
      for (int j = 0; j < rows; ++j) turned[at(j)] += r[k] * A_(i + 1 + k, j);
    }
    std::fill_n(B.row(i + 1), B.cols(), 0.0), std::fill_n(B.row(i + 2), B.cols(), 0.0);
    T_(i + 1, i) = mu, B(i + 1, 2 * nv_ + c) = mu;
    for (int k = 0; k < 2; ++k) T_(i + 1, i + 1 + k) += s[k];
    // gain -> infinity: the velocity across is kept.
    const double stiff = std::max(A_(i + 1, i + 1), A_(i + 2, i + 2));
    const double of_law = slips ? 1 / (1 + gain * stiff) : 0,
                 of_velocity = slips ? gain / (1 + gain * stiff) : 1 / std::max(stiff, 1e-300);
    for (int j = 0; j < rows; ++j) T_(i + 2, j) += of_velocity * turned[at(j)];
    for (int j = 0; j < B.cols(); ++j) B(i + 2, j) += of_velocity * across[at(j)];
    for (int k = 0; k < 2; ++k) T_(i + 2, i + 1 + k) += of_law * r[k];
  }
}

void ImpactSlopes::solve_laws() {
  const int rows = T_.rows(), inputs = B_.cols();
  // Impulses in units of 1 / sqrt(A_ii), velocities of sqrt(A_ii); a row that is zero but for rounding has no unit.
  std::vector<double> unit(at(rows), 1.0);
  for (int i = 0; i < rows; ++i) {
    const int c = i / 3 * 3;
    const double most = std::max({A_(c, c), A_(c + 1, c + 1), A_(c + 2, c + 2)});
    if (most > 0) unit[at(i)] = 1 / std::sqrt(A_(i, i) > kNoRow * most ? A_(i, i) : most);
  }
  for (int i = 0; i < rows; ++i) {
    const double by = of_velocity_[at(i)] ? unit[at(i)] : 1 / unit[at(i)];
    for (int j = 0; j < rows; ++j) T_(i, j) *= by * unit[at(j)];
    for (int j = 0; j < inputs; ++j) B_(i, j) *= by;
  }
  const double scale = linear::largest_entry(B_.data(), rows * inputs);
  const MatrixView<double> T = T_, B = B_;
  const int rank = linear::eliminate(T, B, order_, kDependent);
  if (rank < rows && scale > 0)
    inconsistency = std::max(inconsistency, linear::largest_entry(B_.row(rank), (rows - rank) * inputs) / scale);
  linear::divide_by_upper(linear::constant(T), rank, B);
  clear_matrix(impulse_by_, rows, inputs);
  for (int k = 0; k < rank; ++k)
    for (int j = 0; j < inputs; ++j) impulse_by_(order_[at(k)], j) = -unit[at(order_[at(k)])] * B_(k, j);
  to_by_ = free_;
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < nv_; ++i)
      for (int j = 0; j < inputs; ++j) to_by_(i, j) += C_(r, i) * impulse_by_(r, j);
  if (rank == rows) return;
  // Impulses that change nothing in the rows must change nothing in the velocity.
  double moves = 0;
  for (int r = 0; r < rows; ++r) moves = std::max(moves, unit[at(r)] * linear::largest_entry(C_.row(r), nv_));
  for (int f = rank; f < rows; ++f) {
    std::vector<double> z(at(rank));
    for (int k = 0; k < rank; ++k) z[at(k)] = -T_(k, f);
    linear::divide_by_upper(linear::constant(T), rank, {z.data(), at(rank), 1});
    for (int i = 0; i < nv_; ++i) {
      double change = unit[at(order_[at(f)])] * C_(order_[at(f)], i);
      for (int k = 0; k < rank; ++k) change += z[at(k)] * unit[at(order_[at(k)])] * C_(order_[at(k)], i);
      unique = unique && std::abs(change) <= kNoChange * moves;
    }
  }
}

}  // namespace sinew::stepping
