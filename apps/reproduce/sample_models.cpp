// apps/reproduce/sample_models.cpp
#include "reproduce/sample_models.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::app {

using sko::kInertial;

Parents seven_bodies() { return {2, 3, 5, 5, 5, 6, kInertial}; }

Parents five_branches(int n) {
  Parents out;
  const int below[] = {3, 3, 4, 4, kInertial};  // the branch that each hangs on
  for (int branch = 0; branch < 5; ++branch)
    for (int i = 0; i < n; ++i) {
      const bool base = i + 1 == n;
      out.push_back(!base ? branch * n + i + 1 : below[branch] == kInertial ? kInertial : below[branch] * n);
    }
  return out;
}
Parents chain(int nodes) {
  Parents out;
  for (int k = 1; k < nodes; ++k) out.push_back(k);
  out.push_back(kInertial);
  return out;
}
Parents binary_tree(int nodes) {
  Parents out;
  for (int k = 0; k < nodes; ++k) out.push_back(k == nodes - 1 ? kInertial : nodes - 1 - (nodes - 2 - k) / 2);
  return out;
}
Parents random_tree(Random& rng, int nodes) {
  Parents out;
  for (int k = 0; k + 1 < nodes; ++k)
    out.push_back(std::min(nodes - 1, k + 1 + static_cast<int>(rng.uniform(0, 1) * rng.uniform(0, nodes - k - 1))));
  out.push_back(kInertial);
  return out;
}

sko::SkoModel<double> make_sample(Random& rng, const Parents& parents, const std::vector<int>& sizes,
                                  const std::vector<int>& freedoms) {
  std::vector<sko::NodeSize> nodes;
  std::vector<sko::Edge> edges;
  for (std::size_t k = 0; k < parents.size(); ++k) {
    nodes.push_back({std::to_string(k + 1), sizes[k], freedoms[k]});
    edges.push_back({parents[k], static_cast<int>(k)});
  }
  sko::SkoModel<double> out(sko::Shape(std::move(nodes), edges));
  for (int k = 0; k < out.shape().nodes(); ++k) {
    const int m = out.shape().size(k), r = out.shape().freedoms(k);
    const double scale = 1 / std::sqrt(static_cast<double>(m));
    for (int i = 0; i < out.A().rows(k) * m; ++i) out.A(k)[i] = scale * rng.normal();
    for (int i = 0; i < r * m; ++i) out.H(k)[i] = 0.3 * rng.normal() + (i % (m + 1) == 0 ? 1 : 0);
    std::vector<double> root(at(m * m));
    for (double& x : root) x = scale * rng.normal();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double& entry = out.M(k)[i * m + j] = i == j ? 0.5 : 0;
        for (int c = 0; c < m; ++c) entry += root[at(i * m + c)] * root[at(j * m + c)];
      }
    for (int i = 0; i < m; ++i) out.a(k)[i] = rng.normal(), out.b(k)[i] = rng.normal();
  }
  return out;
}
sko::SkoModel<double> make_sample(Random& rng, const Parents& parents, int size, int freedoms) {
  return make_sample(rng, parents, std::vector<int>(parents.size(), size), std::vector<int>(parents.size(), freedoms));
}
sko::SkoModel<double> make_mixed_sample(Random& rng, const Parents& parents) {
  std::vector<int> sizes, freedoms;
  for (std::size_t k = 0; k < parents.size(); ++k) {
    sizes.push_back(1 + std::min(5, static_cast<int>(rng.uniform(0, 6))));
    freedoms.push_back(1 + std::min({2, sizes.back() - 1, static_cast<int>(rng.uniform(0, 3))}));
  }
  return make_sample(rng, parents, sizes, freedoms);
}

sko::SkoModel<Counted> to_counted(const sko::SkoModel<double>& m) {
  sko::SkoModel<Counted> out(m.shape());
  const auto copy = [](const double* from, int count, Counted* to) {
    std::transform(from, from + count, to, [](double x) { return Counted(x); });
  };
  for (int k = 0; k < m.shape().nodes(); ++k) {
    copy(m.A()[k], m.A().rows(k) * m.A().cols(k), out.A(k));
    copy(m.H()[k], m.H().rows(k) * m.H().cols(k), out.H(k));
    copy(m.M()[k], m.M().rows(k) * m.M().cols(k), out.M(k));
    copy(m.a().data() + m.shape().begin(k), m.shape().size(k), out.a(k));
    copy(m.b().data() + m.shape().begin(k), m.shape().size(k), out.b(k));
  }
  return out;
}

std::vector<int> node_offsets(const sko::Shape& s) {
  std::vector<int> out(at(s.nodes() + 1), s.size());
  for (int k = 0; k < s.nodes(); ++k) out[at(k)] = s.begin(k);
  return out;
}
std::vector<int> freedom_offsets(const sko::Shape& s) {
  std::vector<int> out(at(s.nodes() + 1), s.freedoms());
  for (int k = 0; k < s.nodes(); ++k) out[at(k)] = s.freedom_begin(k);
  return out;
}
std::vector<int> branch_borders(const sko::Shape& s) {
  std::vector<int> out;
  for (const std::vector<int>& branch : sko::Branches(s).nodes)
    out.push_back(*std::min_element(branch.begin(), branch.end()));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sinew::app
