// src/contact/approach.cpp - the direction along which two convex solids are farthest apart, or overlap least
// Cores apart: the point of D nearest to the origin, by GJK [Gilbert, Johnson, Keerthi 1988]. Overlapping: overlap.cpp.
// Both end at a direction that is right to six digits or so. The last step makes it exact: the best of the directions
// nearby that faces and edges of the two solids offer.
#include <algorithm>

#include "contact/difference.hpp"

namespace sinew::contact {
namespace {

// Sets the weights of the nearest point of the first segment or triangle in s; drops points without weight.
void keep(Simplex& s, std::initializer_list<std::pair<int, double>> kept) {
  Simplex out;
  for (const auto& [i, w] : kept) {
    out.points[out.count] = s.points[i];
    out.weights[out.count++] = w;
  }
  s = out;
}

void reduce_segment(Simplex& s) {
  const Vector &p = s.points[0].d, d = s.points[1].d - p;
  const double t = -dot(p, d), square = dot(d, d);
  if (t <= 0) return keep(s, {{0, 1}});
  if (t >= square) return keep(s, {{1, 1}});
  keep(s, {{0, 1 - t / square}, {1, t / square}});
}

// By the regions of its corners, edges and inside [Ericson, Real-Time Collision Detection, 5.1.5].
void reduce_triangle(Simplex& s) {
  const Vector &a = s.points[0].d, &b = s.points[1].d, &c = s.points[2].d;
  const Vector ab = b - a, ac = c - a;
  const double d1 = -dot(ab, a), d2 = -dot(ac, a), d3 = -dot(ab, b), d4 = -dot(ac, b), d5 = -dot(ab, c),
               d6 = -dot(ac, c);
  if (d1 <= 0 && d2 <= 0) return keep(s, {{0, 1}});
  if (d3 >= 0 && d4 <= d3) return keep(s, {{1, 1}});
  if (d6 >= 0 && d5 <= d6) return keep(s, {{2, 1}});
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return keep(s, {{0, 1 - d1 / (d1 - d3)}, {1, d1 / (d1 - d3)}});
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return keep(s, {{0, 1 - d2 / (d2 - d6)}, {2, d2 / (d2 - d6)}});
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return keep(s, {{1, 1 - w}, {2, w}});
  }
  const double sum = va + vb + vc;
  if (!(sum > 0)) return keep(s, {{0, 1}});  // no area
  keep(s, {{0, 1 - vb / sum - vc / sum}, {1, vb / sum}, {2, vc / sum}});
}

// Reduces to the nearest of the faces that the origin lies outside of; none: it is inside and all four stay.
void reduce_tetrahedron(Simplex& s) {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  double least = INFINITY;
  Simplex best;
  for (const auto& f : kFaces) {
    const Vector &p = s.points[f[0]].d, n = cross(s.points[f[1]].d - p, s.points[f[2]].d - p);
    const double inner = dot(n, s.points[f[3]].d - p), origin = -dot(n, p);
    if (inner * origin > 0) continue;
    Simplex face;
    face.count = 3;
    for (int k = 0; k < 3; ++k) face.points[k] = s.points[f[k]];
    reduce_triangle(face);
    const Vector v = face.nearest();
    if (const double square = dot(v, v); square < least) least = square, best = face;
  }
  if (least < INFINITY) s = best;
}

class Search {
 public:
  Search(const Solid& a, const Solid& b) : a_(a), b_(b), size_(pair_size(a, b)) {}

  // A full search is right to 1e-8 of the size or so; what is flat to single precision counts as flat.
  bool is_beyond(double reach, Vector& axis) {
    constexpr double kSure = 1e-5;
    constexpr int kFewRounds = 20;
    Approach out;
    const Vector begin = dot(axis, axis) > 0 ? axis : a_.centre() - b_.centre();
    if (separate(reach + kSure * size_ + a_.radius() + b_.radius(), begin, kFewRounds, out)) axis = out.normal;
    return end_ == End::beyond;
  }

  Approach run(double reach) {
    Approach out;
    const bool apart = separate(reach + a_.radius() + b_.radius(), a_.centre() - b_.centre(), kMostRounds, out);
    if (end_ == End::beyond) return out;
    if (apart) sharpen(out);
    if (end_ == End::exact) return out;
    // They overlap, or so nearly that rounding stopped the search: take the better of the two answers.
    Approach other = find_overlap(a_, b_, simplex_);
    other.overlap = !apart;
    sharpen(other);
    return apart && out.gap >= other.gap ? out : other;
  }

 private:
  static constexpr int kMostRounds = 128;  // of GJK
  void finish(const Vector& normal, double core_gap, const Vector& on_a, const Vector& on_b, Approach& out) const {
    out.normal = normal, out.gap = core_gap - a_.radius() - b_.radius(), out.on_a = on_a, out.on_b = on_b;
  }

  // GJK, from the direction v. False where the cores overlap, or touch too closely to tell a direction.
  bool separate(double reach, Vector v, int most_rounds, Approach& out) {
    const double touching = 1e-8 * size_;
    if (!(dot(v, v) > 0)) v = {1, 0, 0};
    double length = INFINITY;
    for (int i = 0; i < most_rounds; ++i) {
      const Difference w = find_support(a_, b_, -(1 / norm(v)) * v);
      const double bound = dot(v, w.d) / norm(v);  // the distance is at least this
      if (bound > reach) {
        end_ = End::beyond;
        finish((1 / norm(v)) * v, bound, w.a, w.a - w.d, out);
        return true;
      }
      const double nearly = std::max(1e-8 * length, 1e-13 * size_);  // sharpen() does the rest
      if (simplex_.count > 0 && length - bound <= nearly) {
        end_ = End::exact;
        break;
      }
      const auto known = [&](const Difference& p) { return p.d == w.d; };
      if (std::any_of(simplex_.points.begin(), simplex_.points.begin() + simplex_.count, known)) break;
      const Simplex before = simplex_;
      simplex_.points[simplex_.count++] = w;
      simplex_.reduce();
      if (simplex_.count == 4) return false;
      const Vector next = simplex_.nearest();
      const double now = norm(next);
      if (now <= touching) return false;
      if (!(now < length)) {
        simplex_ = before;
        break;
      }
      v = next, length = now;
    }
    const Vector on_a = simplex_.on_a();
    finish((1 / length) * v, length, on_a, on_a - v, out);
    return true;
  }

