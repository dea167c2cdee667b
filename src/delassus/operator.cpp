// src/delassus/operator.cpp
#include "sinew/delassus/operator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/scalar_pass.hpp"
#include "driver.hpp"
#include "sinew/tree/kernel/articulated_solve.hpp"

namespace sinew::delassus {
namespace {

// Links become heavier by K^T K / mu.
template <class T>
struct AddRows : CarryNothing {
  const Problem& p;
  const Force<T>* K;
  bool damped;
  T weight;  // 1 / mu

  template <class R>
  void enter(int i, const Link<R>&, ArticulatedInertia<T>& I) const {
    const int e = p.end_on(i);
    if (!damped || e < 0) return;
    const EndEffector& end = p.ends()[e];
    for (int a = end.begin; a < end.end; ++a) {
      // entries of one row on one node are one force, taken where the first of them stands
      bool seen = false;
      Force<T> f = K[p.entry_of(a)];
      for (int b = end.begin; b < end.end; ++b) {
        if (b == a || p.row_of(b) != p.row_of(a)) continue;
        seen |= b < a;
        f = f + K[p.entry_of(b)];
      }
      if (!seen) I = I + dyad(weight, f);
    }
  }
};

bool acts_on_one_node(const Problem& p) {
  std::vector<int> node(at(p.rows()), -1);
  for (const Entry& e : p.entries()) {
    if (e.node == 0) continue;
    if (node[e.row] >= 0 && node[e.row] != e.node) return false;
    node[e.row] = e.node;
  }
  return true;
}

struct StoredShifts {
  template <class T>
  static auto of(const std::vector<T>& shifts, const Link<ConstantOf<T>>* links) {
    return [&shifts, links](const Link<ConstantOf<T>>& l) { return shifts[&l - links]; };
  }
};

void check_factored(const char* call, double mu, bool damped) {
  if (mu < 0) throw std::invalid_argument(std::string(call) + ": call factor() first");
  if (damped != (mu > 0))
    throw std::invalid_argument(std::string(call) + (damped
                                                         ? ": factor() was called without damping, call it with mu > 0"
                                                         : ": the inertias are damped, call factor() with mu = 0"));
}

}  // namespace

template <class T>
OperatorWorkspace<T>::OperatorWorkspace(const Model& m, const Problem& problem_in)
    : problem(problem_in),
      one_node_a_row(acts_on_one_node(problem)),
      inertias(m),
      shifts(node_count(m)),
      u(at(m.nv())),
      forces(node_count(m)),
      slot_forces(at(m.branch_slots())),
      slot_motions(at(m.branch_slots())),
      accelerations(node_count(m)),
      K(problem.entries().size()) {
  problem.made_for().check("OperatorWorkspace", m, "the problem");
  for (std::vector<T>& w : work) w.resize(at(problem.rows()));
}

template <class T>
void factor(const Model& m, OperatorWorkspace<T>& ws, In<T> q, In<Force<T>> K, double mu, double time) {
  ws.problem.made_for().check("factor", m);
  check_positions("factor", m, q.size());
  check_size("factor", "K", K.size(), ws.problem.entries().size());
  if (!(mu >= 0)) throw std::invalid_argument("factor: mu is " + std::to_string(mu) + ", it must be 0 or more");
  if (mu > 0 && !ws.one_node_a_row)
    throw std::invalid_argument("factor: a row acts on several nodes: use solve_damped_by_iteration");
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  std::copy(K.begin(), K.end(), ws.K.begin());
  prepare(m, ws.inertias, q.data(), time, true);
  for (int i = 1; i < n; ++i)
    if (links[i].step == Step::axial) ws.shifts[i] = ShiftOf<T>{q.data()}(links[i]);
  const T weight = mu > 0 ? lit<T>(1 / mu) : lit<T>(0);
  articulated_sweep<T>(links.data(), n, scratch_of(ws.inertias), m.dof_tree().velocities().data(), m.armature().data(),
                       StoredTurns<T>{ws.inertias.turns.data()}, ShiftOf<T>{q.data()},
                       AddRows<T>{{}, ws.problem, ws.K.data(), mu > 0, weight});
  ws.mu = mu;
}

namespace {
// y = J (inertias)^-1 J^T x
template <class T>
void respond(const Model& m, OperatorWorkspace<T>& ws, const T* x, T* y) {
  const auto links = links_of<T>(m);
  const Problem& p = ws.problem;
  const T o = lit<T>(0);
  std::fill(ws.forces.begin(), ws.forces.end(), Force<T>{});
  for (std::size_t e = 0; e < ws.K.size(); ++e) ws.forces[p.entries()[e].node] += x[p.entries()[e].row] * ws.K[e];
  const ArticulatedSolveScratch<T> scratch{ws.inertias.general.data(), ws.inertias.k.data(),   ws.inertias.Dinv.data(),
                                           ws.slot_forces.data(),      ws.slot_motions.data(), ws.u.data()};
  articulated_solve<T>(
      links.data(), static_cast<int>(links.size()), scratch, [&](int, const auto&, int) { return o; },
      [&](int i) -> const Force<T>& { return ws.forces[i]; }, [](const auto&, int, const T&) {},
      [&](int i, const Motion<T>& A) { ws.accelerations[i] = A; }, StoredTurns<T>{ws.inertias.turns.data()},
      StoredShifts::of(ws.shifts, links.data()));
  std::fill(y, y + p.rows(), o);
  for (std::size_t e = 0; e < ws.K.size(); ++e)
    if (const Entry& entry = p.entries()[e]; entry.node != 0)
      y[entry.row] += dot(ws.accelerations[entry.node], ws.K[e]);
}
}  // namespace

template <class T>
void multiply(const Model& m, OperatorWorkspace<T>& ws, In<T> x, Out<T> y) {
  ws.problem.made_for().check("multiply", m);
  check_factored("multiply", ws.mu, false);
  check_size("multiply", "x", x.size(), at(ws.problem.rows()));
  check_size("multiply", "y", y.size(), at(ws.problem.rows()));
  respond(m, ws, x.data(), y.data());
}

template <class T>
void solve_damped(const Model& m, OperatorWorkspace<T>& ws, In<T> b, Out<T> x) {
  ws.problem.made_for().check("solve_damped", m);
  check_factored("solve_damped", ws.mu, true);
  check_size("solve_damped", "b", b.size(), at(ws.problem.rows()));
  check_size("solve_damped", "x", x.size(), at(ws.problem.rows()));
  const T weight = lit<T>(1 / ws.mu);
  respond(m, ws, b.data(), ws.work[0].data());
  for (std::size_t r = 0; r < b.size(); ++r) x[r] = weight * (b[r] - weight * ws.work[0][r]);
}

#if SINEW_FIRST_PASS
IterationReport solve_damped_by_iteration(const Model& m, OperatorWorkspace<double>& ws, double mu, In<double> b,
                                          Out<double> x, double tolerance, int limit) {
  ws.problem.made_for().check("solve_damped_by_iteration", m);
  check_factored("solve_damped_by_iteration", ws.mu, false);
  check_size("solve_damped_by_iteration", "b", b.size(), at(ws.problem.rows()));
  check_size("solve_damped_by_iteration", "x", x.size(), at(ws.problem.rows()));
  const std::size_t n = b.size();
  auto &r = ws.work[0], &p = ws.work[1], &Ap = ws.work[2];
  const auto apply = [&](const double* in, double* out) {
    respond(m, ws, in, out);
    for (std::size_t i = 0; i < n; ++i) out[i] += mu * in[i];
  };
  const auto square = [&](const auto& v) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += v[i] * v[i];
    return sum;
  };
  const auto measure = [&] {
    apply(x.data(), r.data());
    for (std::size_t i = 0; i < n; ++i) r[i] = b[i] - r[i];
    return square(r);
  };
  IterationReport report;
  const double size = square(b);
  double rr = measure();
  std::copy(r.begin(), r.end(), p.begin());
  while (size > 0 && !(rr <= tolerance * tolerance * size) && report.iterations < limit) {
    apply(p.data(), Ap.data());
    double pAp = 0;
    for (std::size_t i = 0; i < n; ++i) pAp += p[i] * Ap[i];
    const double step = rr / pAp;
    for (std::size_t i = 0; i < n; ++i) x[i] += step * p[i], r[i] -= step * Ap[i];
    const double next = square(r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + next / rr * p[i];
    rr = next;
    ++report.iterations;
  }
  if (size == 0) std::fill(x.begin(), x.end(), 0.0);
  report.residual = size > 0 ? std::sqrt(measure() / size) : 0;
  report.converged = report.residual <= 10 * tolerance;
  return report;
}
#endif

#define SINEW_INSTANTIATE(T)                                                                      \
  template struct OperatorWorkspace<T>;                                                           \
  template void factor(const Model&, OperatorWorkspace<T>&, In<T>, In<Force<T>>, double, double); \
  template void multiply(const Model&, OperatorWorkspace<T>&, In<T>, Out<T>);                     \
  template void solve_damped(const Model&, OperatorWorkspace<T>&, In<T>, Out<T>);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
