// src/constraint/solve/sparse.cpp - the large system: assembly and reading of the answer
#include "constraint/solve/sparse_matrix.hpp"

#include <algorithm>
#include <array>

#include "constraint/checks.hpp"
#include "constraint/rank/row_scale.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

using NodeMatrix = SparseWorkspace::Matrix;
int place(int node) { return 6 * (node - 1); }

// The joint force f on its node and its reaction on the parent.
void add_row(NodeMatrix& s, int row, int node, int parent, const Force<double>& f, const Transform<double>& X) {
  const auto on_node = to_array(f), on_parent = to_array(-apply_inverse(X, f));
  for (int c = 0; c < 6; ++c) {
    s.add(row, place(node) + c, on_node[c]);
    if (parent > 0) s.add(row, place(parent) + c, on_parent[c]);
  }
}

// armature u u^T with u = (Ta, -X^T Ta): a symmetric block over node and parent.
void add_armature(NodeMatrix& s, int node, int parent, const Force<double>& f, const Transform<double>& X,
                  double armature) {
  const auto a = to_array(f), b = to_array(-apply_inverse(X, f));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      if (j <= i) s.add(place(node) + i, place(node) + j, armature * a[i] * a[j]);
      if (parent == 0) continue;
      if (j <= i) s.add(place(parent) + i, place(parent) + j, armature * b[i] * b[j]);
      s.add(place(node) + i, place(parent) + j, armature * a[i] * b[j]);
    }
}

void calc_nodes(const Model& m, const ConstraintRows& rows, NodeMatrix& s, In<double> q, In<double> v, double time,
                bool moving) {
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i) {
    const Node& node = m.nodes()[i];
    NodeMatrix::NodeState& n = s.nodes[i];
    calc_joint(node.joint, q.data() + node.q, v.data() + node.v, time, n.joint);
    calc_complements(node.joint, q.data() + node.q, time, n.forces);
    n.X = n.joint.X * node.placement;
    if (!moving) n.joint.v = n.joint.c = {};
    n.v = apply(n.X, s.nodes[node.parent].v) + n.joint.v;
    n.bias = n.joint.c + cross(n.v, n.joint.v);  // [F08 3.71]
    const Rotation<double>& E = rows.motion.kinematics.X[i].E;
    const Motion<double>& a = rows.motion.a[i];
    s.node_bias[i] = moving ? Motion<double>{apply(E, a.ang), apply(E, a.lin)} : Motion<double>{};
  }
}

void fill(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, NodeMatrix& s) {
  s.entries.clear();
  for (int i = 1; i < static_cast<int>(m.nodes().size()); ++i) {
    const Node& node = m.nodes()[i];
    const NodeMatrix::NodeState& n = s.nodes[i];
    const Mat6<double> I = to_dense(node.inertia);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c <= r; ++c) s.add(place(i) + r, place(i) + c, I(r, c));
    for (int c = 0; c < 6 - node.nv; ++c) add_row(s, n.first_row + c, i, node.parent, n.forces.constraint[c], n.X);
    for (int d = 0; d < node.nv; ++d)
      if (m.armature()[node.v + d] != 0)
        add_armature(s, i, node.parent, n.forces.active[d], n.X, m.armature()[node.v + d]);
  }
  // A row whose two ends are on one node cancels there up to rounding.
  std::fill(s.force.begin(), s.force.end(), Force<double>{});
  for (std::size_t e = 0; e < rows.K.size(); ++e) s.force[s.first_entry[e]] += rows.K[e];
  for (std::size_t e = 0; e < rows.K.size(); ++e) {
    const delassus::Entry& entry = set.problem().entries()[e];
    const Force<double>& sum = s.force[e];
    if (entry.node == 0 || s.first_entry[e] != static_cast<int>(e)) continue;
    const bool cancels = norm(sum.ang) <= linear::kCancelled * norm(rows.K[e].ang) &&
                         norm(sum.lin) <= linear::kCancelled * norm(rows.K[e].lin);
    const auto f = to_array(sum);
    for (int c = 0; c < 6; ++c) s.add(s.first_loop_row + entry.row, place(entry.node) + c, cancels ? 0 : f[c]);
  }
  const int size = static_cast<int>(s.rhs.size());
  for (int r = place(static_cast<int>(m.nodes().size())); r < size; ++r) s.add(r, r, 0);
  s.M.assign(size, s.entries);
}

