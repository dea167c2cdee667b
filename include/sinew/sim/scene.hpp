// sinew/sim/scene.hpp - a model made ready to be simulated: step, floor, start, what may touch, what holds it
//   SceneOptions o;
//   o.floor = FloorOptions{}, o.on_floor = true, o.hold = HoldOptions{}, o.self_collision = SelfCollision::start;
//   Result<Scene> scene = make_scene(load("robot.urdf", {.floating_base = true}).value(), o);
//   Simulation s(scene->model);
//   s.state = scene->start, s.control = scene->control;
// `sinew sim` does the same. The parts can be called one by one.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/model/configuration.hpp"

namespace sinew {

inline constexpr double kUsualStep = 1e-3;  // [s] where neither the file nor the caller states one

// A plane on the world. Contacts take the larger friction and restitution of the two shapes.
struct FloorOptions {
  Vec3<double> normal{0, 0, 1};  // of any length but zero
  std::optional<double> height;  // [m] along the normal; none: 0, or lower where a robot with a fixed base needs it
  double friction = 1, restitution = 0;
};

// Springs and dampers towards the start pose, at the end of the step (sim/drives.hpp), within the joints' max_effort.
// Stiffness and damping of a joint are those of a mass on a spring, (2 pi frequency)^2 I and 2 ratio 2 pi frequency I.
// I is the inertia that the joint moves at the start: of all bodies beyond it, or where the tree is not fixed to the
// world, of all bodies on its other side, if that is more (an ankle moves the whole robot).
struct HoldOptions {
  double frequency = 10;                           // [Hz]
  double damping_ratio = 1;                        // 1: as fast as it goes without swinging
  std::optional<std::pair<double, double>> gains;  // stiffness [N m/rad, N/m] and damping of all joints instead
};

// Which bodies of one tree touch each other.
enum class SelfCollision {
  on,    // as the model says
  off,   // bodies of one tree do not touch each other
  start  // those that overlap in the start pose do not
};

// How meshes touch.
enum class MeshContact {
  as_stated,  // by each shape's `hull`: both loaders say hull
  hull,       // with their convex hulls
  exact       // as they are
};

struct SceneOptions {
  std::optional<Vec3<double>> gravity;          // [m/s^2]
  double timestep = 0;                          // [s]; 0: the model's own, or kUsualStep where it has none
  std::optional<double> friction, restitution;  // of all shapes
  std::optional<FloorOptions> floor;
  std::string keyframe;            // where to start; empty: the first, if there is one
  std::vector<double> q, v;        // the start itself; empty: the keyframe's, or neutral
  std::vector<double> activation;  // of actuators that have one; empty: the keyframe's, or 0
  std::vector<std::pair<std::string, std::vector<double>>> set;  // then positions of these joints
  std::vector<std::pair<std::string, std::vector<double>>> set_velocity;
  std::optional<double> time;  // [s] of the start
  // Joints that nothing above sets start within their stops, and coupled ones where their drivers put them.
  bool fit_start = false;
  std::optional<Pose> place;  // of the one body on a free joint to the world
  bool on_floor = false;      // bodies on free joints are then moved along the floor's normal until they touch it
  SelfCollision self_collision = SelfCollision::on;
  MeshContact meshes = MeshContact::as_stated;
  std::optional<HoldOptions> hold;
};

// Two bodies of one tree that overlap.
struct Overlap {
  std::string body_a, body_b;
  double depth = 0;  // [m]
};

// A joint and what holds it.
struct HeldJoint {
  std::string joint;
  double stiffness = 0, damping = 0, target = 0;  // [N m/rad, N m s/rad, rad], or [N/m, N s/m, m]
  bool turns = true;                              // units of rotation
  bool moves_nothing = false;                     // no inertia: held like the lightest of the others
};

struct Scene {
  Model model;
  State start;
  std::vector<double> control;  // one per actuator of the model
  std::vector<Overlap> left_out;
  std::vector<HeldJoint> held;
  std::vector<std::string> notes;  // what the caller did not ask for in these words, for a reader
};

// Errors of the model come back in the Result; std::invalid_argument is thrown for options that do not fit it.
Result<Scene> make_scene(ModelSpec, const SceneOptions& = {}, const CompileOptions& = {});

// A plane of the name "floor", or "floor_" where that is taken.
void add_floor(ModelSpec&, const FloorOptions& = {});
void set_surfaces(ModelSpec&, std::optional<double> friction, std::optional<double> restitution);

// [m] The lowest point along `up` (a unit vector) of shapes that can touch, on bodies that move; none: there is no such
// shape. Planes and heightfields do not count.
std::optional<double> find_lowest_point(const Model&, In<double> q, const Vec3<double>& up = {0, 0, 1});

// Pairs of bodies of one tree whose shapes may touch and overlap by more than a millionth of their size, deepest first.
std::vector<Overlap> find_self_overlaps(const Model&, In<double> q);

// Of every joint of one coordinate that no coupling drives; `passive`: names of the moving joints left out, without
// those that join a tree to the world by a free or planar joint.
std::vector<HeldJoint> find_hold(const Model&, In<double> q, const HoldOptions& = {},
                                 std::vector<std::string>* passive = nullptr);
// A position servo per joint, with the joint's name where no actuator has it. Their control is the target.
void add_servos(ModelSpec&, const std::vector<HeldJoint>&);

}  // namespace sinew
