// src/lcp/sparse_cut.cpp
#include "lcp/sparse_cut.hpp"

#include <algorithm>

#include "lcp/units.hpp"

namespace sinew::lcp {

// Breadth first: blocks that share a tree are neighbours.
void SparseCut::choose(const SparseProblem& p, VectorView<const double> at_z, int most_rows) {
  calc_block_residuals(p, at_z, residuals_);
  blocks_of_.resize(std::max(blocks_of_.size(), at(p.trees())));
  for (auto& blocks : blocks_of_) blocks.clear();
  for (int k = 0; k < p.blocks(); ++k)
    for (int e = p.first_term[at(k)]; e < p.first_term[at(k) + 1]; ++e)
      blocks_of_[at(p.terms[at(e)].tree)].push_back(k);
  seen_.assign(at(p.blocks()), false), chosen_.clear(), tree_of_.assign(at(p.trees()), -1);
  int rows = 0;
  const auto add = [&](int k) {
    if (seen_[at(k)] || rows + p.width(k) > most_rows) return;
    seen_[at(k)] = true, rows += p.width(k), chosen_.push_back(k);
  };
  const auto worst = std::max_element(residuals_.begin(), residuals_.end());
  if (worst != residuals_.end()) add(static_cast<int>(worst - residuals_.begin()));
  for (std::size_t next = 0; next < chosen_.size(); ++next)
    for (int e = p.first_term[at(chosen_[next])], end = p.first_term[at(chosen_[next]) + 1]; e < end; ++e) {
      int& tree = tree_of_[at(p.terms[at(e)].tree)];
      if (tree == 0) continue;
      tree = 0;  // its blocks are seen
      for (const int k : blocks_of_[at(p.terms[at(e)].tree)]) add(k);
    }
  std::sort(chosen_.begin(), chosen_.end());
}

void SparseCut::copy(const SparseProblem& p, VectorView<const double> at_z) {
  RowLayout layout;
  rows_.clear();
  for (const int k : chosen_) {
    layout.free += k < p.free, layout.unilateral += k >= p.free && k < p.ones(), layout.contacts += k >= p.ones();
    for (int r = 0; r < p.width(k); ++r) rows_.push_back(p.start(k) + r);
  }
  part_.begin(layout);
  std::fill(tree_of_.begin(), tree_of_.end(), -1);
  for (std::size_t own = 0; own < chosen_.size(); ++own) {
    const int k = chosen_[own];
    for (int e = p.first_term[at(k)]; e < p.first_term[at(k) + 1]; ++e) {
      const int tree = p.terms[at(e)].tree, n = p.sizes[at(tree)];
      if (tree_of_[at(tree)] < 0) {
        tree_of_[at(tree)] = part_.add_tree(n);
        std::copy_n(p.mass(tree), at(n) * at(n), part_.mass_of(tree_of_[at(tree)]).data());
      }
      std::copy_n(p.J.data() + p.terms[at(e)].first, at(p.width(k)) * at(n),
                  part_.add_term(static_cast<int>(own), tree_of_[at(tree)]));
    }
    if (k >= p.ones()) {
      const std::size_t from = at(k - p.ones()), to = own - at(part_.ones());
      part_.mu[to] = p.mu[from], part_.preload[to] = p.preload[from];
    } else if (k >= p.free) {
      const std::size_t from = at(k - p.free), to = own - at(part_.free);
      part_.lower[to] = p.lower[from], part_.upper[to] = p.upper[from], part_.softness[to] = p.softness[from];
    }
  }
  part_.finish();
  outside_.assign(at_z.begin(), at_z.end()), z.clear();
  for (const int r : rows_) z.push_back(at_z[at(r)]), outside_[at(r)] = 0;
  const VectorView<const double> w = p.calc_velocity(outside_);
  for (std::size_t i = 0; i < rows_.size(); ++i) part_.q[i] = w[at(rows_[i])];
}

void SparseCut::make(const SparseProblem& p, VectorView<const double> at_z, int most_rows) {
  choose(p, at_z, most_rows);
  copy(p, at_z);
  const std::size_t n = rows_.size();
  W_.resize(n * n);
  part_.calc_matrix({W_.data(), n, n});
}

void SparseCut::make_rest(const SparseProblem& p, VectorView<const double> at_z, VectorView<const double> without) {
  chosen_.clear(), tree_of_.assign(at(p.trees()), -1);
  for (int k = 0; k < p.blocks(); ++k) {
    const double* own = without.data() + p.start(k);
    if (std::all_of(own, own + p.width(k), [](double x) { return x == 0; })) chosen_.push_back(k);
  }
  copy(p, at_z);
}

FrictionProblem SparseCut::problem() const {
  const std::size_t n = rows_.size();
  return {{W_.data(), n, n}, part_.q, part_.mu, part_.preload, part_.free, part_.unilateral, part_.lower, part_.upper};
}

void SparseCut::put(VectorView<const double> from, VectorView<double> to) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) to[at(rows_[i])] = from[i];
}

}  // namespace sinew::lcp
