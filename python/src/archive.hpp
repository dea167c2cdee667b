// python/src/archive.hpp - specifications as bytes and back, field by field, for pickle
// Every struct is taken apart by a structured binding: a field that is added to one and not here does not compile.
// Functions written in Python (laws) cannot be bytes: they are kept as objects beside, and pickle decides about them.
// What only C++ can make (laws and joints of C++) is refused by name.
#pragma once
#include <bit>
#include <cstring>

#include "callable.hpp"
#include "sinew/model/spec.hpp"

namespace sinew::py {

class ArchiveWriter {
 public:
  static constexpr bool kReads = false;
  void raw(const void* p, std::size_t n) { bytes.append(static_cast<const char*>(p), n); }
  void count(std::size_t& n) {
    const std::uint64_t x = n;
    raw(&x, sizeof x);
  }
  void object(nb::object& o) { objects.append(o); }
  std::string bytes;
  nb::list objects;
};

// Throws ValueError where the bytes end too early.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;
  ArchiveReader(std::string_view b, nb::list o) : bytes_(b), objects_(std::move(o)) {}
  void raw(void* p, std::size_t n) {
    if (n > bytes_.size()) throw nb::value_error("unpickling: the bytes are cut off");
    std::memcpy(p, bytes_.data(), n);
    bytes_.remove_prefix(n);
  }
  void count(std::size_t& n) {
    std::uint64_t x = 0;
    raw(&x, sizeof x);
    if (x > bytes_.size()) throw nb::value_error("unpickling: the bytes are damaged");  // an entry has at least a byte
    n = x;
  }
  void object(nb::object& o) { o = objects_[next_++]; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  nb::list objects_;
  std::size_t next_ = 0;
};

template <class A, class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
void keep(A& a, T& x) {
  a.raw(&x, sizeof x);
}
template <class A>
void keep(A& a, std::string& s) {
  std::size_t n = s.size();
  a.count(n);
  if constexpr (A::kReads) s.resize(n);
  a.raw(s.data(), n);
}
// Declared before what uses them within each other.
template <class A, class T>
void keep(A&, std::vector<T>&);
template <class A, class T>
void keep(A&, std::optional<T>&);
template <class A, class T, std::size_t n>
void keep(A&, std::array<T, n>&);

template <class A, class... Fields>
void keep_all(A& a, Fields&... fields) {
  (keep(a, fields), ...);
}

template <class A>
void keep(A& a, Vec3<double>& x) {
  auto& [x0, x1, x2] = x;
  keep_all(a, x0, x1, x2);
}
template <class A>
void keep(A& a, Sym3<double>& x) {
  auto& [xx, xy, xz, yy, yz, zz] = x;
  keep_all(a, xx, xy, xz, yy, yz, zz);
}
template <class A, class T>
  requires(std::same_as<T, Rotation<double>> || std::same_as<T, Quaternion<double>>)
void keep(A& a, T& x) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  a.raw(&x, sizeof x);
}
template <class A>
void keep(A& a, Transform<double>& x) {
  auto& [E, r] = x;
  keep_all(a, E, r);
}
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

template <class A, class T>
void keep(A& a, std::vector<T>& list) {
  std::size_t n = list.size();
  a.count(n);
  if constexpr (A::kReads) list.resize(n);
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::size_t bytes = n * sizeof(T);
    a.count(bytes);  // a reader must not reserve more than there is
    if (bytes != n * sizeof(T)) throw nb::value_error("unpickling: the bytes are of another version");
    a.raw(list.data(), bytes);
  } else {
    for (T& x : list) keep(a, x);
  }
}
template <class A, class T>
void keep(A& a, std::optional<T>& x) {
  bool any = x.has_value();
  keep(a, any);
  if constexpr (A::kReads)
    if (any) x.emplace();
  if (any) keep(a, *x);
}
template <class A, class T, std::size_t n>
void keep(A& a, std::array<T, n>& list) {
  for (T& x : list) keep(a, x);
}

}  // namespace sinew::py
