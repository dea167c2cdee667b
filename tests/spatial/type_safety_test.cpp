// tests/spatial/type_safety_test.cpp - expressions that have no meaning do not compile [F08 A.3]
// Each forbidden one stands beside its permitted twin, so that a typo cannot make it pass.
#include <gtest/gtest.h>

#include "sinew/base/scalars.hpp"
#include "sinew/spatial/acceleration.hpp"
#include "sinew/spatial/inverse_inertia.hpp"
#include "sinew/spatial/planar_inertia.hpp"
#include "sinew/spatial/revolute_inertia.hpp"

namespace sinew {
namespace {

template <class A, class B>
concept CanAdd = requires(A a, B b) { a + b; };
template <class A, class B>
concept CanSubtract = requires(A a, B b) { a - b; };
template <class A, class B>
concept CanMultiply = requires(A a, B b) { a* b; };
template <class A, class B>
concept CanDot = requires(A a, B b) { dot(a, b); };
template <class A, class B>
concept CanCross = requires(A a, B b) { cross(a, b); };
template <class A, class B>
concept CanAssign = requires(A a, B b) { a = b; };
template <class A, class B>
concept CanApply = requires(A a, B b) { apply(a, b), apply_inverse(a, b); };
template <class A, class B>
concept CanCompare = requires(A a, B b) { a < b; };

template <class T>
constexpr bool check() {
  using M = Motion<T>;
  using F = Force<T>;
  using I = RigidInertia<T>;
  using IA = ArticulatedInertia<T>;
  using Phi = InverseInertia<T>;
  using X = Transform<T>;
  using V = Vec3<T>;

  static_assert(CanAdd<M, M> && CanAdd<F, F> && CanSubtract<M, M> && CanSubtract<F, F>);
  static_assert(!CanAdd<M, F> && !CanAdd<F, M> && !CanSubtract<M, F> && !CanSubtract<F, M>);
  static_assert(CanDot<M, F> && CanDot<F, M>);
  static_assert(!CanDot<M, M> && !CanDot<F, F>);
  static_assert(CanCross<M, M> && CanCross<M, F>);
  static_assert(!CanCross<F, F> && !CanCross<F, M>);
  static_assert(CanAssign<M&, M> && CanAssign<F&, F>);
  static_assert(!CanAssign<M&, F> && !CanAssign<F&, M> && !CanAssign<M&, V> && !CanAssign<F&, V>);
  static_assert(CanMultiply<I, M> && CanMultiply<IA, M> && CanMultiply<Phi, F>);
  static_assert(!CanMultiply<I, F> && !CanMultiply<IA, F> && !CanMultiply<Phi, M>);
  static_assert(std::same_as<decltype(I{} * M{}), F> && std::same_as<decltype(Phi{} * F{}), M>);
  static_assert(CanMultiply<T, M> && CanMultiply<T, F> && !CanMultiply<M, M> && !CanMultiply<M, F>);
  static_assert(CanAdd<I, I> && CanAdd<IA, I> && CanAdd<IA, IA> && CanAdd<Phi, Phi>);
  static_assert(!CanAdd<I, Phi> && !CanAdd<IA, Phi> && !CanAdd<I, M>);
  static_assert(!CanAssign<I&, Phi> && !CanAssign<IA&, Phi> && !CanAssign<IA&, I>);

  // apply chooses the rule by the type: there is no X* to be applied to a motion by mistake
  static_assert(CanApply<X, M> && CanApply<X, F> && CanApply<X, I> && CanApply<X, IA> && CanApply<X, Phi>);
  static_assert(std::same_as<decltype(apply(X{}, M{})), M> && std::same_as<decltype(apply(X{}, F{})), F>);
  static_assert(!CanApply<X, V> && CanApply<Rotation<T>, V> && !CanApply<Rotation<T>, M>);
  static_assert(!CanApply<M, X> && !CanMultiply<X, M> && CanMultiply<X, X>);
  static_assert(CanApply<AxialScrew<Axis::x, T>, M> && !CanApply<AxialScrew<Axis::x, T>, V>);
  static_assert(CanApply<AxialScrew<Axis::z, T>, RevoluteInertia<T>> && !CanApply<X, RevoluteInertia<T>>);

  // the plane and space do not mix, nor do the two kinds of acceleration
  static_assert(CanAdd<PlanarMotion<T>, PlanarMotion<T>> && !CanAdd<PlanarMotion<T>, M>);
  static_assert(!CanAdd<PlanarMotion<T>, PlanarForce<T>> && !CanDot<PlanarMotion<T>, PlanarMotion<T>>);
  static_assert(!CanCross<PlanarForce<T>, PlanarForce<T>> && !CanMultiply<PlanarRigidInertia<T>, PlanarForce<T>>);
  static_assert(CanApply<PlanarTransform<T>, PlanarMotion<T>> && !CanApply<PlanarTransform<T>, M>);
  static_assert(!CanAdd<ClassicalAcceleration<T>, M> && !CanAssign<M&, ClassicalAcceleration<T>>);
  return true;
}

#define SINEW_CHECK(T) static_assert(check<T>());
SINEW_FOR_EACH_SCALAR(SINEW_CHECK)

// Scalars: a pack takes no bare literal, and widths and precisions do not mix.
using P = NativePack<double>;
using Pf = NativePack<float>;
static_assert(CanAdd<P, P> && CanMultiply<P, P> && CanCompare<P, P>);
static_assert(!CanAdd<P, double> && !CanMultiply<double, P> && !CanAdd<P, Pf> && !CanAssign<P&, double>);
static_assert(CanAdd<Counted, Counted> && !CanAdd<Counted, double> && !CanAdd<Counted, Dual>);
static_assert(!CanMultiply<Dual, double> && !CanAssign<Dual&, double>);
static_assert(!CanAdd<Motion<double>, Motion<float>>);

TEST(TypeSafety, IsCheckedByTheCompiler) { SUCCEED(); }

}  // namespace
}  // namespace sinew
