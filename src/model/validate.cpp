// src/model/validate.cpp
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "resolve.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

bool finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
bool finite(const Sym3<double>& a) {
  return finite(Vec3<double>{a.xx, a.yy, a.zz}) && finite(Vec3<double>{a.xy, a.xz, a.yz});
}

// True where v are the rates of q, at four random positions. A single velocity always is the rate of some coordinate.
bool moves_along_rates(const UserJoint& joint) {
  const int n = joint.nv();
  if (n == 1) return true;
  if (joint.nq() != n) return false;
  Random rng(1);
  const std::vector<double> lower(static_cast<std::size_t>(n), -1.0), upper(static_cast<std::size_t>(n), 1.0);
  std::vector<double> q(lower), v(lower), rate(lower);
  for (int trial = 0; trial < 4; ++trial) {
    joint.random(rng, lower.data(), upper.data(), q.data());
    for (double& x : v) x = rng.uniform(-1, 1);
    joint.rate(q.data(), v.data(), rate.data());
    if (rate != v) return false;
  }
  return true;
}

class Validator {
 public:
  Validator(const ModelSpec& spec, Diagnostics& out) : spec_(spec), out_(out) {}

  void run() {
    if (spec_.bodies.empty())
      out_.add(Code::no_bodies, "model '" + spec_.name + "'", "there are no bodies", "add at least one");
    if (!finite(spec_.gravity)) out_.add(Code::not_finite, "gravity", "is not finite", "give three numbers in m/s^2");
    if (!std::isfinite(spec_.timestep) || spec_.timestep < 0)
      out_.add(Code::negative_coefficient, "timestep", fmt::format("is {}", spec_.timestep), "give seconds, or 0");
    collect_names();
    for (const BodySpec& b : spec_.bodies) check_body(b);
    for (const JointSpec& j : spec_.joints) check_joint(j, true);
    for (const FrameSpec& f : spec_.frames) {
      check_pose(f.pose, "frame '" + f.name + "'", f.where);
      check_body_name(f.body, "frame '" + f.name + "'", f.where);
    }
    for (const ShapeSpec& s : spec_.shapes) check_shape(s);
    for (std::size_t i = 0; i < spec_.loops.size(); ++i) check_loop(spec_.loops[i], static_cast<int>(i) + 1);
    for (std::size_t i = 0; i < spec_.couplings.size(); ++i)
      check_coupling(spec_.couplings[i], static_cast<int>(i) + 1);
    for (std::size_t i = 0; i < spec_.tendons.size(); ++i) check_tendon(spec_.tendons[i], i + 1);
    for (std::size_t i = 0; i < spec_.tendon_couplings.size(); ++i)
      check_tendon_coupling(spec_.tendon_couplings[i], i + 1);
    for (const ActuatorSpec& a : spec_.actuators) check_actuator(a);
    for (const ExclusionSpec& e : spec_.exclusions)
      for (const std::string& b : {e.body_a, e.body_b}) check_body_name(b, "exclusion", e.where);
    for (const PairSpec& p : spec_.pairs)
      for (const std::string& s : {p.shape_a, p.shape_b})
        if (!shapes_.contains(s)) unknown("pair '" + p.name + "'", "shape", s, p.where);
  }

