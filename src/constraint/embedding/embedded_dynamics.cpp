// src/constraint/embedding/embedded_dynamics.cpp
#include "sinew/constraint/embedding/embedded_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraint/checks.hpp"
#include "constraint/embedding/loop_solver.hpp"
#include "sinew/joint/armature.hpp"

namespace sinew {
namespace {

// From a point to one that lies d further on; and back.
Motion<double> carried_on(const Motion<double>& m, const Vec3<double>& d) { return {m.ang, m.lin - cross(d, m.ang)}; }
Force<double> carried_home(const Force<double>& f, const Vec3<double>& d) { return {f.ang + cross(d, f.lin), f.lin}; }
ArticulatedInertia<double> carried_home(const ArticulatedInertia<double>& a, const Vec3<double>& d) {
  const Mat3<double> Y = a.H + cross(d, a.M);
  return {a.M, Y, a.I + detail::cross_transpose(d, a.H) - detail::times_cross(Y, d)};
}

class Sweeps {
 public:
  // g: accelerations of the coordinates where y'' = 0.
  Sweeps(const Model& m, EmbeddedWorkspace& ws, In<double> v, In<double> tau, In<double> g)
      : m_(m), ws_(ws), e_(ws.embedding), v_(v), tau_(tau), g_(g), X_(e_.rows.motion.kinematics.X) {}

  // Rigid inertias, and the forces that velocity products, gravity and surroundings need [F08 7.36].
  void begin() {
    for (std::size_t i = 1; i < m_.nodes().size(); ++i) {
      const Node& n = m_.nodes()[i];
      const Rotation<double> to_world = inverse(X_[i].E);
      const RigidInertia<double> I{n.inertia.m, apply(to_world, n.inertia.h), rotate(to_world, n.inertia.I)};
      const Motion<double>& u = e_.rows.motion.v[i];
      Motion<double> a = e_.rows.motion.a[i];
      a.lin = a.lin - m_.gravity();
      const Force<double>& f = ws_.external[i];
      ws_.IA[i] = to_articulated(I);
      ws_.pA[i] = I * a + cross(u, I * u) - Force<double>{apply(to_world, f.ang), apply(to_world, f.lin)};
    }
  }

  bool inward() {
    for (std::size_t k = ws_.order.size(); k-- > 0;) {
      const int item = ws_.order[k];
      if (!(item > 0 ? pass_node(at(item)) : pass_group(at(-1 - item)))) return false;
    }
    return true;
  }

  // The way in for forces along coordinates alone, through the inertias of the last inward().
  void carry_forces() {
    std::fill(ws_.pA.begin(), ws_.pA.end(), Force<double>{});
    for (std::size_t k = ws_.order.size(); k-- > 0;) {
      const int item = ws_.order[k];
      if (item > 0)
        carry_through_node(at(item));
      else
        carry_through_group(at(-1 - item));
    }
  }

  void outward(Out<double> qdd) {
    ws_.alpha[0] = {};
    for (const int item : ws_.order) {
      if (item > 0) {
        const Node& n = m_.nodes()[at(item)];
        Motion<double>& a = ws_.alpha[at(item)] = carried_on(ws_.alpha[at(n.parent)], arm(at(item)));
        for (std::size_t k = at(n.v); k < at(n.v + n.nv); ++k) qdd[k] = accelerate(ws_.steps[k], e_.rows.S[k], a);
      } else {
        accelerate_group(at(-1 - item), qdd);
      }
    }
  }

 private:
  Vec3<double> arm(std::size_t i) const { return X_[i].r - X_[at(m_.nodes()[i].parent)].r; }
  bool fail(int coordinate) {
    e_.report.status = EmbeddingStatus::no_inertia;
    e_.report.coordinate = coordinate;
    return false;
  }
  // tau less the products of velocities that armature has.
  void calc_net_forces(const Node& n, double* out) const {
    for (int k = 0; k < n.nv; ++k) out[k] = tau_[at(n.v + k)];
    const double* A = m_.armature().data() + n.v;
    if (!has_armature_bias(n.joint.kind, A)) return;
    double bias[kMaxJointDofs];
    calc_armature_bias(n.joint.kind, A, v_, n.v, bias);
    for (int k = 0; k < n.nv; ++k) out[k] -= bias[k];
  }

