// tests/operators/flexible_test.cpp - bodies that bend, against their mass points and rigid limits
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "sinew/operators/identities.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/dense_algebra.hpp"
#include "support/flexible_case.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double most(const std::vector<double>& x) {
  double out = 1;
  for (const double v : x) out = std::max(out, std::abs(v));
  return out;
}

// All mass points of the case in the world, with their masses; rigid bodies as their own inertia's points.
struct Followed {
  std::vector<Vec3<double>> r;
  std::vector<double> mass;
};
// Six points with the mass, the centre and the moments of a rigid inertia: pairs along the axes, masses may be
// negative.
void add_rigid(const RigidInertia<double>& I, const Transform<double>& X, Followed& out) {
  const Vec3<double> c = centre_of_mass(I);
  const Sym3<double> J = inertia_about_centre(I);
  const double trace = 0.5 * (J.xx + J.yy + J.zz);
  const SymmetricEigen e = symmetric_eigen(
      (MatrixXd(3, 3) << trace - J.xx, -J.xy, -J.xz, -J.xy, trace - J.yy, -J.yz, -J.xz, -J.yz, trace - J.zz)
          .finished());
  for (int k = 0; k < 3; ++k) {
    const double d = std::sqrt(3 * std::max(0.0, e.values(k)) / I.m);
    for (const double sign : {-1.0, 1.0}) {
      const Vec3<double> p = c + (sign * d) * Vec3<double>{e.vectors(0, k), e.vectors(1, k), e.vectors(2, k)};
      out.r.push_back(apply_inverse_to_point(X, p));
      out.mass.push_back(I.m / 6);
    }
  }
}
Followed follow(const FlexibleCase& c, sko::FlexibleSko& f, const std::vector<double>& q) {
  f.update(q, std::vector<double>(at(c.flexible->nv()), 0.0));
  Followed out;
  for (std::size_t k = 0; k < c.flexible->parts().size(); ++k) {
    const sko::FlexiblePart& p = c.flexible->parts()[k];
    const Transform<double> X = f.get_part_pose(static_cast<int>(k));
    if (p.flexible < 0) {
      if (p.inertia.m > 0) add_rigid(p.inertia, X, out);
      continue;
    }
    const auto m = at(c.flexible->bodies()[at(p.flexible)].modes);
    const double* eta = q.data() + c.model->nq() + p.first_mode;
    for (const sko::MaterialPoint& x : c.points[at(p.flexible)].points) {
      Vec3<double> r = x.position;
      for (std::size_t i = 0; i < m; ++i) {
        r += eta[i] * x.shift[i];
        for (std::size_t j = 0; j < m && !x.second.empty(); ++j) r += (0.5 * eta[i] * eta[j]) * x.second[i * m + j];
      }
      out.r.push_back(apply_inverse_to_point(X, r));
      out.mass.push_back(x.mass);
    }
  }
  return out;
}

// Forces by d'Alembert: sum m dr/dq . (r'' - g), with springs; derivatives by differences of positions.
std::vector<double> virtual_work(const FlexibleCase& c, const FlexibleState& s) {
  sko::FlexibleSko f(*c.flexible);
  const double h = 1e-3;
  const auto along = [&](double t) {  // q' = v, v' = a, where v are the rates of positions at the middle
    std::vector<double> w = s.v;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += 0.5 * t * s.a[i];
    return follow(c, f, moved(*c.flexible, s.q, w, t));
  };
  const Followed x0 = along(0), p1 = along(h), m1 = along(-h), p2 = along(2 * h), m2 = along(-2 * h);
  const std::size_t n = s.v.size();
  std::vector<double> out(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> unit(n, 0.0);
    unit[i] = 1;
    const double e = 1e-3;
    const auto step = [&](double t) { return follow(c, f, moved(*c.flexible, s.q, unit, t)); };
    const Followed a1 = step(e), b1 = step(-e), a2 = step(2 * e), b2 = step(-2 * e);
    for (std::size_t k = 0; k < x0.r.size(); ++k) {
      const Vec3<double> slope = (1 / (12 * e)) * (8.0 * (a1.r[k] - b1.r[k]) - (a2.r[k] - b2.r[k]));
      const Vec3<double> acceleration =
          (1 / (12 * h * h)) * (16.0 * (p1.r[k] + m1.r[k]) - (p2.r[k] + m2.r[k]) - 30.0 * x0.r[k]);
      out[i] += x0.mass[k] * dot(slope, acceleration - c.model->gravity());
    }
  }
  const auto nv = at(c.model->nv());
  std::size_t first = 0;
  for (const sko::FlexibleBody& b : c.flexible->bodies()) {
    for (std::size_t i = 0; i < at(b.modes); ++i)
      out[nv + first + i] += b.stiffness[i * at(b.modes + 1)] * s.q[at(c.model->nq()) + first + i];
    first += at(b.modes);
  }
  out[at(c.model->find_joint("shoulder")->v)] += 0.3 * s.a[at(c.model->find_joint("shoulder")->v)];  // armature
  return out;
}

