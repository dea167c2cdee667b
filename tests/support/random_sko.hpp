// tests/support/random_sko.hpp - random SKO models: weights of any size, some singular, nodes in any order
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/random.hpp"
#include "sinew/base/scalar.hpp"
#include "sinew/operators/sko_model.hpp"

namespace sinew::test {

template <class T = double>
sko::SkoModel<T> random_sko(Random& rng, int nodes, double branching = 0.5) {
  const auto pick = [&](int n) { return std::min(n - 1, static_cast<int>(rng.uniform(0, n))); };
  std::vector<int> number(at(nodes));
  std::iota(number.begin(), number.end(), 0);
  for (int i = nodes - 1; i > 0; --i) std::swap(number[at(i)], number[at(pick(i + 1))]);
  std::vector<sko::NodeSize> sizes(at(nodes));
  std::vector<sko::Edge> edges;
  for (int i = 0; i < nodes; ++i) {
    const int size = 1 + pick(7);
    sizes[at(number[at(i)])] = {"n" + std::to_string(i), size, 1 + pick(std::min(size, 3))};
    const bool base = i == 0 || rng.uniform(0, 1) < 0.1;
    const int parent = rng.uniform(0, 1) < branching && i > 0 ? pick(i) : i - 1;
    edges.push_back({base ? sko::kInertial : number[at(parent)], number[at(i)]});
  }
  sko::SkoModel<T> out(sko::Shape(sizes, edges));
  const auto fill = [&](T* block, int rows, int cols, double scale) {
    for (int i = 0; i < rows * cols; ++i) block[i] = lit<T>(scale * rng.normal() / std::sqrt(std::max(1, cols)));
  };
  for (int k = 0; k < nodes; ++k) {
    const int m = out.shape().size(k), freedoms = out.shape().freedoms(k), rows = out.A().rows(k);
    fill(out.A(k), rows, m, 1);
    if (k % 5 == 0 && rows > 1) std::copy_n(out.A(k), m, out.A(k) + m);  // singular: two rows alike
    fill(out.H(k), freedoms, m, 0.3);
    for (int i = 0; i < freedoms; ++i)  // rows that are far from dependent
      out.H(k)[i * m + i] = out.H(k)[i * m + i] + lit<T>(1);
    std::vector<double> B(at(m * m));
    for (double& x : B) x = rng.normal();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double sum = i == j ? 0.5 : 0;
        for (int c = 0; c < m; ++c) sum += B[at(i * m + c)] * B[at(j * m + c)] / m;
        out.M(k)[i * m + j] = lit<T>(sum);
      }
    for (int i = 0; i < m; ++i) out.a(k)[i] = lit<T>(rng.normal()), out.b(k)[i] = lit<T>(rng.normal());
  }
  return out;
}

}  // namespace sinew::test
