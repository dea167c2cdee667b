// src/model/canonical.cpp
#include "canonical.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "resolve.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

// Reads the axes of a joint or loop and reports errors in them.
class AxisReader {
 public:
  AxisReader(std::string element, const SourceLocation& where, Diagnostics& out)
      : element_(std::move(element)), where_(where), out_(out) {}

  Vec3<double> unit(const Vec3<double>& axis, const char* name) {
    const double length = norm(axis);
    if (!(length > 1e-12) || !std::isfinite(length)) {
      bad(std::string(name) + " has length " + std::to_string(length), "give it a direction");
      return {0, 0, 1};
    }
    if (std::abs(length - 1) > 1e-9)
      out_.add(Code::axis_not_unit, element_,
               std::string(name) + " has length " + std::to_string(length) + "; it is normalised",
               "divide it by its length", where_);
    return (1 / length) * axis;
  }
  // Takes coordinates to a frame with z along the axis.
  Rotation<double> along_z(const Vec3<double>& axis) { return rotation_to_z(unit(axis, "axis")); }
  // To a frame spanned by two axes, which take the places `first` and `second` of x = 0, y = 1, z = 2.
  Rotation<double> along_two(const Vec3<double>& axis, const Vec3<double>& axis2, int first, int second) {
    const Vec3<double> a = unit(axis, "axis"), b = unit(axis2, "axis2");
    if (std::abs(dot(a, b)) > 1e-9) bad("axis and axis2 are not perpendicular", "make their dot product zero");
    Vec3<double> e[3];
    e[first] = a;
    e[second] = (1 / norm(b - dot(a, b) * a)) * (b - dot(a, b) * a);
    const int third = 3 - first - second;
    e[third] = cross(e[(third + 1) % 3], e[(third + 2) % 3]);
    return {{e[0].x, e[0].y, e[0].z, e[1].x, e[1].y, e[1].z, e[2].x, e[2].y, e[2].z}};
  }
  void bad(std::string message, std::string repair) {
    out_.add(Code::bad_joint_parameter, element_, std::move(message), std::move(repair), where_);
  }

 private:
  std::string element_;
  const SourceLocation& where_;
  Diagnostics& out_;
};

// canonical frame <- joint frame, and the parameter of the kind.
template <class Spec>
Rotation<double> align(JointKind kind, const Spec& spec, Joint& joint, AxisReader& axes) {
  switch (kind) {
    case JointKind::helical:
      if (!std::isfinite(spec.pitch)) axes.bad("the pitch is not finite", "set it to metres per radian");
      joint.parameter = spec.pitch;
      return axes.along_z(spec.axis);
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::cylindrical:
    case JointKind::planar: return axes.along_z(spec.axis);
    case JointKind::universal: return axes.along_two(spec.axis, spec.axis2, 0, 1);
    case JointKind::rack_and_pinion:
      if (!std::isfinite(spec.radius)) axes.bad("the radius is not finite", "set it to metres");
      joint.parameter = spec.radius;
      return axes.along_two(spec.axis, spec.axis2, 2, 0);
    default: return {};
  }
}

bool has_axis_to_flip(const Joint& j) {
  const JointKind k = j.kind == JointKind::prescribed ? j.prescribed_kind : j.kind;
  return k == JointKind::revolute || k == JointKind::prismatic || k == JointKind::helical ||
         k == JointKind::cylindrical;
}

