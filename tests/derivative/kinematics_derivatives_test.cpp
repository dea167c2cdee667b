// tests/derivative/kinematics_derivatives_test.cpp - slopes of velocities, momentum, energy and W against dual numbers
#include "sinew/derivative/kinematics_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "derivative/dual_slopes.hpp"
#include "sinew/derivative/delassus_slopes.hpp"
#include "sinew/derivative/momentum_derivatives.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/momentum.hpp"
#include "sinew/tree/velocity.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

constexpr double kTime = 0.3;

TEST(KinematicsDerivatives, AreThoseOfDualNumbers) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    KinematicsDerivativesWorkspace<double> ws(m);
    calc_kinematics_derivatives(m, ws, s.q, s.v, s.a, kTime);
    VelocityWorkspace<Dual> dual(m);
    const int n = m.nv();
    for (std::size_t b = 0; b < m.bodies().size(); b += 3)
      for (const ReferenceFrame reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::mixed}) {
        const Place place = m.bodies()[b];
        Matrix V_q(6, n), V_v(6, n), A_q(6, n), A_v(6, n);
        get_velocity_derivatives(m, ws, place, reference, V_q, V_v);
        get_acceleration_derivatives(m, ws, place, reference, A_q, A_v);
        const SlopesByDual velocity = differentiate_list(m, s, 6, [&](const auto& q, const auto& v, const auto&) {
          calc_velocities<Dual>(m, dual, q, v, kTime);
          return six(get_velocity(dual, place, reference));
        });
        const SlopesByDual acceleration = differentiate_list(m, s, 6, [&](const auto& q, const auto& v, const auto& a) {
          calc_accelerations<Dual>(m, dual, q, v, a, kTime);
          return six(get_acceleration(dual, place, reference));
        });
        expect_near(V_q, velocity.dq, 2000), expect_near(V_v, velocity.dv, 2000);
        expect_near(A_q, acceleration.dq, 2000), expect_near(A_v, acceleration.dv, 2000);
      }
  });
}

// A point at the end of a rod: its speed is l v along the turned axis.
TEST(KinematicsDerivatives, OfARod) {
  const double l = 0.7, q = 0.4, v = 1.3, a = -0.6;
  ModelBuilder b("rod");
  b.body("rod").mass(1, {l, 0, 0}, Sym3<double>::diagonal(1, 1, 1)).frame("tip", Transform<double>{{}, {l, 0, 0}});
  b.revolute("pivot", "world", "rod").axis({0, 0, 1});
  const Model m = b.build().value();
  KinematicsDerivativesWorkspace<double> ws(m);
  calc_kinematics_derivatives(m, ws, std::vector{q}, std::vector{v}, std::vector{a});
  Matrix dq(6, 1), dv(6, 1);
  const Place tip = *m.find_frame("tip");
  get_velocity_derivatives(m, ws, tip, ReferenceFrame::mixed, dq, dv);
  EXPECT_TRUE(near(dq(3, 0), -l * v * std::cos(q), 4));
  EXPECT_TRUE(near(dq(4, 0), -l * v * std::sin(q), 4));
  EXPECT_TRUE(near(dv(4, 0), l * std::cos(q), 4));
  get_velocity_derivatives(m, ws, tip, ReferenceFrame::body, dq, dv);
  EXPECT_EQ(largest(dq.numbers), 0);
}

TEST(MomentumDerivatives, AreThoseOfDualNumbers) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const int n = m.nv();
    if (n == 0) return;
    MomentumDerivativesWorkspace<double> ws(m);
    Matrix dq(6, n), dv(6, n);
    calc_centroidal_momentum_derivatives(m, ws, s.q, s.v, dq, dv, kTime);
    MomentumWorkspace<Dual> dual(m);
    const SlopesByDual want = differentiate_list(m, s, 6, [&](const auto& q, const auto& v, const auto&) {
      return six(calc_centroidal_momentum<Dual>(m, dual, q, v, kTime));
    });
    expect_near(dq, want.dq, 300), expect_near(dv, want.dv, 300);
  });
}