  // The best direction nearby that faces or edges offer. Faces win ties: contact of faces is complete and does not
  // turn.
  void sharpen(Approach& out) const {
    constexpr double kNearby = 5e-3;
    const double tie = 1e-12 * size_;
    Facing of_a, of_b;
    const Vector n = out.normal;
    a_.find_facing(-n, kNearby, of_a), b_.find_facing(n, kNearby, of_b);
    double best = calc_separation(a_, b_, n) - tie;
    bool found = false;
    const auto attempt = [&](const Vector& m, double bonus) {
      const double gap = calc_separation(a_, b_, m);
      if (gap + bonus > best) best = gap + bonus, out.normal = m, out.gap = gap, found = true;
    };
    for (int i = 0; i < of_b.faces; ++i) attempt(of_b.normals[i], tie);
    for (int i = 0; i < of_a.faces; ++i) attempt(-of_a.normals[i], tie);
    if (found) return;
    const auto attempt_square = [&](Vector m) {
      const double length = norm(m);
      if (!(length > 1e-6)) return;
      attempt((dot(m, n) < 0 ? -1 : 1) / length * m, tie / 2);
    };
    for (int i = 0; i < of_a.lines; ++i)
      for (int j = 0; j < of_b.lines; ++j) {
        const Vector m = cross(of_a.edges[i], of_b.edges[j]);
        if (norm(m) > 1e-6 && std::abs(dot(m, n)) > (1 - kNearby) * norm(m)) attempt_square(m);
      }
    if (found) return;
    Vector edge;
    for (const Facing* f : {&of_a, &of_b})
      for (int i = 0; i < f->lines; ++i) {
        const Vector& e = f->edges[i];
        const double before = best;
        attempt_square(n - dot(e, n) * e);
        if (best > before) edge = e;
      }
    if (!found) out.gap = best + tie;
    climb(edge, out);
  }

  // For smooth surfaces: Newton's method for the largest separation, whose gradient is the vector from b's farthest
  // point to a's. If `edge` is not zero, only directions perpendicular to it are searched.
  void climb(const Vector& edge, Approach& out) const {
    constexpr int kMost = 20;
    const double flat = 1e-9 * size_;
    const bool about_edge = dot(edge, edge) > 0;
    for (int i = 0; i < kMost; ++i) {
      const Vector n = out.normal, side = std::abs(n.x) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
      const auto unit = [](const Vector& v) { return (1 / norm(v)) * v; };
      const Vector u = unit(cross(about_edge ? edge : side, n)), v = cross(n, u);
      const auto slope = [&](const Vector& m) {
        const Vector d = a_.find_support(-m) - b_.find_support(m);
        return std::pair{dot(u, d), about_edge ? 0 : dot(v, d)};
      };
      const auto [gu, gv] = slope(n);
      if (std::hypot(gu, gv) < flat) return;
      // Second derivatives by differences; the unit sphere's curvature adds -separation.
      constexpr double h = 1e-6;
      const auto [pu, pv] = slope(unit(n + h * u));
      const auto [qu, qv] = slope(unit(n + h * v));
      const double s = out.gap + a_.radius() + b_.radius();
      const double uu = (pu - gu) / h - s, vv = about_edge ? -1 : (qv - gv) / h - s;
      const double uv = about_edge ? 0 : ((pv - gv) + (qu - gu)) / (2 * h), det = uu * vv - uv * uv;
      if (!(uu < 0 && det > 0)) return;  // no maximum nearby
      double du = -(vv * gu - uv * gv) / det, dv = -(uu * gv - uv * gu) / det;
      bool better = false;
      for (int halving = 0; halving < 10 && !better; ++halving, du /= 2, dv /= 2) {
        const Vector m = unit(n + du * u + dv * v);
        if (const double gap = calc_separation(a_, b_, m); gap > out.gap) out.gap = gap, out.normal = m, better = true;
      }
      if (!better) return;
    }
  }

  const Solid &a_, &b_;
  double size_;
  enum class End { stuck, exact, beyond } end_ = End::stuck;  // of GJK
  Simplex simplex_;
};

}  // namespace

Vector Simplex::nearest() const {
  Vector out;
  for (int i = 0; i < count; ++i) out += weights[i] * points[i].d;
  return out;
}
Vector Simplex::on_a() const {
  Vector out;
  for (int i = 0; i < count; ++i) out += weights[i] * points[i].a;
  return out;
}
void Simplex::reduce() {
  switch (count) {
    case 1: weights[0] = 1; break;
    case 2: reduce_segment(*this); break;
    case 3: reduce_triangle(*this); break;
    default: reduce_tetrahedron(*this);
  }
}

Approach find_approach(const Solid& a, const Solid& b, double reach) { return Search(a, b).run(reach); }
bool are_surely_apart(const Solid& a, const Solid& b, double reach, Vector& axis) {
  return Search(a, b).is_beyond(reach, axis);
}

}  // namespace sinew::contact
