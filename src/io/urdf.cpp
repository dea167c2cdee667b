// src/io/urdf.cpp - the robot element, and helpers for all its parts
#include "sinew/io/urdf.hpp"

#include <algorithm>

#include "io/urdf_reader.hpp"

namespace sinew {
namespace urdf {

void Reader::say(Severity severity, Code code, const Element& e, std::string message, std::string repair) {
  out.add({code, severity, xml::where(e, file), xml::label(e), std::move(message), std::move(repair)});
}

void Reader::say(Code code, const Element& e, std::string message, std::string repair) {
  say(describe(code).severity, code, e, std::move(message), std::move(repair));
}

void Reader::ignore(const Element& e, std::string_view kind) {
  const auto known =
      std::find_if(ignored_.begin(), ignored_.end(), [kind](const Ignored& i) { return i.kind == kind; });
  if (known == ignored_.end())
    ignored_.push_back({std::string(kind), 1, xml::where(e, {}).line});
  else
    ++known->count;
}

void Reader::write_ignored() {
  for (const Ignored& i : ignored_)
    out.add(Code::ignored_element, i.kind,
            i.count == 1 ? "is not kept" : std::to_string(i.count) + " times, is not kept; the first is here", {},
            {file, i.line});
}

void Reader::soften(std::size_t first) {
  const std::vector<Diagnostic>& list = out.list();
  if (std::none_of(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(),
                   [](const Diagnostic& d) { return d.severity == Severity::error; }))
    return;
  Diagnostics soft;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Diagnostic d = list[i];
    if (i >= first && d.severity == Severity::error) d.severity = Severity::warning;
    soft.add(std::move(d));
  }
  out = std::move(soft);
}

void Reader::take_children(const Element& e, std::span<Slot> once, std::initializer_list<std::string_view> many,
                           std::initializer_list<std::string_view> ignored) {
  const auto in = [](auto list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const auto* node = e.FirstChild(); node && !has_too_many_remarks(); node = node->NextSibling()) {
    if (node->ToText())
      say(Code::unknown_element, e, "holds the text " + xml::quote(node->Value()), "put values into attributes");
    const Element* child = node->ToElement();
    if (!child) continue;
    const std::string_view name = child->Name();
    const auto slot = std::find_if(once.begin(), once.end(), [name](const Slot& s) { return name == s.name; });
    if (slot != once.end()) {
      if (slot->found)
        say(Code::value_adjusted, *child, "is given twice, the first one is used", "remove one");
      else
        slot->found = child;
    } else if (in(ignored, name)) {
      ignore(*child, name);
    } else if (!in(many, name)) {
      say(Code::unknown_element, *child, "is not understood inside <" + std::string(e.Name()) + ">",
          "remove it or mend its spelling");
    }
  }
}

Pose Reader::origin(const Element* e) {
  Pose X;
  if (!e) return X;
  const auto a = attributes(*e);
  a.allow_only({"xyz", "rpy"});
  std::array<double, 3> v{};
  if (a.numbers("xyz", v, 3)) X.r = {v[0], v[1], v[2]};
  // Roll, pitch and yaw about the reference axes, so R = Rz Ry Rx and E = R^T.
  if (a.numbers("rpy", v, 3) && (v[0] != 0 || v[1] != 0 || v[2] != 0))
    X.E = rotation_x(v[0]) * rotation_y(v[1]) * rotation_z(v[2]);
  return X;
}

namespace {

// The first element of xacro's, where a file has one: among the links, or in one of them.
const Element* find_xacro(const Element& e) {
  for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement()) {
    if (std::string_view(c->Name()).starts_with("xacro:")) return c;
    if (const Element* inside = find_xacro(*c)) return inside;
  }
  return nullptr;
}

void read_robot(Reader& r, const Element& robot) {
  const auto a = r.attributes(robot);
  a.allow_only({"name", "version"});
  if (const auto name = a.text("name"))
    r.spec.name = *name;
  else
    r.say(Severity::warning, Code::missing_attribute, robot, "has no name", "add name=\"...\"");
  r.take_children(robot, {}, {"link", "joint", "material"},
                  {"gazebo", "transmission", "sensor", "ros2_control", "mujoco", "verbose"});
  for (const auto* e = robot.FirstChildElement("material"); e; e = e->NextSiblingElement("material"))
    read_material(r, *e);
  for (const auto* e = robot.FirstChildElement(); e && !r.has_too_many_remarks(); e = e->NextSiblingElement()) {
    const std::string_view name = e->Name();
    if (name == "link") read_link(r, *e);
    if (name == "joint") read_joint(r, *e);
  }
  resolve_materials(r);
  r.write_ignored();
}

}  // namespace
}  // namespace urdf

Result<ModelSpec> parse_urdf(std::string_view text, const std::filesystem::path& file, const UrdfOptions& options) {
  Diagnostics out;
  urdf::Reader reader(file, options, out);
  const auto document = xml::parse(text, reader.file, out);
  if (!document) return out;
  const xml::Element& robot = *document->RootElement();
  if (std::string_view(robot.Name()) != "robot") {
    reader.say(Code::wrong_root, robot, "the root element is " + xml::quote(robot.Name()) + ", must be 'robot'",
               "is this a URDF file?");
    return out;
  }
  if (const xml::Element* macro = urdf::find_xacro(robot)) {
    const std::string name = file.empty() ? "robot.urdf.xacro" : file.filename().string();
    reader.say(Severity::error, Code::unsupported_element, *macro, "this is a xacro file, not yet a URDF",
               "expand it first: xacro " + name + " > robot.urdf (ROS: ros-*-xacro; else: pip install xacro)");
    return out;
  }
  urdf::read_robot(reader, robot);
  if (reader.has_too_many_remarks())
    out.add(Code::too_many_elements, "robot", "reading stopped: too many remarks", "mend the first ones",
            {reader.file, 0});
  else if (reader.spec.bodies.empty())
    reader.say(Severity::error, Code::no_bodies, robot, "has no link", "add <link name=\"...\"/>");
  else
    urdf::check_tree(reader.spec, options.floating_base, out);
  if (options.strict) out.make_strict();
  return {std::move(reader.spec), std::move(out)};
}

Result<ModelSpec> load_urdf(const std::filesystem::path& file, const UrdfOptions& options) {
  Diagnostics out;
  const auto text = xml::read_file(file, out);
  if (!text) return out;
  return parse_urdf(*text, file, options);
}

}  // namespace sinew