TEST(MomentumRateDerivatives, AreThoseOfDualNumbers) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const int n = m.nv();
    if (n == 0) return;
    MomentumDerivativesWorkspace<double> ws(m);
    Matrix dq(6, n), dv(6, n), da(6, n), by_a(6, n);
    calc_centroidal_momentum_rate_derivatives(m, ws, s.q, s.v, s.a, dq, dv, da, kTime);
    MomentumWorkspace<Dual> dual(m);
    const auto rate = [&](const auto& q, const auto& v, const auto& a) {
      return six(calc_centroidal_momentum_rate<Dual>(m, dual, q, v, a, kTime));
    };
    const SlopesByDual want = differentiate_list(m, s, 6, rate);
    for (int k = 0; k < n; ++k) {
      const auto column = rate(moving(s.q, std::vector<double>(s.q.size())), moving(s.v, std::vector<double>(at(n))),
                               moving(s.a, unit_vector(at(n), k)));
      for (int i = 0; i < 6; ++i) by_a(i, k) = column[at(i)].slope;
    }
    expect_near(dq, want.dq, 2000), expect_near(dv, want.dv, 2000), expect_near(da, by_a, 300);
  });
}

TEST(EnergyDerivatives, AreThoseOfDualNumbers) {
  for_hard_trees([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const int n = m.nv();
    MomentumDerivativesWorkspace<double> ws(m);
    Matrix T_q(1, n), T_v(1, n), V_q(1, n);
    calc_energy_derivatives(m, ws, s.q, s.v, T_q.numbers, T_v.numbers, V_q.numbers, kTime);
    EnergyWorkspace<Dual> dual(m);
    const SlopesByDual want = differentiate_list(m, s, 2, [&](const auto& q, const auto& v, const auto&) {
      const Dual kinetic = calc_kinetic_energy<Dual>(m, dual, q, v, kTime);
      return std::vector<Dual>{kinetic, calc_potential_energy<Dual>(m, dual, q, kTime)};
    });
    Matrix got_q(2, n), got_v(2, n);
    for (int k = 0; k < n; ++k)
      got_q(0, k) = T_q(0, k), got_q(1, k) = V_q(0, k), got_v(0, k) = T_v(0, k), got_v(1, k) = 0;
    expect_near(got_q, want.dq, 300), expect_near(got_v, want.dv, 300);
  });
}

