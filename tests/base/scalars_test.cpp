// tests/base/scalars_test.cpp - one text of a kernel runs as every scalar of the closed set
#include "sinew/base/scalars.hpp"

#include "cuda/spatial_kernels.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

StepInput<double> random_input(Random& rng) {
  StepInput<double> in;
  in.q = random_number(rng), in.qd = random_number(rng), in.tau = random_number(rng);
  in.tree = random_transform(rng), in.v = random_motion(rng);
  in.I = random_inertia(rng), in.below = to_articulated(random_inertia(rng));
  return in;
}
template <class T>
Numbers numbers_of(const StepOutput<T>& out, int lane = 0) {
  Numbers all;
  for (const auto& v : {out.v, out.moved, out.error}) flatten(v, lane, all);
  flatten(out.IA, lane, all), flatten(out.by_screws, lane, all), flatten(out.pA, lane, all);
  flatten(out.qdd, lane, all), flatten(out.pitch, lane, all);
  return all;
}
// Compiled once for each scalar.
template <class T>
__attribute__((noinline)) StepOutput<T> run(const StepInput<T>& in) {
  return step(in);
}
Transform<double> link(const StepInput<double>& in) {
  return rotate_frame(rotation_z(in.q)) * shift_frame(Vec3<double>{0, 0, in.tau}) * rotate_frame(rotation_x(in.qd)) *
         shift_frame(Vec3<double>{in.q, 0, 0});
}

template <class T>
struct ScalarTest : testing::Test {};
using Scalars = testing::Types<double, float, NativePack<double>, NativePack<float>, Counted, Dual>;
TYPED_TEST_SUITE(ScalarTest, Scalars);

TYPED_TEST(ScalarTest, GivesWhatDoubleGives) {
  using T = TypeParam;
  const bool single = std::is_same_v<typename ScalarTraits<T>::Value, float>;
  for_seeds(50, [&](Random& rng) {
    const StepInput<double> in = random_input(rng);
    const Numbers want = numbers_of(run(in));
    const StepOutput<T> got = run(cast<T>(in));
    for (int lane = 0; lane < ScalarTraits<T>::kLanes; ++lane)
      EXPECT_TRUE(near(numbers_of(got, lane), want, 200, 0, single ? 0x1p-23 : 0x1p-52));
  });
}

// Lanes do not look at each other: as many different samples at once.
TYPED_TEST(ScalarTest, LanesAreIndependent) {
  using T = TypeParam;
  if constexpr (ScalarTraits<T>::kLanes > 1) {
    using Value = typename ScalarTraits<T>::Value;
    constexpr int n = ScalarTraits<T>::kLanes;
    Random rng(5);
    StepInput<double> in = random_input(rng);
    StepInput<T> all = cast<T>(in);
    StepInput<Value> lanes[n];
    for (int i = 0; i < n; ++i) {
      in.q = random_number(rng), in.v = random_motion(rng);
      lanes[i] = cast<Value>(in);
      all.q.set(i, lanes[i].q), all.v.ang.x.set(i, lanes[i].v.ang.x), all.v.ang.y.set(i, lanes[i].v.ang.y);
      all.v.ang.z.set(i, lanes[i].v.ang.z), all.v.lin.x.set(i, lanes[i].v.lin.x);
      all.v.lin.y.set(i, lanes[i].v.lin.y), all.v.lin.z.set(i, lanes[i].v.lin.z);
    }
    const StepOutput<T> got = run(all);
    for (int i = 0; i < n; ++i)
      EXPECT_TRUE(near(numbers_of(got, i), numbers_of(run(lanes[i])), 50, 0, ScalarTraits<T>::kEpsilon));
  }
}

// The kernel itself, once, against what it should be.
TEST(Scalars, TheKernelIsRight) {
  for_seeds(20, [](Random& rng) {
    const StepInput<double> in = random_input(rng);
    const StepOutput<double> out = run(in);
    // the joint's acceleration makes the joint's force tau
    const Transform<double> X = rotate_frame(rotation_z(in.q)) * in.tree;
    const ArticulatedInertia<double> IA = in.below + in.I;
    const Motion<double> S{{0, 0, 1}, {}}, a = cross(out.v, in.qd * S) + out.qdd * S;
    const Force<double> f = IA * a + cross(out.v, in.I * out.v);
    EXPECT_TRUE(near(dot(S, f), in.tau, 300));
    EXPECT_TRUE(near(out.pA, apply_inverse(X, f), 50));  // with the parent at rest
    EXPECT_TRUE(near(out.moved, .25 * out.v, 20));
    const ArticulatedInertia<double> Ia = apply(X, out.IA);
    EXPECT_TRUE(near(Ia * S, Force<double>{}, 30, 100));
    EXPECT_TRUE(near(out.by_screws, apply_inverse(link(in), Ia), 200));
  });
}

// d/dq of the whole kernel by a dual, against a difference.
TEST(Scalars, DualsDifferentiateTheKernel) {
  for_seeds(10, [](Random& rng) {
    StepInput<double> in = random_input(rng);
    StepInput<Dual> dual = cast<Dual>(in);
    dual.q.slope = 1;
    const StepOutput<Dual> out = run(dual);
    const double h = 1e-6;
    in.q += h;
    const StepOutput<double> plus = run(in);
    in.q -= 2 * h;
    const StepOutput<double> minus = run(in);
    const auto slope = [&](double a, double b) { return (a - b) / (2 * h); };
    EXPECT_NEAR(out.qdd.slope, slope(plus.qdd, minus.qdd), 2e-8 * std::max(1.0, std::abs(out.qdd.slope)));
    EXPECT_NEAR(out.IA.H.xy.slope, slope(plus.IA.H.xy, minus.IA.H.xy), 2e-8);
    EXPECT_NEAR(out.moved.ang.x.slope, slope(plus.moved.ang.x, minus.moved.ang.x), 1e-9);
    EXPECT_NEAR(out.error.lin.z.slope, slope(plus.error.lin.z, minus.error.lin.z), 3e-9);
  });
}

// The macro of scalars.hpp and the list above are the same set.
TEST(Scalars, TheSetIsClosed) {
  int count = 0;
#define SINEW_COUNT(T) count += ScalarTraits<T>::kLanes > 0;
  SINEW_FOR_EACH_SCALAR(SINEW_COUNT)
  EXPECT_EQ(count, 6);
}

}  // namespace
}  // namespace sinew::test
