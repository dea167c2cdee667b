// sinew/contact/kernel/approach.hpp - the direction along which two convex solids are farthest apart, or overlap least
// Cores apart: the point of D nearest to the origin, by GJK [Gilbert, Johnson, Keerthi 1988]. Overlapping: overlap.hpp.
// Both end at a direction that is right to six digits or so. The last step makes it exact: the best of the directions
// nearby that faces and edges of the two solids offer. Without those: Newton's method for smooth surfaces.
#pragma once
#include "sinew/contact/kernel/overlap.hpp"
#include "sinew/contact/kernel/solid_faces.hpp"

namespace sinew::contact {

template <class Solid>
class ApproachSearch {
 public:
  SINEW_HD ApproachSearch(const Solid& a, const Solid& b) : a_(a), b_(b), size_(pair_size(a, b)) {}

  // True if the separation is more than `reach` by more than any search can be wrong. `axis` is where to begin, or
  // zero, and then the direction that parts them, or nearly does.
  SINEW_HD bool is_beyond(double reach, Vector& axis) {
    constexpr double kSure = 1e-5;  // a full search is right to 1e-8; what is flat to single precision counts as flat
    constexpr int kFewRounds = 20;
    Approach out;
    const Vector begin = dot(axis, axis) > 0 ? axis : a_.centre() - b_.centre();
    if (separate(reach + kSure * size_ + a_.radius() + b_.radius(), begin, kFewRounds, out)) axis = out.normal;
    return end_ == End::beyond;
  }

  // Stops early once it is known to be more than `reach`.
  SINEW_HD_LARGE Approach run(double reach) {
    Approach out;
    const bool apart = separate(reach + a_.radius() + b_.radius(), a_.centre() - b_.centre(), kMostRounds, out);
    if (end_ == End::beyond) return out;
    if (apart) sharpen(out);
    if (end_ == End::exact) return out;
    // They overlap, or so nearly that rounding stopped the search: take the better of the two answers.
    Approach other = expand();
    other.overlap = !apart;
    sharpen(other);
    return apart && out.gap >= other.gap ? out : other;
  }

 private:
  static constexpr int kMostRounds = 128;  // of GJK
  struct Slope {
    double u, v;
  };
  SINEW_HD static Vector unit(const Vector& v) { return (1 / norm(v)) * v; }
  SINEW_HD void finish(const Vector& normal, double core_gap, const Vector& on_a, const Vector& on_b,
                       Approach& out) const {
    out.normal = normal, out.gap = core_gap - a_.radius() - b_.radius(), out.on_a = on_a, out.on_b = on_b;
  }
  SINEW_HD_LARGE Approach expand() const { return Expansion<Solid>(a_, b_, simplex_).run(); }

  // GJK, from the direction v. False where the cores overlap, or touch too closely to tell a direction.
  SINEW_HD_LARGE bool separate(double reach, Vector v, int most_rounds, Approach& out) {
    const double touching = 1e-8 * size_;
    if (!(dot(v, v) > 0)) v = {1, 0, 0};
    double length = INFINITY;
    for (int i = 0; i < most_rounds; ++i) {
      const Difference w = find_difference(a_, b_, -(1 / norm(v)) * v);
      const double bound = dot(v, w.d) / norm(v);  // the distance is at least this
      if (bound > reach) {
        end_ = End::beyond;
        finish((1 / norm(v)) * v, bound, w.a, w.a - w.d, out);
        return true;
      }
      const double nearly = max(1e-8 * length, 1e-13 * size_);  // sharpen() does the rest
      if (simplex_.count > 0 && length - bound <= nearly) {
        end_ = End::exact;
        break;
      }
      bool known = false;
      for (int k = 0; k < simplex_.count; ++k) known = known || simplex_.points[k].d == w.d;
      if (known) break;
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
  SINEW_HD_LARGE void sharpen(Approach& out) const {
    using std::abs;
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
        if (norm(m) > 1e-6 && abs(dot(m, n)) > (1 - kNearby) * norm(m)) attempt_square(m);
      }
    if (found) return;
    Vector edge;
    const auto attempt_edges = [&](const Facing& f) {
      for (int i = 0; i < f.lines; ++i) {
        const Vector& e = f.edges[i];
        const double before = best;
        attempt_square(n - dot(e, n) * e);
        if (best > before) edge = e;
      }
    };
    attempt_edges(of_a), attempt_edges(of_b);
    if (!found) out.gap = best + tie;
    climb(edge, out);
  }

  // For smooth surfaces: Newton's method for the largest separation, whose gradient is the vector from b's farthest
  // point to a's. If `edge` is not zero, only directions perpendicular to it are searched.
  SINEW_HD_LARGE void climb(const Vector& edge, Approach& out) const {
    using std::abs;
    using std::hypot;
    constexpr int kMost = 20;
    const double flat = 1e-9 * size_;
    const bool about_edge = dot(edge, edge) > 0;
    for (int i = 0; i < kMost; ++i) {
      const Vector n = out.normal, side = abs(n.x) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0};
      const Vector u = unit(cross(about_edge ? edge : side, n)), v = cross(n, u);
      const auto slope = [&](const Vector& m) {
        const Vector d = a_.find_support(-m) - b_.find_support(m);
        return Slope{dot(u, d), about_edge ? 0 : dot(v, d)};
      };
      const Slope g = slope(n);
      if (hypot(g.u, g.v) < flat) return;
      // Second derivatives by differences; the unit sphere's curvature adds -separation.
      constexpr double h = 1e-6;
      const Slope p = slope(unit(n + h * u)), q = slope(unit(n + h * v));
      const double s = out.gap + a_.radius() + b_.radius();
      const double uu = (p.u - g.u) / h - s, vv = about_edge ? -1 : (q.v - g.v) / h - s;
      const double uv = about_edge ? 0 : ((p.v - g.v) + (q.u - g.u)) / (2 * h), det = uu * vv - uv * uv;
      if (!(uu < 0 && det > 0)) return;  // no maximum nearby
      double du = -(vv * g.u - uv * g.v) / det, dv = -(uu * g.v - uv * g.u) / det;
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

}  // namespace sinew::contact