// lambda^T W mu = p^T M^-1 r with p and r from Jacobians, differentiated by dual numbers.
TEST(DelassusSlopes, AreThoseOfDualNumbers) {
  for_hard_trees(
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        const auto F = some_forces(m, rng), G = some_forces(m, rng);
        const int n = m.nv();
        DelassusSlopesWorkspace<double> ws(m);
        Matrix got(1, n);
        const double y = calc_delassus_slopes(m, ws, s.q, F, G, got.numbers, kTime);
        JacobianWorkspace<Dual> jacobian(m);
        MassInverseWorkspace<Dual> inverse(m);
        double value = 0, size = 1;
        const SlopesByDual want = differentiate_list(m, s, 1, [&](const auto& q, const auto&, const auto&) {
          const auto count = static_cast<std::size_t>(n);
          std::vector<Dual> p(count), r(count), one(count);
          Grid<Dual> Minv(n, n);
          calc_jacobian<Dual>(m, jacobian, q, kTime);
          calc_mass_inverse<Dual>(m, inverse, q, Minv, kTime);
          for (std::size_t b = 1; b < m.bodies().size(); ++b) {
            const Place place = m.bodies()[b];
            multiply_by_jacobian_transpose<Dual>(m, jacobian, place, ReferenceFrame::body, cast<Dual>(F[b]), one);
            for (std::size_t k = 0; k < count; ++k) p[k] += one[k];
            multiply_by_jacobian_transpose<Dual>(m, jacobian, place, ReferenceFrame::body, cast<Dual>(G[b]), one);
            for (std::size_t k = 0; k < count; ++k) r[k] += one[k];
          }
          Dual sum(0);
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              sum += p[at(i)] * Minv(i, j) * r[at(j)];
              size = std::max(size, std::abs(Minv(i, j).value));
            }
          value = sum.value;
          return std::vector<Dual>{sum};
        });
        const double scale = size * std::max({1.0, largest(want.dq.numbers), std::abs(value)});
        EXPECT_TRUE(near_numbers(got.numbers, want.dq.numbers, 3000, scale, 0x1p-52));
        EXPECT_TRUE(n == 0 || near(y, value, 3000, scale));
      },
      false);  // JacobianWorkspace refuses some of these
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}
TEST(KinematicsDerivatives, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
    KinematicsDerivativesWorkspace<T> ws(m);
    calc_kinematics_derivatives<T>(m, ws, q, v, a);
    std::vector<T> out;
    Grid<T> dq(6, m.nv()), dv(6, m.nv());
    for (const ReferenceFrame reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::mixed}) {
      get_velocity_derivatives<T>(m, ws, m.bodies().back(), reference, dq, dv);
      append(out, dq.numbers), append(out, dv.numbers);
      get_acceleration_derivatives<T>(m, ws, m.bodies().back(), reference, dq, dv);
      append(out, dq.numbers), append(out, dv.numbers);
    }
    return out;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(MomentumDerivatives, AreTheSameInEveryScalarAsAreThoseOfEnergy) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
    MomentumDerivativesWorkspace<T> ws(m);
    Grid<T> dq(6, m.nv()), dv(6, m.nv());
    std::vector<T> T_q(v.size()), T_v(v.size()), V_q(v.size());
    calc_centroidal_momentum_derivatives<T>(m, ws, q, v, dq, dv);
    calc_energy_derivatives<T>(m, ws, q, v, T_q, T_v, V_q);
    std::vector<T> out;
    for (const auto& x : {dq.numbers, dv.numbers, T_q, T_v, V_q}) append(out, x);
    Grid<T> da(6, m.nv());
    calc_centroidal_momentum_rate_derivatives<T>(m, ws, q, v, a, dq, dv, da);
    for (const auto& x : {dq.numbers, dv.numbers, da.numbers}) append(out, x);
    return out;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 40, every);
  }
}

TEST(DelassusSlopes, AreTheSameInEveryScalar) {
  auto every = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>&, const std::vector<T>&) {
    DelassusSlopesWorkspace<T> ws(m);
    Random rng(5);
    std::vector<Force<T>> F, G;
    for (const Force<double>& f : some_forces(m, rng)) F.push_back(cast<T>(f));
    for (const Force<double>& f : some_forces(m, rng)) G.push_back(cast<T>(f));
    std::vector<T> dy(at(m.nv()));
    const T y = calc_delassus_slopes<T>(m, ws, q, F, G, dy);
    dy.push_back(y);
    return dy;
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    // The forces are rounded to float too, which the measure of sensitivity leaves out.
    expect_parity_of_all(hard_tree(seed, 7, false), rng, 150, every);
  }
}

TEST(KinematicsDerivatives, AllocateNothing) {
  const Model m = compile(mechanisms::humanoid()).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const auto F = some_forces(m, rng);
  KinematicsDerivativesWorkspace<double> kinematics(m);
  MomentumDerivativesWorkspace<double> momentum(m);
  DelassusSlopesWorkspace<double> delassus(m);
  Matrix dq(6, m.nv()), dv(6, m.nv()), da(6, m.nv());
  std::vector<double> x(s.v), y(s.v), z(s.v);
  const auto run = [&] {
    calc_kinematics_derivatives(m, kinematics, s.q, s.v, s.a);
    get_velocity_derivatives(m, kinematics, m.bodies().back(), ReferenceFrame::world, dq, dv);
    get_acceleration_derivatives(m, kinematics, m.bodies().back(), ReferenceFrame::mixed, dq, dv);
    calc_centroidal_momentum_derivatives(m, momentum, s.q, s.v, dq, dv);
    calc_centroidal_momentum_rate_derivatives(m, momentum, s.q, s.v, s.a, dq, dv, da);
    calc_energy_derivatives(m, momentum, s.q, s.v, x, y, z);
    calc_delassus_slopes(m, delassus, s.q, F, F, x);
  };
  run();
  AllocationCount allocations;
  run();
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
