// sinew/batch/kernel/device_observation.hpp - numbers of one world after a step, as sensors and learners read them
// As SimulationBatch::observe and SensorReadings have them (sim/sensor_readings.hpp), with the same meaning: places and
// velocities are those now; accelerations are means over the last step, forces those of the last step, from
// its record. src/batch/observation_tables.cpp makes the items.
#pragma once
#include "sinew/batch/kernel/device_observed.hpp"
#include "sinew/batch/kernel/device_record.hpp"
#include "sinew/contact/kernel/ray.hpp"
#include "sinew/contact/kernel/tangents.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::device {

// Velocities and accelerations of all nodes now, about the origins of their trees; the world accelerates upwards in
// place of gravity. v and rates in the model's order.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void find_accelerations(const Team& team, const Scene<R>& s, const Workspace<R>& w, const R* v,
                                 const R* rates) {
  team.each(s.dofs, [&](int k) { w.v[k] = v[s.dof[k].v], w.next[k] = rates[s.dof[k].v]; });
  find_motion(team, s, w);
  // As find_motion counts the rates of roots: those of velocities that go on straight.
  team.each(s.nodes - 1, [&](int item) {
    const SceneNode<R>& n = s.node[item + 1];
    const R* u = w.v + n.dof;
    R* a = w.next + n.dof;
    if (n.flight == Flight::root_free) set_vec3(a + 3, vec3_at(a + 3) + cross(vec3_at(u), vec3_at(u + 3)));
    if (n.flight == Flight::root_planar) a[1] -= u[0] * u[2], a[2] += u[0] * u[1];
  });
  team.each(s.nodes, [&](int i) {
    const int last = s.node[i].last;
    if (last < 0) return;
    Motion<R> sum = w.A[i];
    const int row = s.dof[last].row, depth = s.dof[last].depth;
    for (int t = 0; t <= depth; ++t) {
      const int k = s.entry_above[row + t];
      sum += w.next[k] * w.S[k];
    }
    w.A[i] = sum;
  });
}

// A place now, along the axes of the world.
template <class R>
struct PlaceMotion {
  Transform<R> X;  // place <- world
  Vec3<R> arm;     // from the origin of the tree
  Motion<R> V, A;  // about that
  SINEW_HD PlaceMotion(const Scene<R>& s, const Workspace<R>& w, int node, const Transform<R>& place)
      : X(place * w.X[node]), V(w.V[node]), A(w.A[node]) {
    if (node > 0) arm = X.r - w.origin[s.node[node].tree];
  }
  SINEW_HD Vec3<R> velocity() const { return V.lin + cross(V.ang, arm); }
  SINEW_HD Vec3<R> acceleration() const { return A.lin + cross(A.ang, arm) + cross(V.ang, velocity()); }
};

// Of contacts of the last step: take(body of the first shape, of the other, point, normal from b to a, force on a).
SINEW_HD_CALLER
template <class R, class Take>
SINEW_HD void for_each_touch(const Scene<R>& s, const ObservationTable<R>& table, const int* keys, const R* touch_z,
                             const StepRecord<R>& record, Take&& take) {
  for (int i = 0; i < *record.pushing; ++i) {
    const ScenePair<R>& pair = s.pair[keys[i] >> (s.feature_bits + s.other_bits)];
    const Vec3<R> point = vec3_at(record.place + 6 * i), n = vec3_at(record.place + 6 * i + 3);
    Vec3<R> t1, t2;
    contact::calc_tangents(n, t1, t2);
    const R *z = touch_z + 3 * i, over = 1 / s.options.dt;
    take(table.shape_body[pair.a], table.shape_body[pair.b], point, n, over * (z[0] * n + z[1] * t1 + z[2] * t2));
  }
}

