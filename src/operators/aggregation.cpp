// src/operators/aggregation.cpp
#include "sinew/operators/aggregation.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sinew/base/counted.hpp"
#include "sinew/operators/rigid_sko.hpp"

namespace sinew::sko {
namespace {

// Every node in exactly one group, base to tips within it.
std::vector<NodeGroup> complete(const Shape& s, const std::vector<NodeGroup>& given) {
  std::vector<int> group(at(s.nodes()), -1), place(at(s.nodes()));
  for (std::size_t i = 0; i < s.outward().size(); ++i) place[at(s.outward()[i])] = static_cast<int>(i);
  std::vector<NodeGroup> out = given;
  for (std::size_t g = 0; g < out.size(); ++g) {
    if (out[g].nodes.empty()) throw std::invalid_argument("Aggregation: group '" + out[g].name + "' has no node");
    for (const int k : out[g].nodes) {
      check_index("Aggregation", "node", k, at(s.nodes()));
      if (group[at(k)] >= 0)
        throw std::invalid_argument("Aggregation: " + s.describe(k) + " is in group '" + out[at(group[at(k)])].name +
                                    "' and in group '" + out[g].name + "'");
      group[at(k)] = static_cast<int>(g);
    }
    std::sort(out[g].nodes.begin(), out[g].nodes.end(), [&](int a, int b) { return place[at(a)] < place[at(b)]; });
  }
  for (int k = 0; k < s.nodes(); ++k)
    if (group[at(k)] < 0) out.push_back({s.name(k), {k}});
  return out;
}

std::vector<int> find_holders(const Shape& s, const std::vector<NodeGroup>& groups) {
  std::vector<int> out(at(s.nodes()));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const int k : groups[g].nodes) out[at(k)] = static_cast<int>(g);
  return out;
}

Shape make_coarse_shape(const Shape& s, const std::vector<NodeGroup>& groups) {
  const std::vector<int> holder = find_holders(s, groups);
  std::vector<NodeSize> sizes;
  std::vector<Edge> edges;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    NodeSize size{groups[g].name, 0, 0};
    std::vector<int> parents;  // other nodes; members on the inertial frame add nothing to the weight
    for (const int k : groups[g].nodes) {
      size.size += s.size(k), size.freedoms += s.freedoms(k);
      const int p = s.parent(k) == kInertial ? kInertial : holder[at(s.parent(k))];
      if (p != kInertial && p != static_cast<int>(g) && std::count(parents.begin(), parents.end(), p) == 0)
        parents.push_back(p);
    }
    sizes.push_back(size);
    if (parents.empty()) parents.push_back(kInertial);
    for (const int p : parents) edges.push_back({p, static_cast<int>(g)});
  }
  return Shape(std::move(sizes), edges);
}

}  // namespace

template <class T>
Aggregation<T>::Aggregation(const SkoModel<T>& original, const std::vector<NodeGroup>& groups)
    : original_(&original), sko(make_coarse_shape(original.shape(), complete(original.shape(), groups))) {
  const Shape& s = original.shape();
  const std::vector<NodeGroup> all = complete(s, groups);
  holder_ = find_holders(s, all);
  std::vector<int> begin(at(s.nodes())), node_order, freedom_order;
  const auto add_range = [](std::vector<int>& order, int first, int count) {
    order.resize(order.size() + at(count));
    std::iota(order.end() - count, order.end(), first);
  };
  for (const NodeGroup& group : all) {
    members_.emplace_back();
    int size = 0, freedoms_so_far = 0;
    for (const int k : group.nodes) {
      const int p = s.parent(k);
      const bool inside = p != kInertial && holder_[at(p)] == holder_[at(k)];
      members_.back().push_back({k, inside ? p : kInertial, size, freedoms_so_far, 0});
      begin[at(k)] = size;
      size += s.size(k), freedoms_so_far += s.freedoms(k);
      add_range(node_order, s.begin(k), s.size(k));
      add_range(freedom_order, s.freedom_begin(k), s.freedoms(k));
    }
  }
  for (std::vector<Member>& group : members_)
    for (Member& m : group)
      if (s.parent(m.node) != kInertial) m.parent_begin = begin[at(s.parent(m.node))];
  nodes = Reorder(std::move(node_order)), freedoms = Reorder(std::move(freedom_order));
  update();
}

template <class T>
int Aggregation<T>::holder(int node) const {
  check_index("Aggregation", "node", node, holder_.size());
  return holder_[at(node)];
}

template <class T>
void Aggregation<T>::update() {
  const Shape &s = original_->shape(), &coarse = sko.shape();
  for (int g = 0; g < coarse.nodes(); ++g) {
    const int size = coarse.size(g), freedoms_of = coarse.freedoms(g), parent_size = sko.A().rows(g);
    T *A = sko.A(g), *H = sko.H(g), *M = sko.M(g), *a = sko.a(g), *b = sko.b(g);
    std::fill_n(A, parent_size * size, lit<T>(0));
    std::fill_n(H, freedoms_of * size, lit<T>(0));
    std::fill_n(M, size * size, lit<T>(0));
    for (const Member& k : members_[at(g)]) {
      const int m = s.size(k.node), rows = original_->A().rows(k.node);
      const T* w = original_->A()[k.node];  // A(p, k)
      // Columns of member k: X_k = X_p A(p, k) where the parent is a member.
      const auto carry = [&](T* X, int height) {
        for (int i = 0; i < height; ++i)
          for (int j = 0; j < m; ++j) {
            T sum = X[i * size + k.begin + j];
            for (int c = 0; c < rows; ++c) sum = sum + X[i * size + k.parent_begin + c] * w[c * m + j];
            X[i * size + k.begin + j] = sum;
          }
      };
      for (int i = 0; i < s.freedoms(k.node); ++i)
        std::copy_n(original_->H()[k.node] + i * m, m, H + (k.freedom_begin + i) * size + k.begin);
      for (int i = 0; i < m; ++i) std::copy_n(original_->M()[k.node] + i * m, m, M + (k.begin + i) * size + k.begin);
      std::copy_n(original_->a().data() + s.begin(k.node), m, a + k.begin);
      std::copy_n(original_->b().data() + s.begin(k.node), m, b + k.begin);
      if (k.parent != kInertial) {
        carry(A, parent_size), carry(H, freedoms_of), carry(a, 1);
      } else if (rows > 0) {  // the parent lies in the parent's node
        for (int i = 0; i < rows; ++i) std::copy_n(w + i * m, m, A + (k.parent_begin + i) * size + k.begin);
      }
    }
  }
}

template class Aggregation<double>;
template class Aggregation<Counted>;

std::vector<NodeGroup> find_groups(const RigidSko& r, const std::vector<std::vector<std::string>>& bodies) {
  const Model& m = r.model();
  std::vector<NodeGroup> out;
  for (const std::vector<std::string>& names : bodies) {
    out.emplace_back();
    for (const std::string& name : names) {
      const std::optional<int> body = m.find_body(name);
      if (!body) throw std::invalid_argument("find_groups: there is no body '" + name + "' in " + m.name());
      const int node = m.bodies()[at(*body)].node - 1;
      if (node < 0)
        throw std::invalid_argument("find_groups: body '" + name + "' is fixed to the world and has no node");
      if (out.back().name.empty()) out.back().name = name;
      if (std::count(out.back().nodes.begin(), out.back().nodes.end(), node) == 0) out.back().nodes.push_back(node);
    }
  }
  return out;
}

}  // namespace sinew::sko
