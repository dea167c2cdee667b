// src/io/mjcf/work.hpp - a model between its file and its spec
// One function per section of the format, called in this order by load.cpp.
#pragma once
#include <map>
#include <set>

#include "io/mjcf/scale.hpp"
#include "sinew/io/mjcf.hpp"

namespace sinew::mjcf {

using Names = std::map<std::string, int, std::less<>>;

// A name is copied to everything that refers to it, and <replicate> multiplies: both are bounded.
inline constexpr std::size_t kMaxName = 1000;
inline constexpr std::size_t kMaxReplicated = 100'000;
inline constexpr std::size_t kMaxCopied = 20'000'000;  // points of meshes and heightfields in scaled frames
inline constexpr std::size_t kMostRemarks = 1000;      // reading stops there

// One file, and what it says about its own elements.
struct File {
  std::filesystem::path path;
  Tree tree;
  Settings settings;
  Defaults defaults;
};

// A part of a file that <attach> puts into the model, see attach.cpp.
struct Attachment {
  const File* file = nullptr;
  std::string prefix;
  bool self = false;                                       // of the file that attaches it
  std::set<std::pair<std::string, std::string>> left_out;  // kind and name of what the file has beside that part
  Sizes first, whole;                                      // coordinates before the part, and of the whole file
  int first_body = 0, end_body = 0;                        // of the part, in Work::bodies
  std::vector<bool> actuators;                             // (those of the file) true: attached
  std::size_t first_actuator = 0;                          // in ModelSpec::actuators
};

// What is being read: names get the prefix, and are looked up with it.
struct Context {
  const File* file = nullptr;
  std::string prefix;
  Attachment* attachment = nullptr;  // null: the main file
  int depth = 0;                     // of attachments
};

struct Work {
  Work(const MjcfOptions& o, Diagnostics& d, const File& file)
      : options(o), out(d), may_open(!file.path.empty()), at{&file, {}, nullptr, 0}, main(file) {}

  const MjcfOptions& options;
  Diagnostics& out;
  bool may_open;  // files may be read
  Context at;
  const File& main;
  std::list<File> models;  // read for <attach>
  std::list<Attachment> attachments;
  bool counts_only = false;  // reads a file for its names and sizes: it does not attach itself to itself
  Remarks remarks;
  std::vector<Body> bodies;  // the world first
  std::vector<Geom> geoms;
  std::vector<Site> sites;
  std::vector<Mesh> meshes;
  Names body_names, joint_names, geom_names, site_names, mesh_names, hfield_names,
      tendon_names;                                                       // joint: index of its body
  std::map<std::string, std::vector<std::string>, std::less<>> replicas;  // name -> suffixes
  std::size_t replicated = 0;                                             // elements so far
  ModelSpec spec;
  Scales scales;
  std::map<std::pair<int, double>, int> scaled_meshes, scaled_hfields;  // asset and factor -> the copy
  std::size_t copied = 0;                                               // points in them
  std::vector<Unit> tendon_units, actuator_units;                       // (those of spec)

  const Node& root() const { return at.file->tree.root; }
  const Settings& settings() const { return at.file->settings; }
  const Defaults& defaults() const { return at.file->defaults; }
  std::filesystem::path folder() const { return at.file->path.parent_path(); }

