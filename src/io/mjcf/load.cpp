// src/io/mjcf/load.cpp - an MJCF file, section by section
#include "io/mjcf/work.hpp"

namespace sinew {
namespace mjcf {
namespace {

// Sections that no reader takes, and elements that MJCF does not have.
void remark_on_rest(Work& w) {
  if (w.at.attachment && w.at.attachment->self) return;
  constexpr std::string_view kLooks = "visual statistic size custom extension";
  for (const Node& n : w.root().children) {
    if (w.full()) return;
    const std::string tag(n.tag());
    if (!has_word(known_children("mujoco"), tag)) {
      w.warn(n, Code::unknown_element, "MJCF has no such section", "remove it");
    } else if (has_word(kLooks, tag)) {
      w.remarks.count(Code::ignored_element, "<" + tag + ">", "is not kept", n);
    } else if (tag == "deformable") {
      for (const Node& c : n.children) {
        if (w.full()) return;
        if (!has_word(known_children(tag), c.tag()))
          w.warn(c, Code::unknown_element, "MJCF has no such " + tag, "remove it");
        else if (c.tag() == "skin")
          w.remarks.count(Code::ignored_element, "<skin>", "looks are not kept", c);
        else if (c.tag() == "flex" || c.tag() == "plugin")
          refuse_element(w, c);
        else
          w.remarks.count(Code::unsupported_element, tag + " <" + std::string(c.tag()) + ">", "is not modelled", c);
      }
    }
  }
}

// MJCF has no restitution. <custom><numeric name="sinew_restitution" data="0.7"/></custom> sets that of all geoms;
// MuJoCo ignores it.
void read_restitution(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "custom") continue;
    for (const Node& n : section.children) {
      const Reader r(n, w.out);
      if (n.tag() != "numeric" || r.text("name") != "sinew_restitution") continue;
      const std::optional<double> e = r.number("data");
      if (!e || !(*e >= 0 && *e <= 1))
        r.error(Code::bad_value, "sinew_restitution is not a number between 0 and 1", "write data=\"0.7\"");
      for (ShapeSpec& s : w.spec.shapes) s.restitution = e.value_or(0);
    }
  }
}

void read(Work& w) {
  w.spec.name = w.root().xml->Attribute("model") ? w.root().xml->Attribute("model") : "MuJoCo Model";
  w.spec.gravity = w.settings().gravity;
  w.spec.timestep = w.settings().timestep;
  w.spec.medium = w.settings().medium;
  w.spec.magnetic = w.settings().magnetic;
  read_assets(w);
  read_bodies(w);
  infer_inertias(w);
  for_files(w, read_meshes_for_rays);
  write_bodies(w);
  read_restitution(w);
  for_files(w, read_contacts);
  for_files(w, read_tendons);
  for_files(w, read_equalities);
  for_files(w, read_actuators);
  set_springs(w);
  for_files(w, read_keyframes);
  for_files(w, read_sensors);
  for_files(w, remark_on_rest);
  if (w.full()) w.error(w.root(), Code::too_many_elements, "reading stopped: too many remarks", "mend the first ones");
  w.remarks.flush(w.out);
}

}  // namespace

void refuse_element(Work& w, const Node& n) {
  const std::string tag(n.tag());
  if (tag == "plugin")
    w.error(n, Code::unsupported_element, "is a plugin: code of another program that is not here", "remove it");
  else
    w.error(n, Code::unsupported_element,
            "makes a deformable body of many particles, which is not modelled (flexible bodies here have modes, see "
            "docs/flexible.md)",
            "remove it, or give a rigid body in its place");
}

}  // namespace mjcf

Result<ModelSpec> parse_mjcf(std::string_view text, const std::filesystem::path& file, const MjcfOptions& options) {
  Diagnostics out;
  auto tree = mjcf::read_tree(text, file, out);
  if (!tree) return out;
  mjcf::Remarks remarks;
  const mjcf::File main = mjcf::make_file(file, std::move(*tree), remarks, out);
  mjcf::Work w(options, out, main);
  w.remarks = std::move(remarks);
  mjcf::read(w);
  if (options.strict) out.make_strict();
  return {std::move(w.spec), std::move(out)};
}

Result<ModelSpec> load_mjcf(const std::filesystem::path& file, const MjcfOptions& options) {
  Diagnostics out;
  const auto text = xml::read_file(file, out);
  if (!text) return out;
  return parse_mjcf(*text, file, options);
}

}  // namespace sinew
