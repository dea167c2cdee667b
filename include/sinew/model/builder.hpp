// sinew/model/builder.hpp - models written in C++
//
//   ModelBuilder b("pendulum");
//   b.body("bob").mass(solid_sphere(1, 0.1), make_placement({0, 0, -1}));
//   b.revolute("hinge", "world", "bob").axis({0, 1, 0}).limits(-3, 3).damping(0.1);
//   Result<Model> model = b.build();
//
// Bodies and joints may come in any order; the order of joints is the order of q and v.
#pragma once
#include <string>

#include "sinew/model/model.hpp"
#include "sinew/model/solids.hpp"

namespace sinew {

// Where a frame stands: its origin and the turn by roll, pitch and yaw about the fixed axes.
Pose make_placement(const Vec3<double>& origin, const Vec3<double>& rpy = {});

// Each call returns the same handle, so that calls chain. Valid while its builder lives.
class BodyBuilder {
 public:
  // Replaces what was said of the mass before; `plus` adds to it.
  BodyBuilder& mass(const MassProperties&, const Pose& pose = {});
  BodyBuilder& plus(const MassProperties&, const Pose& pose = {});
  BodyBuilder& mass(double mass, const Vec3<double>& com, const Sym3<double>& inertia_about_com);
  // Shapes on the body, for contact and display; they do not change the mass.
  BodyBuilder& sphere(double radius, const Pose& pose = {});
  BodyBuilder& box(const Vec3<double>& half_sides, const Pose& pose = {});
  BodyBuilder& capsule(double radius, double half_length, const Pose& pose = {});
  BodyBuilder& cylinder(double radius, double half_length, const Pose& pose = {});
  BodyBuilder& ellipsoid(const Vec3<double>& radii, const Pose& pose = {});
  BodyBuilder& plane(const Pose& pose = {});                          // endless, its normal is z of the pose
  BodyBuilder& mesh(const std::string& mesh, const Pose& pose = {});  // as it is; hull() for its convex hull
  BodyBuilder& heightfield(const std::string& name, const Pose& pose = {});
  // Of the shape that this handle added last.
  BodyBuilder& named(const std::string& shape_name);
  BodyBuilder& friction(double);
  BodyBuilder& torsional_friction(double);  // [m] against spinning (sim/spin_friction.hpp)
  BodyBuilder& rolling_friction(double);    // [m] against rolling
  BodyBuilder& restitution(double);
  BodyBuilder& margin(double);                   // [m] distance at which a contact becomes active
  BodyBuilder& touches(int type, int affinity);  // bits: see ShapeSpec
  BodyBuilder& no_contact();                     // it is drawn only
  BodyBuilder& hull();
  BodyBuilder& frame(const std::string& name, const Pose& pose = {});

 private:
  friend class ModelBuilder;
  static constexpr std::size_t kWorld = static_cast<std::size_t>(-1);
  BodyBuilder(ModelSpec& spec, std::size_t index) : spec_(spec), index_(index) {}
  const std::string& name() const { return index_ == kWorld ? spec_.world : spec_.bodies[index_].name; }
  BodySpec& body(const char* call);
  ShapeSpec& last(const char* call);
  BodyBuilder& shape(ShapeKind, const std::array<double, 3>& size, const Pose&, const std::string& asset = {});

  ModelSpec& spec_;
  std::size_t index_;
  std::size_t last_shape_ = kWorld;  // none yet
};

// A joint that was added. Each call returns the same handle.
class JointBuilder {
 public:
  JointBuilder& at(const Vec3<double>& origin, const Vec3<double>& rpy = {});  // on the parent
  // Its frame on the child.
  JointBuilder& on_child(const Vec3<double>& origin, const Vec3<double>& rpy = {});
  // Its axis, or its two axes, in its frame on the parent.
  JointBuilder& axis(const Vec3<double>&);
  JointBuilder& axes(const Vec3<double>& first, const Vec3<double>& second);
  // The parent's motion seen from the child.
  JointBuilder& reversed();
  // Positions at the neutral configuration.
  JointBuilder& neutral(std::vector<double>);
  // One value for all coordinates of the joint.
  JointBuilder& limits(double lower, double upper);
  JointBuilder& max_effort(double);
  JointBuilder& max_velocity(double);
  JointBuilder& damping(double);
  JointBuilder& friction(double);
  JointBuilder& armature(double);
  JointBuilder& spring(double stiffness, double rest = 0);

 private:
  friend class ModelBuilder;
  JointBuilder(ModelSpec& spec, std::size_t index) : spec_(spec), index_(index) {}
  JointSpec& joint() { return spec_.joints[index_]; }
  template <class F>
  JointBuilder& each_dof(F&&);

