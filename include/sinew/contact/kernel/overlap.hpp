// sinew/contact/kernel/overlap.hpp - the least move that parts two cores which overlap, by EPA [van den Bergen 2001]
// A polytope of points of D grows where its surface is nearest to the origin, until it has reached D's surface there.
#pragma once
#include "sinew/contact/kernel/difference.hpp"

namespace sinew::contact {

template <class Solid>
class Expansion {
 public:
  // start: points of D around the origin, as GJK ends.
  SINEW_HD Expansion(const Solid& a, const Solid& b, const Simplex& start)
      : a_(a), b_(b), size_(pair_size(a, b)), start_(start) {}

  SINEW_HD Approach run() {
    Approach out;
    if (!make_tetrahedron()) {  // D is flat: move across it
      const Vector n = a_.centre() == b_.centre() ? Vector{0, 0, 1} : a_.centre() - b_.centre();
      const Difference w = find_difference(a_, b_, -(1 / norm(n)) * n);
      set((1 / norm(n)) * n, dot(w.d, n) / norm(n), w.a, w.a - w.d, out);
      return out;
    }
    for (int i = 0; i < 4; ++i) points_[i] = start_.points[i];
    point_count_ = 4, face_count_ = 0;
    const Difference* p = points_;
    if (dot(cross(p[1].d - p[0].d, p[2].d - p[0].d), p[3].d - p[0].d) > 0) {
      points_[0] = start_.points[1], points_[1] = start_.points[0];
    }
    add_face(0, 1, 2), add_face(0, 3, 1), add_face(1, 3, 2), add_face(2, 3, 0);
    double least = INFINITY;
    while (true) {
      const Face* near = &faces_[0];
      for (int i = 0; i < face_count_; ++i)
        if (const Face& f = faces_[i]; f.alive && (!near->alive || f.d < near->d)) near = &f;
      const Vector n = near->n;
      const double inner = near->d;
      if (!(inner < least)) break;
      const Difference w = find_difference(a_, b_, n);
      const double outer = dot(w.d, n);
      if (outer < least) {
        least = outer;
        const Vector on_a = nearest_on_a(*near);
        set(-n, -outer, on_a, on_a - outer * n, out);
      }
      if (outer - inner <= 1e-8 * size_ || point_count_ == kMostPoints || !add_point(w)) break;
    }
    return out;
  }

 private:
  struct Face {
    int v[3] = {};
    Vector n;
    double d = INFINITY;
    bool alive = true;
  };
  struct Edge {
    int from, to;
  };
  static constexpr int kMostPoints = Solid::Room::kPoints, kMostFaces = 3 * kMostPoints;

  SINEW_HD void add_face(int i, int j, int k) { set_face(face_count_++, i, j, k); }
  SINEW_HD void set_face(int place, int i, int j, int k) {
    Face& f = faces_[place];
    f = {};
    f.v[0] = i, f.v[1] = j, f.v[2] = k;
    const Vector &p = points_[i].d, n = cross(points_[j].d - p, points_[k].d - p);
    const double length = norm(n);
    if (!(length > 1e-22 * size_ * size_)) return;  // no area: never the nearest
    f.n = (1 / length) * n, f.d = dot(f.n, p);
  }

  // The point of D, of those along some directions, whose measure is the largest joins; false if that is too little.
  template <class Measure, int n>
  SINEW_HD bool add_farthest(const Measure& measure, const Vector (&directions)[n]) {
    const double little = kLittle * size_;
    double most = little;
    Difference best;
    for (const Vector& d : directions) {
      const Difference w = find_difference(a_, b_, d);
      if (const double m = measure(w.d); m > most) most = m, best = w;
    }
    if (most > little) start_.points[start_.count++] = best;
    return most > little;
  }

