// src/io/mjcf_write.cpp - the order of the sections, and how numbers and poses are written
#include "sinew/io/mjcf_write.hpp"

#include <charconv>

#include "io/mjcf/writer.hpp"

namespace sinew {
namespace mjcf {

void Writer::numbers(const char* name, std::span<const double> values) {
  std::string s;
  for (const double v : values) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;  // shortest that reads back the same
    if (!s.empty()) s += ' ';
    s.append(buffer, end);
  }
  text(name, s);
}

void Writer::frame(const Frame& f) {
  if (f.pos.x != 0 || f.pos.y != 0 || f.pos.z != 0) vec("pos", f.pos);
  if (f.quat.x != 0 || f.quat.y != 0 || f.quat.z != 0) numbers("quat", {f.quat.w, f.quat.x, f.quat.y, f.quat.z});
}

Frame Writer::world_frame(const std::string& body) const {
  const auto it = body_index_.find(body);
  return it == body_index_.end() ? Frame{} : bodies_[it->second].world;
}

const WrittenJoint* Writer::scalar(const std::string& joint) const {
  for (const WrittenBody& b : bodies_)
    for (const WrittenJoint& j : b.joints)
      if (j.name == joint && j.dof_count == 1) return &j;
  return nullptr;
}

void Writer::lost(const std::string& element, const std::string& message, const SourceLocation& where) {
  out_.add({Code::unsupported_element, options_.lossy ? Severity::warning : Severity::error, where, element, message,
            options_.lossy ? "" : "remove it, or allow losses"});
}
void Writer::impossible(const std::string& element, const std::string& message, const SourceLocation& where) {
  out_.add({Code::unsupported_element, Severity::error, where, element, message, "change the model"});
}

std::string Writer::write() {
  if (!place_bodies()) return {};
  find_open_loops();
  for (const ShapeSpec& s : spec_.shapes) shapes_.emplace(s.body, &s);
  for (const FrameSpec& f : spec_.frames) frames_.emplace(f.body, &f);
  open("mujoco");
  text("model", spec_.name);
  open("compiler");
  text("angle", "radian");
  text("inertiafromgeom", "false");
  close();
  open("option");
  vec("gravity", spec_.gravity);
  if (spec_.timestep > 0) numbers("timestep", {spec_.timestep});
  const MediumSpec& m = spec_.medium;
  if (m.density != 0) numbers("density", {m.density});
  if (m.viscosity != 0) numbers("viscosity", {m.viscosity});
  if (!(m.wind == Vec3<double>{})) vec("wind", m.wind);
  close();
  const auto section = [&](const char* tag, bool any, auto&& fill) {
    if (!any) return;
    open(tag);
    fill();
    close();
  };
  section("asset", !spec_.meshes.empty() || !spec_.heightfields.empty(), [&] { write_assets(); });
  section("worldbody", true, [&] {
    write_contents(spec_.world);
    for (const int r : roots_) write_body(r, 2);
  });
  section("contact", !spec_.pairs.empty() || !spec_.exclusions.empty(), [&] { write_contact(); });
  section("tendon", !spec_.tendons.empty(), [&] {
    for (const TendonSpec& t : spec_.tendons) write_tendon(t);
  });
  section("equality", !spec_.loops.empty() || !spec_.couplings.empty() || !spec_.tendon_couplings.empty(), [&] {
    for (const LoopSpec& l : spec_.loops) write_loop(l);
    for (const CouplingSpec& c : spec_.couplings) write_coupling(c);
    for (const TendonCouplingSpec& c : spec_.tendon_couplings) write_tendon_coupling(c);
  });
  section("actuator", !spec_.actuators.empty(), [&] {
    for (const ActuatorSpec& a : spec_.actuators) write_actuator(a);
  });
  section("sensor", !spec_.sensors.empty(), [&] {
    for (const SensorSpec& s : spec_.sensors) write_sensor(s);
  });
  section("keyframe", !spec_.keyframes.empty(), [&] {
    for (const KeyframeSpec& k : spec_.keyframes) write_keyframe(k);
  });
  close();
  return xml_.CStr();
}

}  // namespace mjcf

Result<std::string> to_mjcf(const ModelSpec& spec, const MjcfWriteOptions& options) {
  Diagnostics out;
  std::string text = mjcf::Writer(spec, options, out).write();
  return {std::move(text), std::move(out)};
}

}  // namespace sinew