  ModelSpec& spec_;
  std::size_t index_;
};

// A string through frames and around shapes, or a sum of joint coordinates: see model/tendon_spec.hpp.
class TendonBuilder {
 public:
  // Its next part: through a frame, around a shape (on the side of a frame), or a pulley that begins a branch.
  TendonBuilder& through(std::string frame);
  TendonBuilder& around(std::string shape, std::string side = {});
  TendonBuilder& pulley(double divisor);
  // Fixed tendon: adds coefficient times the coordinate of a joint.
  TendonBuilder& joint(std::string joint, double coefficient);
  TendonBuilder& limits(double lower, double upper);  // of its length: hard stops
  TendonBuilder& spring(double stiffness);            // at rest where the joints are at the rest of their springs
  TendonBuilder& spring(double stiffness, double rest_lower, double rest_upper);
  TendonBuilder& damping(double);
  TendonBuilder& friction(double);
  TendonBuilder& armature(double);

 private:
  friend class ModelBuilder;
  TendonBuilder(ModelSpec& spec, std::size_t index) : spec_(spec), index_(index) {}
  TendonSpec& tendon() { return spec_.tendons[index_]; }

  ModelSpec& spec_;
  std::size_t index_;
};

// A model written call by call; build() checks it.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name);

  // [m/s^2]; default: 9.81 along -z.
  ModelBuilder& gravity(const Vec3<double>&);
  // Handles are valid while the builder lives, so a temporary one gives none.
  BodyBuilder body(std::string name) &;
  BodyBuilder world() &;  // for shapes and frames; it has no mass
  ModelBuilder& timestep(double seconds);
  ModelBuilder& add_mesh(MeshSpec);                // for BodyBuilder::mesh
  ModelBuilder& add_heightfield(HeightfieldSpec);  // for BodyBuilder::heightfield
  // Which shapes may touch.
  ModelBuilder& exclude(std::string body_a, std::string body_b);
  ModelBuilder& pair(PairSpec);
  // On joints of one coordinate: force = gear control; stiffness (control - q) - damping v; damping (control - v).
  ModelBuilder& motor(std::string name, std::string joint, double gear = 1);
  ModelBuilder& position_servo(std::string name, std::string joint, double stiffness, double damping);
  ModelBuilder& velocity_servo(std::string name, std::string joint, double damping);
  ModelBuilder& actuator(ActuatorSpec);
  ModelBuilder& sensor(SensorSpec);
  ModelBuilder& keyframe(KeyframeSpec);

  // A joint of each kind, from a body (or the world) to another, by their names.
  JointBuilder fixed(std::string name, std::string parent, std::string child) &;
  JointBuilder revolute(std::string name, std::string parent, std::string child) &;
  JointBuilder prismatic(std::string name, std::string parent, std::string child) &;
  JointBuilder helical(std::string name, std::string parent, std::string child, double pitch) &;
  JointBuilder cylindrical(std::string name, std::string parent, std::string child) &;
  JointBuilder planar(std::string name, std::string parent, std::string child) &;
  JointBuilder spherical(std::string name, std::string parent, std::string child) &;
  JointBuilder spherical_ypr(std::string name, std::string parent, std::string child) &;
  JointBuilder universal(std::string name, std::string parent, std::string child) &;
  JointBuilder free(std::string name, std::string parent, std::string child) &;
  JointBuilder rack_and_pinion(std::string name, std::string parent, std::string child, double radius) &;
  JointBuilder prescribed(std::string name, std::string parent, std::string child, JointKind kind, MotionLaw law) &;
  JointBuilder composite(std::string name, std::string parent, std::string child, std::vector<JointSpec> parts) &;
  JointBuilder user(std::string name, std::string parent, std::string child, std::shared_ptr<const UserJoint>) &;

  ModelBuilder& loop(LoopSpec);  // its sides name bodies or frames
  // q_dependent = ratio * q_driver + offset
  ModelBuilder& gear(std::string name, std::string dependent, std::string driver, double ratio, double offset = 0);
  ModelBuilder& couple(CouplingSpec);
  TendonBuilder tendon(std::string name) &;
  ModelBuilder& couple_tendons(TendonCouplingSpec);

  // What was written so far.
  ModelSpec& spec() & { return spec_; }
  // Compiles it; the errors come back in the Result.
  Result<Model> build(const CompileOptions& = {}) const;

 private:
  JointBuilder add(JointKind, std::string name, std::string parent, std::string child);

  ModelSpec spec_;
};

}  // namespace sinew
