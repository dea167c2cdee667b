// python/src/dynamics.cpp - rnea, aba, crba, the inverse of M, divide and conquer
#include <chrono>

#include "common.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/dca.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew::py {
namespace {

// f(q, v, x, out) for the calls that take positions, velocities and one more vector of nv numbers.
template <class W, class F>
Array call_with_motion(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, const char* name,
                       ArrayIn x, ArrayOut out, ArrayIn external, double time, F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), X(call, name, x, nv);
  const InForces E(call, "external", external, m.bodies().size());
  OutVector O(call, "out", out, nv);
  O.apart_from(Q, V, X);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, O, Surroundings<double>{E.view(), time}); });
  return O.take();
}

// f(q, x, out, time) for products with a matrix.
template <class W, class F>
Array call_product(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn x, ArrayOut out, double time,
                   F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), X(call, "x", x, nv);
  OutVector O(call, "out", out, nv);
  O.apart_from(Q, X);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, X, O, time); });
  return O.take();
}

// f(q, out, time) for matrices nv x nv.
template <class W, class F>
Array call_matrix(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayOut out, double time, F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq()));
  OutMatrix2 O(call, "out", out, nv, nv);
  O.apart_from(Q);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, O.view(), time); });
  return O.take();
}

// Seconds of one call of the library, the best of some loops: what tools/bench_python.py takes off.
template <class F>
double time_call(F&& f) {
  using Clock = std::chrono::steady_clock;
  double least = 1;
  for (int round = 0; round < 10; ++round) {
    constexpr int kCalls = 500;
    const auto start = Clock::now();
    for (int i = 0; i < kCalls; ++i) f();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count() / kCalls);
  }
  return least;
}

