// src/model/graph.cpp
#include "sinew/model/graph.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "sinew/base/index.hpp"

namespace sinew {
namespace {

// Marks the joints that join two separate pieces, in the order listed.
std::vector<bool> first_listed_tree(int bodies, const std::vector<GraphJoint>& joints) {
  std::vector<int> piece(at(bodies));
  std::iota(piece.begin(), piece.end(), 0);
  const auto find = [&piece](int b) {
    while (piece[b] != b) b = piece[b] = piece[piece[b]];
    return b;
  };
  std::vector<bool> in_tree(joints.size(), false);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const int a = find(joints[k].predecessor), b = find(joints[k].successor);
    in_tree[k] = a != b;
    piece[a] = b;
  }
  return in_tree;
}

}  // namespace

SpanningTree find_spanning_tree(int bodies, const std::vector<GraphJoint>& joints, SpanningTreeRule rule) {
  std::vector<bool> usable(joints.size(), true);
  if (rule == SpanningTreeRule::first_listed) usable = first_listed_tree(bodies, joints);

  std::vector<std::vector<int>> joints_of(at(bodies));
  for (std::size_t k = 0; k < joints.size(); ++k) {
    joints_of[joints[k].predecessor].push_back(static_cast<int>(k));
    if (joints[k].successor != joints[k].predecessor) joints_of[joints[k].successor].push_back(static_cast<int>(k));
  }

  // Breadth first from the base: parents are numbered before their children.
  SpanningTree tree{{0}, {-1}, {-1}, {false}, {}, {}};
  std::vector<int> number(at(bodies), -1);
  number[0] = 0;
  std::vector<bool> used(joints.size(), false);
  for (std::size_t i = 0; i < tree.body.size(); ++i) {
    const int b = tree.body[i];
    for (const int k : joints_of[b]) {
      const bool reversed = joints[k].successor == b;
      const int other = reversed ? joints[k].predecessor : joints[k].successor;
      if (!usable[k] || number[other] >= 0) continue;
      used[k] = true;
      number[other] = static_cast<int>(tree.body.size());
      tree.body.push_back(other);
      tree.parent.push_back(static_cast<int>(i));
      tree.joint.push_back(k);
      tree.reversed.push_back(reversed);
    }
  }
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (!used[k] && number[joints[k].predecessor] >= 0) tree.loop_joints.push_back(static_cast<int>(k));
  for (int b = 0; b < bodies; ++b)
    if (number[b] < 0) tree.unreachable.push_back(b);
  return tree;
}

Result<ModelSpec> cut_loops(ModelSpec spec, SpanningTreeRule rule) {
  Diagnostics out;
  std::unordered_map<std::string, int> index{{spec.world, 0}};
  for (const BodySpec& b : spec.bodies) index.emplace(b.name, static_cast<int>(index.size()));

  std::vector<GraphJoint> edges;
  for (const JointSpec& j : spec.joints) {
    const auto p = index.find(j.parent), s = index.find(j.child);
    for (const auto& [it, name] : {std::pair{p, &j.parent}, std::pair{s, &j.child}})
      if (it == index.end())
        out.add(Code::unknown_name, "joint '" + j.name + "'", "there is no body '" + *name + "'",
                "add the body or correct the name", j.where);
    if (p != index.end() && s != index.end()) edges.push_back({p->second, s->second});
  }
  if (out.has_errors()) return out;

  const SpanningTree tree = find_spanning_tree(static_cast<int>(index.size()), edges, rule);
  for (const int b : tree.unreachable)
    out.add(Code::several_roots, "body '" + spec.bodies[b - 1].name + "'", "no joint connects it to the world",
            "join it to '" + spec.world + "' or to a body that is connected to it", spec.bodies[b - 1].where);
  if (out.has_errors()) return out;

  for (std::size_t i = 1; i < tree.joint.size(); ++i)
    if (tree.reversed[i]) {
      JointSpec& j = spec.joints[tree.joint[i]];
      std::swap(j.parent, j.child);
      std::swap(j.placement, j.child_placement);
      j.reversed = !j.reversed;
    }
  std::vector<JointSpec> tree_joints;
  for (std::size_t k = 0; k < spec.joints.size(); ++k) {
    JointSpec& j = spec.joints[k];
    if (!std::binary_search(tree.loop_joints.begin(), tree.loop_joints.end(), static_cast<int>(k))) {
      tree_joints.push_back(std::move(j));
      continue;
    }
    if (j.kind == JointKind::composite || j.kind == JointKind::user || j.kind == JointKind::prescribed) {
      out.add(Code::unsupported_joint, "joint '" + j.name + "'",
              "a " + std::string(to_string(j.kind)) + " joint cannot close a loop",
              "list it before the other joints of the loop, so that one of them is cut", j.where);
      continue;
    }
    if (j.reversed) {
      std::swap(j.parent, j.child);
      std::swap(j.placement, j.child_placement);
    }
    out.add(Code::loop_cut, "joint '" + j.name + "'",
            "closes a loop between '" + j.parent + "' and '" + j.child + "' and becomes a loop joint", {}, j.where);
    LoopSpec loop;
    loop.name = std::move(j.name);
    loop.kind = j.kind;
    loop.body_a = std::move(j.parent);
    loop.body_b = std::move(j.child);
    loop.pose_a = j.placement;
    loop.pose_b = j.child_placement;
    loop.axis = j.axis;
    loop.axis2 = j.axis2;
    loop.pitch = j.pitch;
    loop.radius = j.radius;
    loop.where = j.where;
    spec.loops.push_back(std::move(loop));
  }
  spec.joints = std::move(tree_joints);
  return {std::move(spec), std::move(out)};
}

}  // namespace sinew
