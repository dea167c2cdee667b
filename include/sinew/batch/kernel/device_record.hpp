// sinew/batch/kernel/device_record.hpp - what a step keeps for observations: accelerations, forces, and where contacts
// push
#pragma once
#include "sinew/batch/device_backend.hpp"
#include "sinew/batch/kernel/device_flight.hpp"

namespace sinew::device {

// What a step keeps of one world; null where nothing was asked for.
template <class R>
struct StepRecord {
  R *rates, *forces, *place;
  int* pushing;
  SINEW_HD StepRecord(const Scene<R>& s, const WorldArrays<R>& all, std::size_t i)
      : rates(row(all.rates, i, s.nv)),
        forces(row(all.forces, i, s.controls)),
        place(row(all.touch_place, i, 6 * s.contacts)),
        pushing(row(all.pushing, i, 1)) {}
  SINEW_HD bool is_asked() const { return pushing != nullptr; }

 private:
  template <class T>
  static SINEW_HD T* row(T* all, std::size_t i, int width) {
    return all == nullptr ? nullptr : all + i * static_cast<std::size_t>(width);
  }
};

// Rates of the numbers v of a joint at the end of a step, as FreeFlight::turn_acceleration has them: means, but for
// what the turning of axes does to them.
template <class R>
SINEW_HD void find_rates(const SceneNode<R>& n, const R& dt, const R* q, const R* v, const R* q_after, const R* next,
                         R* out) {
  using std::cos, std::sin;
  const R over = 1 / dt;
  for (int k = 0; k < n.nv; ++k) out[k] = over * (next[k] - v[k]);
  if (n.flight == Flight::root_free || n.flight == Flight::single_free) {
    const auto in_parent = [](const R* place, const R* numbers) {
      return apply_inverse(to_rotation(detail::get_quaternion(place)), vec3_at(numbers + 3));
    };
    const Vec3<R> mean = over * (in_parent(q_after, next) - in_parent(q, v));
    set_vec3(out + 3,
             apply(to_rotation(detail::get_quaternion(q_after)), mean) - cross(vec3_at(next), vec3_at(next + 3)));
  } else if (n.flight == Flight::root_planar || n.flight == Flight::single_planar) {
    const R turned = q_after[0] - q[0], c = cos(turned), d = sin(turned);
    const R x = over * (c * next[1] - d * next[2] - v[1]), y = over * (d * next[1] + c * next[2] - v[2]);
    out[1] = c * x + d * y + next[0] * next[2], out[2] = c * y - d * x - next[0] * next[1];
  }
}

// Before the state becomes that after the step.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void keep_record(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* control, int contacts,
                          const StepRecord<R>& to) {
  team.each(s.nodes - 1, [&](int item) {
    const SceneNode<R>& n = s.node[item + 1];
    find_rates(n, s.options.dt, w.q + n.q, w.v + n.dof, w.q_after + n.q, w.next + n.dof, to.rates + n.v);
  });
  team.each(s.dofs, [&](int k) {
    const SceneDof<R>& d = s.dof[k];
    for (int i = d.actuator; i < d.actuator + d.actuators; ++i) {
      const SceneActuator<R>& a = s.actuator[i];
      const R f = calc_plain_force(a, w.q, w.v[k], control);
      to.forces[a.control] = f < a.force_lower ? a.force_lower : a.force_upper < f ? a.force_upper : f;
    }
  });
  const int pushing = team.place(
      contacts, [&](int i) { return w.touch[i].z[0] > 0 ? 1 : 0; },
      [&](int i, int place) {
        if (!(w.touch[i].z[0] > 0)) return;
        set_vec3(to.place + 6 * place, w.touch[i].point), set_vec3(to.place + 6 * place + 3, w.touch[i].normal);
      });
  team.one([&] { *to.pushing = pushing; });
}

}  // namespace sinew::device
