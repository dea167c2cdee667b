// src/contact/patches.cpp - the parts of two surfaces that look at each other along a direction, cut to what they share
// Seen along n both patches are flat figures; a point of one has a height along n, and the gap is the difference of
// heights. It is linear where both are flat, so the corners of the shared figure are enough.
#include <algorithm>

#include "contact/colliders.hpp"
#include "contact/solid.hpp"

namespace sinew::contact {
namespace {

struct Flat {  // a point seen along n
  double u, v, height;
};
double turn(const Flat& a, const Flat& b, const Flat& c) {  // twice the area of a triangle, counter-clockwise
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
}

struct Corner {
  Flat p;
  std::uint32_t here, there;  // features of the figure that is cut, and of the one that cuts
  std::uint32_t edge;         // the edge that leaves it, of `here`,
  int side;                   // or where that is >= 0, the side of the one that cuts
};
struct Figure {
  std::array<Corner, 2 * Patch::kMost> corners;
  int count = 0;
  void add(const Corner& c) {
    if (count < 2 * Patch::kMost) corners[count++] = c;
  }
};

class Cut {
 public:
  Cut(const Patch& here, const Patch& there, const Vector& n, double inside)
      : there_(there), inside_(inside), n_(n), here_face_(here.face) {
    const double s = std::copysign(1.0, n.z), k = -1 / (s + n.z), xy = n.x * n.y * k;
    u_ = {1 + s * n.x * n.x * k, s * xy, -s * n.x}, v_ = {xy, s + n.y * n.y * k, -n.y};
    for (int i = 0; i < here.count; ++i)
      figure().add({look(here.point(i)), here.vertex[i], there.face, here.edge[i], -1});
    for (int i = 0; i < there.count; ++i) sides_[i] = look(there.point(i));
  }

  // Cuts a polygon or a segment by a polygon. The plane of the cutting polygon gives its heights.
  bool by_polygon() {
    constexpr double kSteep = 0.05;
    const double slope = dot(there_.normal, n_);
    if (std::abs(slope) < kSteep) return false;
    double area = 0;
    for (int j = 1; j + 1 < there_.count; ++j) area += turn(sides_[0], sides_[j], sides_[j + 1]);
    const double sign = area < 0 ? -1 : 1;
    for (int j = 0; j < there_.count; ++j) cut(j, sign);
    const double du = -dot(there_.normal, u_) / slope, dv = -dot(there_.normal, v_) / slope;
    for (int i = 0; i < figure().count; ++i) {
      const Flat& p = figure().corners[i].p;
      heights_[i] = sides_[0].height + du * (p.u - sides_[0].u) + dv * (p.v - sides_[0].v);
    }
    return true;
  }

  // Two segments: where they cross, or the ends of what they share where they run side by side.
  bool by_segment() {
    constexpr double kParallel = 1e-2;
    if (figure().count != 2) return false;
    const Corner p = figure().corners[0], q = figure().corners[1];
    const Flat &r = sides_[0], &s = sides_[1];
    const double du = q.p.u - p.p.u, dv = q.p.v - p.p.v, eu = s.u - r.u, ev = s.v - r.v;
    const double d = std::hypot(du, dv), e = std::hypot(eu, ev), across = du * ev - dv * eu;
    if (!(d > inside_ && e > inside_)) return false;
    const auto between = [](const Flat& a, const Flat& b, double t) {
      return Flat{a.u + t * (b.u - a.u), a.v + t * (b.v - a.v), a.height + t * (b.height - a.height)};
    };
    figure().count = 0;
    const auto put = [&](double t, double w, std::uint32_t here, std::uint32_t there) {
      figure().add({between(p.p, q.p, t), here, there, 0, -1});
      heights_[figure().count - 1] = between(r, s, w).height;
    };
    if (std::abs(across) > kParallel * d * e) {
      const double t = ((r.u - p.p.u) * ev - (r.v - p.p.v) * eu) / across;
      const double w = ((r.u - p.p.u) * dv - (r.v - p.p.v) * du) / across;
      if (t >= -inside_ / d && t <= 1 + inside_ / d && w >= -inside_ / e && w <= 1 + inside_ / e)
        put(std::clamp(t, 0.0, 1.0), std::clamp(w, 0.0, 1.0), p.edge, there_.edge[0]);
      return true;
    }
    const auto along = [&](const Flat& x) { return ((x.u - p.p.u) * du + (x.v - p.p.v) * dv) / (d * d); };
    const auto back = [&](const Flat& x) { return ((x.u - r.u) * eu + (x.v - r.v) * ev) / (e * e); };
    double first = along(r), last = along(s);
    std::uint32_t at_first = there_.vertex[0], at_last = there_.vertex[1];
    if (first > last) std::swap(first, last), std::swap(at_first, at_last);
    if (std::max(first, 0.0) > std::min(last, 1.0) + inside_ / d) return true;
    if (first <= inside_ / d)
      put(0, back(p.p), p.here, there_.edge[0]);
    else
      put(first, at_first == there_.vertex[0] ? 0 : 1, p.edge, at_first);
    if (last >= 1 - inside_ / d)
      put(1, back(q.p), q.here, there_.edge[0]);
    else
      put(last, at_last == there_.vertex[0] ? 0 : 1, p.edge, at_last);
    return true;
  }

  template <class Visitor>
  void visit(Visitor&& visitor) const {
    for (int i = 0; i < figure().count; ++i) {
      const Corner& c = figure().corners[i];
      visitor(c.p.u * u_ + c.p.v * v_, c.p.height, heights_[i], c.here, c.there);
    }
  }

