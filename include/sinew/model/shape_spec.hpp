// sinew/model/shape_spec.hpp - shapes, meshes and contact filters as a user writes them
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/model/joint_spec.hpp"

namespace sinew {

// Kinds of shapes; docs/shapes.md.
enum class ShapeKind { plane, sphere, box, capsule, cylinder, ellipsoid, mesh, heightfield };

std::string_view to_string(ShapeKind);

// What a contact resists besides overlap; each also what those before it do. The numbers are MuJoCo's condim.
enum class FrictionLaw { none = 1, sliding = 3, torsional = 4, rolling = 6 };

// A shape on a body, for contact or for display.
struct ShapeSpec {
  std::string name;  // may be empty
  std::string body;
  Pose pose;
  ShapeKind kind = ShapeKind::sphere;
  // sphere: radius. box: half sides. capsule, cylinder: radius, half length along z. ellipsoid: radii.
  // plane: half sides for drawing (0 = endless), normal z. mesh and heightfield: unused.
  std::array<double, 3> size{};
  std::string asset;     // mesh or heightfield by name
  bool hull = false;     // a mesh touches with its convex hull, as in MuJoCo; else as it is
  bool collides = true;  // takes part in contact
  bool visible = true;
  double friction = 1, torsional_friction = 0.005, rolling_friction = 0.0001;  // [1, m, m] see sim/spin_friction.hpp
  // Of two shapes that touch the later law and the larger numbers count, or those of the higher priority.
  FrictionLaw friction_law = FrictionLaw::sliding;
  int priority = 0;
  double restitution = 0;
  double margin = 0;  // [m] distance at which a contact becomes active
  int contact_type = 1,
      contact_affinity = 1;  // two shapes may touch if one's type shares a bit with the other's affinity
  int group = 0;
  // The medium acts on this shape as on an ellipsoid, and on its body through such shapes alone (sim/fluid.hpp).
  // Coefficients: blunt drag, slender drag, angular drag, Kutta lift, Magnus lift.
  bool fluid_ellipsoid = false;
  std::array<double, 5> fluid_coefficients{0.5, 0.25, 1.5, 1, 1};
  std::array<double, 4> rgba{0.5, 0.5, 0.5, 1};
  SourceLocation where;
};

// A mesh that shapes name.
struct MeshSpec {
  std::string name;
  std::string file;  // resolved path; empty: given inline
  Vec3<double> scale{1, 1, 1};
  std::vector<Vec3<double>> vertices;         // scaled; empty until loaded
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
  SourceLocation where;
};

// A heightfield that shapes name.
struct HeightfieldSpec {
  std::string name;
  std::string file;
  int rows = 0, cols = 0;
  std::array<double, 4> size{};   // half x, half y, height of 1, depth below 0 [m]
  std::vector<double> elevation;  // rows * cols in [0, 1], row-major from -y
  SourceLocation where;
};

// Two bodies that do not touch each other.
struct ExclusionSpec {
  std::string body_a, body_b;
  SourceLocation where;
};

// Two shapes that touch, whatever else is said, with numbers of their own.
struct PairSpec {
  std::string name;
  std::string shape_a, shape_b;
  double friction = 1, torsional_friction = 0.005, rolling_friction = 0.0001;
  FrictionLaw friction_law = FrictionLaw::sliding;
  double margin = 0;
  SourceLocation where;
};

}  // namespace sinew
