// tests/spatial/counts_test.cpp - the costs of [F08] Tables A.4, A.5 and section A.5, to the operation
#include <functional>

#include "sinew/base/scalars.hpp"
#include "sinew/spatial/revolute_inertia.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

using C = Counted;

struct Row {
  const char* name;
  long mul, add;
  std::function<void()> work;
};

void check(const std::vector<Row>& table) {
  for (const Row& row : table) {
    const Tally tally;
    row.work();
    EXPECT_EQ(tally.count(), (OperationCount{row.mul, row.add, 0, 0, 0}))
        << row.name << ": " << tally.count().mul << "m + " << tally.count().add << "a, the book has " << row.mul
        << "m + " << row.add << "a";
  }
}

// Random operands: none of their numbers is 0 or 1, so nothing is elided.
struct Operands {
  Random rng{42};
  C s = C(random_number(rng));
  Motion<C> v = cast<C>(random_motion(rng)), u = cast<C>(random_motion(rng));
  Force<C> f = cast<C>(random_force(rng)), g = cast<C>(random_force(rng));
  RigidInertia<C> I = cast<C>(random_plain(rng)), J = cast<C>(random_plain(rng));
  ArticulatedInertia<C> IA = cast<C>(random_articulated(rng)), JA = cast<C>(random_articulated(rng));
  Transform<C> X = cast<C>(random_transform(rng)), Y = cast<C>(random_transform(rng));
  Sym3<C> A = cast<C>(random_sym3(rng));
  Mat3<C> B = cast<C>(random_mat3(rng));

  static RigidInertia<double> random_plain(Random& rng) {
    const double m = random_number(rng);
    const Vec3<double> h = random_vec3(rng);
    return {m, h, random_sym3(rng)};
  }
};

TEST(Counts, TableA4) {
  Operands o;
  check({
      {"a v", 6, 0, [&] { o.s* o.v; }},
      {"a f", 6, 0, [&] { o.s* o.f; }},
      {"a I", 10, 0, [&] { o.s* o.I; }},
      {"a IA", 21, 0, [&] { o.s* o.IA; }},
      {"v + v", 0, 6, [&] { o.v + o.u; }},
      {"f + f", 0, 6, [&] { o.f + o.g; }},
      {"I + I", 0, 10, [&] { o.I + o.J; }},
      {"IA + IA", 0, 21, [&] { o.IA + o.JA; }},
      {"IA + I", 0, 15, [&] { o.IA + o.I; }},
      {"v . f", 6, 5, [&] { dot(o.v, o.f); }},
      {"v x v", 18, 12, [&] { cross(o.v, o.u); }},
      {"v x* f", 18, 12, [&] { cross(o.v, o.f); }},
      {"I v", 24, 18, [&] { o.I* o.v; }},
      {"IA v", 36, 30, [&] { o.IA* o.v; }},
      {"X X", 33, 24, [&] { o.X* o.Y; }},
      {"X^-1", 9, 6, [&] { inverse(o.X); }},
      {"X v", 24, 18, [&] { apply(o.X, o.v); }},
      {"X^-1 v", 24, 18, [&] { apply_inverse(o.X, o.v); }},
      {"X* f", 24, 18, [&] { apply(o.X, o.f); }},
      {"X^T f", 24, 18, [&] { apply_inverse(o.X, o.f); }},
      {"X* I X^-1", 52, 56, [&] { apply(o.X, o.I); }},
      {"X^T I X", 52, 56, [&] { apply_inverse(o.X, o.I); }},
      {"X* IA X^-1", 137, 137, [&] { apply(o.X, o.IA); }},
      {"X^T IA X", 137, 137, [&] { apply_inverse(o.X, o.IA); }},
  });
}

template <Axis A>
void check_screw() {
  Operands o;
  const AxialScrew<A, C> X = make_screw<A>(o.v.ang.x, o.v.ang.y);
  const RevoluteInertia<C> Ia = to_revolute(o.IA);
  const bool z = A == Axis::z;
  check({
      {"one-time", 2, 3, [&] { make_screw<A>(X.c, X.s, X.d); }},
      {"X v", 10, 6, [&] { apply(X, o.v); }},
      {"X^-1 v", 10, 6, [&] { apply_inverse(X, o.v); }},
      {"X* f", 10, 6, [&] { apply(X, o.f); }},
      {"X^T f", 10, 6, [&] { apply_inverse(X, o.f); }},
      {"X* I X^-1", 16, 15, [&] { apply(X, o.I); }},
      {"X^T I X", 16, 15, [&] { apply_inverse(X, o.I); }},
      {"X* IA X^-1", 38, 40, [&] { apply(X, o.IA); }},
      {"X^T IA X", 38, 40, [&] { apply_inverse(X, o.IA); }},
      {"X* Ia X^-1", z ? 28 : 32, z ? 34 : 28, [&] { apply(X, Ia); }},
      {"X^T Ia X", z ? 28 : 32, z ? 34 : 28, [&] { apply_inverse(X, Ia); }},
  });
}

TEST(Counts, TableA5) {
  check_screw<Axis::x>();
  check_screw<Axis::y>();
  check_screw<Axis::z>();
}

TEST(Counts, BetweenDenavitHartenbergFrames) {
  Operands o;
  const auto Xx = make_screw<Axis::x>(o.v.ang.x, o.v.ang.y);
  const RevoluteInertia<C> Ia = to_revolute(o.IA);
  const C c(0.6), s(0.8), d = o.v.lin.x;
  check({{"z, with its one-time cost, then x", 62, 65,
          [&] { apply_inverse(Xx, apply_inverse(make_screw<Axis::z>(c, s, d), Ia)); }}});
}

TEST(Counts, TricksOfA5) {
  Operands o;
  const Rotation<C>&E = o.X.E, &F = o.Y.E;
  const auto X = make_screw<Axis::y>(o.s, o.s);
  check({
      {"E F", 24, 15, [&] { E* F; }},
      {"chain of 3", 2 * 18 + 6, 2 * 12 + 3, [&] { rotation_chain(E, F, E); }},
      {"chain of 5", 4 * 18 + 6, 4 * 12 + 3, [&] { rotation_chain(E, F, E, F, E); }},
      {"r x M, M symmetric", 15, 9, [&] { cross(o.v.ang, o.A); }},
      {"E A E^T", 40, 39, [&] { rotate_by_trace(E, o.B); }},
      {"E A E^T, naive", 54, 36, [&] { E.m* o.B* transpose(E.m); }},
      {"E A E^T, A symmetric", 28, 29, [&] { rotate(E, o.A); }},
      {"E A E^T about an axis", 12, 12, [&] { rotate(X, o.B); }},
      {"E A E^T about an axis, A symmetric", 8, 7, [&] { rotate(X, o.A); }},
  });
}

// What Counted leaves out, and what it does not.
TEST(Counts, TrivialOperandsAreFree) {
  const C x(0.3), y(-0.7), zero(0), one(1), minus(-1);
  check({
      {"free", 0, 0,
       [&] {
         x + zero, zero + x, x - zero, zero - x, -x;
         x *zero, x *one, x *minus, minus *x, zero *y;
         x / one, x / minus, zero / x, select(x < y, x, y), abs(x), min(x, y);
       }},
      {"not free", 3, 3, [&] { x *y, lit<C>(2) * x, x *x, x + y, x - y, x + one; }},
  });
  const Tally tally;
  C s, c;
  sincos(x, s, c), sqrt(x), atan2(x, y), x / y;
  EXPECT_EQ(tally.count(), (OperationCount{0, 0, 1, 1, 3}));
}

}  // namespace
}  // namespace sinew::test
