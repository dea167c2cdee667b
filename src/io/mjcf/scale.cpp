// src/io/mjcf/scale.cpp - the powers of length and mass in each quantity
#include "io/mjcf/scale.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::mjcf {
namespace {

// Beyond these bounds products of forces and stiffnesses leave the range of numbers.
constexpr double kMostLength = 1e30, kMostMass = 1e90;

bool within(double x, double most) { return x >= 1 / most && x <= most; }

void multiply(std::span<double> values, double factor) {
  for (double& x : values) x *= factor;
}

// Springs and dampers: a linear coefficient and two of higher powers.
void scale_terms(double& first, std::array<double, 2>& more, const Unit& u) {
  first *= u.force(1);
  more = {more[0] * u.force(2), more[1] * u.force(3)};
}

// What a pressure is multiplied by.
double pressure(const Scale& s) { return s.force_mass / s.force_length; }

bool follows_coordinate(const ActuatorSpec& a) {
  return a.kind == "position" || a.kind == "velocity" || a.kind == "intvelocity";
}

}  // namespace

Scale geometric_mean(const Scale& a, const Scale& b) {
  const auto mean = [](double x, double y) { return x == y ? x : std::sqrt(x) * std::sqrt(y); };
  return {mean(a.length, b.length), mean(a.mass, b.mass), mean(a.force_length, b.force_length),
          mean(a.force_mass, b.force_mass)};
}

double Unit::force(int power) const {
  return is_length ? scale.force_mass * std::pow(scale.force_length, 1 - power) : torque();
}

int Scales::add(int parent, const Scale& own, const Vec3<double>& origin) {
  const Entry& p = frames_[at(parent)];
  Entry e{{p.scale.length * own.length, p.scale.mass * own.mass, p.scale.force_length * own.force_length,
           p.scale.force_mass * own.force_mass},
          parent,
          {}};
  const Vec3<double> unscaled = (1 / p.scale.length) * (origin - p.shift);
  e.shift = origin - e.scale.length * unscaled;
  frames_.push_back(e);
  return static_cast<int>(frames_.size()) - 1;
}

int Scales::common(int a, int b) const {
  while (a != b) (a > b ? a : b) = frames_[at(std::max(a, b))].parent;  // parents come first
  return a;
}

Scale read_scale(const Reader& r, const Scale& outer) {
  const std::vector<double> s = r.list("scale");
  const double given = r.number("massscale").value_or(0);
  const bool geometry = r.choice("scaling", {"similar", "geometry"}, 0) == 1;
  const auto fail = [&](Code code, const char* message, const char* repair) {
    r.error(code, message, repair);
    return Scale{};
  };
  if (s.size() == 2 || s.size() > 3)
    return fail(Code::bad_value, "scale has neither one nor three numbers", "write scale=\"2\"");
  for (const double x : s)
    if (!(x > 0) || !std::isfinite(x)) return fail(Code::bad_value, "scale is not positive", "write a number > 0");
  if (!(given >= 0) || !std::isfinite(given))
    return fail(Code::bad_value, "massscale is negative", "write a number > 0, or 0 for that of the volumes");
  if (s.size() == 3 && (s[0] != s[1] || s[1] != s[2])) {
    if (!geometry)
      return fail(Code::bad_value, "a scale that differs between axes cannot change forces",
                  "write one number, or scaling=\"geometry\"");
    return fail(Code::unsupported_element, "a scale that differs between axes is not applied",
                "write one number, or scale the contents in the file");
  }
  const double length = s.empty() ? 1 : s[0], mass = given > 0 ? given : length * length * length;
  if (!within(length * outer.length, kMostLength) || !within(mass * outer.mass, kMostMass))
    return fail(Code::bad_value, "scale or massscale leaves the range of numbers", "write numbers nearer to 1");
  if (geometry) return {length, mass, 1, 1};
  return {length, mass, length, mass};
}

Frame place(const Surroundings& around, const Scales& scales, const Frame& own) {
  return around.frame * Frame{scales[around.scale].length * own.pos, own.quat};
}

