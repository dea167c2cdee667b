// src/io/urdf_reader.hpp - what the parts of the URDF loader share
#pragma once
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/mesh_path.hpp"
#include "io/xml.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew::urdf {

using xml::Element;
using Rgba = std::array<double, 4>;

// Children that an element may have once; `take_children` fills in the one found.
struct Slot {
  const char* name;
  const Element* found = nullptr;
};

// A shape whose colour is defined elsewhere in the file.
struct MaterialUse {
  std::size_t shape;
  std::string material;
  SourceLocation where;
};

struct Reader {
  Reader(const std::filesystem::path& path, const UrdfOptions& options, Diagnostics& remarks)
      : file(path.string()), out(remarks), mesh_paths(path, options.package_paths) {}

  xml::Attributes attributes(const Element& e) const { return {e, file, out}; }
  void say(Code, const Element&, std::string message, std::string repair);
  void say(Severity, Code, const Element&, std::string message, std::string repair);
  // Counts elements that a model does not keep; one note per kind is written at the end.
  void ignore(const Element&, std::string_view kind);
  void write_ignored();
  // Turns errors from the remark of that number on into warnings: a visual cannot change the motion.
  void soften(std::size_t first);

  // Sorts the children of e: `once` are stored, `many` skipped, `ignored` counted, all others reported.
  void take_children(const Element& e, std::span<Slot> once, std::initializer_list<std::string_view> many = {},
                     std::initializer_list<std::string_view> ignored = {});
  Pose origin(const Element*);  // absent: the identity
  bool has_too_many_remarks() const { return out.list().size() >= kMaxRemarks; }

  static constexpr std::size_t kMaxRemarks = 1000;

  std::string file;
  Diagnostics& out;
  ModelSpec spec;
  MeshPaths mesh_paths;
  std::unordered_map<std::string, Rgba> materials;
  std::vector<MaterialUse> material_uses;
  std::unordered_map<std::string, std::string> mesh_names;  // file and scale as written -> name in spec.meshes
  std::unordered_set<std::string> shape_names;

 private:
  struct Ignored {
    std::string kind;
    int count, line;
  };
  std::vector<Ignored> ignored_;
};

void read_material(Reader&, const Element&);
void read_link(Reader&, const Element&);
void read_joint(Reader&, const Element&);
// After all is read: colours by name; then names, the tree of links, the root's joint and mimics.
void resolve_materials(Reader&);
void check_tree(ModelSpec&, bool floating_base, Diagnostics&);

}  // namespace sinew::urdf
