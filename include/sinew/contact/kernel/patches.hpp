// sinew/contact/kernel/patches.hpp - the parts of two surfaces that look at each other along a direction, cut to what
// they share, for CPU and device
// Seen along n both patches are flat figures; a point of one has a height along n, and the gap is the difference of
// heights. It is linear where both are flat, so the corners of the shared figure are enough.
#pragma once
#include "sinew/contact/kernel/solid_faces.hpp"

namespace sinew::contact {

// A point seen along n.
struct FlatPoint {
  double u, v, height;
};
SINEW_HD double calc_turn(const FlatPoint& a, const FlatPoint& b, const FlatPoint& c) {  // twice the area, ccw
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}
SINEW_HD FlatPoint point_between(const FlatPoint& a, const FlatPoint& b, double t) {
  return {a.u + t * (b.u - a.u), a.v + t * (b.v - a.v), a.height + t * (b.height - a.height)};
}

template <class Patch>
class PatchCut {
 public:
  SINEW_HD PatchCut(const Patch& here, const Patch& there, const Vector& n, double inside)
      : there_(there), inside_(inside), n_(n), here_face_(here.face) {
    const double s = std::copysign(1.0, n.z), k = -1 / (s + n.z), xy = n.x * n.y * k;
    u_ = {1 + s * n.x * n.x * k, s * xy, -s * n.x}, v_ = {xy, s + n.y * n.y * k, -n.y};
    for (int i = 0; i < here.count; ++i)
      figure().add({look(here.point(i)), here.vertex[i], there.face, here.edge[i], -1});
    for (int i = 0; i < there.count; ++i) sides_[i] = look(there.point(i));
  }

  // Cuts a polygon or a segment by a polygon. The plane of the cutting polygon gives its heights.
  SINEW_HD bool by_polygon() {
    using std::abs;
    constexpr double kSteep = 0.05;
    const double slope = dot(there_.normal, n_);
    if (abs(slope) < kSteep) return false;
    double area = 0;
    for (int j = 1; j + 1 < there_.count; ++j) area += calc_turn(sides_[0], sides_[j], sides_[j + 1]);
    const double sign = area < 0 ? -1 : 1;
    for (int j = 0; j < there_.count; ++j) cut(j, sign);
    const double du = -dot(there_.normal, u_) / slope, dv = -dot(there_.normal, v_) / slope;
    for (int i = 0; i < figure().count; ++i) {
      const FlatPoint& p = figure().corners[i].p;
      heights_[i] = sides_[0].height + du * (p.u - sides_[0].u) + dv * (p.v - sides_[0].v);
    }
    return true;
  }

  // Two segments: where they cross, or the ends of what they share where they run side by side.
  SINEW_HD bool by_segment() {
    using std::abs;
    using std::hypot;
    constexpr double kParallel = 1e-2;
    if (figure().count != 2) return false;
    const Corner p = figure().corners[0], q = figure().corners[1];
    const FlatPoint &r = sides_[0], &s = sides_[1];
    const double du = q.p.u - p.p.u, dv = q.p.v - p.p.v, eu = s.u - r.u, ev = s.v - r.v;
    const double d = hypot(du, dv), e = hypot(eu, ev), across = du * ev - dv * eu;
    if (!(d > inside_ && e > inside_)) return false;
    figure().count = 0;
    const auto put = [&](double t, double w, std::uint32_t here, std::uint32_t there) {
      figure().add({point_between(p.p, q.p, t), here, there, 0, -1});
      heights_[figure().count - 1] = point_between(r, s, w).height;
    };
    if (abs(across) > kParallel * d * e) {
      const double t = ((r.u - p.p.u) * ev - (r.v - p.p.v) * eu) / across;
      const double w = ((r.u - p.p.u) * dv - (r.v - p.p.v) * du) / across;
      const auto clamp = [](double x) { return min(max(x, 0.0), 1.0); };
      if (t >= -inside_ / d && t <= 1 + inside_ / d && w >= -inside_ / e && w <= 1 + inside_ / e)
        put(clamp(t), clamp(w), p.edge, there_.edge[0]);
      return true;
    }
    const auto along = [&](const FlatPoint& x) { return ((x.u - p.p.u) * du + (x.v - p.p.v) * dv) / (d * d); };
    const auto back = [&](const FlatPoint& x) { return ((x.u - r.u) * eu + (x.v - r.v) * ev) / (e * e); };
    const bool turned = along(r) > along(s);
    const double first = min(along(r), along(s)), last = max(along(r), along(s));
    const int at_first = turned ? 1 : 0, at_last = turned ? 0 : 1;
    if (max(first, 0.0) > min(last, 1.0) + inside_ / d) return true;
    if (first <= inside_ / d)
      put(0, back(p.p), p.here, there_.edge[0]);
    else
      put(first, at_first, p.edge, there_.vertex[at_first]);
    if (last >= 1 - inside_ / d)
      put(1, back(q.p), q.here, there_.edge[0]);
    else
      put(last, at_last, p.edge, there_.vertex[at_last]);
    return true;
  }

  SINEW_HD_CALLER
  template <class Visitor>
  SINEW_HD void visit(Visitor&& visitor) const {
    for (int i = 0; i < figure().count; ++i) {
      const Corner& c = figure().corners[i];
      visitor(c.p.u * u_ + c.p.v * v_, c.p.height, heights_[i], c.here, c.there);
    }
  }

