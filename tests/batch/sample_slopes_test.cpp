// tests/batch/sample_slopes_test.cpp - derivatives as a thread of a device works on them, by the host
#include "batch/cuda/sample_slopes.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/random_tree.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

constexpr int kLinks = 48, kDofs = 64, kSlots = 24, kJoints = 16;

// Sample `place` of three, with arrays component by component and NaN wherever nothing is written.
struct DeviceArrays {
  DeviceArrays(std::size_t numbers, std::size_t place_) : place(place_), all(3 * numbers, NAN) {}
  void set(const std::vector<double>& from) {
    for (std::size_t i = 0; i < from.size(); ++i) all[3 * i + place] = from[i];
  }
  cuda::Strided<double> view() { return {all.data() + place, 3}; }
  cuda::Strided<const double> read() const { return {all.data() + place, 3}; }
  std::vector<double> get() const {
    std::vector<double> out;
    for (std::size_t i = place; i < all.size(); i += 3) out.push_back(all[i]);
    return out;
  }
  bool others_are_untouched() const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % 3 != place && !std::isnan(all[i])) return false;
    return true;
  }
  std::size_t place;
  std::vector<double> all;
};

struct Results {
  explicit Results(const Model& m) : y(at(m.nv()), 1), dq(at(m.nv()) * at(m.nv()), 1), dv(dq), M(dq) {}
  void clear() {
    for (DeviceArrays* x : {&dq, &dv, &M}) x->set(std::vector<double>(x->all.size() / 3));
  }
  DeviceArrays y, dq, dv, M;
};

void expect_same(const Model& m, const TreeState& s) {
  const std::size_t n = at(m.nv());
  AbaDerivativesWorkspace<double> ws(m);
  const cuda::SlopeTables tables{ws.inverse.slopes_of.data(), ws.inverse.first_segment.data(),
                                 ws.inverse.segments.data(), ws.torques_of.data(), ws.branches.data()};
  const cuda::DeviceModel<double> device{m.links<double>().data(),
                                         m.links<double>().data(),
                                         m.armature().data(),
                                         m.dof_tree().velocities().data(),
                                         m.dof_tree().ends().data(),
                                         static_cast<int>(m.nodes().size()),
                                         m.nv(),
                                         m.branch_slots(),
                                         m.general_joints(),
                                         m.gravity()};
  DeviceArrays q(at(m.nq()), 1), v(n, 1), x(n, 1);
  q.set(s.q), v.set(s.v), x.set(s.a);
  Results inverse(m), forward(m);
  forward.clear();
  const auto sample = [&](Results& to) {
    return cuda::SlopeSample<double>{q.read(),     v.read(),     x.read(),   to.y.view(),
                                     to.dq.view(), to.dv.view(), to.M.view()};
  };
  cuda::calc_inverse_slopes<double, kLinks, kDofs, kJoints>(device, tables, sample(inverse));
  cuda::calc_forward_slopes<double, kLinks, kDofs, kSlots, kJoints>(device, tables, sample(forward));

  std::vector<double> y(n);
  Grid<double> dq(m.nv(), m.nv()), dv(dq), M(dq);
  const auto expect = [&](const Results& got, double more, const char* what,
                          const std::source_location& where = std::source_location::current()) {
    const double scale = more * std::max({1.0, largest(y), largest(dq.numbers), largest(dv.numbers)});
    EXPECT_TRUE(near_numbers(got.y.get(), y, 10, scale, 0x1p-52, where)) << what << " of " << m.name();
    EXPECT_TRUE(near_numbers(got.dq.get(), dq.numbers, 10, scale, 0x1p-52, where)) << what << " by q of " << m.name();
    EXPECT_TRUE(near_numbers(got.dv.get(), dv.numbers, 10, scale, 0x1p-52, where)) << what << " by v of " << m.name();
    EXPECT_TRUE(near_numbers(got.M.get(), M.numbers, 10, scale, 0x1p-52, where)) << what << ", M of " << m.name();
    for (const DeviceArrays* a : {&got.y, &got.dq, &got.dv, &got.M}) EXPECT_TRUE(a->others_are_untouched());
  };
  calc_rnea_derivatives(m, ws.inverse, s.q, s.v, s.a, y, dq, dv, M);
  expect(inverse, 1, "tau");
  calc_aba_derivatives(m, ws, s.q, s.v, s.a, y, dq, dv, M);
  expect(forward, std::max(1.0, largest(M.numbers)), "a");
}

bool fits_the_kernels(const Model& m) {
  return static_cast<int>(m.nodes().size()) <= kLinks && m.nv() <= kDofs && m.branch_slots() <= kSlots &&
         m.general_joints() <= kJoints;
}

TEST(SampleSlopes, AreThoseOfTheLibrary) {
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::hand(), mechanisms::gu(9), mechanisms::chain(30)}) {
    const Model m = compile(spec).value();
    ASSERT_TRUE(fits_the_kernels(m)) << m.name();
    Random rng(3);
    expect_same(m, random_state(m, rng));
  }
  // Every joint that runs on a device.
  using enum JointKind;
  const std::vector<JointKind> kinds{fixed,     revolute,      prismatic, helical, cylindrical,    planar,
                                     spherical, spherical_ypr, universal, free,    rack_and_pinion};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelSpec spec = random_tree(seed, {8, kinds, 0.5});
    for (JointSpec& j : spec.joints) j.reversed = false;
    const Model m = compile(spec).value();
    ASSERT_TRUE(fits_the_kernels(m));
    Random rng(seed);
    expect_same(m, random_state(m, rng));
  }
}

}  // namespace
}  // namespace sinew::test
