// sinew/model/spec.hpp - a model as a user writes it: names, bodies, joints, shapes
// Plain data in any order. `compile` (model/model.hpp) checks it and makes the immutable Model.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "sinew/model/joint_spec.hpp"
#include "sinew/model/shape_spec.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew {

struct BodySpec {
  std::string name;
  double mass = 0;       // [kg]
  Vec3<double> com;      // centre of mass in the body's frame
  Sym3<double> inertia;  // about the centre of mass, along the body's axes [kg m^2]
  SourceLocation where;
};

// A named place on a body. Every body is a frame by itself under its own name.
struct FrameSpec {
  std::string name;
  std::string body;
  Pose pose;
  SourceLocation where;
};

enum class Transmission { joint, joint_in_parent, site, body, tendon, slider_crank };

// force = gain * control + bias, both affine in length and velocity: [constant, per length, per velocity].
struct ActuatorSpec {
  std::string name;
  std::string kind;  // "motor", "position", "velocity", ...
  Transmission transmission = Transmission::joint;
  std::string target;
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  double control_lower = -kUnlimited, control_upper = kUnlimited;
  double force_lower = -kUnlimited, force_upper = kUnlimited;
  SourceLocation where;
};

// A stored state, in Sinew's conventions and in the order of `joints`.
struct KeyframeSpec {
  std::string name;
  double time = 0;
  std::vector<double> q, v, control;
  SourceLocation where;
};

struct ModelSpec {
  std::string name;
  std::string world = "world";  // name of the fixed body that joints may name as parent
  Vec3<double> gravity{0, 0, -9.81};
  double timestep = 0;            // [s]; 0: not stated
  std::vector<BodySpec> bodies;   // without the world
  std::vector<JointSpec> joints;  // their order is the order of q and v
  std::vector<FrameSpec> frames;
  std::vector<ShapeSpec> shapes;
  std::vector<MeshSpec> meshes;
  std::vector<HeightfieldSpec> heightfields;
  std::vector<LoopSpec> loops;
  std::vector<CouplingSpec> couplings;
  std::vector<ActuatorSpec> actuators;
  std::vector<ExclusionSpec> exclusions;
  std::vector<PairSpec> pairs;
  std::vector<KeyframeSpec> keyframes;
};

}  // namespace sinew