 private:
  // Names -------------------------------------------------------------------------------------------------------
  template <class List>
  std::unordered_set<std::string> collect(const List& list, const char* what, bool may_be_empty) {
    std::unordered_set<std::string> names;
    for (const auto& x : list) {
      if (x.name.empty()) {
        if (!may_be_empty) out_.add(Code::empty_name, what, "has no name", "name it", x.where);
      } else if (!names.insert(x.name).second) {
        out_.add(Code::duplicate_name, fmt::format("{} '{}'", what, x.name), "is defined twice", "rename one of them",
                 x.where);
      }
    }
    return names;
  }
  void collect_joint_names(const std::vector<JointSpec>& joints) {
    for (const JointSpec& j : joints) {
      if (j.name.empty())
        out_.add(Code::empty_name, "joint", "has no name", "name it", j.where);
      else if (!joints_.emplace(j.name, &j).second)
        out_.add(Code::duplicate_name, "joint '" + j.name + "'", "is defined twice", "rename one of them", j.where);
      collect_joint_names(j.parts);
    }
  }
  void collect_names() {
    bodies_ = collect(spec_.bodies, "body", false);
    if (bodies_.contains(spec_.world))
      out_.add(Code::duplicate_name, "body '" + spec_.world + "'", "has the name of the world",
               "rename it, or set ModelSpec::world to another name");
    bodies_.insert(spec_.world);
    collect_joint_names(spec_.joints);
    frames_ = collect(spec_.frames, "frame", false);
    tendons_ = collect(spec_.tendons, "tendon", true);
    collect(spec_.tendon_couplings, "tendon coupling", true);
    shapes_ = collect(spec_.shapes, "shape", true);
    meshes_ = collect(spec_.meshes, "mesh", false);
    heightfields_ = collect(spec_.heightfields, "heightfield", false);
    collect(spec_.loops, "loop", true);
    collect(spec_.couplings, "coupling", true);
    collect(spec_.actuators, "actuator", true);
    collect(spec_.keyframes, "keyframe", true);
  }
  void unknown(std::string element, const char* what, const std::string& name, const SourceLocation& where) {
    out_.add(Code::unknown_name, std::move(element), fmt::format("there is no {} '{}'", what, name),
             "add it or correct the name", where);
  }
  void check_body_name(const std::string& name, const std::string& element, const SourceLocation& where) {
    if (!bodies_.contains(name)) unknown(element, "body", name, where);
  }

  // Laws --------------------------------------------------------------------------------------------------------
  void check_body(const BodySpec& b) {
    const std::string element = "body '" + b.name + "'";
    if (!std::isfinite(b.mass) || !finite(b.com) || !finite(b.inertia)) {
      out_.add(Code::not_finite, element, "mass, centre of mass or inertia is not finite", "give finite numbers",
               b.where);
      return;
    }
    if (b.mass < 0)
      out_.add(Code::negative_mass, element, fmt::format("mass is {:g} kg", b.mass),
               "make it positive, or 0 for a massless link", b.where);
    const Vec3<double> p = principal_moments(b.inertia);
    const double tolerance = 1e-9 * p.z + 1e-20;  // rounding, also of an inertia that should be zero
    if (p.x < -tolerance)
      out_.add(Code::inertia_not_positive, element,
               fmt::format("principal moments of inertia are {:g}, {:g}, {:g} kg m^2", p.x, p.y, p.z),
               "use the inertia about the centre of mass; check the signs of the products of inertia", b.where);
    else if (p.x + p.y < p.z * (1 - 1e-6))
      out_.add(Code::inertia_triangle, element,
               fmt::format("principal moments {:g} + {:g} < {:g} kg m^2: no body has them", p.x, p.y, p.z),
               fmt::format("lower the largest to at most {:g} or raise the others", p.x + p.y), b.where);
    if (b.mass == 0 && p.z > tolerance)
      out_.add(Code::massless_inertia, element, fmt::format("mass is 0 but the inertia is not ({:g} kg m^2)", p.z),
               "give it a mass, or use `armature` of the joint for rotor inertia", b.where);
  }

  void check_pose(const Pose& X, const std::string& element, const SourceLocation& where) {
    const Mat3<double>& m = X.E.m;
    if (!finite(X.r) || !finite(Vec3<double>{m.xx, m.xy, m.xz}) || !finite(Vec3<double>{m.yx, m.yy, m.yz}) ||
        !finite(Vec3<double>{m.zx, m.zy, m.zz}))
      out_.add(Code::not_finite, element, "its placement is not finite", "give finite numbers", where);
    else if (const double error = orthonormality_error(X.E); error > 1e-9)
      out_.add(Code::rotation_not_orthonormal, element, fmt::format("its rotation is off by {:g}", error),
               "build it from a unit quaternion or from angles", where);
  }

