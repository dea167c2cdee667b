// src/io/urdf_link.cpp - links: inertia, shapes, colours, meshes
#include <algorithm>
#include <optional>

#include "io/urdf_reader.hpp"

namespace sinew::urdf {
namespace {

void read_inertial(Reader& r, const Element& e, BodySpec& body) {
  Slot slots[] = {{"origin"}, {"mass"}, {"inertia"}};
  r.take_children(e, slots);
  const auto& [origin, mass, inertia] = slots;
  const Pose X = r.origin(origin.found);
  body.com = X.r;
  if (mass.found) {
    const auto a = r.attributes(*mass.found);
    a.allow_only({"value"});
    body.mass = a.required_number("value").value_or(0);
  } else {
    r.say(Code::missing_element, e, "has no mass", "add <mass value=\"...\"/>");
  }
  if (inertia.found) {
    const auto a = r.attributes(*inertia.found);
    a.allow_only({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    const auto entry = [&a](const char* name) { return a.required_number(name).value_or(0); };
    const Sym3<double> I{entry("ixx"), entry("ixy"), entry("ixz"), entry("iyy"), entry("iyz"), entry("izz")};
    body.inertia = origin.found && origin.found->Attribute("rpy") ? rotate(inverse(X.E), I) : I;
  } else {
    r.say(Code::missing_element, e, "has no inertia", "add <inertia ixx=\"...\" .../>");
  }
}

// The mesh's name in the spec, entered once for each file and scale.
std::string add_mesh(Reader& r, const Element& e) {
  const auto a = r.attributes(e);
  a.allow_only({"filename", "scale"});
  const auto file = a.required_text("filename");
  std::vector<double> scale = a.numbers("scale");
  if (scale.size() > 3)
    r.say(Code::value_adjusted, e, "scale has " + std::to_string(scale.size()) + " numbers: the first three are used",
          "keep three");
  if (a.text("scale") && scale.size() < 3)
    r.say(Code::bad_value, e, "scale has " + std::to_string(scale.size()) + " numbers, must have 3",
          "write scale=\"1 1 1\"");
  if (scale.size() < 3) scale.assign(3, 1.0);
  if (!file) return {};
  const auto [entry, fresh] =
      r.mesh_names.try_emplace(std::string(*file) + '\n' + std::string(a.text("scale").value_or("")));
  if (!fresh) return entry->second;

  MeshSpec mesh;
  mesh.name = *file;
  if (a.text("scale")) mesh.name += " x " + std::string(*a.text("scale"));
  mesh.scale = {scale[0], scale[1], scale[2]};
  mesh.where = xml::where(e, r.file);
  auto found = r.mesh_paths.resolve(*file);
  if (!found.exists)
    r.say(Severity::warning, Code::mesh_unreadable, e,
          "mesh " + xml::quote(*file) + (found.problem.empty() ? " is not at " + found.path : ": " + found.problem),
          "check the name, or add the folder that holds the package");
  mesh.file = std::move(found.path);
  entry->second = mesh.name;
  r.spec.meshes.push_back(std::move(mesh));
  return entry->second;
}

// False if there is no shape to keep.
bool read_geometry(Reader& r, const Element& e, ShapeSpec& shape) {
  r.attributes(e).allow_only({});
  Slot slots[] = {{"box"}, {"sphere"}, {"cylinder"}, {"capsule"}, {"mesh"}};
  r.take_children(e, slots);
  const auto& [box, sphere, cylinder, capsule, mesh] = slots;
  int count = 0;
  for (const Slot& s : slots) count += s.found != nullptr;
  if (count != 1) {
    if (count > 1 || !e.FirstChildElement())
      r.say(Code::missing_element, e, "holds " + std::to_string(count) + " shapes, must hold one",
            "give a box, sphere, cylinder, capsule or mesh");
    return false;
  }
  if (box.found) {
    const auto a = r.attributes(*box.found);
    a.allow_only({"size"});
    shape.kind = ShapeKind::box;
    if (a.required_text("size") && a.numbers("size", shape.size, 3))
      for (double& side : shape.size) side /= 2;
  } else if (mesh.found) {
    shape.kind = ShapeKind::mesh;
    shape.hull = true;  // docs/decisions.md 30
    shape.asset = add_mesh(r, *mesh.found);
  } else if (sphere.found) {
    const auto a = r.attributes(*sphere.found);
    a.allow_only({"radius"});
    shape.kind = ShapeKind::sphere;
    shape.size[0] = a.required_number("radius").value_or(0);
  } else {
    const auto a = r.attributes(cylinder.found ? *cylinder.found : *capsule.found);
    a.allow_only({"radius", "length"});
    shape.kind = cylinder.found ? ShapeKind::cylinder : ShapeKind::capsule;
    shape.size[0] = a.required_number("radius").value_or(0);
    shape.size[1] = a.required_number("length").value_or(0) / 2;
  }
  return true;
}

std::optional<Rgba> read_color(Reader& r, const Element& material) {
  r.attributes(material).allow_only({"name"});
  Slot slots[] = {{"color"}};
  r.take_children(material, slots, {}, {"texture"});
  if (!slots[0].found) return std::nullopt;
  const auto a = r.attributes(*slots[0].found);
  a.allow_only({"rgba"});
  Rgba rgba{};
  if (!a.text("rgba")) r.ignore(*slots[0].found, "colour without rgba");
  if (!a.looks("rgba", rgba, 4)) return std::nullopt;
  return rgba;
}

// Sizes of a shape that can be drawn.
bool has_extent(const ShapeSpec& s) {
  switch (s.kind) {
    case ShapeKind::box: return std::min({s.size[0], s.size[1], s.size[2]}) > 0;
    case ShapeKind::sphere: return s.size[0] > 0;
    case ShapeKind::cylinder:
    case ShapeKind::capsule: return std::min(s.size[0], s.size[1]) > 0;
    default: return !s.asset.empty();
  }
}

void read_shape(Reader& r, const Element& e, const std::string& link, bool visual) {
  const auto a = r.attributes(e);
  a.allow_only({"name"});
  Slot slots[] = {{"origin"}, {"geometry"}, {"material"}};
  r.take_children(e, slots, {}, {"verbose"});
  const auto& [origin, geometry, material] = slots;
  ShapeSpec shape;
  shape.body = link;
  shape.pose = r.origin(origin.found);
  shape.collides = !visual;
  shape.visible = visual;
  shape.where = xml::where(e, r.file);
  if (!geometry.found) {
    r.say(visual ? Severity::warning : Severity::error, Code::missing_element, e, "has no geometry", "add <geometry>");
    return;
  }
  const bool kept = read_geometry(r, *geometry.found, shape);
  if (visual && kept && !has_extent(shape)) {
    r.say(Severity::warning, Code::bad_shape_size, e, "has a size that is not positive, and is left out",
          "mend the size");
    return;
  }
  if (!kept) return;
  // URDF lets shapes share a name; a model does not.
  if (const auto name = a.text("name"); name && !name->empty()) {
    if (r.shape_names.emplace(*name).second)
      shape.name = *name;
    else
      r.ignore(e, "name of a shape that another has");
  }
  if (material.found) {
    const char* name = material.found->Attribute("name");
    if (const auto rgba = read_color(r, *material.found)) {
      shape.rgba = *rgba;
      if (name && *name) r.materials.try_emplace(name, *rgba);
    } else if (name && *name && !material.found->FirstChildElement()) {
      r.material_uses.push_back({r.spec.shapes.size(), name, xml::where(*material.found, r.file)});
    }
  }
  r.spec.shapes.push_back(std::move(shape));
}

}  // namespace

void read_material(Reader& r, const Element& e) {
  const auto name = r.attributes(e).text("name");
  const auto rgba = read_color(r, e);
  if (!name) return r.ignore(e, "material without name");
  if (!rgba) return;
  const auto [entry, fresh] = r.materials.try_emplace(std::string(*name), *rgba);
  if (!fresh && entry->second != *rgba)
    r.say(Severity::warning, Code::duplicate_name, e, "has a second colour, the first is used", "rename one");
}

void resolve_materials(Reader& r) {
  for (const MaterialUse& use : r.material_uses) {
    const auto color = r.materials.find(use.material);
    if (color != r.materials.end())
      r.spec.shapes[use.shape].rgba = color->second;
    else
      r.out.add({Code::unknown_name, Severity::warning, use.where, "material " + xml::quote(use.material),
                 "is not defined in the file", "define it, or give a <color> here"});
  }
}

void read_link(Reader& r, const Element& e) {
  const auto a = r.attributes(e);
  a.allow_only({"name"});
  BodySpec body;
  body.name = a.required_text("name").value_or("");
  body.where = xml::where(e, r.file);
  Slot slots[] = {{"inertial"}, {"contact"}};
  r.take_children(e, slots, {"visual", "collision"}, {"verbose"});
  const auto& [inertial, contact] = slots;
  if (inertial.found) read_inertial(r, *inertial.found, body);
  if (contact.found)
    r.say(Code::unsupported_element, *contact.found, "is Bullet's and is not applied", "set friction on the shapes");
  for (const auto* child = e.FirstChildElement(); child && !r.has_too_many_remarks();
       child = child->NextSiblingElement()) {
    const std::string_view name = child->Name();
    const std::size_t before = r.out.list().size();
    if (name == "visual" || name == "collision") read_shape(r, *child, body.name, name == "visual");
    if (name == "visual") r.soften(before);
  }
  r.spec.bodies.push_back(std::move(body));
}

}  // namespace sinew::urdf
