// python/src/archive_spec.hpp - specifications as bytes and back, field by field, for pickle
// Every struct is taken apart by a structured binding: a field that is added to one and not here does not compile.
// What only C++ can make (laws and joints of C++) is refused by name.
#pragma once
#include "archive.hpp"
#include "callable.hpp"
#include "sinew/model/spec.hpp"

namespace sinew::py {

template <class A>
void keep(A& a, SourceLocation& x) {
  auto& [file, line] = x;
  keep_all(a, file, line);
}
template <class A>
void keep(A& a, Diagnostic& x) {
  auto& [code, severity, where, element, message, repair] = x;
  keep_all(a, code, severity, where, element, message, repair);
}
template <class A>
void keep(A& a, MotionLaw& law) {
  bool any = static_cast<bool>(law);
  keep(a, any);
  if (!any) return;
  nb::object f;
  if constexpr (!A::kReads) f = show_law(law);
  a.object(f);
  if constexpr (A::kReads) law = read_law("unpickling", f);
}
template <class A>
void keep(A& a, DofSpec& x) {
  auto& [lower, upper, velocity, effort, damping, friction, armature, stiffness, rest, s, d] = x;
  keep_all(a, lower, upper, velocity, effort, damping, friction, armature, stiffness, rest, s, d);
}
template <class A>
void keep(A& a, JointSpec& x) {
  auto& [name, parent, child, kind, placement, child_placement, axis, axis2, pitch, radius, reversed, continuous, dofs,
         neutral, parts, law, prescribed_kind, user, where] = x;
  if (user)
    throw nb::type_error(
        ("pickling: joint '" + name + "' is a user's joint, which is not kept; add it after unpickling").c_str());
  keep_all(a, name, parent, child, kind, placement, child_placement, axis, axis2, pitch, radius, reversed, continuous);
  keep_all(a, dofs, neutral, parts, law, prescribed_kind, where);
}
template <class A>
void keep(A& a, LoopSpec& x) {
  auto& [name, kind, body_a, body_b, pose_a, pose_b, axis, axis2, pitch, radius, active, where] = x;
  keep_all(a, name, kind, body_a, body_b, pose_a, pose_b, axis, axis2, pitch, radius, active, where);
}
template <class A>
void keep(A& a, CouplingTerm& x) {
  auto& [joint, coefficients, reference] = x;
  keep_all(a, joint, coefficients, reference);
}
template <class A>
void keep(A& a, CouplingSpec& x) {
  auto& [name, dependent, terms, offset, active, where] = x;
  keep_all(a, name, dependent, terms, offset, active, where);
}
template <class A>
void keep(A& a, BodySpec& x) {
  auto& [name, mass, com, inertia, where, compensation, axes] = x;
  keep_all(a, name, mass, com, inertia, where, compensation, axes);
}
template <class A>
void keep(A& a, FrameSpec& x) {
  auto& [name, body, pose, where, zone, zone_size] = x;
  keep_all(a, name, body, pose, where, zone, zone_size);
}
template <class A>
void keep(A& a, KeyframeSpec& x) {
  auto& [name, time, q, v, control, where, activation] = x;
  keep_all(a, name, time, q, v, control, where, activation);
}
template <class A>
void keep(A& a, MediumSpec& x) {
  auto& [density, viscosity, wind] = x;
  keep_all(a, density, viscosity, wind);
}
template <class A>
void keep(A& a, SensorSpec& x) {
  auto& [name, kind, object_kind, object, reference_kind, reference, cutoff, where] = x;
  keep_all(a, name, kind, object_kind, object, reference_kind, reference, cutoff, where);
}
template <class A>
void keep(A& a, ShapeSpec& x) {
  auto& [name, body, pose, kind, size, asset, hull, collides, visible, friction, torsional, rolling, law, priority,
         restitution, margin, type, affinity, group, fluid, coefficients, rgba, where] = x;
  keep_all(a, name, body, pose, kind, size, asset, hull, collides, visible, friction, torsional, rolling, law,
           priority);
  keep_all(a, restitution, margin, type, affinity, group, fluid, coefficients, rgba, where);
}
template <class A>
void keep(A& a, MeshSpec& x) {
  auto& [name, file, scale, vertices, triangles, where] = x;
  keep_all(a, name, file, scale, vertices, triangles, where);
}
template <class A>
void keep(A& a, HeightfieldSpec& x) {
  auto& [name, file, rows, cols, size, elevation, where] = x;
  keep_all(a, name, file, rows, cols, size, elevation, where);
}
template <class A>
void keep(A& a, ExclusionSpec& x) {
  auto& [body_a, body_b, where] = x;
  keep_all(a, body_a, body_b, where);
}
template <class A>
void keep(A& a, PairSpec& x) {
  auto& [name, shape_a, shape_b, friction, torsional, rolling, law, margin, where] = x;
  keep_all(a, name, shape_a, shape_b, friction, torsional, rolling, law, margin, where);
}
template <class A>
void keep(A& a, TendonPart& x) {
  auto& [kind, target, side, factor] = x;
  keep_all(a, kind, target, side, factor);
}
template <class A>
void keep(A& a, TendonSpec& x) {
  auto& [name, parts, lower, upper, stiffness, rest, s, damping, d, friction, armature, effort_lower, effort_upper,
         where] = x;
  keep_all(a, name, parts, lower, upper, stiffness, rest, s, damping, d, friction, armature, effort_lower,
           effort_upper);
  keep(a, where);
}
template <class A>
void keep(A& a, TendonCouplingSpec& x) {
  auto& [name, dependent, driver, coefficients, offset, active, where] = x;
  keep_all(a, name, dependent, driver, coefficients, offset, active, where);
}
template <class A>
void keep(A& a, MuscleSpec& x) {
  auto& [range, force, scale, shortest, longest, fastest, passive, lengthening] = x;
  keep_all(a, range, force, scale, shortest, longest, fastest, passive, lengthening);
}
template <class A>
void keep(A& a, ActuatorSpec& x) {
  auto& [name, kind, transmission, target, gear, gain, bias, control_lower, control_upper, force_lower, force_upper,
         where, reference, crank, activation, time_constants, activation_lower, activation_upper, early, ratio, muscle,
         length_range] = x;
  keep_all(a, name, kind, transmission, target, gear, gain, bias, control_lower, control_upper, force_lower);
  keep_all(a, force_upper, where, reference, crank, activation, time_constants, activation_lower, activation_upper);
  keep_all(a, early, ratio, muscle, length_range);
}
template <class A>
void keep(A& a, ModelSpec& x) {
  auto& [name, world, gravity, timestep, bodies, joints, frames, shapes, meshes, heightfields, loops, couplings,
         tendons, tendon_couplings, actuators, exclusions, pairs, keyframes, sensors, medium, magnetic] = x;
  keep_all(a, name, world, gravity, timestep, bodies, joints, frames, shapes, meshes, heightfields, loops, couplings);
  keep_all(a, tendons, tendon_couplings, actuators, exclusions, pairs, keyframes, sensors, medium, magnetic);
}

}  // namespace sinew::py