  void check_joint(const JointSpec& j, bool in_tree) {
    const std::string element = "joint '" + j.name + "'";
    check_pose(j.placement, element, j.where);
    check_pose(j.child_placement, element, j.where);
    if (in_tree) {
      check_body_name(j.parent, element, j.where);
      check_body_name(j.child, element, j.where);
      if (j.parent == j.child)
        out_.add(Code::self_joint, element, "connects body '" + j.parent + "' to itself", "name two bodies", j.where);
    }
    for (const DofSpec& d : j.dofs) check_dof(d, element, j.where);
    const auto has_armature = [](const DofSpec& d) { return d.armature != 0; };
    if (j.user && std::any_of(j.dofs.begin(), j.dofs.end(), has_armature) && !moves_along_rates(*j.user))
      out_.add(Code::bad_joint_parameter, element,
               "has armature, but its velocities are not the rates of its positions, so its armature is not defined",
               "set the armature to zero, or let the joint's rate() give v itself", j.where);
    for (const double q : j.neutral)
      if (!std::isfinite(q))
        out_.add(Code::not_finite, element, "its neutral position is not finite", "give finite numbers", j.where);
    for (const JointSpec& p : j.parts) check_joint(p, false);
  }
  void check_dof(const DofSpec& d, const std::string& element, const SourceLocation& where) {
    if (std::isnan(d.lower) || std::isnan(d.upper) || std::isnan(d.rest))
      out_.add(Code::not_finite, element, "a limit or rest position is not a number", "give numbers", where);
    if (d.lower > d.upper)
      out_.add(Code::empty_limit_range, element,
               fmt::format("lower limit {:g} is above the upper {:g}", d.lower, d.upper), "swap them", where);
    const std::pair<double, const char*> all[] = {
        {d.max_velocity, "velocity limit"}, {d.max_effort, "effort limit"}, {d.damping, "damping"},
        {d.friction, "friction"},           {d.armature, "armature"},       {d.stiffness, "stiffness"}};
    for (const auto& [x, name] : all)
      if (!(x >= 0))
        out_.add(Code::negative_coefficient, element, fmt::format("{} is {:g}", name, x), "make it 0 or positive",
                 where);
  }

  void check_shape(const ShapeSpec& s) {
    const std::string element =
        s.name.empty() ? fmt::format("{} on body '{}'", to_string(s.kind), s.body) : fmt::format("shape '{}'", s.name);
    check_pose(s.pose, element, s.where);
    check_body_name(s.body, element, s.where);
    const auto positive = [&](std::size_t n) {
      for (std::size_t k = 0; k < n; ++k)
        if (!(s.size[k] > 0) || !std::isfinite(s.size[k])) {
          out_.add(Code::bad_shape_size, element, fmt::format("size {} is {:g} m", k + 1, s.size[k]),
                   "make it positive", s.where);
          return;
        }
    };
    switch (s.kind) {
      case ShapeKind::plane: break;
      case ShapeKind::sphere: positive(1); break;
      case ShapeKind::capsule:
      case ShapeKind::cylinder: positive(2); break;
      case ShapeKind::box:
      case ShapeKind::ellipsoid: positive(3); break;
      case ShapeKind::mesh:
        if (!meshes_.contains(s.asset)) unknown(element, "mesh", s.asset, s.where);
        break;
      case ShapeKind::heightfield:
        if (!heightfields_.contains(s.asset)) unknown(element, "heightfield", s.asset, s.where);
        break;
    }
    for (const double x : {s.friction, s.torsional_friction, s.rolling_friction, s.restitution})
      if (!(x >= 0))
        out_.add(Code::negative_coefficient, element, fmt::format("a friction or restitution coefficient is {:g}", x),
                 "make it 0 or positive", s.where);
  }

  void check_loop(const LoopSpec& l, int number) {
    const std::string element = name_element(l, number);
    check_pose(l.pose_a, element, l.where);
    check_pose(l.pose_b, element, l.where);
    check_body_name(l.body_a, element, l.where);
    check_body_name(l.body_b, element, l.where);
    if (l.body_a == l.body_b)
      out_.add(Code::self_joint, element, "connects body '" + l.body_a + "' to itself", "name two bodies", l.where);
  }

  void check_coupling(const CouplingSpec& c, int number) {
    const std::string element = name_element(c, number);
    check_scalar_joint(c.dependent, element, c.where);
    if (!std::isfinite(c.offset))
      out_.add(Code::not_finite, element, "its offset is not finite", "give a number", c.where);
    for (const CouplingTerm& t : c.terms) {
      check_scalar_joint(t.joint, element, c.where);
      if (t.joint == c.dependent)
        out_.add(Code::bad_joint_parameter, element, "couples joint '" + t.joint + "' to itself", "name another joint",
                 c.where);
      for (const double x : t.coefficients)
        if (!std::isfinite(x))
          out_.add(Code::not_finite, element, "a coefficient is not finite", "give numbers", c.where);
    }
  }

