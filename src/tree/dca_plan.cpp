// src/tree/dca_plan.cpp - which joints are cut first
#include <algorithm>

#include "sinew/tree/dca.hpp"

namespace sinew {
namespace {

using Body = DcaPlan::Body;
using Assembly = DcaPlan::Assembly;
// Connected bodies, ascending: the first is nearest to the world.
using Fragment = std::vector<int>;
[[noreturn]] void refuse(const Model& m, int node, const char* why) {
  std::string name = "node " + std::to_string(node);
  for (const BodyEntry& b : m.bodies())
    if (b.node == node) name = "body '" + b.name + "'";
  throw std::invalid_argument("dca: " + name + " of model '" + m.name() + "' " + why);
}
bool is_massless(const RigidInertia<double>& i) {
  return i.m == 0 && i.h == Vec3<double>{} && i.I.xx == 0 && i.I.xy == 0 && i.I.xz == 0 && i.I.yy == 0 && i.I.yz == 0 &&
         i.I.zz == 0;
}
// True where the mass and the pivots of the inertia about the centre of mass are above rounding.
bool has_inverse(const RigidInertia<double>& i) {
  if (!(i.m > 0)) return false;
  const Sym3<double> J = inertia_about_centre(i);
  const double small = 1e-12 * (J.xx + J.yy + J.zz);
  const double x = J.xx, y = J.yy - J.xy * J.xy / x, yz = J.yz - J.xy * J.xz / x;
  return x > small && y > small && J.zz - J.xz * J.xz / x - yz * yz / y > small;
}

std::vector<Body> find_bodies(const Model& m) {
  std::vector<Body> bodies;
  std::vector<int> body_of(m.nodes().size(), -1);  // of a massless node: the body above it
  std::vector<std::vector<int>> path(m.nodes().size());
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const std::size_t up = at(n.parent);
    body_of[i] = body_of[up];
    if (n.parent != 0 && is_massless(m.nodes()[up].inertia)) path[i] = path[up];
    path[i].push_back(int(i));
    if (is_massless(n.inertia)) {
      if (m.topology().children(int(i)).size() != 1)
        refuse(m, int(i), "is massless and does not have exactly one child: give it a mass");
      continue;
    }
    if (!has_inverse(n.inertia))
      refuse(m, int(i), "has no inverse inertia: it is a point or a thin rod; give it three moments of inertia");
    Body body{int(i), body_of[up], path[i], {}};
    for (const int p : path[i])
      for (int v = m.nodes()[p].v; v < m.nodes()[p].v + m.nodes()[p].nv; ++v) body.coords.push_back(v);
    if (body.coords.size() > 6)
      refuse(m, int(i), "hangs on more than six freedoms with no mass between them: give a body between a mass");
    body_of[i] = int(bodies.size());
    bodies.push_back(std::move(body));
  }
  return bodies;
}

class Cutter {
 public:
  explicit Cutter(const std::vector<Body>& bodies) : bodies_(bodies), children_(bodies.size()), count_(bodies.size()) {
    for (const Body& b : bodies)
      if (b.parent >= 0) ++children_[b.parent];
  }
  // Bodies with a joint that leads out of the fragment.
  std::vector<DcaPlan::Handle> find_handles(const Fragment& all) {
    for (const int b : all) count_[b] = 0;
    for (std::size_t k = 1; k < all.size(); ++k) ++count_[bodies_[all[k]].parent];
    std::vector<DcaPlan::Handle> out;
    for (const int b : all)
      if (b == all.front() || count_[b] < children_[b]) out.push_back({b, 0, 0});
    return out;
  }
  // The body whose joint leaves the most equal halves.
  int find_cut(const Fragment& all) {
    for (const int b : all) count_[b] = 1;
    const int total = int(all.size());
    int best = all.back(), best_size = total;
    for (std::size_t k = all.size() - 1; k > 0; --k) {
      const int below = count_[all[k]], larger = std::max(below, total - below);
      if (larger < best_size) best = all[k], best_size = larger;
      count_[bodies_[all[k]].parent] += below;
    }
    return best;
  }
  void cut(const Fragment& all, int at_body, Fragment& upper, Fragment& lower) {
    for (const int b : all) {
      const int parent = bodies_[b].parent;
      const bool below = b == at_body || (b != all.front() && count_[parent] < 0);
      count_[b] = below ? -1 : 0;
      (below ? lower : upper).push_back(b);
    }
  }

 private:
  const std::vector<Body>& bodies_;
  std::vector<int> children_, count_;
};

// One fragment per child of the world.
std::vector<Fragment> find_trees(const std::vector<Body>& bodies) {
  std::vector<Fragment> trees;
  std::vector<std::size_t> tree_of(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].parent < 0) trees.emplace_back();
    tree_of[b] = bodies[b].parent < 0 ? trees.size() - 1 : tree_of[bodies[b].parent];
    trees[tree_of[b]].push_back(int(b));
  }
  return trees;
}

int place_in(const Assembly& part, int body) {
  for (std::size_t k = 0; k < part.handles.size(); ++k)
    if (part.handles[k].body == body) return int(k);
  return -1;
}

}  // namespace

DcaPlan::DcaPlan(const Model& m) : bodies(find_bodies(m)) {
  Cutter cutter(bodies);
  std::vector<std::pair<Fragment, int>> open;
  const auto add = [&](Fragment fragment) {
    assemblies.emplace_back();
    open.emplace_back(std::move(fragment), int(assemblies.size()) - 1);
    return int(assemblies.size()) - 1;
  };
  for (Fragment& tree : find_trees(bodies)) roots.push_back(add(std::move(tree)));
  while (!open.empty()) {
    const auto [all, index] = std::move(open.back());
    open.pop_back();
    Assembly here;
    here.handles = cutter.find_handles(all);
    here.body = all.front();
    if (all.size() > 1) {
      here.body = cutter.find_cut(all);
      Fragment upper, lower;
      cutter.cut(all, here.body, upper, lower);
      here.upper = add(std::move(upper));
      here.lower = add(std::move(lower));
    }
    assemblies[index] = std::move(here);
  }
  // parts were added after their wholes: reverse the order
  const int last = int(assemblies.size()) - 1;
  std::reverse(assemblies.begin(), assemblies.end());
  for (int& r : roots) r = last - r;
  for (Assembly& a : assemblies) {
    a.phi = phi_size, a.first = handle_count;
    phi_size += a.handles.size() * a.handles.size();
    handle_count += a.handles.size();
    most_handles = std::max(most_handles, a.handles.size());
    if (a.upper < 0) continue;
    a.upper = last - a.upper, a.lower = last - a.lower;
    const Assembly &upper = assemblies[a.upper], &lower = assemblies[a.lower];
    a.level = 1 + std::max(upper.level, lower.level);
    a.upper_place = place_in(upper, bodies[a.body].parent);
    a.lower_place = place_in(lower, a.body);
    for (Handle& h : a.handles) {
      h.place = place_in(upper, h.body);
      h.part = h.place < 0;
      if (h.part == 1) h.place = place_in(lower, h.body);
    }
  }
}

int DcaPlan::depth() const {
  int out = 0;
  for (const Assembly& a : assemblies) out = std::max(out, a.level);
  return out;
}

}  // namespace sinew
