// python/src/hybrid.cpp - hybrid dynamics, floating bases, joint loads
#include "sinew/tree/hybrid.hpp"

#include "entries.hpp"
#include "sinew/tree/floating_base.hpp"
#include "sinew/tree/joint_loads.hpp"

namespace sinew::py {
namespace {

using HybridCrba = HybridCrbaWorkspace<double>;
using HybridAba = HybridAbaWorkspace<double>;
using Floating = FloatingBaseWorkspace<double>;
using Loads = JointLoadsWorkspace;

// a and tau are read at some coordinates and written at the others, so that both are outputs that begin as the inputs.
template <class W, class F>
std::pair<Array, Array> call_hybrid(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, ArrayIn a,
                                    ArrayIn tau, ArrayOut out_a, ArrayOut out_tau, ArrayIn external, double time,
                                    F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), A(call, "a", a, nv), T(call, "tau", tau, nv);
  const InForces E(call, "external", external, m.bodies().size());
  OutVector X(call, "out_a", out_a, nv), Y(call, "out_tau", out_tau, nv);
  X.apart_from(Q, V, T, Y), Y.apart_from(Q, V, A);
  if (X.data() != A.data()) X.apart_from(A), std::copy(A.data(), A.data() + nv, X.data());
  if (Y.data() != T.data()) Y.apart_from(T), std::copy(T.data(), T.data() + nv, Y.data());
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, Y, Surroundings<double>{E.view(), time}); });
  return {X.take(), Y.take()};
}

HybridSplit make_split(const PyModel& m, nb::handle given) {
  std::vector<std::string> names;
  if (nb::try_cast(given, names)) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    return HybridSplit::of_joints(m, views);
  }
  return {m, VectorView<const int>(read_integers("HybridSplit", "given", {given.ptr()}))};
}

template <class W>
void bind_hybrid_workspace(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Held<W>>(m, name, doc)
      .def(
          "__init__",
          [](Held<W>* self, const PyModel& x, const nb::object& given) { new (self) Held<W>(x, make_split(x, given)); },
          "model"_a, "given"_a,
          nb::sig(
              "def __init__(self, model: Model, given: collections.abc.Sequence[int] | collections.abc.Sequence[str])"
              " -> None"),
          "given: velocity coordinates, or names of joints, whose acceleration is given.");
}