void solve(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, SparseWorkspace& ws, In<double> q,
           In<double> v, In<double> tau, In<double> k, In<double> made_of, const RankOptions& rank,
           const ProximalOptions& o, Out<double> qdd, Out<double> lambda, SolveCertificate& out,
           const Surroundings<double>& around, bool moving) {
  NodeMatrix& s = *ws.matrix;
  calc_nodes(m, rows, s, q, v, around.time, moving);
  fill(m, set, rows, s);

  // Forces on the nodes and biases of the rows.
  const int nodes = static_cast<int>(m.nodes().size());
  std::fill(s.rhs.begin(), s.rhs.end(), 0.0);
  const auto add_force = [&](int node, const Force<double>& f) {
    const auto e = to_array(f);
    for (int c = 0; node > 0 && c < 6; ++c) s.rhs[place(node) + c] += e[c];
  };
  for (int i = 1; i < nodes; ++i) {
    const Node& node = m.nodes()[i];
    const NodeMatrix::NodeState& n = s.nodes[i];
    if (moving) {
      const Motion<double> weight{{}, apply(rows.motion.kinematics.X[i].E, m.gravity())};
      add_force(i, node.inertia * weight - cross(n.v, node.inertia * n.v));  // v x* I v [F08 3.74]
    }
    double b[kMaxJointDofs] = {};
    if (const double* A = m.armature().data() + node.v; moving && has_armature_bias(node.joint.kind, A))
      calc_armature_bias(node.joint.kind, A, v, node.v, b);
    for (int d = 0; d < node.nv; ++d) {  // across the joint: tau, armature times the known part of a, its bias
      const double known = m.armature()[node.v + d] * dot(n.forces.active[d], n.bias);
      const Force<double> f = (tau[node.v + d] + known - b[d]) * n.forces.active[d];
      add_force(i, f);
      add_force(node.parent, -apply_inverse(n.X, f));
    }
    for (int c = 0; c < 6 - node.nv; ++c) s.rhs[n.first_row + c] = dot(n.forces.constraint[c], n.bias);
  }
  for (std::size_t b = 1; b < around.external.size(); ++b)
    add_force(m.bodies()[b].node, apply_inverse(m.bodies()[b].in_node, around.external[b]));
  std::fill(s.terms.begin(), s.terms.end(), 0.0);
  for (std::size_t r = 0; r < k.size(); ++r) {
    s.rhs[at(s.first_loop_row) + r] = k[r];
    s.terms[at(s.first_loop_row) + r] = made_of[r];
  }
  for (std::size_t e = 0; e < rows.K.size(); ++e) {
    const delassus::Entry& entry = set.problem().entries()[e];
    s.rhs[s.first_loop_row + entry.row] += dot(rows.K[e], s.node_bias[entry.node]);
  }

  solve_rounds(m, s, rank, o, out);
  const auto get_a = [&](int node) {
    std::array<double, 6> a{};
    for (int c = 0; node > 0 && c < 6; ++c) a[c] = s.x[place(node) + c];
    return to_motion(a);
  };
  for (int i = 1; i < nodes; ++i) {
    const Node& node = m.nodes()[i];
    const NodeMatrix::NodeState& n = s.nodes[i];
    const Motion<double> relative = get_a(i) - apply(n.X, get_a(node.parent)) - n.bias;
    for (int d = 0; d < node.nv; ++d) qdd[node.v + d] = dot(n.forces.active[d], relative);
  }
  for (std::size_t r = 0; r < lambda.size(); ++r) lambda[r] = -s.x[at(s.first_loop_row) + r];
}

