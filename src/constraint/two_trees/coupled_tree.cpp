// src/constraint/two_trees/coupled_tree.cpp - steps A to C: one tree by itself
#include <algorithm>

#include "constraint/checks.hpp"
#include "constraint/two_trees/coupling_steps.hpp"
#include "delassus/known_turns.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"
#include "tree/columns.hpp"
#include "tree/driver.hpp"

namespace sinew {
namespace {

constexpr std::size_t kSix = 6;

// A force of 1 along each of the six axes of a node.
Force<double> unit_force(std::size_t axis) {
  std::array<double, 6> f{};
  f[axis] = 1;
  return to_force(f);
}

// The child of the world above each node; nodes of different ones do not move each other.
std::vector<int> find_roots(const Model& m) {
  std::vector<int> root(m.nodes().size());
  for (int i = 1; i < static_cast<int>(root.size()); ++i) {
    const int parent = m.nodes()[i].parent;
    root[i] = parent == 0 ? i : root[parent];
  }
  return root;
}

// The same where loops tie trees together: every row makes one of all that it touches.
std::vector<int> find_groups(const Model& m, const std::vector<int>& nodes, const ConstraintSet* loops) {
  std::vector<int> root = find_roots(m), first(loops ? at(loops->rows()) : 0, 0), group;
  if (loops)
    for (bool changed = true; changed;) {
      changed = false;
      std::fill(first.begin(), first.end(), 0);
      for (const delassus::Entry& e : loops->problem().entries()) {
        if (e.node == 0) continue;
        const int mine = root[e.node];
        int& kept = first[e.row];
        if (kept == 0) kept = mine;
        if (kept == mine) continue;
        std::replace(root.begin(), root.end(), mine, kept);
        changed = true;
      }
    }
  for (const int node : nodes) group.push_back(node == 0 ? -1 : root[node]);
  // Numbered from 0.
  std::vector<int> names;
  for (int& g : group) {
    if (g < 0) continue;
    const auto found = std::find(names.begin(), names.end(), g);
    const int number = static_cast<int>(found - names.begin());
    if (found == names.end()) names.push_back(g);
    g = number;
  }
  return group;
}

std::vector<char> find_movers(const Model& m, const std::vector<int>& nodes) {
  std::vector<char> moves(m.nodes().size());
  for (int node : nodes)
    for (; node > 0 && !moves[node]; node = m.nodes()[node].parent) moves[node] = 1;
  return moves;
}

delassus::Problem make_problem(const Model& m, const std::vector<int>& nodes, const ConstraintSet* loops) {
  std::vector<delassus::Entry> entries;
  int rows = 0;
  if (loops) {
    entries.assign(loops->problem().entries().begin(), loops->problem().entries().end());
    rows = loops->rows();
  }
  for (const int node : nodes)
    for (int axis = 0; axis < 6; ++axis) entries.push_back({rows++, node});
  return {m, rows, entries};
}

// m about a point that lies d further.
Motion<double> moved(const Motion<double>& m, const Vec3<double>& d) { return {m.ang, m.lin - cross(d, m.ang)}; }

void put(std::vector<double>& out, int point, const Motion<double>& m) {
  const auto numbers = to_array(m);
  std::copy(numbers.begin(), numbers.end(), out.begin() + 6 * point);
}

// How the nodes on the way to the closure points stand and move: nu, J' nu and J nu'^f, by the turns that aba left.
void calc_motions(const Model& m, CoupledTree& t) {
  using State = CoupledTree::NodeMotion;
  const auto links = m.links<double>();
  const ShiftOf<double> shift{t.q.data()};
  base_to_tip(
      links.data(), static_cast<int>(links.size()), State{}, [&](int k) -> State& { return t.slots[k]; },
      [&](int i, const Link<double>& l, const State& p) -> State {
        if (!t.moves[i]) return {};
        State x;
        const bool axial = l.step == Step::revolute || l.step == Step::axial;
        if (axial && l.parent == 0)
          x.X = first_pose_of(l, t.aba.turns[i], shift(l));
        else if (axial)
          x.X = dispatch_twist(l, [&](auto K) { return pose_of<K.value>(l, t.aba.turns[i], shift(l), p.X); });
        else
          x.X = t.aba.general[l.extra].X * p.X;
        const Vec3<double> d = x.X.r - p.X.r;
        x.v = moved(p.v, d), x.bias = moved(p.bias, d), x.alpha = moved(p.alpha, d);
        if (l.step == Step::revolute) {
          const Vec3<double> z{x.X.E.m.zx, x.X.E.m.zy, x.X.E.m.zz}, w = t.v[l.v] * z;
          x.bias += Motion<double>{cross(x.v.ang, w), cross(x.v.lin, w)};  // [F08 5.8]
          x.v.ang += w;                                                    // [F08 5.7]
          x.alpha.ang += t.free[l.v] * z;
        } else {
          const Node& n = m.nodes()[i];
          const Transform<double> Y{x.X.E, {}};
          const double *q = t.q.data() + l.q, *v = t.v.data() + l.v;
          Motion<double> S[kMaxJointDofs];
          calc_columns(n, Y, q, t.time, S);
          const JointRates<double> joint = calc_joint_rates(n, Y, q, v, t.time, S);
          x.v += joint.v;
          x.bias += joint.c + cross(x.v, joint.v);
          for (int k = 0; k < l.nv; ++k) x.alpha += t.free[l.v + k] * S[k];
        }
        if (t.carrier_on[i] >= 0) t.at_carriers[t.carrier_on[i]] = x;
        return x;
      });
}

// Step B: from the nodes to the points, and the way back for forces.
void calc_points(CoupledTree& t) {
  for (int k = 0; k < t.points(); ++k) {
    const Place& place = t.places[k];
    const CoupledTree::NodeMotion& x = t.at_carriers[t.carrier[k]];
    const Vec3<double> arm = apply_inverse(x.X.E, place.in_node.r);  // from the node's origin to the point
    const Motion<double> v = moved(x.v, arm);
    Motion<double> bias = moved(x.bias, arm);
    bias.lin += cross(v.ang, v.lin);  // [F08 2.49]
    t.B[k] = {x.X.E, -arm};           // [R92 0.17]
    put(t.velocity, k, v);            // [R92 0.18]
    put(t.bias, k, bias);
    put(t.alpha, k, moved(x.alpha, arm));  // [R92 0.32]
  }
}

// Step C: W of the loops and of the carriers in one sweep.
void calc_admittance(const Model& m, CoupledTree& t) {
  const std::size_t loops = t.loop_force.size(), carried = kSix * t.nodes.size(), all = loops + carried;
  delassus::calc_matrix(m, *t.dynamics, t.q, t.aba.turns, t.K, {t.W.data(), all, all}, t.time);  // [R92 0.34]
  ++t.count.admittance;
  for (std::size_t i = 0; i < carried; ++i) {
    const double* row = t.W.data() + (loops + i) * all + loops;
    std::copy_n(row, carried, t.Omega.data() + i * carried);
    std::copy_n(row + i / kSix * kSix, kSix, t.own.data() + i * kSix);
  }
}

// The loops' forces are eliminated: Omega = W_cc - W_cl W_ll^+ W_lc. And the free motion obeys the loops.
void hold_loops(const Model& m, CoupledTree& t, bool moved_on) {
  ForceEquation& e = t.loop_equation;
  const std::size_t loops = t.loop_force.size(), carried = kSix * t.nodes.size(), all = loops + carried;
  multiply_by_constraint_jacobian(m, *t.loops, *t.rows, t.free, e.b);
  stabilize(*t.rows, t.stabilization, e.k);
  for (std::size_t r = 0; r < loops; ++r) {
    e.size[r] = std::max(std::abs(e.k[r]), std::abs(e.b[r]));
    e.b[r] = e.k[r] - e.b[r];
    for (std::size_t c = 0; c <= r; ++c) e.A[r * loops + c] = t.W[r * all + c];
  }
  t.certificate.status = SolveStatus::solved;
  t.certificate.algorithm = "pv";
  t.certificate.freedoms = m.nv();
  t.certificate.rows = static_cast<int>(loops);
  factor(e, t.loop_rank, t.certificate);
  solve_factored(e, t.loop_free);
  if (moved_on)
    for (std::size_t i = 0; i < carried; ++i) {
      double* z = t.Z.data() + i * loops;
      for (std::size_t r = 0; r < loops; ++r) e.b[r] = t.W[(loops + i) * all + r];
      solve_factored(e, {z, loops});
      for (std::size_t j = 0; j < carried; ++j)
        for (std::size_t r = 0; r < loops; ++r) t.Omega[i * carried + j] -= z[r] * t.W[(loops + j) * all + r];
    }
  std::copy(t.loop_free.begin(), t.loop_free.end(), t.forces.begin());
  std::fill(t.forces.begin() + static_cast<std::ptrdiff_t>(loops), t.forces.end(), 0.0);
  calc_response(m, *t.dynamics, t.q, t.nothing, t.K, t.forces, t.response);
  for (std::size_t i = 0; i < t.free.size(); ++i) t.free[i] += t.response[i];
  for (int k = 0; k < t.points(); ++k) {
    const auto more = to_array(apply_inverse(t.B[k], t.dynamics->accelerations[t.places[k].node]));
    for (std::size_t i = 0; i < kSix; ++i) t.alpha[kSix * at(k) + i] += t.places[k].node == 0 ? 0 : more[i];
  }
}

}  // namespace

CoupledTree::CoupledTree(const Model& m, std::vector<Place> closure_points, const ConstraintSet* loops_in)
    : places(std::move(closure_points)),
      loops(loops_in && loops_in->rows() > 0 ? loops_in : nullptr),
      is_free_body(m.nodes().size() == 2 && m.links<double>()[1].step == Step::free && !loops),
      nothing(at(m.nv())),
      free(nothing),
      alpha(kSix * places.size()),
      velocity(alpha),
      bias(alpha),
      q(at(m.nq())),
      v(nothing),
      armature(m.armature().begin(), m.armature().end()),
      B(places.size()),
      certificate(loops ? loops->rows() : 0),
      loop_free(loops ? at(loops->rows()) : 0),
      loop_force(loop_free),
      aba(m),
      slots(at(m.branch_slots())),
      loop_equation(loops ? loops->rows() : 0),
      response(nothing) {
  for (const Place& p : places) {
    check_index("CoupledTree", "node", p.node, m.nodes().size());
    const auto found = std::find(nodes.begin(), nodes.end(), p.node);
    carrier.push_back(static_cast<int>(found - nodes.begin()));
    if (found == nodes.end()) nodes.push_back(p.node);
  }
  if (loops) check_set("CoupledTree", m, *loops);
  group = find_groups(m, nodes, loops);
  moves = find_movers(m, nodes);
  carrier_on.assign(m.nodes().size(), -1);
  for (std::size_t c = 0; c < nodes.size(); ++c) carrier_on[nodes[c]] = static_cast<int>(c);
  at_carriers.resize(nodes.size());
  const std::size_t carried = kSix * nodes.size(), all = loop_force.size() + carried;
  Omega.assign(carried * carried, 0.0);
  own.assign(carried * kSix, 0.0);
  added.resize(nodes.size());
  forces.resize(all);
  if (is_free_body) {  // the node's frame does not change, so nor does the inverse of its inertia
    const Mat6<double> inverse_inertia = to_dense(inverse(m.nodes()[1].inertia));
    for (std::size_t c = 0; c < nodes.size(); ++c)
      for (int i = 0; nodes[c] == 1 && i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          own[(kSix * c + at(i)) * kSix + at(j)] = Omega[(kSix * c + at(i)) * carried + kSix * c + at(j)] =
              inverse_inertia(i, j);
    return;
  }
  dynamics = std::make_unique<delassus::PvDynamicsWorkspace>(m, make_problem(m, nodes, loops));
  W.resize(all * all);
  K.resize(dynamics->pv.problem.entries().size());
  for (std::size_t e = 0; e < carried; ++e) K[K.size() - carried + e] = unit_force(e % kSix);
  if (!loops) return;
  rows = std::make_unique<ConstraintRows>(m, *loops);
  Z.resize(carried * loop_force.size());
}

const SolveCertificate& prepare(const Model& m, CoupledTree& t, In<double> q, In<double> v, In<double> tau,
                                const Surroundings<double>& around) {
  t.aba.made_for.check("prepare", m, "CoupledTree");
  if (t.is_free_body && m.links<double>()[1].step != Step::free)
    throw std::invalid_argument("prepare: the CoupledTree was made for a free body without armature");
  aba(m, t.aba, q, v, tau, t.free, around);  // A [R92 0.31]
  const std::span<const double> armature = m.armature();
  bool moved_on = t.count.motion == 0 || t.time != around.time || !std::equal(q.begin(), q.end(), t.q.begin()) ||
                  !std::equal(armature.begin(), armature.end(), t.armature.begin());
  std::copy(armature.begin(), armature.end(), t.armature.begin());
  std::copy(q.begin(), q.end(), t.q.begin());
  std::copy(v.begin(), v.end(), t.v.begin());
  t.time = around.time;
  ++t.count.motion;
  for (std::size_t k = 0; k < t.places.size(); ++k)
    if (t.places[k].node != t.nodes[at(t.carrier[k])])
      throw std::invalid_argument("prepare: closure point " + std::to_string(k) + " was moved to another node, " +
                                  std::to_string(t.places[k].node) + " instead of " +
                                  std::to_string(t.nodes[at(t.carrier[k])]) + ": make another CoupledTree");
  calc_motions(m, t);
  calc_points(t);
  if (t.is_free_body) return t.certificate;
  if (t.loops) {
    calc_constraint_rows(m, *t.loops, *t.rows, q, v, around.time);
    const auto same = [](const Force<double>& a, const Force<double>& b) { return to_array(a) == to_array(b); };
    moved_on = moved_on || !std::equal(t.rows->K.begin(), t.rows->K.end(), t.K.begin(), same);
    std::copy(t.rows->K.begin(), t.rows->K.end(), t.K.begin());
  }
  if (moved_on) calc_admittance(m, t);
  if (t.loops) hold_loops(m, t, moved_on);
  return t.certificate;
}

void get_admittance(const CoupledTree& t, OutMatrix<double> Lambda) {
  const std::size_t size = kSix * t.places.size(), carried = kSix * t.nodes.size();
  check_size("get_admittance", "rows of Lambda", Lambda.rows(), size);
  check_size("get_admittance", "columns of Lambda", Lambda.cols(), size);
  for (std::size_t j = 0; j < size; ++j) {
    const auto f = to_array(apply(t.B[j / kSix], unit_force(j % kSix)));
    const std::size_t from = kSix * at(t.carrier[j / kSix]);
    for (int k = 0; k < t.points(); ++k) {
      std::array<double, 6> a{};
      for (std::size_t i = 0; i < kSix; ++i)
        for (std::size_t c = 0; c < kSix; ++c)
          a[i] += t.Omega[(kSix * at(t.carrier[k]) + i) * carried + from + c] * f[c];
      const auto point = to_array(apply_inverse(t.B[k], to_motion(a)));
      for (std::size_t i = 0; i < kSix; ++i) Lambda(kSix * at(k) + i, j) = point[i];
    }
  }
}

}  // namespace sinew