void bind_floating(nb::module_& m) {
  bind_workspace<Floating>(m, "FloatingBaseWorkspace",
                           "Scratch of floating_aba, ...; ValueError unless one free joint carries the whole tree.");
  m.def(
      "floating_aba",
      [](const PyModel& x, Held<Floating>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayIn external,
         double time) {
        const char* call = "floating_aba";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv);
        O.apart_from(Q, V, T);
        const Use<Floating> use(call, ws);
        run(x, [&] { floating_aba<double>(x, *use, Q, V, T, O, {E.view(), time}); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("external"), "time"_a = 0.,
      "Forward dynamics of a tree with a floating base, in base coordinates [F08 Table 9.4].");
  m.def(
      "floating_rnea",
      [](const PyModel& x, Held<Floating>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out_a, ArrayOut out_tau,
         ArrayIn external, double time) {
        const char* call = "floating_rnea";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A(call, "a", a, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector X(call, "out_a", out_a, nv), Y(call, "out_tau", out_tau, nv);
        X.apart_from(Q, V, Y), Y.apart_from(Q, V, A);
        if (X.data() != A.data()) X.apart_from(A), std::copy(A.data(), A.data() + nv, X.data());
        const Use<Floating> use(call, ws);
        run(x, [&] { floating_rnea<double>(x, *use, Q, V, X, Y, {E.view(), time}); });
        return std::pair(X.take(), Y.take());
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out_a"), optional_array("out_tau"),
      optional_array("external"), "time"_a = 0.,
      "Joint accelerations in (those of the base are not read); all accelerations and joint forces out [F08 Table "
      "9.6].");
  m.def(
      "calc_floating_jacobian",
      [](const PyModel& x, Held<Floating>& ws, ArrayIn q, PlaceIn place, ArrayOut out, double time) {
        const char* call = "calc_floating_jacobian";
        const InVector Q(call, "q", q, at(x.nq()));
        const Use<Floating> use(call, ws);
        OutMatrix2 O(call, "out", out, 6, use->base.joints.size());
        O.apart_from(Q);
        calc_floating_jacobian<double>(x, *use, Q, find_place(call, x, place), O.view(), time);
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, "place"_a, optional_array("out"), "time"_a = 0.,
      "J^fl = J - Ic0^-1 F: how a place moves when internal forces change the joint velocities [F08 Example 9.4].");
}

void bind_loads(nb::module_& m) {
  bind_workspace<Loads>(m, "JointLoadsWorkspace", "Transmitted forces, after calc_joint_forces.");
  m.def(
      "calc_joint_forces",
      [](const PyModel& x, Held<Loads>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayIn external, double time) {
        const char* call = "calc_joint_forces";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv())), A(call, "a", a, at(x.nv()));
        const InForces E(call, "external", external, x.bodies().size());
        const Use<Loads> use(call, ws);
        run(x, [&] { calc_joint_forces(x, *use, Q, V, A, {E.view(), time}); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("external"), "time"_a = 0.,
      "The forces that all joints transmit at a state, O(n) [F08 section 3.5].");
  m.def(
      "get_joint_force",
      [](const PyModel& x, Held<Loads>& ws, const nb::object& joint) {
        const Use<Loads> use("get_joint_force", ws);
        return get_joint_force(x, *use, find_joint("get_joint_force", x, joint));
      },
      "model"_a, "workspace"_a, "joint"_a,
      nb::sig("def get_joint_force(model: Model, workspace: JointLoadsWorkspace, joint: int | str | JointEntry) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "After calc_joint_forces: torque above force on the child, in its frame, about its origin.");
}

}  // namespace

void bind_hybrid(nb::module_& m) {
  bind_hybrid_workspace<HybridCrba>(
      m, "HybridCrbaWorkspace", "Scratch of hybrid_crba for one choice of coordinates whose acceleration is given.");
  bind_hybrid_workspace<HybridAba>(m, "HybridAbaWorkspace",
                                   "Scratch of hybrid_aba for one choice of coordinates whose acceleration is given.");
  m.def(
      "hybrid_crba",
      [](const PyModel& x, Held<HybridCrba>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayIn tau, ArrayOut out_a,
         ArrayOut out_tau, ArrayIn external, double time) {
        return call_hybrid("hybrid_crba", x, ws, q, v, a, tau, out_a, out_tau, external, time,
                           [](auto&&... p) { hybrid_crba<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, "tau"_a, optional_array("out_a"), optional_array("out_tau"),
      optional_array("external"), "time"_a = 0.,
      "Accelerations given for some coordinates, forces for the others: the rest of a and tau in M a + h = tau.\n\n"
      "a is read where it is given, tau elsewhere; both come back whole. Reference: [F08 9.1-9.5, Table 9.1].");
  m.def(
      "hybrid_aba",
      [](const PyModel& x, Held<HybridAba>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayIn tau, ArrayOut out_a,
         ArrayOut out_tau, ArrayIn external, double time) {
        return call_hybrid("hybrid_aba", x, ws, q, v, a, tau, out_a, out_tau, external, time,
                           [](auto&&... p) { hybrid_aba<double>(p...); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, "tau"_a, optional_array("out_a"), optional_array("out_tau"),
      optional_array("external"), "time"_a = 0.,
      "As hybrid_crba, by articulated bodies in O(n) [F08 9.6-9.10, Tables 9.2, 9.3].");
  bind_floating(m);
  bind_loads(m);
}

}  // namespace sinew::py
