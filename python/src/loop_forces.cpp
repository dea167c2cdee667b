// python/src/loop_forces.cpp - motors and springs on loop joints
#include "sinew/constraint/rows/loop_forces.hpp"

#include "common.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::py {
namespace {

using Velocity = VelocityWorkspace<double>;
using Which = std::variant<int, std::string>;

const LoopEntry& find_loop(const char* call, const Model& m, const Which& which) {
  if (const auto* i = std::get_if<int>(&which)) {
    check_index(call, "loop", *i, m.loops().size());
    return m.loops()[at(*i)];
  }
  std::vector<std::string> names;
  for (const LoopEntry& l : m.loops()) {
    if (l.name == std::get<std::string>(which)) return l;
    names.push_back(l.name);
  }
  const std::string& name = std::get<std::string>(which);
  throw nb::value_error((std::string(call) + ": there is no loop '" + name + "'" + suggest_name(name, names)).c_str());
}
void check_motion(const char* call, const Model& m, const Velocity& motion) {
  motion.kinematics.made_for.check(call, m);
}

}  // namespace

void bind_loop_forces(nb::module_& m) {
  m.def(
      "get_loop_joint_state",
      [](const PyModel& x, const Which& loop, Held<Velocity>& ws) {
        const char* call = "get_loop_joint_state";
        const LoopEntry& l = find_loop(call, x, loop);
        const Use<Velocity> use(call, ws);
        check_motion(call, x, *use);
        const LoopJointState s = get_loop_joint_state(l, *use);
        return std::pair(copy_vector({s.q.data(), at(l.joint.nq())}), copy_vector({s.v.data(), at(l.joint.nv())}));
      },
      "model"_a, "loop"_a, "workspace"_a,
      "q and v of a loop joint, by number or name: the coordinates at which it comes closest to the poses of its "
      "bodies,\n"
      "after calc_velocities [F08 section 8.4]. Angles are known up to full turns.");
  m.def(
      "add_loop_force",
      [](const PyModel& x, const Which& loop, Held<Velocity>& ws, ArrayIn tau, ArrayOut external) {
        const char* call = "add_loop_force";
        const LoopEntry& l = find_loop(call, x, loop);
        if (external.object == Py_None)
          throw nb::type_error("add_loop_force: external must be an array, it is added to");
        const Use<Velocity> use(call, ws);
        const InVector T(call, "tau", tau, at(l.joint.nv()));
        OutMatrix2 E(call, "external", external, x.bodies().size(), 6);
        E.apart_from(T);
        std::vector<Force<double>> forces(x.bodies().size());
        add_loop_force(x, l, *use, T, forces);
        for (std::size_t b = 0; b < forces.size(); ++b) {
          const double f[] = {forces[b].ang.x, forces[b].ang.y, forces[b].ang.z,
                              forces[b].lin.x, forces[b].lin.y, forces[b].lin.z};
          for (std::size_t k = 0; k < 6; ++k) E.view()(b, k) += f[k];
        }
        return E.take();
      },
      "model"_a, "loop"_a, "workspace"_a, "tau"_a, "external"_a,
      "Adds what tau along a loop joint does to its two bodies, f_b = T_a tau = -f_a, to external (bodies, 6), which "
      "rnea,\n"
      "aba and the simulations take [F08 8.28].");
  using S = LoopSpring;
  nb::class_<S>(m, "LoopSpring", "On a loop joint with one freedom: tau = -stiffness (q - rest) - damping qd.")
      .def(
          "__init__",
          [](S* self, double stiffness, double damping, double rest) {
            new (self) S{stiffness, damping, rest};
          },
          "stiffness"_a = 0., "damping"_a = 0., "rest"_a = 0.)
      .def_rw("stiffness", &S::stiffness, "[N m/rad or N/m]")
      .def_rw("damping", &S::damping, "[N m s/rad or N s/m]")
      .def_rw("rest", &S::rest, "[rad or m]; angles are counted from it by the shorter way.");
  m.def(
      "calc_loop_spring",
      [](const PyModel& x, const Which& loop, Held<Velocity>& ws, const LoopSpring& spring) {
        const char* call = "calc_loop_spring";
        const LoopEntry& l = find_loop(call, x, loop);
        const Use<Velocity> use(call, ws);
        check_motion(call, x, *use);
        const SpringEffort e = calc_loop_spring(l, get_loop_joint_state(l, *use), spring);
        return std::pair(e.tau, e.energy);
      },
      "model"_a, "loop"_a, "workspace"_a, "spring"_a,
      "tau [N m or N] and the energy stored [J], after calc_velocities. ValueError for a joint of no or several "
      "freedoms.");
}

}  // namespace sinew::py