// With a revolute root v are rates of positions, so that the path of virtual_work has the acceleration a.
TEST(Flexible, ForcesAreThoseOfTheMassPoints) {
  for (int seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const FlexibleCase c(static_cast<std::uint64_t>(seed), 1 + seed % 3, false, JointKind::revolute);
    Random rng(static_cast<std::uint64_t>(seed) + 50);
    const FlexibleState s = random_state(*c.flexible, rng);
    sko::FlexibleSko f(*c.flexible);
    const std::vector<double> got = inverse_dynamics_of(f, s), want = virtual_work(c, s);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 8e-9 * most(want)) << "coordinate " << i;
  }
}

// Second-order shapes: forces differ from those of the points by terms of second order in the deformation.
TEST(Flexible, StiffeningIsRightToFirstOrder) {
  const FlexibleCase c(7, 2, true, JointKind::revolute);
  const auto error = [&](double size) {
    Random rng(3);
    const FlexibleState s = random_state(*c.flexible, rng, size);
    sko::FlexibleSko f(*c.flexible);
    const std::vector<double> got = inverse_dynamics_of(f, s), want = virtual_work(c, s);
    double out = 0;
    for (std::size_t i = 0; i < got.size(); ++i) out = std::max(out, std::abs(got[i] - want[i]));
    return out;
  };
  const double coarse = error(4e-2), fine = error(1e-2);
  EXPECT_LT(fine, coarse / 12);  // 16, were there no terms of third order
  EXPECT_GT(coarse, 1e-4);       // the terms are there
}

// d/dt of energy and momentum along the motion that forward dynamics gives.
TEST(Flexible, EnergyAndMomentumAreConserved) {
  for (int seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const FlexibleCase c(static_cast<std::uint64_t>(seed), 1 + seed % 3, true, JointKind::free, 0);
    const Vec3<double> gravity = c.model->gravity();
    Random rng(static_cast<std::uint64_t>(seed) + 90);
    const FlexibleState s = random_state(*c.flexible, rng);
    sko::FlexibleSko f(*c.flexible);
    const std::vector<double> none(s.v.size(), 0.0), a = forward_dynamics_of(f, s.q, s.v, none);
    struct Sums {
      double energy;
      Force<double> momentum;
    };
    const auto sums = [&](double t) {
      std::vector<double> v = s.v, half = s.v;
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += t * a[i], half[i] += 0.5 * t * a[i];
      f.update(moved(*c.flexible, s.q, half, t), v);
      return Sums{f.kinetic_energy() + f.elastic_energy() + f.gravity_energy(), f.momentum()};
    };
    const double h = 1e-4;
    const Sums after = sums(h), before = sums(-h), now = sums(0);
    EXPECT_NEAR((after.energy - before.energy) / (2 * h), 0, 8e-7 * std::max(1.0, now.energy));
    // weight on all mass, about the world's origin: dp/dt
    const Force<double> rate = (1 / (2 * h)) * (after.momentum - before.momentum);
    double mass = 0;
    for (const sko::FlexiblePart& p : c.flexible->parts()) mass += p.inertia.m;
    for (const sko::FlexibleBody& b : c.flexible->bodies()) mass += b.rigid.m;
    EXPECT_TRUE(near(rate.lin, mass * gravity, 1e10, 10 + norm(now.momentum.ang)));
  }
}

