// src/operators/refinement.cpp
#include "sinew/operators/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "operators/plain_number.hpp"
#include "operators/small_inverse.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {

int BodyPart::size() const { return static_cast<int>(std::lround(std::sqrt(static_cast<double>(M.size())))); }

namespace {

[[noreturn]] void refuse_plan(const Shape& s, int node, const std::string& why) {
  throw std::invalid_argument("Refinement: " + s.describe(node) + ": " + why);
}

void check_plan(const Shape& s, const RefinementPlan& plan) {
  std::vector<bool> split(at(s.nodes()), false);
  for (const HingeSplit& h : plan.hinges) {
    check_index("Refinement", "node", h.node, at(s.nodes()));
    if (split[at(h.node)]) refuse_plan(s, h.node, "its hinge is split twice");
    split[at(h.node)] = true;
    const bool negative = std::any_of(h.freedoms.begin(), h.freedoms.end(), [](int n) { return n < 0; });
    const int sum = std::accumulate(h.freedoms.begin(), h.freedoms.end(), 0);
    if (h.freedoms.empty() || negative || sum != s.freedoms(h.node))
      refuse_plan(s, h.node,
                  "its hinge has " + std::to_string(s.freedoms(h.node)) +
                      " freedoms, the nodes of the chain together have " + std::to_string(sum));
  }
  std::vector<bool> moved(at(s.nodes()), false);
  for (const BodyPart& p : plan.parts) {
    check_index("Refinement", "node", p.node, at(s.nodes()));
    const std::size_t m = at(p.size());
    if (m * m != p.M.size() || p.W.size() != at(s.size(p.node)) * m)
      refuse_plan(s, p.node,
                  "part '" + p.name + "' has W with " + std::to_string(p.W.size()) + " numbers and M with " +
                      std::to_string(p.M.size()) + "; they must be " + std::to_string(s.size(p.node)) +
                      " x m and m x m");
    for (const int c : p.children) {
      check_index("Refinement", "node", c, at(s.nodes()));
      if (s.parent(c) != p.node) refuse_plan(s, c, "it cannot hang on part '" + p.name + "' of another node");
      if (moved[at(c)]) refuse_plan(s, c, "it hangs on two parts");
      moved[at(c)] = true;
    }
  }
}

// The numbers that the nodes of a chain get, from the parent outwards.
std::vector<std::vector<int>> number_chains(const Shape& s, const RefinementPlan& plan) {
  std::vector<std::vector<int>> out;
  int next = s.nodes();
  for (const HingeSplit& h : plan.hinges) {
    out.emplace_back();
    for (std::size_t i = 0; i + 1 < h.freedoms.size(); ++i) out.back().push_back(next++);
    out.back().push_back(h.node);
  }
  return out;
}
int first_part_node(const Shape& s, const RefinementPlan& plan) {
  int out = s.nodes();
  for (const HingeSplit& h : plan.hinges) out += static_cast<int>(h.freedoms.size()) - 1;
  return out;
}
// (nodes) the part that a node hangs on; -1: none
std::vector<int> find_parts(const Shape& s, const RefinementPlan& plan) {
  std::vector<int> out(at(s.nodes()), -1);
  for (std::size_t i = 0; i < plan.parts.size(); ++i)
    for (const int c : plan.parts[i].children) out[at(c)] = static_cast<int>(i);
  return out;
}

Shape make_fine_shape(const Shape& s, const RefinementPlan& plan) {
  check_plan(s, plan);
  const std::vector<std::vector<int>> chains = number_chains(s, plan);
  const std::vector<int> on_part = find_parts(s, plan);
  const int parts_begin = first_part_node(s, plan);
  std::vector<NodeSize> sizes(at(parts_begin));
  std::vector<Edge> edges;
  std::vector<int> first(at(s.nodes()));  // the node that hangs where the original one does
  std::iota(first.begin(), first.end(), 0);
  for (int k = 0; k < s.nodes(); ++k) sizes[at(k)] = {s.name(k), s.size(k), s.freedoms(k)};
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const std::vector<int>& chain = chains[i];
    const int k = plan.hinges[i].node;
    first[at(k)] = chain.front();
    for (std::size_t j = 0; j < chain.size(); ++j) {
      const std::string name = j + 1 == chain.size() ? s.name(k) : s.name(k) + "." + std::to_string(j + 1);
      sizes[at(chain[j])] = {name, s.size(k), plan.hinges[i].freedoms[j]};
      if (j > 0) edges.push_back({chain[j - 1], chain[j]});
    }
  }
  for (int k = 0; k < s.nodes(); ++k)
    edges.push_back({on_part[at(k)] < 0 ? s.parent(k) : parts_begin + on_part[at(k)], first[at(k)]});
  for (const BodyPart& p : plan.parts) {
    edges.push_back({p.node, static_cast<int>(sizes.size())});
    sizes.push_back({p.name, p.size(), 0});
  }
  return Shape(std::move(sizes), edges);
}

}  // namespace