  void check_frame_name(const std::string& name, const std::string& element, const SourceLocation& where) {
    if (!frames_.contains(name) && !bodies_.contains(name)) unknown(element, "frame", name, where);
  }
  bool check_scalar_joint(const std::string& name, const std::string& element, const SourceLocation& where) {
    const auto j = joints_.find(name);
    if (j == joints_.end()) return unknown(element, "joint", name, where), false;
    const JointKind k = j->second->kind;
    const bool scalar = k == JointKind::revolute || k == JointKind::prismatic || k == JointKind::helical ||
                        k == JointKind::rack_and_pinion;
    if (!scalar)
      out_.add(Code::wrong_coordinate_count, element,
               fmt::format("joint '{}' is {}, one coordinate is needed", name, to_string(k)),
               "name a joint of one coordinate", where);
    return scalar;
  }

  void check_tendon(const TendonSpec& t, std::size_t number) {
    const std::string element = t.name.empty() ? fmt::format("tendon {}", number) : "tendon '" + t.name + "'";
    const auto bad = [&](std::string what, const char* repair) {
      out_.add(Code::bad_tendon, element, std::move(what), repair, t.where);
    };
    const auto is_joint = [](const TendonPart& p) { return p.kind == TendonPartKind::joint; };
    const bool fixed = !t.parts.empty() && is_joint(t.parts.front());
    if (t.parts.empty()) bad("has no parts", "give it sites, or joints");
    if (!std::all_of(t.parts.begin(), t.parts.end(), [&](const TendonPart& p) { return is_joint(p) == fixed; }))
      return bad("mixes joints with places on bodies", "make two tendons");
    int sites = 0;  // in the branch so far
    for (std::size_t i = 0; i < t.parts.size(); ++i) {
      const TendonPart& p = t.parts[i];
      const auto kind_at = [&](std::size_t k) { return k < t.parts.size() ? t.parts[k].kind : TendonPartKind::pulley; };
      if (!std::isfinite(p.factor)) bad("a factor is not finite", "give numbers");
      if (p.kind == TendonPartKind::joint) {
        check_scalar_joint(p.target, element, t.where);
      } else if (p.kind == TendonPartKind::site) {
        check_frame_name(p.target, element, t.where), ++sites;
      } else if (p.kind == TendonPartKind::pulley) {
        if (!(p.factor > 0)) bad(fmt::format("a pulley divides by {:g}", p.factor), "give a number > 0");
        if (i > 0 && sites < 2) bad("a branch has fewer than two sites", "a string needs two ends");
        sites = 0;
      } else {
        check_wrap(p, element, t.where);
        if (i == 0 || kind_at(i - 1) != TendonPartKind::site || kind_at(i + 1) != TendonPartKind::site)
          bad("shape '" + p.target + "' is not between two sites", "put a site before it and one behind it");
      }
    }
    if (!fixed && sites < 2 && !t.parts.empty()) bad("its last branch has fewer than two sites", "give it two ends");
    if (!(t.lower <= t.upper))
      out_.add(Code::empty_limit_range, element, fmt::format("lower limit {:g}, upper {:g}", t.lower, t.upper),
               "swap them", t.where);
    if (!(t.effort_lower <= 0) || !(t.effort_upper >= 0))
      bad("zero is not within the range of its actuators' force", "give a range with zero in it");
    if (t.rest && !((*t.rest)[0] <= (*t.rest)[1] && std::isfinite((*t.rest)[0]) && std::isfinite((*t.rest)[1])))
      bad("the range where its spring is at rest is empty or not finite", "give the shorter length first");
    for (const double x : {t.stiffness, t.damping, t.friction, t.armature})
      if (!(x >= 0) || !std::isfinite(x))
        out_.add(Code::negative_coefficient, element,
                 fmt::format("stiffness, damping, friction or armature is {:g}", x), "make it 0 or positive", t.where);
    for (const double x : {t.stiffness_terms[0], t.stiffness_terms[1], t.damping_terms[0], t.damping_terms[1]})
      if (!std::isfinite(x)) bad("a term of its spring or damper is not finite", "give numbers");
  }
  void check_wrap(const TendonPart& p, const std::string& element, const SourceLocation& where) {
    if (!p.side.empty()) check_frame_name(p.side, element, where);
    const auto is_it = [&](const ShapeSpec& s) { return !p.target.empty() && s.name == p.target; };
    const auto s = std::find_if(spec_.shapes.begin(), spec_.shapes.end(), is_it);
    if (s == spec_.shapes.end()) return unknown(element, "shape", p.target, where);
    if (s->kind != ShapeKind::sphere && s->kind != ShapeKind::cylinder)
      out_.add(Code::bad_tendon, element, fmt::format("shape '{}' is a {}", p.target, to_string(s->kind)),
               "tendons wrap around spheres and cylinders", where);
  }