  bool pass_node(std::size_t i) {
    const Node& n = m_.nodes()[i];
    double net[kMaxJointDofs];
    calc_net_forces(n, net);
    for (int k = n.nv; k-- > 0;) {
      const std::size_t c = at(n.v + k);
      CoordinateStep<double>& step = ws_.steps[c];
      step = let_move(ws_.IA[i], ws_.pA[i], e_.rows.S[c], net[k], m_.armature()[c]);
      const double whole = 1 / (e_.loops.scale[c] * e_.loops.scale[c]);
      if (!(step.w > 0 && 1 / step.w > linear::kNoInertia * whole)) return fail(static_cast<int>(c));
    }
    if (n.parent == 0) return true;
    ws_.IA[at(n.parent)] += carried_home(ws_.IA[i], arm(i));
    ws_.pA[at(n.parent)] += carried_home(ws_.pA[i], arm(i));
    return true;
  }

  bool pass_group(std::size_t number) {
    const EmbeddedGroup& group = e_.loops.groups[number];
    const EmbeddedMap& map = e_.maps[number];
    const std::size_t n = map.independent.size();
    std::vector<double>&D = ws_.D[number], &u = ws_.u[number];
    std::fill(D.begin(), D.end(), 0.0);
    std::fill(u.begin(), u.end(), 0.0);
    // Base to tips: Y and b; D and u as sums over bodies.
    for (std::size_t k = 0; k < group.nodes.size(); ++k) {
      const std::size_t i = at(group.nodes[k]);
      const Node& node = m_.nodes()[i];
      Motion<double>* Y = ws_.Y[number].data() + k * n;
      Force<double>* F = ws_.F.data() + k * n;
      const int up = ws_.place[at(node.parent)];
      const bool inside = node.parent != group.parent;
      const Vec3<double> d = arm(i);
      ws_.b[k] = inside ? carried_on(ws_.b[at(up)], d) : Motion<double>{};
      for (std::size_t j = 0; j < n; ++j)
        Y[j] = inside ? carried_on(ws_.Y[number][at(up) * n + j], d) : Motion<double>{};
      double net[kMaxJointDofs];
      calc_net_forces(node, net);
      for (int c = 0; c < node.nv; ++c) {
        const std::size_t coordinate = at(node.v + c);
        const Motion<double>& S = e_.rows.S[coordinate];
        const double* X = map.X.data() + at(e_.place_in_group[coordinate]) * n;
        const double armature = m_.armature()[coordinate], gk = g_[coordinate];
        ws_.b[k] += gk * S;
        for (std::size_t j = 0; j < n; ++j) {
          Y[j] += X[j] * S;
          u[j] += X[j] * (net[c] - armature * gk);
          if (armature != 0)
            for (std::size_t l = j; l < n; ++l) D[j * n + l] += X[j] * armature * X[l];
        }
      }
      ws_.h[k] = ws_.IA[i] * ws_.b[k] + ws_.pA[i];
      for (std::size_t j = 0; j < n; ++j) {
        F[j] = ws_.IA[i] * Y[j];
        u[j] -= dot(ws_.h[k], Y[j]);
        for (std::size_t l = 0; l <= j; ++l) D[l * n + j] += dot(F[j], Y[l]);  // [J11 32]
      }
      ws_.place[i] = static_cast<int>(k);
    }
    std::vector<Force<double>>& W = ws_.W[number];
    std::fill(W.begin(), W.end(), Force<double>{});
    ArticulatedInertia<double> R{};
    Force<double> h{};
    if (group.parent != 0) gather(group, n, W, R), gather_forces(group, h);
    // Elimination of y'' leaves what the parent feels [J11 33].
    for (std::size_t i = 0; i < n; ++i) {
      const double pivot = D[i * n + i], scale = e_.loops.scale[at(map.independent[i])];
      if (!(pivot > linear::kNoInertia / (scale * scale))) return fail(map.independent[i]);
      const double w = 1 / pivot;
      R = R - dyad(w, W[i]);
      h += (w * u[i]) * W[i];
      for (std::size_t j = i + 1; j < n; ++j) {
        const double l = w * D[i * n + j];
        W[j] = W[j] - l * W[i];
        u[j] -= l * u[i];
        for (std::size_t c = j; c < n; ++c) D[j * n + c] -= l * D[i * n + c];
      }
    }
    if (group.parent == 0) return true;
    ws_.IA[at(group.parent)] += R;
    ws_.pA[at(group.parent)] += h;
    return true;
  }

