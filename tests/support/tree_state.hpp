// tests/support/tree_state.hpp - states of trees in every scalar, and what the tests of tree/ do with them
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/base/scalars.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/reference_frame.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {

inline std::vector<double> random_numbers(Random& rng, int n) {
  std::vector<double> out(static_cast<std::size_t>(n));
  for (double& x : out) x = rng.uniform(-1, 1);
  return out;
}

struct TreeState {
  std::vector<double> q, v, a;
};
inline TreeState random_state(const Model& m, Random& rng) {
  TreeState s;
  s.q = random_configuration(m, rng);
  s.v = random_numbers(rng, m.nv());
  s.a = random_numbers(rng, m.nv());
  return s;
}

// The same with the prescribed joints at rest where they are at time 0: nothing depends on time.
inline void freeze(std::vector<JointSpec>& joints) {
  for (JointSpec& j : joints) {
    if (j.law) j.law = [x = j.law(0).position](double) { return MotionSample{x, 0, 0}; };
    freeze(j.parts);
  }
}
inline ModelSpec frozen(ModelSpec spec) {
  freeze(spec.joints);
  return spec;
}

// Random trees over every kind; body(model, rng) for each seed, which a failure names.
template <class Body>
void for_random_trees(int count, Body body, bool scleronomic = false) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTreeOptions options;
    options.bodies = 1 + seed % 12;
    ModelSpec spec = random_tree(static_cast<std::uint64_t>(seed), options);
    if (scleronomic) spec = frozen(std::move(spec));
    Random rng(static_cast<std::uint64_t>(seed) + 1000);
    for (JointSpec& j : spec.joints)
      if (j.dofs.empty() && j.kind == JointKind::revolute) j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
    body(compile(spec).value(), rng);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// A frame on every body, and all places there are.
inline ModelSpec with_frames(ModelSpec spec, std::uint64_t seed) {
  Random rng(seed);
  for (const BodySpec& b : spec.bodies) spec.frames.push_back({b.name + ".frame", b.name, random_pose(rng), {}});
  return spec;
}
inline std::vector<Place> places_of(const Model& m) {
  std::vector<Place> out(m.bodies().begin(), m.bodies().end());
  out.insert(out.end(), m.frames().begin(), m.frames().end());
  return out;
}

// A matrix to write into.
template <class T>
struct Grid {
  Grid(int rows_, int cols_)
      : rows(static_cast<std::size_t>(rows_)), cols(static_cast<std::size_t>(cols_)), numbers(rows * cols) {}
  operator MatrixView<T>() { return {numbers.data(), rows, cols}; }
  T& operator()(int i, int j) { return numbers[static_cast<std::size_t>(i) * cols + static_cast<std::size_t>(j)]; }

  std::size_t rows, cols;
  std::vector<T> numbers;
};
// Row times vector, row by row.
inline std::vector<double> operator*(Grid<double>& A, const std::vector<double>& x) {
  std::vector<double> out(A.rows);
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t j = 0; j < A.cols; ++j) out[i] += A.numbers[i * A.cols + j] * x[j];
  return out;
}
inline std::vector<double> plus(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
inline double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Numbers that change at the given rates.
inline std::vector<Dual> moving(const std::vector<double>& x, const std::vector<double>& rate) {
  std::vector<Dual> out;
  for (std::size_t i = 0; i < x.size(); ++i) out.emplace_back(x[i], rate[i]);
  return out;
}
inline std::vector<Dual> moving_q(const Model& m, const TreeState& s) {
  std::vector<double> rate(s.q.size());
  calc_rate<double>(m, s.q, s.v, rate);
  return moving(s.q, rate);
}
// The slopes of whatever flatten can take apart.
inline double slope_of(const Dual& x) { return x.slope; }
inline std::vector<double> slopes(const std::vector<Dual>& x) {
  std::vector<double> out;
  for (const Dual& d : x) out.push_back(d.slope);
  return out;
}
inline Vec3<double> slope_of(const Vec3<Dual>& a) { return {a.x.slope, a.y.slope, a.z.slope}; }
inline Motion<double> slope_of(const Motion<Dual>& m) { return {slope_of(m.ang), slope_of(m.lin)}; }
inline Force<double> slope_of(const Force<Dual>& m) { return {slope_of(m.ang), slope_of(m.lin)}; }

// One number a lane: xs[lane][i]; scalars without lanes take the first.
template <class T>
std::vector<T> in_lanes(const std::vector<TreeState>& states, std::vector<double> TreeState::*member) {
  std::vector<T> out;
  for (std::size_t i = 0; i < (states[0].*member).size(); ++i) {
    T x = lit<T>((states[0].*member)[i]);
    if constexpr (ScalarTraits<T>::kLanes > 1)
      for (int l = 0; l < ScalarTraits<T>::kLanes; ++l)
        x.set(l, static_cast<typename ScalarTraits<T>::Value>((states[l].*member)[i]));
    out.push_back(x);
  }
  return out;
}

// The model with every mass, inertia and length off by up to `step` of itself.
inline Model shaken(const Model& m, Random& rng, double step) {
  ModelSpec spec = m.spec();
  const auto shake = [&](double& x) { x *= 1 + step * rng.uniform(-1, 1); };
  for (BodySpec& b : spec.bodies) {
    shake(b.mass), shake(b.com.x), shake(b.com.y), shake(b.com.z);
    shake(b.inertia.xx), shake(b.inertia.yy), shake(b.inertia.zz);
  }
  for (JointSpec& j : spec.joints) shake(j.placement.r.x), shake(j.placement.r.y), shake(j.placement.r.z);
  return compile(spec).value();
}

// run.operator()<double>(model, q, v, a): how far its numbers move for each unit by which all inputs do, at random. An
// algorithm whose every input is off by an eps cannot be held to less than eps times that.
template <class Run>
double sensitivity(const Model& m, const TreeState& s, Run& run) {
  const Numbers want = run.template operator()<double>(m, s.q, s.v, s.a);
  const double step = 0x1p-24;
  double out = 0;
  Random rng(1);
  for (int trial = 0; trial < 3; ++trial) {
    TreeState moved = s;
    for (std::vector<double>* x : {&moved.q, &moved.v, &moved.a})
      for (double& number : *x) number += step * rng.uniform(-1, 1);
    const Numbers got = run.template operator()<double>(shaken(m, rng, step), moved.q, moved.v, moved.a);
    for (std::size_t i = 0; i < want.size(); ++i) out = std::max(out, std::abs(got[i] - want[i]) / step);
  }
  return out;
}

// run.operator()<T>(model, q, v, a) gives numbers of T: every scalar and every lane must give what double gives.
template <class T, class Run>
void expect_parity_of(const Model& m, const std::vector<TreeState>& states, const Allowed& n, Run& run,
                      const std::source_location& where = std::source_location::current()) {
  const std::vector<T> got = run.template operator()<T>(
      m, in_lanes<T>(states, &TreeState::q), in_lanes<T>(states, &TreeState::v), in_lanes<T>(states, &TreeState::a));
  for (int l = 0; l < ScalarTraits<T>::kLanes; ++l) {
    const TreeState& s = states[l];
    const Numbers want = run.template operator()<double>(m, s.q, s.v, s.a);
    const double scale = std::max({1.0, largest(want), sensitivity(m, s, run)});
    EXPECT_TRUE(near_numbers(flatten(got, l), want, n, scale, ScalarTraits<T>::kEpsilon, where)) << "lane " << l;
  }
}
// Packs and float within n; what counts or differentiates does the operations of double, but for a sum or two.
template <class Run>
void expect_parity_of_all(const Model& m, Random& rng, const Allowed& n, Run& run,
                          const std::source_location& where = std::source_location::current()) {
  std::vector<TreeState> states;
  for (int l = 0; l < 16; ++l) states.push_back(random_state(m, rng));
  expect_parity_of<float>(m, states, n, run, where);
  expect_parity_of<NativePack<double>>(m, states, n, run, where);
  expect_parity_of<NativePack<float>>(m, states, n, run, where);
  expect_parity_of<Counted>(m, states, 2, run, where);
  expect_parity_of<Dual>(m, states, 2, run, where);
}
template <class Run>
void expect_parity(int seeds, const Allowed& n, Run run,
                   const std::source_location& where = std::source_location::current()) {
  for_random_trees(seeds, [&](const Model& m, Random& rng) { expect_parity_of_all(m, rng, n, run, where); });
}

}  // namespace sinew::test
