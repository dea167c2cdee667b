// src/generate/delassus_calls.cpp
#include "generate/delassus_calls.hpp"

#include "generate/mass_matrix.hpp"
#include "sinew/delassus/pv.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/node_force.hpp"

namespace sinew::generate {
namespace {

// J^T, one row per freedom in the order of the tree, three columns per frame. `moves` says which are not zero.
struct PointJacobian {
  std::size_t cols;
  std::vector<Traced> transpose;
  std::vector<bool> moves;
};

PointJacobian calc_point_jacobian(const Arguments<Traced>& x, const KinematicsWorkspace<Traced>& at_q) {
  const Model& m = x.m;
  const std::size_t cols = 3 * x.frames.size();
  PointJacobian J{cols, std::vector<Traced>(at(m.nv()) * cols), std::vector<bool>(at(m.nv()) * cols)};
  for (std::size_t f = 0; f < x.frames.size(); ++f) {
    const Vec3<Traced> point = get_frame_pose(at_q, x.frames[f]).r;
    for (int i = x.frames[f].node; i > 0; i = m.nodes()[at(i)].parent) {
      const Node& n = m.nodes()[at(i)];
      const Transform<Traced>& X = at_q.X[at(i)];
      const Traced rest[kMaxJointDofs] = {};
      JointMotion<Traced> joint;
      calc_joint(n.joint, x.in[0].data() + n.q, rest, 0, joint);
      for (int k = 0; k < n.nv; ++k) {
        const Vec3<Traced> turn = apply_inverse(X.E, joint.S[k].ang);
        const Vec3<Traced> rate = apply_inverse(X.E, joint.S[k].lin) + cross(turn, point - X.r);
        const std::size_t place = at(m.links<double>()[at(i)].dof + k) * cols + 3 * f;
        J.transpose[place] = rate.x, J.transpose[place + 1] = rate.y, J.transpose[place + 2] = rate.z;
        for (std::size_t c = 0; c < 3; ++c) J.moves[place + c] = true;
      }
    }
  }
  return J;
}

delassus::Problem make_problem(const Arguments<Traced>& x) {
  std::vector<delassus::Entry> entries;
  entries.reserve(3 * x.frames.size());
  for (std::size_t row = 0; row < 3 * x.frames.size(); ++row)
    entries.push_back({static_cast<int>(row), x.frames[row / 3].node});
  return {x.m, static_cast<int>(entries.size()), entries};
}
// The rows are forces along the axes of the nodes, which are constant; W turns into the axes of the world at the end.
void call_pv(const Arguments<Traced>& x, delassus::Plan (*make_plan)(const Model&, const delassus::Problem&)) {
  const delassus::Problem problem = make_problem(x);
  delassus::PvWorkspace<Traced> ws(x.m, problem, make_plan(x.m, problem));
  const std::size_t n = 3 * x.frames.size();
  std::vector<Force<Traced>> K;
  for (const FrameEntry& f : x.frames)
    for (int k = 3; k < 6; ++k) {
      const Vec3<Traced> along = detail::unit_force<Traced>(k).lin;
      K.push_back({cross(cast<Traced>(f.in_node.r), along), along});
    }
  std::vector<Traced> W(n * n);
  delassus::pv<Traced>(x.m, ws, x.in[0], K, MatrixView<Traced>(W.data(), n, n));

  KinematicsWorkspace<Traced> at_q(x.m);
  calc_kinematics(x.m, at_q, x.in[0]);
  const auto axes = [&](std::size_t f) { return at_q.X[at(x.frames[f].node)].E; };
  const auto block_row = [&](std::size_t f, std::size_t r, std::size_t g) {
    const Traced* from = W.data() + (3 * f + r) * n + 3 * g;
    return Vec3<Traced>{from[0], from[1], from[2]};
  };
  for (std::size_t f = 0; f < x.frames.size(); ++f)
    for (std::size_t g = f; g < x.frames.size(); ++g) {
      Vec3<Traced> rows[3];  // of W E_g
      for (std::size_t r = 0; r < 3; ++r) rows[r] = apply_inverse(axes(g), block_row(f, r, g));
      const Vec3<Traced> columns[3] = {apply_inverse(axes(f), {rows[0].x, rows[1].x, rows[2].x}),
                                       apply_inverse(axes(f), {rows[0].y, rows[1].y, rows[2].y}),
                                       apply_inverse(axes(f), {rows[0].z, rows[1].z, rows[2].z})};
      for (std::size_t c = 0; c < 3; ++c) {
        const Traced numbers[3] = {columns[c].x, columns[c].y, columns[c].z};
        for (std::size_t r = 0; r < 3; ++r)
          x.out[0][(3 * f + r) * n + 3 * g + c] = x.out[0][(3 * g + c) * n + 3 * f + r] = numbers[r];
      }
    }
}

}  // namespace

void call_delassus_by_factor(const Arguments<Traced>& x) {
  KinematicsWorkspace<Traced> at_q(x.m);
  calc_kinematics(x.m, at_q, x.in[0]);
  auto [cols, Y, moves] = calc_point_jacobian(x, at_q);
  std::vector<Traced> L = pack_mass_matrix(x.m, x.in[0]);
  const DofTree& tree = x.m.dof_tree();
  kernel::factor_ltdl_reciprocal(tree, L.data());  // [S23 4]
  for (Traced& w : x.out[0]) w = lit<Traced>(0);
  for (int i = tree.size() - 1; i >= 0; --i) {
    const Traced* row = L.data() + tree.row(i);
    const int d = tree.depth(i);
    for (std::size_t a = 0; a < cols; ++a) {
      const std::size_t place = at(i) * cols + a;
      if (!moves[place]) continue;
      for (int j = tree.parent(i), p = d - 1; p >= 0; j = tree.parent(j), --p)
        Y[at(j) * cols + a] -= row[p] * Y[place];  // [S23 5]
      const Traced scaled = row[d] * Y[place];
      for (std::size_t b = a; b < cols; ++b)
        if (moves[at(i) * cols + b]) x.out[0][a * cols + b] += scaled * Y[at(i) * cols + b];  // [S23 6]
    }
  }
  for (std::size_t a = 0; a < cols; ++a)
    for (std::size_t b = 0; b < a; ++b) x.out[0][a * cols + b] = x.out[0][b * cols + a];
}
void call_delassus_by_pv(const Arguments<Traced>& x) { call_pv(x, delassus::make_pv_plan); }
void call_delassus_by_pvr(const Arguments<Traced>& x) { call_pv(x, delassus::make_pvr_plan); }

void call_delassus(const Arguments<double>& x) {
  const std::size_t nv = at(x.m.nv()), n = 3 * x.frames.size();
  std::vector<double> Minv(nv * nv), six(6 * nv), J(n * nv);
  MassInverseWorkspace<double> inverse(x.m);
  calc_mass_inverse<double>(x.m, inverse, x.in[0], {Minv.data(), nv, nv});
  KinematicsWorkspace<double> at_q(x.m);
  calc_kinematics(x.m, at_q, x.in[0]);
  for (std::size_t f = 0; f < x.frames.size(); ++f) {
    const FrameEntry& frame = x.frames[f];
    const Transform<double> X = get_frame_pose(at_q, frame);
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3<double> along = apply(X.E, detail::unit_force<double>(3 + static_cast<int>(c)).lin);
      const Force<double> row = apply_inverse(frame.in_node, Force<double>{{}, along});
      calc_row_jacobian(x.m, at_q, x.in[0], {{&frame.node, 1}, {&row, 1}},
                        VectorView<double>(J.data() + (3 * f + c) * nv, nv));
    }
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < nv; ++i)
        for (std::size_t k = 0; k < nv; ++k) sum += J[a * nv + i] * Minv[i * nv + k] * J[b * nv + k];
      x.out[0][a * n + b] = sum;
    }
}

}  // namespace sinew::generate