template <class T>
Refinement<T>::Refinement(const SkoModel<T>& original, RefinementPlan plan)
    : original_(&original), plan_(std::move(plan)), sko(make_fine_shape(original.shape(), plan_)) {
  const Shape &s = original.shape(), &fine = sko.shape();
  chains_ = number_chains(s, plan_);
  on_part_ = find_parts(s, plan_);
  parts_begin_ = first_part_node(s, plan_);
  chain_of_.assign(at(s.nodes()), -1);
  for (std::size_t i = 0; i < chains_.size(); ++i) chain_of_[at(chains_[i].back())] = static_cast<int>(i);
  inverse_.resize(plan_.parts.size());
  int most = 0;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    const BodyPart& p = plan_.parts[i];
    const int m = s.size(p.node), n = p.size(), node = part_node(static_cast<int>(i));
    most = std::max(most, m * n);
    std::transform(p.W.begin(), p.W.end(), sko.A(node), [](double x) { return lit<T>(x); });
    std::transform(p.M.begin(), p.M.end(), sko.M(node), [](double x) { return lit<T>(x); });
    if (p.children.empty()) continue;
    std::vector<double> inverse(p.W.size());
    if (m != n || !invert_small(m, p.W.data(), inverse.data()))
      refuse_plan(s, p.node,
                  "nothing can hang on part '" + p.name + "': its W is " + std::to_string(m) + " x " +
                      std::to_string(n) + (m == n ? " and singular" : "; it must be square"));
    std::transform(inverse.begin(), inverse.end(), std::back_inserter(inverse_[i]), [](double x) { return lit<T>(x); });
  }
  work_.resize(at(most));
  std::vector<int> order(at(fine.freedoms()));
  for (int k = 0; k < s.nodes(); ++k) {
    int next = s.freedom_begin(k);
    const int chain = chain_of_[at(k)];
    for (const int node : chain < 0 ? std::vector<int>{k} : chains_[at(chain)])
      for (int i = 0; i < fine.freedoms(node); ++i) order[at(fine.freedom_begin(node) + i)] = next++;
  }
  freedoms = Reorder(std::move(order));
  update();
}

template <class T>
int Refinement<T>::part_node(int i) const {
  check_index("Refinement", "part", i, plan_.parts.size());
  return parts_begin_ + i;
}

template <class T>
void Refinement<T>::update() {
  const Shape &s = original_->shape(), &fine = sko.shape();
  for (int k = 0; k < s.nodes(); ++k) {
    const int m = s.size(k), chain = chain_of_[at(k)], part = on_part_[at(k)], rows = original_->A().rows(k);
    std::copy_n(original_->M()[k], m * m, sko.M(k));
    std::copy_n(original_->a().data() + s.begin(k), m, sko.a(k));
    std::copy_n(original_->b().data() + s.begin(k), m, sko.b(k));
    const int first = chain < 0 ? k : chains_[at(chain)].front();
    if (part < 0)
      std::copy_n(original_->A()[k], rows * m, sko.A(first));
    else  // A(part, c) = W^-1 A(k, c)
      multiply<false>(rows, rows, m, inverse_[at(part)].data(), original_->A()[k], sko.A(first));
    const T* H = original_->H()[k];
    if (chain < 0) {
      std::copy_n(H, s.freedoms(k) * m, sko.H(k));
      continue;
    }
    for (const int node : chains_[at(chain)]) {
      std::copy_n(H, fine.freedoms(node) * m, sko.H(node));
      H += fine.freedoms(node) * m;
      if (node == first) continue;
      for (int i = 0; i < m * m; ++i) sko.A(node)[i] = lit<T>(i % (m + 1) == 0 ? 1 : 0);
    }
  }
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {  // M(k) - W M_part W^*
    const int k = plan_.parts[i].node, node = parts_begin_ + static_cast<int>(i), m = s.size(k), n = fine.size(node);
    multiply<false>(m, n, n, sko.A()[node], sko.M()[node], work_.data());
    T* M = sko.M(k);
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c)
        for (int x = 0; x < n; ++x) M[r * m + c] = M[r * m + c] - work_[at(r * n + x)] * sko.A()[node][c * n + x];
  }
}

template class Refinement<double>;
template class Refinement<Counted>;

}  // namespace sinew::sko