Unit unit_of(const Joint& j, const Scales& scales) {
  return {scales[j.scale], j.type == JointType::slide || j.type == JointType::free};
}

void scale_joint(Joint& j, const Unit& u) {
  if (j.type == JointType::free) return;
  j.ref *= u.position();
  for (DofSpec& d : j.dofs) {
    d.lower *= u.position(), d.upper *= u.position(), d.rest *= u.position();
    d.max_effort *= u.force(), d.friction *= u.force(), d.armature *= u.force(1);
    scale_terms(d.stiffness, d.stiffness_terms, u);
    scale_terms(d.damping, d.damping_terms, u);
  }
}

void scale_inertial(Inertial& in, const Scale& s) {
  in.mass *= s.mass;
  in.inertia = (s.mass * s.length * s.length) * in.inertia;
}

void scale_geom(Geom& g, const Scale& s, bool of_surface) {
  g.density *= s.mass / (s.length * s.length * (of_surface ? 1 : s.length));
  if (g.mass) *g.mass *= s.mass;
  multiply(g.shape.size, s.length);
  g.shape.margin *= s.length;
  g.shape.torsional_friction *= s.length, g.shape.rolling_friction *= s.length;
}

void scale_tendon(TendonSpec& t, const Unit& u) {
  t.lower *= u.position(), t.upper *= u.position();
  if (t.rest) multiply(*t.rest, u.position());
  t.effort_lower *= u.force(), t.effort_upper *= u.force();
  t.friction *= u.force(), t.armature *= u.force(1);
  scale_terms(t.stiffness, t.stiffness_terms, u);
  scale_terms(t.damping, t.damping_terms, u);
}

void scale_polynomial(std::span<double> c, const Unit& y, const Unit& x) {
  double factor = y.position();
  for (double& value : c) value *= factor, factor /= x.position();
}

double control_factor(const ActuatorSpec& a, const Unit& u) {
  return follows_coordinate(a) ? u.position() : a.kind == "cylinder" ? pressure(u.scale) : 1;
}

void scale_actuator(ActuatorSpec& a, const Unit& u) {
  const double control = control_factor(a, u);
  a.control_lower *= control, a.control_upper *= control;
  a.activation_lower *= control, a.activation_upper *= control;
  a.force_lower *= u.force(), a.force_upper *= u.force();
  if (a.length_range) multiply(*a.length_range, u.position());
  a.crank_length *= u.scale.length;
  // A gear on places has forces, and couples beside them; couples alone are their own unit.
  const bool of_place = a.transmission == Transmission::site || a.transmission == Transmission::joint ||
                        a.transmission == Transmission::joint_in_parent;
  if (of_place && u.is_length) multiply(std::span(a.gear).last(3), u.scale.length);
  if (a.muscle) {
    if (a.muscle->force > 0) a.muscle->force *= u.force();
    return;
  }
  a.gain[0] *= follows_coordinate(a) ? u.force(1) : a.kind == "cylinder" ? u.force() / control : u.force();
  a.gain[1] *= u.force(1), a.gain[2] *= u.force(1);
  a.bias[0] *= u.force(), a.bias[1] *= u.force(1);
  if (a.bias[2] < 0) a.bias[2] *= u.force(1);  // above 0 MuJoCo takes it for a damping ratio
}

double cutoff_factor(std::string_view kind, const Unit& u) {
  if (has_word("jointpos jointvel jointlimitpos jointlimitvel tendonpos tendonvel tendonlimitpos tendonlimitvel "
               "actuatorpos actuatorvel",
               kind))
    return u.position();
  if (has_word("jointactuatorfrc jointlimitfrc tendonactuatorfrc tendonlimitfrc actuatorfrc", kind)) return u.force();
  if (has_word("accelerometer velocimeter rangefinder framepos framelinvel framelinacc subtreecom subtreelinvel "
               "distance normal fromto",
               kind))
    return u.scale.length;
  if (has_word("force touch", kind)) return u.scale.force_mass * u.scale.force_length;
  return has_word("torque subtreeangmom", kind) ? u.torque() : 1;
}

}  // namespace sinew::mjcf