 private:
  Figure& figure() { return figures_[current_]; }
  const Figure& figure() const { return figures_[current_]; }
  Flat look(const Vector& p) const { return {dot(u_, p), dot(v_, p), dot(n_, p)}; }

  // Keeps the part on the inner side of side j.
  void cut(int j, double sign) {
    const Flat &from = sides_[j], &to = sides_[(j + 1) % there_.count];
    const double length = std::hypot(to.u - from.u, to.v - from.v);
    if (!(length > 0)) return;
    const Figure& figure = figures_[current_];
    Figure& out = figures_[1 - current_];
    out.count = 0;
    const auto out_by = [&](const Flat& p) { return -sign * turn(from, to, p) / length - inside_; };
    const int edges = figure.count == 2 ? 1 : figure.count;  // a segment has one
    for (int i = 0; i < figure.count; ++i) {
      const Corner &c = figure.corners[i], &next = figure.corners[(i + 1) % figure.count];
      const double here = out_by(c.p), there = out_by(next.p);
      if (here <= 0) out.add(c);
      if (i >= edges || (here <= 0) == (there <= 0)) continue;
      const double t = (here + inside_) / (here - there);  // on the side itself
      const Flat p{c.p.u + t * (next.p.u - c.p.u), c.p.v + t * (next.p.v - c.p.v),
                   c.p.height + t * (next.p.height - c.p.height)};
      Corner made{p, c.edge, there_.edge[j], c.edge, c.side};
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
  std::array<Figure, 2> figures_;  // cut from one into the other
  int current_ = 0;
  std::array<Flat, Patch::kMost> sides_;
  std::array<double, 2 * Patch::kMost> heights_;
};

}  // namespace

double add_patches(const Solid& a, const Solid& b, const Vector& n, double separation, const Vector& origin,
                   double reach, std::vector<TouchPoint>& out) {
  Patch of_a, of_b;
  a.find_patch(-n, of_a), b.find_patch(n, of_b);
  // The steeper polygon is cut by the other; a polygon always cuts a segment or a point.
  const auto flatness = [&](const Patch& p) { return p.count < 3 ? 0 : std::abs(dot(p.normal, n)); };
  const bool a_cuts = of_a.count > 2 && (of_b.count < 3 || flatness(of_a) > flatness(of_b) + 1e-6);
  const Patch &cuts = a_cuts ? of_a : of_b, &is_cut = a_cuts ? of_b : of_a;
  Cut cut(is_cut, cuts, n, 1e-9 * (a.extent() + b.extent()));
  const double near = 1e-11 * (a.extent() + b.extent());  // gaps this close to the separation are equal to it
  double least = INFINITY;
  const bool done = cuts.count > 2 ? cut.by_polygon() : cuts.count == 2 && cut.by_segment();
  if (!done) return least;
  cut.visit([&](const Vector& across, double height, double other, std::uint32_t here, std::uint32_t there) {
    const double high = (a_cuts ? other : height) - a.radius(), low = (a_cuts ? height : other) + b.radius();
    const double gap = high - low < separation + near ? separation : high - low;
    if (!(gap <= reach)) return;
    least = std::min(least, gap);
    out.push_back({origin + across + ((high + low) / 2) * n, n, gap, a_cuts ? there : here, a_cuts ? here : there});
  });
  return least;
}

void add_contacts(const Solid& a, const Solid& b, const Approach& at, const Vector& origin, double reach,
                  std::vector<TouchPoint>& out) {
  if (!(at.gap <= reach)) return;
  const Vector& n = at.normal;
  if (add_patches(a, b, n, at.gap, origin, reach, out) <= at.gap) return;
  // The search is inexact; a unique farthest point of a smooth surface is exact.
  Vector middle = 0.5 * (at.on_a - a.radius() * n + at.on_b + b.radius() * n);
  if (a.has_unique_support(-n))
    middle = a.find_support(-n) - (a.radius() + at.gap / 2) * n;
  else if (b.has_unique_support(n))
    middle = b.find_support(n) + (b.radius() + at.gap / 2) * n;
  out.push_back({origin + middle, n, at.gap, a.support_feature(-n), b.support_feature(n)});
}

namespace {

// Finds contact on a face without a search: if along the best face normal a point of one lies over the other, then no
// direction has a larger separation. They may overlap by the little that steps of a simulation leave.
bool add_face_contacts(const Solid& a, const Solid& b, const Vector& origin, double reach, Points& out) {
  const double size = a.extent() + b.extent();
  Facing faces_a, faces_b;
  const Vector d = a.centre() - b.centre();
  a.find_faces(-d, faces_a), b.find_faces(d, faces_b);
  double best = -1e-6 * size;
  Vector normal;
  const auto attempt = [&](const Vector& n) {
    if (const double s = calc_separation(a, b, n); s > best) best = s, normal = n;
  };
  for (int i = 0; i < faces_b.faces; ++i) attempt(faces_b.normals[i]);
  for (int i = 0; i < faces_a.faces; ++i) attempt(-faces_a.normals[i]);
  if (best > reach) return true;
  if (!(dot(normal, normal) > 0)) return false;
  const std::size_t first = out.size();
  if (add_patches(a, b, normal, best, origin, reach, out) <= best) return true;
  out.resize(first);
  return false;
}

}  // namespace

void convex_convex(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<TouchPoint>& out) {
  const Vector origin = b.X.r;
  const Solid A(a, origin), B(b, origin);
  if (add_face_contacts(A, B, origin, reach, out)) return;
  add_contacts(A, B, find_approach(A, B, reach), origin, reach, out);
}

}  // namespace sinew::contact
