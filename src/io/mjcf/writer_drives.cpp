// src/io/mjcf/writer_drives.cpp - tendons and actuators
#include <algorithm>
#include <cmath>

#include "io/mjcf/writer.hpp"

namespace sinew::mjcf {

// MJCF's ranges have two sides.
void Writer::write_range(const char* range, double low, double high, const std::string& element,
                         const SourceLocation& where) {
  if (std::isfinite(low) && std::isfinite(high))
    numbers(range, {low, high});
  else if (std::isfinite(low) || std::isfinite(high))
    lost(element, std::string(range) + " has one side only", where);
}

// Bodies are frames by themselves here, but no sites there.
void Writer::check_site(const std::string& frame, const std::string& element, const SourceLocation& where) {
  const auto is_it = [&](const FrameSpec& f) { return f.name == frame; };
  if (std::none_of(spec_.frames.begin(), spec_.frames.end(), is_it))
    impossible(element, "'" + frame + "' is no frame by itself, and MJCF needs a site there", where);
}

void Writer::write_tendon(const TendonSpec& t) {
  const std::string element = "tendon '" + t.name + "'";
  const bool fixed = !t.parts.empty() && t.parts.front().kind == TendonPartKind::joint;
  open(fixed ? "fixed" : "spatial");
  name(t.name);
  write_range("range", t.lower, t.upper, element, t.where);
  write_range("actuatorfrcrange", t.effort_lower, t.effort_upper, element, t.where);
  const auto polynomial = [&](const char* what, double first, const std::array<double, 2>& more) {
    if (first != 0 || more != std::array<double, 2>{}) numbers(what, {first, more[0], more[1]});
  };
  polynomial("stiffness", t.stiffness, t.stiffness_terms);
  polynomial("damping", t.damping, t.damping_terms);
  if (t.rest) numbers("springlength", *t.rest);
  if (t.friction != 0) numbers("frictionloss", {t.friction});
  if (t.armature != 0) numbers("armature", {t.armature});
  for (const TendonPart& p : t.parts) {
    switch (p.kind) {
      case TendonPartKind::joint:
        open("joint");
        text("joint", p.target), numbers("coef", {p.factor});
        break;
      case TendonPartKind::pulley:
        open("pulley");
        numbers("divisor", {p.factor});
        break;
      case TendonPartKind::site:
        check_site(p.target, element, t.where);
        open("site");
        text("site", p.target);
        break;
      case TendonPartKind::wrap:
        open("geom");
        text("geom", p.target);
        if (!p.side.empty()) check_site(p.side, element, t.where), text("sidesite", p.side);
        break;
    }
    close();
  }
  close();
}

void Writer::write_tendon_coupling(const TendonCouplingSpec& c) {
  if (c.coefficients.size() > 4)
    return impossible("tendon coupling '" + c.name + "'", "MJCF couples tendons by polynomials of degree 4", c.where);
  std::array<double, 5> p{c.offset, 0, 0, 0, 0};
  std::copy(c.coefficients.begin(), c.coefficients.end(), p.begin() + 1);
  open("tendon");
  name(c.name);
  text("tendon1", c.dependent);
  if (!c.driver.empty()) text("tendon2", c.driver);
  numbers("polycoef", p);
  if (!c.active) text("active", "false");
  close();
}

void Writer::write_activation(const ActuatorSpec& a) {
  constexpr const char* kDynamics[] = {"none", "integrator", "filter", "filterexact", "muscle"};
  if (a.activation == Activation::none) return;
  text("dyntype", kDynamics[static_cast<std::size_t>(a.activation)]);
  numbers("dynprm", a.time_constants);
  write_range("actrange", a.activation_lower, a.activation_upper, "actuator '" + a.name + "'", a.where);
  if (a.early) text("actearly", "true");
}

void Writer::write_actuator(const ActuatorSpec& a) {
  constexpr const char* kTargets[] = {"joint", "jointinparent", "site", "body", "tendon", "slidersite"};
  const std::string element = "actuator '" + a.name + "'";
  open("general");
  name(a.name);
  text(kTargets[static_cast<std::size_t>(a.transmission)],
       a.transmission == Transmission::body ? body_name(a.target) : a.target);
  if (a.transmission == Transmission::slider_crank)
    text("cranksite", a.reference), numbers("cranklength", {a.crank_length});
  if (a.transmission == Transmission::site && !a.reference.empty()) text("refsite", a.reference);
  for (const std::string* frame : {&a.target, &a.reference})
    if ((a.transmission == Transmission::site || a.transmission == Transmission::slider_crank) && !frame->empty())
      check_site(*frame, element, a.where);
  numbers("gear", a.gear);
  write_activation(a);
  if (a.length_range) numbers("lengthrange", *a.length_range);
  if (const auto& m = a.muscle) {
    const std::array<double, 9> law{m->range[0], m->range[1], m->force,   m->scale,      m->shortest,
                                    m->longest,  m->fastest,  m->passive, m->lengthening};
    text("gaintype", "muscle"), text("biastype", "muscle");
    numbers("gainprm", law), numbers("biasprm", law);
  } else {
    if (a.gain[1] != 0 || a.gain[2] != 0) text("gaintype", "affine");
    numbers("gainprm", a.gain);
    // A damping ratio is a positive third number.
    std::array<double, 3> bias = a.bias;
    if (a.damping_ratio > 0) bias[2] = a.damping_ratio;
    if (bias != std::array<double, 3>{}) text("biastype", "affine"), numbers("biasprm", bias);
  }
  write_range("ctrlrange", a.control_lower, a.control_upper, element, a.where);
  write_range("forcerange", a.force_lower, a.force_upper, element, a.where);
  close();
}

}  // namespace sinew::mjcf