  // Too many remarks: the reader of a section stops, and one error says so.
  bool full() const { return out.list().size() >= kMostRemarks; }
  void error(const Node& node, Code code, std::string message, std::string repair) const {
    out.add({code, Severity::error, node.where(), node.label(), std::move(message), std::move(repair)});
  }
  void warn(const Node& node, Code code, std::string message, std::string repair = {}) const {
    out.add({code, Severity::warning, node.where(), node.label(), std::move(message), std::move(repair)});
  }
};

// An error that names a flex, composite or plugin: a model without it would move otherwise, and nothing would be seen.
void refuse_element(Work&, const Node&);

// Reads <compiler>, <option> and the defaults.
File make_file(const std::filesystem::path&, Tree&&, Remarks&, Diagnostics&);

// What an <attach> names: a body, a frame, or the root of a file for all that its world holds.
struct Attached {
  const Node* what = nullptr;
  const Class* child_class = nullptr;  // that holds there
};
// Finds it, notes the attachment and makes its file the one that is read, until the caller restores Work::at. Nothing
// and an error where it cannot be.
std::optional<Attached> begin_attachment(Work&, const Node&, const std::string& suffix);
// True for an element outside the tree that refers to something which was not attached: it is not attached either.
bool is_left_out(Work&, const Node&);
// Calls `each(w)` for the main file, and then for each attachment.
template <class F>
void for_files(Work& w, F&& each) {
  each(w);
  const Context main = w.at;
  for (Attachment& a : w.attachments) {
    w.at = {a.file, a.prefix, &a, 1};
    each(w);
  }
  w.at = main;
}

void read_assets(Work&);
void read_bodies(Work&);
void read_geom(Work&, const Node&, const Class*, int body, const Surroundings&, const std::string& suffix);
void read_joint(Work&, const Node&, const Class*, int body, const Surroundings&, const std::string& suffix);
std::optional<Inertial> read_inertial(Work&, const Node&, const Surroundings&);
void infer_inertias(Work&);
void write_bodies(Work&);  // into spec: bodies, joints, frames, shapes
void set_springs(Work&);   // from springdamper, once the spec is complete but for keyframes
void read_contacts(Work&);
void read_equalities(Work&);
void read_tendons(Work&);
void read_tendon_coupling(Work&, const Node&, const std::string& suffix);
void read_actuators(Work&);
void read_keyframes(Work&);
void read_sensors(Work&);
void set_principal_axes(Work&);  // of all bodies in spec

// The vertices and triangles of the mesh, read if need be; null and an error when that fails.
const MeshSpec* need_mesh(Work&, int mesh, const Node& user);
const MeshMoments* need_moments(Work&, int mesh, const Node& user);
// The mesh or heightfield that many times as large: another one, unless that is 1.
int find_scaled_mesh(Work&, int mesh, double length);
int find_scaled_hfield(Work&, int hfield, double length);
// Where a <rangefinder> might meet meshes: reads those that can be read.
void read_meshes_for_rays(Work&);

// Reads a range if it is in force; otherwise leaves the limits as they are.
void read_limits(Work&, const Reader&, const char* range, const char* flag, double& lower, double& upper);
FrictionLaw read_friction_law(const Reader&);  // condim
// Counts one more replica; false and one error when there are too many.
bool may_replicate(Work&, const Node&);
// The element's name with prefix and suffix of its replica, which is remembered; empty without a name.
std::string full_name(Work&, const Node&, const std::string& suffix);
// Enters a name; an error when it is taken. Empty names are not entered.
void enter(Work&, Names&, const std::string& name, int index, const Node&);
// The index behind the name with prefix and suffix, or else without suffix; -1 and an error when there is neither.
int find(Work&, const Names&, std::string_view name, const char* kind, const Node&, const std::string& suffix = {});
// A hinge or slide; null and an error otherwise.
const Joint* find_scalar_joint(Work&, std::string_view name, const Node&, const std::string& suffix);
const Joint* find_joint(Work&, std::string_view name, const Node&, const std::string& suffix);
// Calls `each` once, or once per replica when the element names something that was replicated.
template <class F>
void for_replicas(Work& w, const Node& node, std::initializer_list<const char*> references, F&& each) {
  for (const char* a : references)
    if (const char* name = node.xml->Attribute(a))
      if (const auto it = w.replicas.find(w.at.prefix + name); it != w.replicas.end()) {
        for (const std::string& suffix : it->second)
          if (may_replicate(w, node)) each(suffix);
        return;
      }
  each(std::string{});
}

}  // namespace sinew::mjcf
