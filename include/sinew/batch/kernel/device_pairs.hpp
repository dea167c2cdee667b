// sinew/batch/kernel/device_pairs.hpp - whether two shapes of one world are near each other, and where they touch
#pragma once
#include "sinew/batch/kernel/device_surface.hpp"
#include "sinew/batch/kernel/device_workspace.hpp"
#include "sinew/contact/kernel/plane_contacts.hpp"
#include "sinew/contact/kernel/round_contacts.hpp"

namespace sinew::device {

// The points of one pair: up to the corners of a box on a plane, or those of convex solids. Points beyond the room are
// counted only.
template <class R, int most>
struct PairPoints {
  static constexpr int kMost = most;
  Vec3<R> point[most], normal[most];
  R gap[most];
  int key[most];
  int pair = 0, count = 0;               // its number
  int feature_bits = 0, other_bits = 0;  // as in Scene
  template <class T>
  SINEW_HD void add(const Vec3<T>& p, const Vec3<T>& n, const T& g, std::uint32_t fa, std::uint32_t fb) {
    const int i = count++;
    if (i >= most) return;
    point[i] = cast<R>(p), normal[i] = cast<R>(n), gap[i] = static_cast<R>(g);
    const std::uint32_t other = fb & ((std::uint32_t{1} << other_bits) - 1);
    key[i] = pair << (feature_bits + other_bits) | static_cast<int>(fa << other_bits | other);
  }
  SINEW_HD void overflow() { count += most + 1; }
  SINEW_HD int size() const { return count; }
  SINEW_HD void resize(int n) { count = n; }
};
// Which colliders the pairs of a scene need: a kernel that has more of them is slower.
enum class Colliders { round, convex, all };
template <Colliders colliders>
inline constexpr int kMostPairPoints = colliders == Colliders::all      ? kMostSurfacePoints
                                       : colliders == Colliders::convex ? kMostConvexPoints
                                                                        : 8;

// How far apart the surfaces of a pair may be.
template <class R>
SINEW_HD R calc_reach(const Scene<R>& s, const Workspace<R>& w, const ScenePair<R>& pair) {
  const R slack = R(Numbers<R>::kSingle ? 1e-6 : 1e-9) * (s.shape[pair.a].bound + s.shape[pair.b].bound);
  return w.reach[pair.a] + w.reach[pair.b] + pair.margin + slack;
}

// Whether the balls about them are that near.
template <class R>
SINEW_HD bool may_touch(const Scene<R>& s, const Workspace<R>& w, const ScenePair<R>& pair) {
  const SceneShape<R>&a = s.shape[pair.a], &b = s.shape[pair.b];
  const R reach = calc_reach(s, w, pair);
  const Vec3<R> d = w.placed[pair.a].r - w.placed[pair.b].r;
  if (b.kind == ShapeKind::plane) return !(dot(contact::axis_of(w.placed[pair.b], 2), d) - a.bound > reach);
  const R far = a.bound + b.bound + reach;
  return !(dot(d, d) > far * far);
}

// Closed forms. a and b in the order of their collider: the plane last, the sphere first.
template <class R, class Points>
SINEW_HD void collide_round(ShapeKind a, ShapeKind b, const contact::PlacedSize<R>& A, const contact::PlacedSize<R>& B,
                            const R& reach, Points& out) {
  using enum ShapeKind;
  const auto add = [&](const Vec3<R>& point, const Vec3<R>& normal, const R& gap, std::uint32_t fa, std::uint32_t fb) {
    out.add(point, normal, gap, fa, fb);
  };
  if (b == plane) {
    if (a == sphere) contact::sphere_on_plane(A, B.X, reach, add);
    if (a == capsule) contact::capsule_on_plane(A, B.X, reach, add);
    if (a == box) contact::box_on_plane(A, B.X, reach, add);
  } else if (a == sphere) {
    if (b == sphere) contact::sphere_on_sphere(A, B, reach, add);
    if (b == capsule) contact::sphere_on_capsule(A, B, reach, add);
    if (b == box) contact::sphere_on_box(A, B, reach, add);
  } else {
    contact::capsule_on_capsule(A, B, reach, add);
  }
}

template <Colliders colliders, class R, class Points>
SINEW_HD void collide_pair(const Scene<R>& s, const Workspace<R>& w, int index, Points& out) {
  const ScenePair<R>& pair = s.pair[index];
  const SceneShape<R>&a = s.shape[pair.a], &b = s.shape[pair.b];
  const Transform<R>&Xa = w.placed[pair.a], &Xb = w.placed[pair.b];
  const R reach = calc_reach(s, w, pair);
  if constexpr (colliders == Colliders::all)
    if (b.surface >= 0) return collide_surface(WideShape(a, Xa, hull_of(s, a)), surface_of(s, b), Xb, reach, out);
  if constexpr (colliders != Colliders::round)
    if (is_wide_pair(a.kind, b.kind))
      return collide_wide(WideShape(a, Xa, hull_of(s, a)), WideShape(b, Xb, hull_of(s, b)), reach, out);
  collide_round<R>(a.kind, b.kind, {Xa, a.size}, {Xb, b.size}, reach, out);
}

}  // namespace sinew::device
