// src/operators/rigid_sko.cpp
#include "sinew/operators/rigid_sko.hpp"

#include <algorithm>

#include "operators/stacking.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew::sko {
namespace {

bool has_armature(const Model& m, const Node& n) {
  const double* A = m.armature().data() + n.v;
  return std::any_of(A, A + n.nv, [](double a) { return a != 0; });
}

Shape make_shape(const Model& m) {
  std::vector<NodeSize> nodes;
  std::vector<Edge> edges;
  std::vector<std::string> names(m.nodes().size());
  for (std::size_t b = m.bodies().size(); b-- > 1;) names[at(m.bodies()[b].node)] = m.bodies()[b].name;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    nodes.push_back({names[i], 6 + (has_armature(m, n) ? n.nv : 0), n.nv});
    edges.push_back({n.parent - 1, static_cast<int>(i) - 1});
  }
  return Shape(std::move(nodes), edges);
}

// A = X^T = [E^T, r x E^T; 0, E^T], row by row; the zeros are there already.
void write_weight(const Transform<double>& X, int columns, double* A) {
  const Mat3<double>& E = X.E.m;
  const Vec3<double> e[3] = {{E.xx, E.xy, E.xz}, {E.yx, E.yy, E.yz}, {E.zx, E.zy, E.zz}};
  const Vec3<double> re[3] = {cross(X.r, e[0]), cross(X.r, e[1]), cross(X.r, e[2])};
  double* below = A + 3 * columns + 3;
  for (int j = 0; j < 3; ++j) {
    A[j] = below[j] = e[j].x, A[j + columns] = below[j + columns] = e[j].y;
    A[j + 2 * columns] = below[j + 2 * columns] = e[j].z;
    A[3 + j] = re[j].x, A[3 + j + columns] = re[j].y, A[3 + j + 2 * columns] = re[j].z;
  }
}

bool is_revolute(const Node& n) { return n.joint.kind == JointKind::revolute && !n.joint.reversed; }

// Of one node: its transform, its velocity from the parent's, and its bias acceleration [F08 3.71].
struct NodeMotion {
  Transform<double> X;
  Motion<double> v, a;
};
NodeMotion move_revolute(const Node& n, const Turn<double>& t, double rate, const Motion<double>& parent) {
  const Mat3<double>& E = n.placement.E.m;
  NodeMotion out;
  out.X = {{{t.c * E.xx + t.s * E.yx, t.c * E.xy + t.s * E.yy, t.c * E.xz + t.s * E.yz,  //
             t.c * E.yx - t.s * E.xx, t.c * E.yy - t.s * E.xy, t.c * E.yz - t.s * E.xz, E.zx, E.zy, E.zz}},
           n.placement.r};
  out.v = apply(out.X, parent);
  out.v.ang.z += rate;
  out.a = {{out.v.ang.y * rate, -out.v.ang.x * rate, 0}, {out.v.lin.y * rate, -out.v.lin.x * rate, 0}};
  return out;
}

}  // namespace

RigidSko::RigidSko(const Model& m)
    : sko(make_shape(m)),
      model_(&m),
      v_(m.nodes().size()),
      external_(m.nodes().size()),
      angles_(m.nodes().size() + ScalarTraits<NativePack<double>>::kLanes),
      turns_(m.nodes().size()) {
  const Shape& s = sko.shape();
  for (int k = 0; k < s.nodes(); ++k) {
    const Node& n = m.nodes()[at(k + 1)];
    const int size = s.size(k);
    const Mat6<double> I = to_dense(n.inertia);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) sko.M(k)[i * size + j] = I(i, j);
    if (is_revolute(n)) sko.H(k)[2] = 1;
    for (int d = 0; d < n.nv; ++d) {
      order_.push_back(n.v + d);
      if (size == 6) continue;
      sko.M(k)[(6 + d) * (size + 1)] = m.armature()[at(n.v + d)];
      sko.H(k)[d * size + 6 + d] = 1;
    }
  }
}

void RigidSko::update(In<double> q, In<double> v, const Surroundings<double>& around) {
  const Model& m = *model_;
  check_size("RigidSko", "q", q.size(), at(m.nq()));
  check_size("RigidSko", "v", v.size(), at(m.nv()));
  if (around.external.size() != 0) check_size("RigidSko", "external", around.external.size(), m.bodies().size());
  std::fill(external_.begin(), external_.end(), Force<double>{});
  for (std::size_t b = 0; b < around.external.size(); ++b)
    external_[at(m.bodies()[b].node)] += apply_inverse(m.bodies()[b].in_node, around.external[b]);
  const Shape& s = sko.shape();
  for (int k = 0; k < s.nodes(); ++k) {
    const Node& n = m.nodes()[at(k + 1)];
    angles_[at(k)] = is_revolute(n) ? q[at(n.q)] : 0;
  }
  calc_turns(angles_.data(), 0, s.nodes(), turns_.data());
  JointMotion<double> joint;
  for (int k = 0; k < s.nodes(); ++k) {
    const Node& n = m.nodes()[at(k + 1)];
    const int size = s.size(k);
    NodeMotion node;
    if (is_revolute(n)) {
      node = move_revolute(n, turns_[at(k)], v[at(n.v)], v_[at(n.parent)]);
    } else {
      calc_joint(n.joint, q.data() + n.q, v.data() + n.v, around.time, joint);
      node.X = joint.X * n.placement;
      node.v = apply(node.X, v_[at(n.parent)]) + joint.v;
      node.a = joint.c + cross(node.v, joint.v);
      for (int d = 0; d < n.nv; ++d) {
        const auto S = to_array(joint.S[d]);
        std::copy(S.begin(), S.end(), sko.H(k) + d * size);
      }
    }
    v_[at(k + 1)] = node.v;
    if (n.parent == 0)
      node.a = node.a + apply(node.X, Motion<double>{{}, -m.gravity()});
    else
      write_weight(node.X, size, sko.A(k));
    const auto bias = to_array(node.a);
    const auto gyroscopic = to_array(cross(node.v, n.inertia * node.v) - external_[at(k + 1)]);  // v x* I v [F08 3.74]
    std::copy(bias.begin(), bias.end(), sko.a(k));
    std::copy(gyroscopic.begin(), gyroscopic.end(), sko.b(k));
    const double* A = m.armature().data() + n.v;
    if (size > 6 && has_armature_bias(n.joint.kind, A)) calc_armature_bias(n.joint.kind, A, v, n.v, sko.b(k) + 6);
  }
}

std::vector<double> RigidSko::stack(In<double> by_coordinate) const {
  return stack_in_order("RigidSko", by_coordinate, order_);
}
std::vector<double> RigidSko::unstack(In<double> by_node) const {
  return unstack_in_order("RigidSko", by_node, order_);
}

}  // namespace sinew::sko