  // Four points of D with some volume, around those that GJK ended with.
  SINEW_HD bool make_tetrahedron() {
    using std::abs;
    const double little = kLittle * size_;
    int& n = start_.count;
    const Difference* p = start_.points;
    if (n == 4) {  // flat: drop the last
      const Vector area = cross(p[1].d - p[0].d, p[2].d - p[0].d);
      if (abs(dot(area, p[3].d - p[0].d)) < little * norm(area)) n = 3;
    }
    if (n == 3 && norm(cross(p[1].d - p[0].d, p[2].d - p[0].d)) < little * norm(p[1].d - p[0].d)) n = 2;
    if (n == 2 && norm(p[1].d - p[0].d) < little) n = 1;
    const Vector x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    if (n == 0) start_.points[n++] = find_difference(a_, b_, x);
    if (n == 1) {
      const Vector along[] = {x, -x, y, -y, z, -z};
      if (!add_farthest([&](const Vector& w) { return norm(w - p[0].d); }, along)) return false;
    }
    if (n == 2) {
      Vector e = p[1].d - p[0].d;
      e = (1 / norm(e)) * e;
      const Vector s = cross(e, abs(e.x) < 0.6 ? x : y), t = cross(e, s), st = s + t, ts = s - t;
      const Vector around[] = {s, -s, t, -t, st, -st, ts, -ts};
      if (!add_farthest([&](const Vector& w) { return norm(cross(e, w - p[0].d)); }, around)) return false;
    }
    if (n == 3) {
      Vector m = cross(p[1].d - p[0].d, p[2].d - p[0].d);
      m = (1 / norm(m)) * m;
      const Vector across[] = {m, -m};
      if (!add_farthest([&](const Vector& w) { return abs(dot(m, w - p[0].d)); }, across)) return false;
    }
    return true;
  }

  SINEW_HD Vector nearest_on_a(const Face& f) const {
    Simplex s;
    s.count = 3;
    for (int k = 0; k < 3; ++k) s.points[k] = points_[f.v[k]];
    s.reduce();
    return s.on_a();
  }

  // Replaces the faces that w sees by a cone from w; false if there is no room or it sees none.
  SINEW_HD bool add_point(const Difference& w) {
    Edge rim[kMostFaces];
    int edges = 0;
    const int apex = point_count_;
    points_[point_count_++] = w;
    for (int i = 0; i < face_count_; ++i) {
      Face& f = faces_[i];
      if (!f.alive || !(dot(f.n, w.d) - f.d > 1e-15 * size_)) continue;
      f.alive = false;
      for (int k = 0; k < 3; ++k) {  // an edge that two such faces share is not on the rim
        const int from = f.v[k], to = f.v[(k + 1) % 3];
        int twin = 0;
        while (twin < edges && !(rim[twin].from == to && rim[twin].to == from)) ++twin;
        if (twin < edges)
          rim[twin] = rim[--edges];
        else if (edges < kMostFaces)
          rim[edges++] = {from, to};
        else
          return false;
      }
    }
    if (edges < 3) return false;
    int free = 0;
    for (int e = 0; e < edges; ++e) {
      while (free < face_count_ && faces_[free].alive) ++free;
      if (free < face_count_)
        set_face(free, rim[e].from, rim[e].to, apex);
      else if (face_count_ < kMostFaces)
        add_face(rim[e].from, rim[e].to, apex);
      else
        return false;
    }
    return true;
  }

  SINEW_HD void set(const Vector& normal, double core_gap, const Vector& on_a, const Vector& on_b,
                    Approach& out) const {
    out.normal = normal, out.gap = core_gap - a_.radius() - b_.radius(), out.on_a = on_a, out.on_b = on_b;
  }

  static constexpr double kLittle = 1e-8;  // of the size: no length
  const Solid &a_, &b_;
  double size_;
  Simplex start_;
  Difference points_[kMostPoints];
  Face faces_[kMostFaces];
  int point_count_ = 0, face_count_ = 0;
};

}  // namespace sinew::contact