  void check_tendon_coupling(const TendonCouplingSpec& c, std::size_t number) {
    const std::string element =
        c.name.empty() ? fmt::format("tendon coupling {}", number) : "tendon coupling '" + c.name + "'";
    if (!tendons_.contains(c.dependent)) unknown(element, "tendon", c.dependent, c.where);
    if (!c.driver.empty() && !tendons_.contains(c.driver)) unknown(element, "tendon", c.driver, c.where);
    if (c.driver == c.dependent)
      out_.add(Code::bad_tendon, element, "couples tendon '" + c.driver + "' to itself", "name two", c.where);
    bool finite = std::isfinite(c.offset);
    for (const double x : c.coefficients) finite = finite && std::isfinite(x);
    if (!finite) out_.add(Code::not_finite, element, "a coefficient is not finite", "give numbers", c.where);
  }

  void check_actuator(const ActuatorSpec& a) {
    const std::string element = "actuator '" + a.name + "'";
    switch (a.transmission) {
      case Transmission::joint:
      case Transmission::joint_in_parent:
        if (!joints_.contains(a.target)) unknown(element, "joint", a.target, a.where);
        break;
      case Transmission::body: check_body_name(a.target, element, a.where); break;
      case Transmission::tendon:
        if (!tendons_.contains(a.target)) unknown(element, "tendon", a.target, a.where);
        break;
      case Transmission::slider_crank:
        check_frame_name(a.target, element, a.where);
        check_frame_name(a.reference, element, a.where);
        if (!(a.crank_length > 0) || !std::isfinite(a.crank_length))
          out_.add(Code::bad_actuator, element, fmt::format("its rod is {:g} m long", a.crank_length),
                   "give crank_length > 0", a.where);
        break;
      case Transmission::site:
        if (!a.reference.empty()) check_frame_name(a.reference, element, a.where);
        break;
    }
    const bool filters = a.activation == Activation::filter || a.activation == Activation::filter_exact;
    if ((filters || a.activation == Activation::muscle) && !(a.time_constants[0] > 0))
      out_.add(Code::bad_actuator, element, fmt::format("its time constant is {:g} s", a.time_constants[0]),
               "make it positive", a.where);
    if (!(a.activation_lower <= a.activation_upper))
      out_.add(Code::empty_limit_range, element, "the range of its activation is empty", "swap the limits", a.where);
    if (a.length_range && !((*a.length_range)[0] < (*a.length_range)[1]))
      out_.add(Code::bad_actuator, element, "its length range is empty", "give the shorter length first", a.where);
  }

  const ModelSpec& spec_;
  Diagnostics& out_;
  std::unordered_set<std::string> bodies_, frames_, tendons_, shapes_, meshes_, heightfields_;
  std::unordered_map<std::string, const JointSpec*> joints_;
};

}  // namespace

void validate(const ModelSpec& spec, Diagnostics& out) { Validator(spec, out).run(); }

std::string_view to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::plane: return "plane";
    case ShapeKind::sphere: return "sphere";
    case ShapeKind::box: return "box";
    case ShapeKind::capsule: return "capsule";
    case ShapeKind::cylinder: return "cylinder";
    case ShapeKind::ellipsoid: return "ellipsoid";
    case ShapeKind::mesh: return "mesh";
    case ShapeKind::heightfield: return "heightfield";
  }
  return "unknown";
}

}  // namespace sinew