double time_algorithm(const PyModel& m, const std::string& name, ArrayIn q, ArrayIn v, ArrayIn a) {
  const char* call = "_time_call";
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
  std::vector<double> out(nv), M(nv * nv);
  const MatrixView<double> matrix(M.data(), nv, nv);
  if (name == "fk") {
    KinematicsWorkspace<double> ws(m);
    return time_call([&] { calc_kinematics<double>(m, ws, Q); });
  }
  if (name == "rnea") {
    RneaWorkspace<double> ws(m);
    return time_call([&] { rnea<double>(m, ws, Q, V, A, out); });
  }
  if (name == "aba") {
    AbaWorkspace<double> ws(m);
    return time_call([&] { aba<double>(m, ws, Q, V, A, out); });
  }
  if (name == "crba") {
    CrbaWorkspace<double> ws(m);
    return time_call([&] { crba<double>(m, ws, Q, matrix); });
  }
  if (name == "mass_inverse") {
    MassInverseWorkspace<double> ws(m);
    return time_call([&] { calc_mass_inverse<double>(m, ws, Q, matrix); });
  }
  throw nb::value_error("_time_call: fk, rnea, aba, crba or mass_inverse");
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  using Rnea = RneaWorkspace<double>;
  using Aba = AbaWorkspace<double>;
  using Crba = CrbaWorkspace<double>;
  using Inverse = MassInverseWorkspace<double>;
  using Dca = DcaWorkspace<double>;
  bind_workspace<Rnea>(m, "RneaWorkspace", "Scratch of rnea, calc_bias, calc_gravity and multiply_by_mass.");
  bind_workspace<Aba>(m, "AbaWorkspace", "Scratch of aba and multiply_by_mass_inverse.");
  bind_workspace<Crba>(m, "CrbaWorkspace", "Scratch of crba.");
  bind_workspace<Inverse>(m, "MassInverseWorkspace", "Scratch of calc_mass_inverse.");
  bind_workspace<Dca>(m, "DcaWorkspace", "Scratch of dca, with the plan of what is cut where.");

  m.def(
      "rnea",
      [](const PyModel& x, Held<Rnea>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, ArrayIn external,
         double time) {
        return call_with_motion("rnea", x, ws, q, v, "a", a, out, external, time,
                                [](auto&&... p) { rnea<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      R"(Inverse dynamics: tau = M(q) a + h(q, v) - sum of J^T f_external, by the recursive Newton-Euler algorithm, O(n).

Reference: [F08 Table 5.1]. external: one force per body, torque above force, in the body's frame and about its origin,
(bodies, 6) with the world in row 0. Armature counts; damping, friction and springs are not part of this.)");
  m.def(
      "calc_bias",
      [](const PyModel& x, Held<Rnea>& ws, ArrayIn q, ArrayIn v, ArrayOut out, ArrayIn external, double time) {
        const char* call = "calc_bias";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv);
        O.apart_from(Q, V);
        const Use<Rnea> use(call, ws);
        run(x, [&] { calc_bias<double>(x, *use, Q, V, O, {E.view(), time}); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      "h(q, v): Coriolis, centrifugal and gravity terms, less external forces; rnea with a = 0.");
  m.def(
      "calc_gravity",
      [](const PyModel& x, Held<Rnea>& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_gravity";
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(Q);
        const Use<Rnea> use(call, ws);
        run(x, [&] { calc_gravity<double>(x, *use, Q, O, time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "g(q): the joint forces that hold the mechanism still against gravity.");
  m.def(
      "multiply_by_mass",
      [](const PyModel& x, Held<Rnea>& ws, ArrayIn q, ArrayIn y, ArrayOut out, double time) {
        return call_product("multiply_by_mass", x, ws, q, y, out, time,
                            [](auto&&... p) { multiply_by_mass<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "x"_a, optional_array("out"), "time"_a = 0.,
      "M x without M: the part of rnea that is linear in the acceleration, O(n) [F08 Table 6.1].");
  m.def(
      "aba",
      [](const PyModel& x, Held<Aba>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayIn external,
         double time) {
        return call_with_motion("aba", x, ws, q, v, "tau", tau, out, external, time,
                                [](auto&&... p) { aba<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      R"(Forward dynamics: a with M(q) a + h(q, v) = tau + sum of J^T f_external, by articulated bodies, O(n).

Reference: [F08 Table 7.1], eqs 7.32-7.50. external: as for rnea.)");
  m.def(
      "multiply_by_mass_inverse",
      [](const PyModel& x, Held<Aba>& ws, ArrayIn q, ArrayIn y, ArrayOut out, double time) {
        return call_product("multiply_by_mass_inverse", x, ws, q, y, out, time,
                            [](auto&&... p) { multiply_by_mass_inverse<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "x"_a, optional_array("out"), "time"_a = 0.,
      "M^-1 x without M: the part of aba that is linear in the force, O(n).");
  m.def(
      "crba",
      [](const PyModel& x, Held<Crba>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_matrix("crba", x, ws, q, out, time, [](auto&&... p) { crba<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      R"(The joint-space inertia matrix M(q) of tau = M a + h, whole and symmetric, by composite rigid bodies, O(n d).

Reference: [F08 Table 6.2]. Armature is on the diagonal. Rows of out may be apart, as in a part of a larger matrix.)");
  m.def(
      "calc_mass_inverse",
      [](const PyModel& x, Held<Inverse>& ws, ArrayIn q, ArrayOut out, double time) {
        return call_matrix("calc_mass_inverse", x, ws, q, out, time,
                           [](auto&&... p) { calc_mass_inverse<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "M^-1, whole and symmetric: the articulated-body algorithm for all unit forces at once, O(n^2).\n\n"
      "Reference: [F08 Table 7.1].");
  m.def(
      "dca",
      [](const PyModel& x, Held<Dca>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayIn external,
         double time) {
        return call_with_motion("dca", x, ws, q, v, "tau", tau, out, external, time,
                                [](auto&&... p) { dca<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      "Forward dynamics by divide and conquer: as aba, for comparison [F08 section 7.5].");
  m.def("_time_call", &time_algorithm, "model"_a, "name"_a, "q"_a, "v"_a, "a"_a);
}

}  // namespace sinew::py
