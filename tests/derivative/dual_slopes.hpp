// tests/derivative/dual_slopes.hpp - slopes of lists of numbers along q and v, and the trees where they are compared
#pragma once
#include "derivative/derivative_case.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::test {

// The slopes of f(q, v, a), a list of dual numbers, along every coordinate of q and of v.
struct SlopesByDual {
  Matrix dq, dv;
};
template <class F>
SlopesByDual differentiate_list(const Model& m, const TreeState& s, int rows, F f) {
  const int n = m.nv();
  SlopesByDual out{{rows, n}, {rows, n}};
  const std::vector<double> held(s.v.size()), still(s.q.size());
  std::vector<double> rate(s.q.size());
  for (int k = 0; k < n; ++k) {
    const std::vector<double> unit = unit_vector(s.v.size(), k);
    calc_rate<double>(m, s.q, unit, rate);
    const std::vector<Dual> by_q = f(moving(s.q, rate), moving(s.v, held), moving(s.a, held));
    const std::vector<Dual> by_v = f(moving(s.q, still), moving(s.v, unit), moving(s.a, held));
    for (int i = 0; i < rows; ++i) {
      out.dq(i, k) = by_q[static_cast<std::size_t>(i)].slope;
      out.dv(i, k) = by_v[static_cast<std::size_t>(i)].slope;
    }
  }
  return out;
}
template <class V>
std::vector<Dual> six(const V& x) {
  return {x.ang.x, x.ang.y, x.ang.z, x.lin.x, x.lin.y, x.lin.z};
}
// Random trees of all joints, with those of users or without, and a humanoid.
template <class F>
void for_hard_trees(F f, bool with_user_joints = true) {
  for_random_trees(30, f);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("hard " + std::to_string(seed));
    Random rng(seed);
    f(hard_tree(seed, 12, with_user_joints), rng);
  }
  const Model humanoid = compile(mechanisms::humanoid()).value();
  Random rng(3);
  f(humanoid, rng);
}
inline void expect_near(const Matrix& got, const Matrix& want, const Allowed& n,
                        const std::source_location& where = std::source_location::current()) {
  EXPECT_TRUE(near_numbers(got.numbers, want.numbers, n, std::max(1.0, largest(want.numbers)), 0x1p-52, where));
}

}  // namespace sinew::test