  // Tips to base: W and the composite inertia at the body that the group hangs on.
  void gather(const EmbeddedGroup& group, std::size_t n, std::vector<Force<double>>& W, ArticulatedInertia<double>& R) {
    for (std::size_t k = 0; k < group.nodes.size(); ++k) ws_.R[k] = ws_.IA[at(group.nodes[k])];
    for (std::size_t k = group.nodes.size(); k-- > 0;) {
      const std::size_t i = at(group.nodes[k]);
      const int parent = m_.nodes()[i].parent;
      const bool inside = parent != group.parent;
      const std::size_t up = inside ? at(ws_.place[at(parent)]) : 0;
      const Vec3<double> d = arm(i);
      (inside ? ws_.R[up] : R) += carried_home(ws_.R[k], d);
      for (std::size_t j = 0; j < n; ++j) (inside ? ws_.F[up * n + j] : W[j]) += carried_home(ws_.F[k * n + j], d);
    }
  }

  // Likewise the sum of the forces h.
  void gather_forces(const EmbeddedGroup& group, Force<double>& h) {
    for (std::size_t k = group.nodes.size(); k-- > 0;) {
      const std::size_t i = at(group.nodes[k]);
      const int parent = m_.nodes()[i].parent;
      (parent != group.parent ? ws_.h[at(ws_.place[at(parent)])] : h) += carried_home(ws_.h[k], arm(i));
    }
  }

  void carry_through_node(std::size_t i) {
    const Node& n = m_.nodes()[i];
    Force<double>& p = ws_.pA[i];
    for (int k = n.nv; k-- > 0;) {
      CoordinateStep<double>& step = ws_.steps[at(n.v + k)];
      step.u = tau_[at(n.v + k)] - dot(e_.rows.S[at(n.v + k)], p);  // [F08 7.45]
      p += (step.w * step.u) * step.U;                              // [F08 7.48]
    }
    if (n.parent != 0) ws_.pA[at(n.parent)] += carried_home(p, arm(i));
  }

  void carry_through_group(std::size_t number) {
    const EmbeddedGroup& group = e_.loops.groups[number];
    const EmbeddedMap& map = e_.maps[number];
    const std::size_t n = map.independent.size();
    const std::vector<double>& D = ws_.D[number];
    std::vector<double>& u = ws_.u[number];
    std::fill(u.begin(), u.end(), 0.0);
    for (std::size_t k = 0; k < group.nodes.size(); ++k) {
      const Node& node = m_.nodes()[at(group.nodes[k])];
      const Motion<double>* Y = ws_.Y[number].data() + k * n;
      ws_.h[k] = ws_.pA[at(group.nodes[k])];
      for (std::size_t c = at(node.v); c < at(node.v + node.nv); ++c) {
        const double* X = map.X.data() + at(e_.place_in_group[c]) * n;
        for (std::size_t j = 0; j < n; ++j) u[j] += X[j] * tau_[c];
      }
      for (std::size_t j = 0; j < n; ++j) u[j] -= dot(ws_.h[k], Y[j]);
    }
    Force<double> h{};
    if (group.parent != 0) gather_forces(group, h);
    for (std::size_t i = 0; i < n; ++i) {
      const double w = 1 / D[i * n + i];
      h += (w * u[i]) * ws_.W[number][i];
      for (std::size_t j = i + 1; j < n; ++j) u[j] -= (w * D[i * n + j]) * u[i];
    }
    if (group.parent != 0) ws_.pA[at(group.parent)] += h;
  }

