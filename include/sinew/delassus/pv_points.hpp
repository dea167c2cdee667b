// sinew/delassus/pv_points.hpp - the Popov-Vereshchagin solver where rows hold points of bodies
// The acceleration of a point itself is w x (v + w x p) more than the spatial one along its row. The velocities come
// from the sweep that pv_forward_dynamics makes anyway.
#pragma once
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::delassus {

// Where an entry of the problem acts as a force, in the node's coordinates; with direction 0 it is a row of the body,
// as in pv_dynamics.hpp.
struct PointRow {
  Vec3<double> direction, p;
};

// pv_forward_dynamics where the accelerations of points become `target`; points: one for each entry of the problem.
PvOutcome pv_forward_dynamics(const Model&, PvDynamicsWorkspace&, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<PointRow> points, In<double> target, Out<double> qdd,
                              Out<double> lambda, const Surroundings<double>& = {});

}  // namespace sinew::delassus