 private:
  static constexpr int kMost = 2 * Patch::kMost;
  struct Corner {
    FlatPoint p;
    std::uint32_t here, there;  // features of the figure that is cut, and of the one that cuts
    std::uint32_t edge;         // the edge that leaves it, of `here`,
    int side;                   // or where that is >= 0, the side of the one that cuts
  };
  struct Figure {
    Corner corners[kMost];
    int count = 0;
    SINEW_HD void add(const Corner& c) {
      if (count < kMost) corners[count++] = c;
    }
  };
  SINEW_HD Figure& figure() { return figures_[current_]; }
  SINEW_HD const Figure& figure() const { return figures_[current_]; }
  SINEW_HD FlatPoint look(const Vector& p) const { return {dot(u_, p), dot(v_, p), dot(n_, p)}; }

  // Keeps the part on the inner side of side j.
  SINEW_HD void cut(int j, double sign) {
    const FlatPoint &from = sides_[j], &to = sides_[(j + 1) % there_.count];
    const double length = std::hypot(to.u - from.u, to.v - from.v);
    if (!(length > 0)) return;
    const Figure& figure = figures_[current_];
    Figure& out = figures_[1 - current_];
    out.count = 0;
    const auto out_by = [&](const FlatPoint& p) { return -sign * calc_turn(from, to, p) / length - inside_; };
    const int edges = figure.count == 2 ? 1 : figure.count;  // a segment has one
    for (int i = 0; i < figure.count; ++i) {
      const Corner &c = figure.corners[i], &next = figure.corners[(i + 1) % figure.count];
      const double here = out_by(c.p), there = out_by(next.p);
      if (here <= 0) out.add(c);
      if (i >= edges || (here <= 0) == (there <= 0)) continue;
      const double t = (here + inside_) / (here - there);  // on the side itself
      Corner made{point_between(c.p, next.p, t), c.edge, there_.edge[j], c.edge, c.side};
      if (c.side >= 0) {  // two sides meet: a corner of the one that cuts
        made.here = here_face_;
        made.there = there_.vertex[j == (c.side + 1) % there_.count ? j : c.side];
      }
      if (here <= 0) made.side = j;
      out.add(made);
    }
    current_ = 1 - current_;
  }

  const Patch& there_;
  double inside_;  // this far outside counts as inside, so that a corner on a side is kept
  Vector n_, u_, v_;
  std::uint32_t here_face_;
  Figure figures_[2];  // cut from one into the other
  int current_ = 0;
  FlatPoint sides_[Patch::kMost];
  double heights_[kMost];
};

// The points of both patches that look at each other along n, whose gaps are along n and at least the separation, go
// to out.add(point, normal, gap, feature_a, feature_b). Returns the smallest gap added; +infinity if none.
SINEW_HD_CALLER
template <class Solid, class Out>
SINEW_HD_LARGE double put_patches(const Solid& a, const Solid& b, const Vector& n, double separation,
                                  const Vector& origin, double reach, Out& out) {
  using std::abs;
  typename Solid::Patch of_a, of_b;
  a.find_patch(-n, of_a), b.find_patch(n, of_b);
  // The steeper polygon is cut by the other; a polygon always cuts a segment or a point.
  const auto flatness = [&](const auto& p) { return p.count < 3 ? 0 : abs(dot(p.normal, n)); };
  const bool a_cuts = of_a.count > 2 && (of_b.count < 3 || flatness(of_a) > flatness(of_b) + 1e-6);
  const auto &cuts = a_cuts ? of_a : of_b, &is_cut = a_cuts ? of_b : of_a;
  PatchCut<typename Solid::Patch> cut(is_cut, cuts, n, Solid::Room::kInside * (a.extent() + b.extent()));
  const double near = 1e-11 * (a.extent() + b.extent());  // gaps this close to the separation are equal to it
  double least = INFINITY;
  const bool done = cuts.count > 2 ? cut.by_polygon() : cuts.count == 2 && cut.by_segment();
  if (!done) return least;
  cut.visit([&](const Vector& across, double height, double other, std::uint32_t here, std::uint32_t there) {
    const double high = (a_cuts ? other : height) - a.radius(), low = (a_cuts ? height : other) + b.radius();
    const double gap = high - low < separation + near ? separation : high - low;
    if (!(gap <= reach)) return;
    least = min(least, gap);
    out.add(origin + across + ((high + low) / 2) * n, n, gap, a_cuts ? there : here, a_cuts ? here : there);
  });
  return least;
}

// Adds the patches, and the nearest points if they are not among them.
SINEW_HD_CALLER
template <class Solid, class Out>
SINEW_HD_LARGE void put_contacts(const Solid& a, const Solid& b, const Approach& at, const Vector& origin, double reach,
                                 Out& out) {
  if (!(at.gap <= reach)) return;
  const Vector& n = at.normal;
  if (put_patches(a, b, n, at.gap, origin, reach, out) <= at.gap + a.patch_sags(n) + b.patch_sags(n)) return;
  // The search is inexact; a unique farthest point of a smooth surface is exact.
  Vector middle = 0.5 * (at.on_a - a.radius() * n + at.on_b + b.radius() * n);
  if (a.has_unique_support(-n))
    middle = a.find_support(-n) - (a.radius() + at.gap / 2) * n;
  else if (b.has_unique_support(n))
    middle = b.find_support(n) + (b.radius() + at.gap / 2) * n;
  out.add(origin + middle, n, at.gap, a.nearest_feature(), b.nearest_feature());
}

}  // namespace sinew::contact
