// apps/reproduce/spatial_costs.hpp - what spatial arithmetic costs: F08 Tables A.4 and A.5 and the tricks of A.5
// Counted while the library's operations run on operands none of whose numbers is 0 or 1, so that nothing is elided.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/base/random.hpp"
#include "sinew/spatial/revolute_inertia.hpp"

namespace sinew::app {

struct SpatialCost {
  std::string name;
  OperationCount book, counted;
};

struct SpatialOperands {
  using C = Counted;
  C s;
  Motion<C> v, u;
  Force<C> f, g;
  RigidInertia<C> I, J;
  ArticulatedInertia<C> IA, JA;
  Transform<C> X, Y;
  Sym3<C> A;
  Mat3<C> B;
};

class SpatialCosts : SpatialOperands {
 public:
  SpatialCosts() {
    Random random(42);
    const auto vec = [&] {
      const double x = random.uniform(0.2, 0.9), y = random.uniform(-0.9, -0.2), z = random.uniform(1.2, 1.9);
      return Vec3<C>{C(x), C(y), C(z)};
    };
    const auto mat = [&] {
      const Vec3<C> a = vec(), b = vec(), c = vec();
      return Mat3<C>{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
    };
    const auto transform = [&] {
      Quaternion<double> turn;
      turn.w = random.normal(), turn.x = random.normal(), turn.y = random.normal(), turn.z = random.normal();
      const Rotation<C> E = cast<C>(to_rotation(normalized(turn)));
      return Transform<C>{E, vec()};
    };
    s = C(random.uniform(0.2, 0.9));
    v = {vec(), vec()}, u = {vec(), vec()};
    f = {vec(), vec()}, g = {vec(), vec()};
    A = lower_triangle(mat()), B = mat();
    I = {s, vec(), lower_triangle(mat())}, J = {s, vec(), lower_triangle(mat())};
    IA = {lower_triangle(mat()), mat(), lower_triangle(mat())};
    JA = {lower_triangle(mat()), mat(), lower_triangle(mat())};
    X = transform(), Y = transform();
  }

  std::vector<SpatialCost> table_a4() {
    add("a v", 6, 0, [&] { s* v; });
    add("a f", 6, 0, [&] { s* f; });
    add("a I", 10, 0, [&] { s* I; });
    add("a IA", 21, 0, [&] { s* IA; });
    add("v + v", 0, 6, [&] { v + u; });
    add("f + f", 0, 6, [&] { f + g; });
    add("I + I", 0, 10, [&] { I + J; });
    add("IA + IA", 0, 21, [&] { IA + JA; });
    add("IA + I", 0, 15, [&] { IA + I; });
    add("v . f", 6, 5, [&] { dot(v, f); });
    add("v x v", 18, 12, [&] { cross(v, u); });
    add("v x* f", 18, 12, [&] { cross(v, f); });
    add("I v", 24, 18, [&] { I* v; });
    add("IA v", 36, 30, [&] { IA* v; });
    add("X X", 33, 24, [&] { X* Y; });
    add("X^-1", 9, 6, [&] { inverse(X); });
    add("X v", 24, 18, [&] { apply(X, v); });
    add("X^-1 v", 24, 18, [&] { apply_inverse(X, v); });
    add("X* f", 24, 18, [&] { apply(X, f); });
    add("X^T f", 24, 18, [&] { apply_inverse(X, f); });
    add("X* I X^-1", 52, 56, [&] { apply(X, I); });
    add("X^T I X", 52, 56, [&] { apply_inverse(X, I); });
    add("X* IA X^-1", 137, 137, [&] { apply(X, IA); });
    add("X^T IA X", 137, 137, [&] { apply_inverse(X, IA); });
    return take();
  }

  std::vector<SpatialCost> table_a5() {
    add_screw<Axis::x>("x"), add_screw<Axis::y>("y"), add_screw<Axis::z>("z");
    const RevoluteInertia<C> Ia = to_revolute(IA);
    const auto x = make_screw<Axis::x>(u.ang.x, u.ang.y);
    const C cosine(0.6), sine(0.8);
    add("Ia between DH frames: one-time z, z, x", 62, 65,
        [&] { apply_inverse(x, apply_inverse(make_screw<Axis::z>(cosine, sine, s), Ia)); });
    return take();
  }

  std::vector<SpatialCost> tricks() {
    const Rotation<C>&E = X.E, &F = Y.E;
    const auto screw = make_screw<Axis::y>(s, s);
    add("E F", 24, 15, [&] { E* F; });
    add("chain of 3: (18m + 12a) 2 + 6m + 3a", 42, 27, [&] { rotation_chain(E, F, E); });
    add("chain of 5: (18m + 12a) 4 + 6m + 3a", 78, 51, [&] { rotation_chain(E, F, E, F, E); });
    add("r x M, M symmetric", 15, 9, [&] { cross(v.ang, A); });
    add("E A E^T", 40, 39, [&] { rotate_by_trace(E, B); });
    add("E A E^T, naive", 54, 36, [&] { E.m* B* transpose(E.m); });
    add("E A E^T, A symmetric", 28, 29, [&] { rotate(E, A); });
    add("E A E^T about an axis", 12, 12, [&] { rotate(screw, B); });
    add("E A E^T about an axis, A symmetric", 8, 7, [&] { rotate(screw, A); });
    return take();
  }

 private:
  template <class Work>
  void add(std::string name, long mul, long additions, Work work) {
    const Tally tally;
    work();
    rows_.push_back({std::move(name), {mul, additions}, tally.count()});
  }
  template <Axis K>
  void add_screw(const std::string& axis) {
    const AxialScrew<K, C> S = make_screw<K>(u.ang.x, u.ang.y);
    const RevoluteInertia<C> Ia = to_revolute(IA);
    const bool z = K == Axis::z;
    const std::string about = " about " + axis;
    add("one-time" + about, 2, 3, [&] { make_screw<K>(S.c, S.s, S.d); });
    add("X v" + about, 10, 6, [&] { apply(S, v); });
    add("X^-1 v" + about, 10, 6, [&] { apply_inverse(S, v); });
    add("X* f" + about, 10, 6, [&] { apply(S, f); });
    add("X^T f" + about, 10, 6, [&] { apply_inverse(S, f); });
    add("X* I X^-1" + about, 16, 15, [&] { apply(S, I); });
    add("X^T I X" + about, 16, 15, [&] { apply_inverse(S, I); });
    add("X* IA X^-1" + about, 38, 40, [&] { apply(S, IA); });
    add("X^T IA X" + about, 38, 40, [&] { apply_inverse(S, IA); });
    add("X* Ia X^-1" + about, z ? 28 : 32, z ? 34 : 28, [&] { apply(S, Ia); });
    add("X^T Ia X" + about, z ? 28 : 32, z ? 34 : 28, [&] { apply_inverse(S, Ia); });
  }
  std::vector<SpatialCost> take() { return std::exchange(rows_, {}); }

  std::vector<SpatialCost> rows_;
};

}  // namespace sinew::app
