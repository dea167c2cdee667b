// src/io/mjcf/elements.hpp - bodies, joints, geoms, sites and meshes as they are read
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/mjcf/settings.hpp"
#include "sinew/io/mesh.hpp"

namespace sinew::mjcf {

enum class JointType { free, ball, slide, hinge };

struct Joint {
  std::string name;
  JointType type = JointType::hinge;
  Vec3<double> pos, axis{0, 0, 1};  // in the body's frame
  int scale = 0;                    // index into Scales, as in the others below
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
  int scale = 0;
  Frame frame, world;  // in the parent; in the world at the reference position
  std::vector<Joint> joints;
  std::vector<int> geoms, sites;
  std::optional<Inertial> inertial;
  bool mocap = false;
  double gravcomp = 0;
  int children = 0;
  const Node* node = nullptr;
  const Settings* settings = nullptr;  // of its file
};

struct Geom {
  ShapeSpec shape;
  int body = 0;
  int scale = 0;
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
  int scale = 0;
  Frame frame;
  SourceLocation where;
  ShapeKind zone = ShapeKind::sphere;
  std::array<double, 3> size{0.005, 0.005, 0.005};
  const Node* node = nullptr;
};

enum class MeshInertia { convex, exact, legacy, shell };
enum class MeshState { unread, read, bad };

struct Mesh {
  MeshSpec spec;
  MeshInertia inertia = MeshInertia::legacy;
  Frame ref;          // frame in which the file's vertices are expressed
  int original = -1;  // a scaled copy: of which mesh
  double times = 1;   // and how many times as large
  MeshState state = MeshState::unread;
  std::vector<std::size_t> objects;  // as in TriangleMesh
  std::optional<MeshMoments> moments;
  const Node* node = nullptr;
};

// How many of MuJoCo's coordinates.
struct Sizes {
  std::size_t q = 0, v = 0;
  void operator+=(const Sizes& o) { q += o.q, v += o.v; }
};
inline Sizes sizes_of(const Body& b) {
  Sizes n;
  for (const Joint& j : b.joints)
    n += {j.type == JointType::free ? 7u : j.type == JointType::ball ? 4u : 1u, j.dofs.size()};
  return n;
}

}  // namespace sinew::mjcf
