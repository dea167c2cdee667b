// sinew/model/spec.hpp - a model as a user writes it: names, bodies, joints, shapes
// Plain data in any order. `compile` (model/model.hpp) checks it and makes the immutable Model.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/model/actuator_spec.hpp"
#include "sinew/model/joint_spec.hpp"
#include "sinew/model/shape_spec.hpp"
#include "sinew/model/tendon_spec.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// A body as the user writes it.
struct BodySpec {
  std::string name;
  double mass = 0;       // [kg]
  Vec3<double> com;      // centre of mass in the body's frame
  Sym3<double> inertia;  // about the centre of mass, along the body's axes [kg m^2]
  SourceLocation where;
  double gravity_compensation = 0;  // share of its weight that a force at its centre of mass carries
  // Turn from the body's axes to the principal ones, for the medium: where moments are equal the inertia does not tell.
  std::optional<Quaternion<double>> principal_axes = {};
};

// A named place on a body. Every body is a frame by itself under its own name.
struct FrameSpec {
  std::string name;
  std::string body;
  Pose pose;
  SourceLocation where;
  // Its volume, for sensors: kind and size as of a shape.
  ShapeKind zone = ShapeKind::sphere;
  std::array<double, 3> zone_size{0.005, 0.005, 0.005};
};

// A stored state, in Sinew's conventions and in the order of `joints`.
struct KeyframeSpec {
  std::string name;
  double time = 0;
  std::vector<double> q, v, control;
  SourceLocation where;
  std::vector<double> activation = {};  // none, or one per actuator with an activation
};

// The fluid around the mechanism (sim/fluid.hpp). Density and viscosity zero: none.
struct MediumSpec {
  double density = 0;    // [kg/m^3]
  double viscosity = 0;  // [Pa s]
  Vec3<double> wind;     // [m/s] the fluid's velocity
};

// An instrument, by MJCF's words: "gyro" on the "site" of that name (sim/sensor_readings.hpp).
struct SensorSpec {
  std::string name, kind;
  std::string object_kind, object;        // "site", "body", "xbody", "geom", "joint", "actuator", "tendon"; or empty
  std::string reference_kind, reference;  // what frame sensors are relative to; empty: the world
  double cutoff = 0;                      // positive: readings are clamped to it
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
  std::vector<TendonSpec> tendons;
  std::vector<TendonCouplingSpec> tendon_couplings;
  std::vector<ActuatorSpec> actuators;
  std::vector<ExclusionSpec> exclusions;
  std::vector<PairSpec> pairs;
  std::vector<KeyframeSpec> keyframes;
  std::vector<SensorSpec> sensors;
  MediumSpec medium;
  Vec3<double> magnetic{0, -0.5, 0};  // what magnetometers read, along the axes of the world
};

}  // namespace sinew