void append_chain(JointPart part, int q, int v, int top_part, bool outermost, std::vector<PrimitivePart>& chain) {
  Joint& joint = part.joint;
  if (joint.kind != JointKind::composite) {
    if (joint.reversed && has_axis_to_flip(joint)) {
      // A turn by -q about z is a turn by q about -z: flip both frames about x.
      const Transform<double> flip = rotate_frame(Rotation<double>{{1, 0, 0, 0, -1, 0, 0, 0, -1}});
      part.before = flip * part.before;
      part.after = part.after * flip;
      joint.reversed = false;
    }
    chain.push_back({std::move(part), q, v, top_part});
    return;
  }
  // Flatten the parts, then splice the composite's own frames onto the ends.
  const std::size_t first = chain.size();
  int iq = q, iv = v, index = 0;
  std::vector<std::pair<JointPart, std::array<int, 3>>> parts;
  for (JointPart& p : joint.parts) {
    const int nq = p.joint.nq(), nv = p.joint.nv();
    parts.emplace_back(std::move(p), std::array<int, 3>{iq, iv, outermost ? index : top_part});
    iq += nq;
    iv += nv;
    ++index;
  }
  if (joint.reversed) {
    std::reverse(parts.begin(), parts.end());
    for (auto& [p, place] : parts) {
      std::swap(p.before, p.after);
      p.before = inverse(p.before);
      p.after = inverse(p.after);
      p.joint.reversed = !p.joint.reversed;
    }
  }
  for (auto& [p, place] : parts) append_chain(std::move(p), place[0], place[1], place[2], false, chain);
  if (chain.size() == first) {
    chain.push_back({{part.before, Joint{}, part.after}, q, v, top_part});
    return;
  }
  chain[first].part.before = chain[first].part.before * part.before;
  chain.back().part.after = part.after * chain.back().part.after;
}

}  // namespace

JointPart make_canonical(const JointSpec& spec, Diagnostics& out) {
  AxisReader axes("joint '" + spec.name + "'", spec.where, out);
  Joint joint;
  joint.kind = spec.kind;
  joint.reversed = spec.reversed;
  Rotation<double> to_canonical;
  switch (spec.kind) {
    case JointKind::composite:
      if (spec.parts.empty()) axes.bad("a composite joint has no parts", "give it parts or make it fixed");
      for (const JointSpec& p : spec.parts) joint.parts.push_back(make_canonical(p, out));
      if (joint.nv() > kMaxJointDofs)
        axes.bad("its parts have " + std::to_string(joint.nv()) + " freedoms together, at most 6 are possible",
                 "put a body between them");
      break;
    case JointKind::prescribed: {
      const JointKind k = joint.prescribed_kind = spec.prescribed_kind;
      if (k != JointKind::revolute && k != JointKind::prismatic && k != JointKind::helical)
        axes.bad("a " + std::string(to_string(k)) + " motion cannot be prescribed",
                 "use revolute, prismatic or helical, or a composite of them");
      if (!spec.law) axes.bad("`law` is not set", "set it to a function of time");
      joint.law = spec.law ? spec.law : MotionLaw([](double) { return MotionSample{}; });
      to_canonical = align(k, spec, joint, axes);
      break;
    }
    case JointKind::user:
      if (!spec.user) {
        axes.bad("`user` is not set", "set it with make_user_joint");
        joint.kind = JointKind::fixed;
      }
      joint.user = spec.user;
      break;
    default: to_canonical = align(spec.kind, spec, joint, axes);
  }
  const Transform<double> turn = rotate_frame(to_canonical);
  return {turn * spec.placement, std::move(joint), inverse(turn * spec.child_placement)};
}

Joint make_canonical_loop(const LoopSpec& spec, Transform<double>& before, Diagnostics& out) {
  AxisReader axes(name_element(spec, 0), spec.where, out);
  Joint joint;
  joint.kind = spec.kind;
  if (spec.kind == JointKind::composite || spec.kind == JointKind::user || spec.kind == JointKind::prescribed)
    axes.bad("a loop joint cannot be " + std::string(to_string(spec.kind)),
             "use a primitive kind, or add the joint to a ConstraintSet with make_loop_joint");
  before = rotate_frame(align(spec.kind, spec, joint, axes));
  return joint;
}

std::vector<PrimitivePart> make_chain(const JointPart& part) {
  std::vector<PrimitivePart> chain;
  append_chain(part, 0, 0, 0, true, chain);
  return chain;
}

}  // namespace sinew