void check_sizes(const char* call, const Model& m, const ConstraintSet& set, const ConstraintRows& rows,
                 const SparseWorkspace& ws, In<double> q, In<double> f, In<double> k, In<double> made_of, Out<double> x,
                 Out<double> lambda) {
  check_rows(call, m, set, rows);
  ws.made_for.check(call, m);
  check_size(call, "the workspace", ws.matrix->force.size(), set.problem().entries().size());
  check_size(call, "q", q.size(), at(m.nq()));
  check_size(call, "the force", f.size(), at(m.nv()));
  check_size(call, "the acceleration", x.size(), at(m.nv()));
  check_size(call, "k", k.size(), at(set.rows()));
  check_size(call, "made_of", made_of.size(), at(set.rows()));
  check_size(call, "lambda", lambda.size(), at(set.rows()));
}

}  // namespace

SparseWorkspace::SparseWorkspace(const Model& m, const ConstraintSet& set)
    : made_for(m), matrix(std::make_unique<NodeMatrix>()) {
  check_set("SparseWorkspace", m, set);
  const int nodes = static_cast<int>(m.nodes().size());
  matrix->nodes.resize(at(nodes));
  matrix->node_bias.resize(at(nodes));
  int row = 6 * (nodes - 1);
  for (int i = 1; i < nodes; ++i) {
    matrix->nodes[i].first_row = row;
    row += 6 - m.nodes()[i].nv;
  }
  matrix->first_loop_row = row;
  const auto entries = set.problem().entries();
  matrix->force.resize(entries.size());
  for (const delassus::Entry& e : entries)
    matrix->first_entry.push_back(
        static_cast<int>(std::find_if(entries.begin(), entries.end(),
                                      [&](const delassus::Entry& o) { return o.row == e.row && o.node == e.node; }) -
                         entries.begin()));
  for (std::vector<double>* x : {&matrix->rhs, &matrix->x, &matrix->r, &matrix->old, &matrix->size, &matrix->terms})
    x->assign(at(row + set.rows()), 0.0);
}
SparseWorkspace::~SparseWorkspace() = default;
SparseWorkspace::SparseWorkspace(SparseWorkspace&&) noexcept = default;
SparseWorkspace& SparseWorkspace::operator=(SparseWorkspace&&) noexcept = default;
long SparseWorkspace::nonzeros() const { return matrix->M.nonzeros(); }
long SparseWorkspace::factor_nonzeros() const { return matrix->ldl.nonzeros(); }

void solve_by_sparse(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, SparseWorkspace& ws,
                     In<double> q, In<double> v, In<double> tau, In<double> k, In<double> made_of,
                     const RankOptions& rank, const ProximalOptions& o, Out<double> qdd, Out<double> lambda,
                     SolveCertificate& out, const Surroundings<double>& around) {
  check_sizes("solve_by_sparse", m, set, rows, ws, q, tau, k, made_of, qdd, lambda);
  check_size("solve_by_sparse", "v", v.size(), at(m.nv()));
  solve(m, set, rows, ws, q, v, tau, k, made_of, rank, o, qdd, lambda, out, around, true);
}

void solve_impulse_by_sparse(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, SparseWorkspace& ws,
                             In<double> q, In<double> f, In<double> k, In<double> made_of, const RankOptions& rank,
                             const ProximalOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out,
                             double time) {
  check_sizes("solve_impulse_by_sparse", m, set, rows, ws, q, f, k, made_of, x, lambda);
  const Surroundings<double> around{{}, time};
  solve(m, set, rows, ws, q, rows.zeros, f, k, made_of, rank, o, x, lambda, out, around, false);
}

}  // namespace sinew
