// src/contact/collide_convex.cpp - convex solids on the CPU, from the text that devices run too
#include "contact/colliders.hpp"
#include "sinew/contact/kernel/convex_contacts.hpp"

namespace sinew::contact {
namespace {

struct PointList {
  Points& points;
  void add(const Vector& point, const Vector& normal, double gap, std::uint32_t feature_a, std::uint32_t feature_b) {
    points.push_back({point, normal, gap, feature_a, feature_b});
  }
  std::size_t size() const { return points.size(); }
  void resize(std::size_t n) { points.resize(n); }
};

}  // namespace

double add_patches(const Solid& a, const Solid& b, const Vector& n, double separation, const Vector& origin,
                   double reach, Points& out) {
  PointList list{out};
  return put_patches(a, b, n, separation, origin, reach, list);
}
void add_contacts(const Solid& a, const Solid& b, const Approach& at, const Vector& origin, double reach, Points& out) {
  PointList list{out};
  put_contacts(a, b, at, origin, reach, list);
}

void box_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  PointList list{out};
  const Vector origin = b.X.r;
  box_on_box(sized(a), sized(b), Solid(a, origin), Solid(b, origin), origin, reach, list);
}
void convex_convex(const PlacedShape& a, const PlacedShape& b, double reach, Points& out) {
  PointList list{out};
  const Vector origin = b.X.r;
  convex_on_convex(Solid(a, origin), Solid(b, origin), origin, reach, list);
}

}  // namespace sinew::contact
