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
  BodyBuilder& frame(const std::string& name, const Pose& pose = {});

 private:
  friend class ModelBuilder;
  BodyBuilder(ModelSpec& spec, std::size_t index) : spec_(spec), index_(index) {}
  BodyBuilder& shape(ShapeKind, const std::array<double, 3>& size, const Pose&);

  ModelSpec& spec_;
  std::size_t index_;
};

class JointBuilder {
 public:
  JointBuilder& at(const Vec3<double>& origin, const Vec3<double>& rpy = {});  // on the parent
  JointBuilder& on_child(const Vec3<double>& origin, const Vec3<double>& rpy = {});
  JointBuilder& axis(const Vec3<double>&);
  JointBuilder& axes(const Vec3<double>& first, const Vec3<double>& second);
  JointBuilder& reversed();
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

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name);

  ModelBuilder& gravity(const Vec3<double>&);
  // Handles are valid while the builder lives, so a temporary one gives none.
  BodyBuilder body(std::string name) &;

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

  ModelBuilder& loop(LoopSpec);
  // q_dependent = ratio * q_driver + offset
  ModelBuilder& gear(std::string name, std::string dependent, std::string driver, double ratio, double offset = 0);
  ModelBuilder& couple(CouplingSpec);

  ModelSpec& spec() & { return spec_; }
  Result<Model> build(const CompileOptions& = {}) const;

 private:
  JointBuilder add(JointKind, std::string name, std::string parent, std::string child);

  ModelSpec spec_;
};

}  // namespace sinew