  void accelerate_group(std::size_t number, Out<double> qdd) {
    const EmbeddedGroup& group = e_.loops.groups[number];
    const EmbeddedMap& map = e_.maps[number];
    const std::size_t n = map.independent.size();
    const std::vector<double>& D = ws_.D[number];
    std::vector<double>& ydd = ws_.u[number];
    for (std::size_t i = n; i-- > 0;) {
      double rest = ydd[i] - dot(ws_.W[number][i], ws_.alpha[at(group.parent)]);
      for (std::size_t j = i + 1; j < n; ++j) rest -= D[i * n + j] * ydd[j];
      ydd[i] = rest / D[i * n + i];  // [J11 58f]
    }
    for (const int i : group.nodes) {
      const Node& node = m_.nodes()[at(i)];
      Motion<double>& a = ws_.alpha[at(i)] = carried_on(ws_.alpha[at(node.parent)], arm(at(i)));
      for (std::size_t c = at(node.v); c < at(node.v + node.nv); ++c) {
        const double* X = map.X.data() + at(e_.place_in_group[c]) * n;
        double sum = g_[c];
        for (std::size_t j = 0; j < n; ++j) sum += X[j] * ydd[j];
        qdd[c] = sum;
        a += sum * e_.rows.S[c];
      }
    }
  }

  const Model& m_;
  EmbeddedWorkspace& ws_;
  EmbeddingWorkspace& e_;
  In<double> v_, tau_, g_;
  const std::vector<Transform<double>>& X_;
};

// Room for the choice of coordinates that was made last.
void fit(EmbeddedWorkspace& ws) {
  const EmbeddingWorkspace& e = ws.embedding;
  std::size_t most_nodes = 0, most_columns = 0;
  for (std::size_t g = 0; g < e.maps.size(); ++g) {
    const std::size_t n = e.maps[g].independent.size(), nodes = e.loops.groups[g].nodes.size();
    most_nodes = std::max(most_nodes, nodes), most_columns = std::max(most_columns, nodes * n);
    if (ws.u[g].size() != n) ws.u[g].resize(n), ws.D[g].resize(n * n), ws.W[g].resize(n), ws.Y[g].resize(nodes * n);
  }
  if (ws.F.size() < most_columns) ws.F.resize(most_columns);
  if (ws.b.size() < most_nodes) ws.b.resize(most_nodes), ws.h.resize(most_nodes), ws.R.resize(most_nodes);
}

void fill_with_nan(const Out<double>& x) { std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN()); }

}  // namespace

EmbeddedWorkspace::EmbeddedWorkspace(const Model& m, const ConstraintSet& set, const EmbeddingOptions& o)
    : embedding(m, set, o),
      rnea(m),
      external(m.nodes().size()),
      IA(m.nodes().size()),
      pA(m.nodes().size()),
      alpha(m.nodes().size()),
      steps(at(m.nv())),
      place(m.nodes().size()),
      D(embedding.loops.groups.size()),
      u(D),
      W(D.size()),
      Y(D.size()),
      tau(at(m.nv())),
      x(tau) {
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const int g = embedding.group_of[i];
    if (g < 0) order.push_back(static_cast<int>(i));
    if (g >= 0 && embedding.loops.groups[at(g)].nodes.front() == static_cast<int>(i)) order.push_back(-1 - g);
  }
}

const EmbeddingReport& embedded_forward_dynamics_prepared(const Model& m, EmbeddedWorkspace& ws, In<double> v,
                                                          In<double> tau, Out<double> qdd,
                                                          const Surroundings<double>& around) {
  const char* call = "embedded_forward_dynamics";
  ws.rnea.made_for.check(call, m);
  check_size(call, "v", v.size(), at(m.nv()));
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "qdd", qdd.size(), at(m.nv()));
  if (around.external.size() != 0) check_size(call, "external", around.external.size(), m.bodies().size());
  EmbeddingReport& report = ws.embedding.report;
  if (report.status != EmbeddingStatus::ready) {
    fill_with_nan(qdd);
    return report;
  }
  std::fill(ws.external.begin(), ws.external.end(), Force<double>{});
  for (std::size_t b = 0; b < around.external.size(); ++b)
    ws.external[at(m.bodies()[b].node)] += apply_inverse(m.bodies()[b].in_node, around.external[b]);
  fit(ws);
  Sweeps sweeps(m, ws, v, tau, ws.embedding.g);
  sweeps.begin();
  if (!sweeps.inward()) {
    fill_with_nan(qdd);
    return report;
  }
  sweeps.outward(qdd);
  for (const double a : qdd)
    if (!std::isfinite(a)) report.status = EmbeddingStatus::non_finite;
  return report;
}