TEST(Flexible, RigidTreesAreThoseOfTheTreeAlgorithms) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    if (m.nv() == 0 || !m.loops().empty() || !m.couplings().empty()) return;
    const TreeState s = random_state(m, rng);
    const sko::FlexibleModel rigid(m, {});
    sko::FlexibleSko f(rigid);
    f.update(s.q, s.v, {{}, 0.3});
    sko::SkoDynamics<double> ws(f.sko);
    std::vector<double> got(s.v.size()), want(s.v.size());
    sko::inverse_dynamics<double>(f.sko, ws, f.stack(s.a), got);
    RneaWorkspace<double> rnea_ws(m);
    rnea(m, rnea_ws, s.q, s.v, s.a, want, {{}, 0.3});
    EXPECT_TRUE(near(f.unstack(got), want, 200));
  });
}

// Every algorithm on the same blocks: inverse and forward undo each other; identities of the operators hold; Jacobians
// are rates of places; the compliance is J M^-1 J^T.
TEST(Flexible, AlgorithmsAgreeWithEachOther) {
  for (int seed = 11; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    const FlexibleCase c(static_cast<std::uint64_t>(seed), 2, true);
    Random rng(static_cast<std::uint64_t>(seed));
    const FlexibleState s = random_state(*c.flexible, rng);
    sko::FlexibleSko f(*c.flexible);
    const std::vector<double> tau = inverse_dynamics_of(f, s);
    EXPECT_TRUE(near(forward_dynamics_of(f, s.q, s.v, tau), s.a, 5e3));

    const auto n = s.v.size();
    sko::SkoDynamics<double> ws(f.sko);
    std::vector<double> numbers(n * n);
    sko::calc_mass_matrix<double>(f.sko, ws, MatrixView<double>(numbers.data(), n, n));
    MatrixXd M(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        M(f.coordinate(static_cast<int>(i)), f.coordinate(static_cast<int>(j))) = numbers[i * n + j];
    const VectorXd v = Eigen::Map<const VectorXd>(s.v.data(), static_cast<Eigen::Index>(n));
    EXPECT_NEAR(0.5 * v.dot(M * v), f.kinetic_energy(), 2e-14 * f.kinetic_energy());

    const std::vector<sko::FlexiblePlace> places{f.find_place("boom", "node 0"), f.find_place("tip"),
                                                 f.find_place("arm")};
    MatrixXd J(6 * places.size(), n);
    std::vector<sko::PickOff> points;
    for (std::size_t p = 0; p < places.size(); ++p) {
      std::vector<double> block(6 * n);
      f.calc_jacobian(places[p], MatrixView<double>(block.data(), 6, n));
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < n; ++j)
          J(static_cast<Eigen::Index>(6 * p + i), static_cast<Eigen::Index>(j)) = block[i * n + j];
      points.push_back(f.make_pick_off(places[p]));
      const Motion<double> velocity = f.get_velocity(places[p]);
      const VectorXd seen = J.middleRows(static_cast<Eigen::Index>(6 * p), 6) * v;
      EXPECT_TRUE(near(to_array(velocity), std::vector<double>(seen.data(), seen.data() + 6), 100));
      // The linear part is the rate of the place.
      const double h = 1e-5;
      f.update(moved(*c.flexible, s.q, s.v, h), s.v);
      const Vec3<double> after = f.get_pose(places[p]).r;
      f.update(moved(*c.flexible, s.q, s.v, -h), s.v);
      const Vec3<double> before = f.get_pose(places[p]).r;
      f.update(s.q, s.v);
      EXPECT_TRUE(near((1 / (2 * h)) * (after - before), velocity.lin, 1e6));
    }
    ASSERT_EQ(sko::solve_riccati(f.sko, ws.riccati), -1);
    sko::calc_propagators(f.sko, ws.riccati);
    std::vector<double> lambda(36 * places.size() * places.size());
    const std::size_t rows = 6 * places.size();
    sko::calc_compliance(f.sko, ws, points, MatrixView<double>(lambda.data(), rows, rows));
    const MatrixXd want = dense_product(J, dense_product(dense_inverse(M), J.transpose()));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        EXPECT_NEAR(lambda[i * rows + j], want(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                    5e-14 * want.norm());
  }
}

TEST(Flexible, UpdatesAllocateNothing) {
  const FlexibleCase c(5, 3, true);
  Random rng(5);
  const FlexibleState s = random_state(*c.flexible, rng);
  sko::FlexibleSko f(*c.flexible);
  sko::SkoDynamics<double> ws(f.sko);
  std::vector<double> a(s.v.size());
  const AllocationCount allocations;
  f.update(s.q, s.v);
  sko::forward_dynamics<double>(f.sko, ws, s.a, a);
  EXPECT_EQ(allocations.count(), 0);
}

// Links that hardly bend move as rigid ones: the acceleration of the joint with the beam in its quasi-static shape.
TEST(Flexible, StiffLimitIsRigid) {
  const Model m = beam_model(JointKind::revolute, 0.5);
  AbaWorkspace<double> ws(m);
  const std::vector<double> q{0.3}, v{2.0}, tau{1.5};
  std::vector<double> rigid(1);
  aba(m, ws, q, v, tau, rigid);
  const auto error = [&](double stiffness) {
    sko::BeamSpec o = unit_beam(3);
    o.bending_y = o.bending_z = stiffness;
    const sko::FlexibleBody body = sko::make_beam(o);
    const sko::FlexibleModel flexible(m, {body});
    sko::FlexibleSko f(flexible);
    FlexibleState s{{0.3}, {2.0}, {rigid[0]}};
    for (auto* x : {&s.q, &s.v, &s.a}) x->resize(7, 0.0);
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> force = inverse_dynamics_of(f, s);
      for (std::size_t k = 0; k < 6; ++k) s.q[1 + k] -= force[1 + k] / body.stiffness[k * 7];
      s.a[0] += (tau[0] - force[0]) / 0.8;  // inertia of beam and load about the joint: 1/3 + 1/2
    }
    const std::vector<double> a = forward_dynamics_of(f, s.q, s.v, {1.5, 0, 0, 0, 0, 0, 0});
    return std::abs(a[0] - rigid[0]);
  };
  const double soft = error(1e2), stiff = error(1e4), stiffer = error(1e6);
  EXPECT_GT(soft, 1e-6);
  EXPECT_LT(stiff, soft / 500);
  EXPECT_LT(stiffer, 1e-7);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
TEST(Flexible, BadDataIsRefusedByName) {
  const Model m = beam_model(JointKind::revolute, 0.1);
  const sko::FlexibleBody good = sko::make_beam(unit_beam(2));
  const auto with = [&](const std::function<void(sko::FlexibleBody&)>& change) {
    sko::FlexibleBody b = good;
    change(b);
    return refusal([&] { const sko::FlexibleModel f(m, {b}); });
  };
  const auto has = [](const std::string& text, const std::string& word) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  EXPECT_EQ(with([](auto&) {}), "");
  has(with([](auto& b) { b.mass[0] = -1; }), "'beam': the modal mass is not positive definite");
  has(with([](auto& b) { b.mass[0] = 0.5 * b.mass[0]; }), "rigid and modal mass together are indefinite");
  has(with([](auto& b) { b.mass[1] = 0.1; }), "the modal mass is not symmetric: entries of modes 1 and 0");
  has(with([](auto& b) { b.stiffness[0] = -1; }), "the stiffness is indefinite");
  has(with([](auto& b) { b.stiffness.pop_back(); }), "the stiffness has 15 entries; 4 modes need 16");
  has(with([](auto& b) { b.nodes[0].shift.pop_back(); }), "node 'tip': shift has 3 entries; 4 modes need 4");
  has(with([](auto& b) { b.momentum[2].y = std::nan(""); }), "not finite, number 2");
  has(with([](auto& b) { b.body = "bean"; }), "no moving body 'bean'");
  has(with([](auto& b) { b.rigid.m = 2; }), "has the mass 1.000000 in the model and 2.0");
  has(with([](auto& b) { b.nodes[0].position.x = 0.9; }), "joint 'weld' hangs on flexible body 'beam' at (1.0");
  has(with([](auto& b) { b.root = b.nodes[0]; }), "moves the place where its joint stands");
  sko::BeamSpec o = unit_beam(2);
  o.mass = -1;
  has(refusal([&] { sko::make_beam(o); }), "beam of body 'beam': mass is -1");
  o = unit_beam(2), o.stations = {{"far", 2}};
  has(refusal([&] { sko::make_beam(o); }), "station 'far' is at x = 2");
  o = unit_beam(0);
  has(refusal([&] { sko::make_beam(o); }), "no modes");
  has(refusal([&] { const sko::FlexibleModel f(m, {good, good}); }), "listed twice");
  has(refusal([&] { const sko::FlexibleModel f(m, {good}, {{"weld", "top"}}); }), "has no node 'top'");
}

}  // namespace
}  // namespace sinew::test
