// tests/sim/snapshot_test.cpp - a run that is cut and goes on has the bits of one that was not
#include "sinew/sim/snapshot.hpp"

#include <bit>
#include <functional>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Balls that fall on each other and on the floor.
Model make_pile(double friction = 0.5) {
  ModelBuilder b("pile");
  for (int i = 0; i < 4; ++i) {
    const std::string name = "ball" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
    b.free(name + " flies", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction, s.restitution = 0.4;
  return compile(b.spec()).value();
}
State start_pile(const Model& m) {
  State s = make_state(m);
  for (std::size_t i = 0; i < 4; ++i) {
    s.q[7 * i + 4] = 0.03 * static_cast<double>(i % 2), s.q[7 * i + 6] = 0.15 + 0.21 * static_cast<double>(i);
    s.v[6 * i + 3] = 0.1, s.v[6 * i + 1] = 3;
  }
  return s;
}
State start_pendulum(const Model& m) {
  State s = make_state(m);
  s.q = m.spec().keyframes[0].q, s.v = m.spec().keyframes[0].v;
  return s;
}

// Totals as text, without the times of the wall clock.
std::string summary(const SimulationTotals& t) {
  std::string out;
  for (const long x : {t.steps, t.collisions, t.contact_steps, t.problems, t.unsolved}) out += std::to_string(x) + " ";
  for (const int x : {t.most_contacts, t.largest_size}) out += std::to_string(x) + " ";
  for (const double x : {t.worst_residual, t.deepest, t.largest_gain, t.work.collisions, t.work.contact_normal,
                         t.work.contact_friction, t.work.total()})
    out += std::to_string(std::bit_cast<std::uint64_t>(x)) + " ";
  return out;
}

void expect_same_bits(const Model& m, const State& from, const SimulationOptions& options, int before, int after) {
  const ConstraintSet set(m);
  Simulation whole(m, set, options), first(m, set, options), second(m, set, options);
  whole.state = first.state = from;
  for (int i = 0; i < before + after; ++i) whole.step();
  for (int i = 0; i < before; ++i) first.step();
  const std::vector<std::byte> bytes = to_bytes(first.make_snapshot());
  second.step();  // what it did before does not matter
  second.restore(snapshot_from_bytes(bytes));
  EXPECT_EQ(second.state.q, first.state.q);
  EXPECT_EQ(second.contacts().size(), first.contacts().size());
  for (int i = 0; i < after; ++i) second.step();
  EXPECT_EQ(whole.state.q, second.state.q);
  EXPECT_EQ(whole.state.v, second.state.v);
  EXPECT_EQ(whole.state.time, second.state.time);
  EXPECT_EQ(summary(whole.totals()), summary(second.totals()));
  EXPECT_GT(whole.totals().problems, 0);
  if (!m.spec().shapes.empty()) {
    EXPECT_GT(whole.totals().contact_steps, 0);
  }
  // The memories too, so that the steps after are the same again.
  EXPECT_EQ(whole.make_snapshot().reals("contact/z"), second.make_snapshot().reals("contact/z"));
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST(Snapshot, ContinuesBitForBit) {
  const Model pendulum = compile(mechanisms::pendulum(3)).value(), pile = make_pile();
  for (const bool warm : {false, true})
    for (const int directions : {0, 4}) {
      SCOPED_TRACE("warm " + std::to_string(warm) + ", directions " + std::to_string(directions));
      SimulationOptions o;
      o.solver.warm = warm, o.solver.directions = directions;
      o.dt = 2e-4;
      expect_same_bits(pendulum, start_pendulum(pendulum), o, 1200, 800);
      o.dt = 2e-3;
      for (const int cut : {100, 350}) expect_same_bits(pile, start_pile(pile), o, cut, 300);
    }
}

TEST(Snapshot, ContinuesInEveryFormulation) {
  const Model pile = make_pile();
  for (const Formulation f : kFormulations) {
    SCOPED_TRACE(to_string(f));
    SimulationOptions o;
    o.dt = 2e-3, o.formulation = f, o.solver.warm = true;
    if (f == Formulation::hinge_pairs) o.solver.directions = 4;
    expect_same_bits(pile, start_pile(pile), o, 120, 80);
  }
}

// No solver remembers more than the snapshot does.
TEST(Snapshot, ContinuesWithEverySolver) {
  using lcp::Method;
  const Model pile = make_pile();
  for (const bool warm : {false, true})
    for (const Method method : {Method::lemke, Method::pivoting, Method::pgs, Method::newton, Method::proximal,
                                Method::gauss_seidel, Method::alart_curnier}) {
      SCOPED_TRACE(std::string(to_string(method)) + ", warm " + std::to_string(warm));
      SimulationOptions o;
      o.dt = 2e-3, o.solver.warm = warm, o.solver.method = method, o.solver.iterations = 300;
      if (method != Method::gauss_seidel && method != Method::alart_curnier) o.solver.directions = 4;
      expect_same_bits(pile, start_pile(pile), o, 120, 40);
    }
}

TEST(Snapshot, ContinuesWithLoops) {
  ModelSpec spec = mechanisms::four_bar();
  spec.shapes.clear();
  const Model m = compile(spec).value();
  State from = make_state(m);
  if (!spec.keyframes.empty()) from.q = spec.keyframes[0].q;
  for (const Formulation f : {Formulation::os, Formulation::rmc, Formulation::nmc_os})
    expect_same_bits(m, from, {.dt = 1e-3, .formulation = f, .solver = {.warm = true}}, 150, 100);
}

TEST(Snapshot, BytesAreCheckedWhole) {
  const Model m = make_pile();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  s.state = start_pile(m);
  for (int i = 0; i < 150; ++i) s.step();
  const std::vector<std::byte> bytes = to_bytes(s.make_snapshot());
  EXPECT_EQ(to_bytes(snapshot_from_bytes(bytes)), bytes);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_NE(complaint([&] { snapshot_from_bytes(std::span(bytes).first(cut)); }), "") << cut;
  for (std::size_t i = 0; i < bytes.size(); i += 97) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    EXPECT_NE(complaint([&] { snapshot_from_bytes(damaged); }), "") << i;
  }
}

TEST(Snapshot, SaysWhatDiffersAndChangesNothing) {
  const Model m = make_pile(), rough = make_pile(0.6);
  const ConstraintSet set(m), rough_set(rough);
  Simulation s(m, set, {.dt = 1e-3}), coarse(m, set, {.dt = 2e-3}), other(rough, rough_set, {.dt = 1e-3});
  const Snapshot shot = s.make_snapshot();
  EXPECT_NE(complaint([&] { coarse.restore(shot); }).find("dt is 0.001 in the snapshot and 0.002 here"),
            std::string::npos);
  EXPECT_NE(complaint([&] { other.restore(shot); }).find("another model"), std::string::npos);
  Snapshot short_q = shot;
  short_q.set("q", std::vector<double>(3));
  EXPECT_NE(complaint([&] { s.restore(short_q); }).find("q has 3 numbers in the snapshot and 28 here"),
            std::string::npos);
  Snapshot torn = shot;
  torn.set("contact/z", std::vector<std::int64_t>(3));
  torn.set("time", std::vector<double>{7});
  EXPECT_NE(complaint([&] { s.restore(torn); }).find("contact/z"), std::string::npos);
  EXPECT_EQ(s.state.time, 0);
}

}  // namespace sinew::test