const EmbeddingReport& embedded_forward_dynamics(const Model& m, const ConstraintSet& set, EmbeddedWorkspace& ws,
                                                 In<double> q, In<double> v, In<double> tau, Out<double> qdd,
                                                 const Surroundings<double>& around) {
  prepare_embedding(m, set, ws.embedding, q, v, around.time);
  return embedded_forward_dynamics_prepared(m, ws, v, tau, qdd, around);
}

void solve_embedded_mass(const Model& m, EmbeddedWorkspace& ws, In<double> f, Out<double> x) {
  const char* call = "solve_embedded_mass";
  ws.rnea.made_for.check(call, m);
  check_size(call, "f", f.size(), at(m.nv()));
  check_size(call, "x", x.size(), at(m.nv()));
  if (ws.embedding.report.status != EmbeddingStatus::ready) return fill_with_nan(x);
  const In<double> none = ws.embedding.rows.zeros;
  Sweeps sweeps(m, ws, none, f, none);
  sweeps.carry_forces();
  sweeps.outward(x);
}

const EmbeddingReport& embedded_inverse_dynamics(const Model& m, const ConstraintSet& set, EmbeddedWorkspace& ws,
                                                 In<double> q, In<double> v, In<double> ydd, Out<double> T,
                                                 const Surroundings<double>& around) {
  const EmbeddingReport& report = prepare_embedding(m, set, ws.embedding, q, v, around.time);
  if (report.status != EmbeddingStatus::ready) {
    fill_with_nan(T);
    return report;
  }
  expand_velocities(m, ws.embedding, ydd, ws.x);
  for (std::size_t k = 0; k < ws.x.size(); ++k) ws.x[k] += ws.embedding.g[k];
  rnea(m, ws.rnea, q, v, ws.x, ws.tau, around);
  reduce_forces(m, ws.embedding, ws.tau, T);
  return report;
}

const EmbeddingReport& calc_embedded_mass_matrix(const Model& m, const ConstraintSet& set, EmbeddedWorkspace& ws,
                                                 In<double> q, OutMatrix<double> M, double time) {
  EmbeddingWorkspace& e = ws.embedding;
  const EmbeddingReport& report = prepare_embedding(m, set, e, q, e.rows.zeros, time);
  const std::size_t n = e.independent.size();
  check_shape("calc_embedded_mass_matrix", "M", M, n, n);
  std::vector<double>& column = ws.column;
  column.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (report.status != EmbeddingStatus::ready) {
      fill_with_nan(column);
    } else {
      std::fill(column.begin(), column.end(), 0.0);
      column[j] = 1;
      expand_velocities(m, e, column, ws.x);
      multiply_by_mass(m, ws.rnea, q, ws.x, ws.tau, time);
      reduce_forces(m, e, ws.tau, column);
    }
    for (std::size_t i = 0; i < n; ++i) M(i, j) = column[i];
  }
  return report;
}

void calc_embedded_forces(const Model& m, const ConstraintSet& set, EmbeddedWorkspace& ws, In<double> q, In<double> v,
                          In<double> tau, In<double> qdd, Out<double> lambda, const Surroundings<double>& around) {
  const char* call = "calc_embedded_forces";
  check_rows(call, m, set, ws.embedding.rows);
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "lambda", lambda.size(), at(set.rows()));
  int where = -1;
  rnea(m, ws.rnea, q, v, qdd, ws.tau, around);
  if (ws.embedding.options.closure && !factor_loops(m, ws.embedding.rows, ws.embedding.loops, where)) {
    fill_with_nan(lambda);
    return;
  }
  for (std::size_t k = 0; k < ws.tau.size(); ++k) ws.tau[k] -= tau[k];
  solve_loops_transpose(ws.embedding.loops, ws.tau, lambda);
}

}  // namespace sinew