// Of all places: `to` are the numbers of the item.
template <class R>
SINEW_HD void observe_place(const Scene<R>& s, const Workspace<R>& w, const ObservedItem<R>& item, R* to) {
  const PlaceMotion<R> now(s, w, item.node, item.place);
  const bool relative = item.from >= 0;
  const PlaceMotion<R> base(s, w, relative ? item.from : 0, relative ? item.base : Transform<R>{});
  const Vec3<R> away = now.X.r - base.X.r;
  switch (item.kind) {
    case Observed::position: return set_vec3(to, apply(base.X.E, away));
    case Observed::coordinate: to[0] = item.index == 0 ? away.x : item.index == 1 ? away.y : away.z; return;
    case Observed::turn: {
      const Quaternion<R> turn = to_quaternion(now.X.E * inverse(base.X.E));
      to[0] = turn.w, to[1] = turn.x, to[2] = turn.y, to[3] = turn.z;
      return;
    }
    case Observed::axis: {
      const Vec3<R> along{R(item.index == 0), R(item.index == 1), R(item.index == 2)};
      return set_vec3(to, apply(base.X.E, apply_inverse(now.X.E, along)));
    }
    case Observed::velocity:
      return set_vec3(to, apply(base.X.E, now.velocity() - base.velocity() - cross(base.V.ang, away)));
    case Observed::angular_velocity: return set_vec3(to, apply(base.X.E, now.V.ang - base.V.ang));
    case Observed::gyro: return set_vec3(to, apply(now.X.E, now.V.ang));
    case Observed::velocimeter: return set_vec3(to, apply(now.X.E, now.velocity()));
    case Observed::accelerometer: return set_vec3(to, apply(now.X.E, now.acceleration()));
    case Observed::acceleration: return set_vec3(to, now.acceleration());
    case Observed::angular_acceleration: return set_vec3(to, now.A.ang);
    case Observed::field: return set_vec3(to, apply(now.X.E, item.vector));
    default: return;
  }
}

// A row of the observation of a world, from its state and the record of its last step.
SINEW_HD_CALLER
template <class R, class Team>
SINEW_HD void observe_world(const Team& team, const Scene<R>& s, const Workspace<R>& w, const WorldArrays<R>& all,
                            std::size_t world, const ObservationTable<R>& table) {
  const auto row = [&](R* of_all, int width) { return of_all + world * static_cast<std::size_t>(width); };
  const R *q = row(all.q, s.nq), *v = row(all.v, s.nv), *control = row(all.control, s.controls);
  const int* keys = all.keys + world * static_cast<std::size_t>(s.contacts);
  const R* touch_z = row(all.touch_z, 3 * s.contacts);
  const StepRecord<R> record(s, all, world);
  const WorldReport<R>& report = all.report[world];
  R* out = row(all.observation, table.width);
  const ObservedItem<R>* items = table.item + (s.variants > 1 ? s.variant[world] * table.items : 0);
  if (table.moves) find_accelerations(team, s, w, v, record.rates);
  team.each(table.items, [&](int i) {
    const ObservedItem<R>& item = items[i];
    R* to = out + item.first;
    const auto copy = [&](const R* from) {
      for (int k = 0; k < item.size; ++k) to[k] = from[item.index + k];
    };
    Vec3<R> sum;
    switch (item.kind) {
      case Observed::q: copy(q); break;
      case Observed::v: copy(v); break;
      case Observed::control: copy(control); break;
      case Observed::force: copy(record.forces); break;
      case Observed::time: to[0] = R(report.steps) * s.options.dt; break;
      case Observed::actuator_length: to[0] = s.actuator[item.index].gear * q[s.actuator[item.index].q]; break;
      case Observed::actuator_speed: to[0] = s.actuator[item.index].gear * v[item.dof]; break;
      case Observed::joint_force: {
        const SceneDof<R>& d = s.dof[item.index];
        R all_of_it = 0;
        for (int k = d.actuator; k < d.actuator + d.actuators; ++k)
          all_of_it += s.actuator[k].gear * record.forces[s.actuator[k].control];
        to[0] = all_of_it < -d.max_effort ? -d.max_effort : d.max_effort < all_of_it ? d.max_effort : all_of_it;
        break;
      }
      case Observed::contact_force:
        for_each_touch(s, table, keys, touch_z, record,
                       [&](int a, int b, const Vec3<R>&, const Vec3<R>&, const Vec3<R>& f) {
                         if (a == item.index) sum += f;
                         if (b == item.index) sum -= f;
                       });
        set_vec3(to, sum);
        break;
      case Observed::touch: {
        const Transform<R> X = item.place * w.X[item.node];
        to[0] = 0;
        for_each_touch(s, table, keys, touch_z, record,
                       [&](int a, int b, const Vec3<R>& point, const Vec3<R>& n, const Vec3<R>& f) {
                         if (a != item.index && b != item.index) return;
                         // Away from the body: from there the zone is in sight, even if the point lies behind it.
                         const Vec3<R> away = apply(X.E, a == item.index ? -n : n);
                         if (contact::meet_ray(item.zone, item.zone_size, apply_to_point(X, point), away) >= 0)
                           to[0] += dot(f, n);
                       });
        break;
      }
      default: observe_place(s, w, item, to); break;
    }
    if (item.cutoff > 0)
      for (int k = 0; k < item.size; ++k) to[k] = to[k] < -item.cutoff ? -item.cutoff : min(to[k], item.cutoff);
  });
}

}  // namespace sinew::device
