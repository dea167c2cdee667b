// src/model/model_hash.cpp
#include "sinew/model/model_hash.hpp"

#include <array>
#include <bit>
#include <string>
#include <type_traits>
#include <vector>

#include "sinew/joint/user.hpp"
#include "sinew/model/model.hpp"

namespace sinew {
namespace {

// FNV-1a over a stream without gaps: numbers as eight bytes from the lowest, lists and texts after their length.
class Hash {
 public:
  std::uint64_t value() const { return value_; }

  template <class... All>
  void operator()(const All&... all) {
    (add(all), ...);
  }

 private:
  void add(std::uint64_t x) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ ((x >> (8 * i)) & 0xff)) * 0x100000001b3;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  template <class T>
    requires(std::is_enum_v<T> || std::is_same_v<T, int> || std::is_same_v<T, bool>)
  void add(T x) {
    add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
  }
  void add(const std::string& s) {
    add(static_cast<std::uint64_t>(s.size()));
    for (const char c : s) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(static_cast<std::uint64_t>(list.size()));
    for (const T& x : list) add(x);
  }
  template <class T, std::size_t n>
  void add(const std::array<T, n>& list) {
    for (const T& x : list) add(x);
  }
  void add(const Vec3<double>& v) { (*this)(v.x, v.y, v.z); }
  void add(const Sym3<double>& s) { (*this)(s.xx, s.xy, s.xz, s.yy, s.yz, s.zz); }
  void add(const Pose& p) {
    const Mat3<double>& e = p.E.m;
    (*this)(p.r, e.xx, e.xy, e.xz, e.yx, e.yy, e.yz, e.zx, e.zy, e.zz);
  }

  void add(const BodySpec& b) {
    (*this)(b.name, b.mass, b.com, b.inertia);
    if (const auto& a = b.principal_axes) (*this)(a->w, a->x, a->y, a->z);
    if (b.gravity_compensation != 0) add(b.gravity_compensation);
  }
  void add(const FrameSpec& f) { (*this)(f.name, f.body, f.pose); }
  void add(const DofSpec& d) {
    (*this)(d.lower, d.upper, d.max_velocity, d.max_effort, d.damping, d.friction, d.armature, d.stiffness, d.rest);
    if (d.stiffness_terms != std::array<double, 2>{} || d.damping_terms != std::array<double, 2>{})
      (*this)(d.stiffness_terms, d.damping_terms);
  }
  void add(const JointSpec& j) {
    (*this)(j.name, j.parent, j.child, j.kind, j.placement, j.child_placement, j.axis, j.axis2, j.pitch, j.radius);
    (*this)(j.reversed, j.continuous, j.dofs, j.neutral, j.parts, j.prescribed_kind);
    add(static_cast<bool>(j.law));
    if (j.law)
      for (const double t : {0.0, 0.3, 1.7, 23.0}) {
        const MotionSample at = j.law(t);
        (*this)(at.position, at.velocity, at.acceleration);
      }
    add(j.user != nullptr);
    if (j.user) {
      std::vector<double> q(static_cast<std::size_t>(j.user->nq()));
      j.user->neutral(q.data());
      (*this)(j.user->nv(), q);
    }
  }
  void add(const LoopSpec& l) {
    (*this)(l.name, l.kind, l.body_a, l.body_b, l.pose_a, l.pose_b, l.axis, l.axis2, l.pitch, l.radius, l.active);
  }
  void add(const CouplingTerm& t) { (*this)(t.joint, t.coefficients, t.reference); }
  void add(const CouplingSpec& c) { (*this)(c.name, c.dependent, c.terms, c.offset, c.active); }
  void add(const ActuatorSpec& a) {
    (*this)(a.name, a.kind, a.transmission, a.target, a.gear, a.gain, a.bias, a.control_lower, a.control_upper);
    (*this)(a.force_lower, a.force_upper);
    if (!a.reference.empty()) (*this)(a.reference, a.crank_length);
    if (a.activation != Activation::none)
      (*this)(a.activation, a.time_constants, a.activation_lower, a.activation_upper, a.early);
    if (a.damping_ratio != 0) add(a.damping_ratio);
    if (a.length_range) add(*a.length_range);
    if (const auto& u = a.muscle)
      (*this)(u->range, u->force, u->scale, u->shortest, u->longest, u->fastest, u->passive, u->lengthening);
  }
  void add(const TendonPart& p) { (*this)(p.kind, p.target, p.side, p.factor); }
  void add(const TendonSpec& t) {
    (*this)(t.name, t.parts, t.lower, t.upper, t.stiffness, t.stiffness_terms, t.damping, t.damping_terms);
    (*this)(t.friction, t.armature, t.effort_lower, t.effort_upper, t.rest.has_value());
    if (t.rest) add(*t.rest);
  }
  void add(const TendonCouplingSpec& c) { (*this)(c.name, c.dependent, c.driver, c.coefficients, c.offset, c.active); }
  void add(const ShapeSpec& s) {
    add(s.collides);
    if (s.fluid_ellipsoid) (*this)(s.body, s.pose, s.kind, s.size, s.asset, s.fluid_coefficients);
    if (!s.collides) return;
    (*this)(s.name, s.body, s.pose, s.kind, s.size, s.asset, s.friction, s.torsional_friction, s.rolling_friction);
    (*this)(s.restitution, s.margin, s.contact_type, s.contact_affinity, static_cast<int>(s.friction_law), s.priority);
  }
  void add(const MeshSpec& m) { (*this)(m.name, m.scale, m.vertices, m.triangles); }
  void add(const HeightfieldSpec& h) { (*this)(h.name, h.rows, h.cols, h.size, h.elevation); }
  void add(const ExclusionSpec& e) { (*this)(e.body_a, e.body_b); }
  void add(const PairSpec& p) {
    (*this)(p.name, p.shape_a, p.shape_b, p.friction, p.torsional_friction, p.rolling_friction, p.margin);
    add(static_cast<int>(p.friction_law));
  }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

std::uint64_t calc_model_hash(const Model& m) {
  const ModelSpec& s = m.spec();
  Hash hash;
  hash(s.world, s.gravity, s.bodies, s.joints, s.frames, s.shapes, s.meshes, s.heightfields);
  hash(s.loops, s.couplings, s.actuators, s.exclusions, s.pairs);
  if (!s.tendons.empty()) hash(s.tendons, s.tendon_couplings);
  if (s.medium.density != 0 || s.medium.viscosity != 0) hash(s.medium.density, s.medium.viscosity, s.medium.wind);
  return hash.value();
}

}  // namespace sinew
