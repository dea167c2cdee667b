// src/io/mjcf/work.hpp - a model between its file and its spec
// One function per section of the format, called in this order by load.cpp.
#pragma once
#include <map>

#include "io/mjcf/settings.hpp"
#include "sinew/io/mesh.hpp"
#include "sinew/io/mjcf.hpp"

namespace sinew::mjcf {

enum class JointType { free, ball, slide, hinge };

struct Joint {
  std::string name;
  JointType type = JointType::hinge;
  Vec3<double> pos, axis{0, 0, 1};  // in the body's frame
  double ref = 0;
  std::vector<DofSpec> dofs;
  std::optional<std::array<double, 2>> springdamper;  // time constant and damping ratio of a spring, see emit.cpp
  bool align = false;                                 // free: put the body's frame into its principal axes
  SourceLocation where;
};

struct Inertial {
  double mass = 0;
  Vec3<double> com;
  Sym3<double> inertia;                         // about com, along the body's axes
  std::optional<Quaternion<double>> axes = {};  // principal ones, if the file gives them
};

struct Body {
  std::string name;
  int parent = -1;
  Frame frame, world;  // in the parent; in the world at the reference position
  std::vector<Joint> joints;
  std::vector<int> geoms, sites;
  std::optional<Inertial> inertial;
  bool mocap = false;
  double gravcomp = 0;
  int children = 0;
  const Node* node = nullptr;
};

struct Geom {
  ShapeSpec shape;
  int body = 0;
  Frame frame;
  int mesh = -1;
  bool shell = false;
  double density = 1000;
  std::optional<double> mass;
  const Node* node = nullptr;
};

struct Site {
  std::string name;
  int body = 0;
  Frame frame;
  SourceLocation where;
};

enum class MeshInertia { convex, exact, legacy, shell };
enum class MeshState { unread, read, bad };

struct Mesh {
  MeshSpec spec;
  MeshInertia inertia = MeshInertia::legacy;
  Frame ref;  // frame in which the file's vertices are expressed
  MeshState state = MeshState::unread;
  std::vector<std::size_t> objects;  // as in TriangleMesh
  std::optional<MeshMoments> moments;
  const Node* node = nullptr;
};

using Names = std::map<std::string, int, std::less<>>;

// A name is copied to everything that refers to it, and <replicate> multiplies: both are bounded.
inline constexpr std::size_t kMaxName = 1000;
inline constexpr std::size_t kMaxReplicated = 100'000;
inline constexpr std::size_t kMostRemarks = 1000;  // reading stops there

struct Work {
  Work(const MjcfOptions& o, Diagnostics& d, const std::filesystem::path& file, Tree&& t)
      : options(o), out(d), folder(file.parent_path()), may_open(!file.empty()), tree(std::move(t)) {}

  const MjcfOptions& options;
  Diagnostics& out;
  std::filesystem::path folder;
  bool may_open;  // files may be read
  Tree tree;
  Remarks remarks;
  Settings settings;
  Defaults defaults;
  std::vector<Body> bodies;  // the world first
  std::vector<Geom> geoms;
  std::vector<Site> sites;
  std::vector<Mesh> meshes;
  Names body_names, joint_names, geom_names, site_names, mesh_names, hfield_names,
      tendon_names;                                                       // joint: index of its body
  std::map<std::string, std::vector<std::string>, std::less<>> replicas;  // name -> suffixes
  std::size_t replicated = 0;                                             // elements so far
  ModelSpec spec;

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

void read_assets(Work&);
void read_bodies(Work&);
void read_geom(Work&, const Node&, const Class*, int body, const Frame& outer, const std::string& suffix);
void read_joint(Work&, const Node&, const Class*, int body, const Frame& outer, const std::string& suffix);
std::optional<Inertial> read_inertial(Work&, const Node&, const Frame& outer);
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

// Reads a range if it is in force; otherwise leaves the limits as they are.
void read_limits(Work&, const Reader&, const char* range, const char* flag, double& lower, double& upper);
FrictionLaw read_friction_law(const Reader&);  // condim
// Counts one more replica; false and one error when there are too many.
bool may_replicate(Work&, const Node&);
// The element's name with the suffix of its replica, which is remembered; empty without a name.
std::string full_name(Work&, const Node&, const std::string& suffix);
// Enters a name; an error when it is taken. Empty names are not entered.
void enter(Work&, Names&, const std::string& name, int index, const Node&);
// The index behind the name with the suffix, or else without; -1 and an error when there is neither.
int find(Work&, const Names&, std::string_view name, const char* kind, const Node&, const std::string& suffix = {});
// A hinge or slide; null and an error otherwise.
const Joint* find_scalar_joint(Work&, std::string_view name, const Node&, const std::string& suffix);
const Joint* find_joint(Work&, std::string_view name, const Node&, const std::string& suffix);
// Calls `each` once, or once per replica when the element names something that was replicated.
template <class F>
void for_replicas(Work& w, const Node& node, std::initializer_list<const char*> references, F&& each) {
  for (const char* a : references)
    if (const char* name = node.xml->Attribute(a))
      if (const auto it = w.replicas.find(name); it != w.replicas.end()) {
        for (const std::string& suffix : it->second)
          if (may_replicate(w, node)) each(suffix);
        return;
      }
  each(std::string{});
}

}  // namespace sinew::mjcf
