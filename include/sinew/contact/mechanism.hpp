// sinew/contact/mechanism.hpp - what a step with hard contact needs of a mechanism that has recursions of its own
// A tree of rigid bodies does not need it: ContactSolver and Simulation know trees. This is for what is more than a
// tree: loops in minimal coordinates, bodies that bend. With it such a mechanism gets contacts, stops, dry friction,
// collisions, drives, records and accounts from the same code as trees do:
//   M (v+ - v) = dt (tau - C) + J^T r        M with the stiffness and damping that the step takes at its end
// Coordinates are those of model(), then extra ones of the mechanism. Contacts act on nodes of view().
// Implementations: loops in minimal coordinates and flexible bodies, in src/sim.
#pragma once
#include <string>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

struct ContactStep;  // contact/formulation.hpp

// (nodes) the first body on each: the one that its joint moves.
std::vector<int> find_first_bodies(const Model&);

class Mechanism {
 public:
  virtual ~Mechanism() = default;

  // Names, joints, drives, stops.
  virtual const Model& model() const = 0;
  // Shapes, and one node for each piece that moves on its own.
  virtual const Model& view() const { return model(); }
  // (nodes of the view) the body of model() that a contact there acts on.
  virtual std::vector<int> bodies_of_nodes() const { return find_first_bodies(model()); }
  // Coordinates after those of model(), in q and in v alike.
  virtual std::vector<std::string> extra_names() const { return {}; }
  std::size_t count_positions() const { return static_cast<std::size_t>(model().nq()) + extra_names().size(); }
  std::size_t count_velocities() const { return static_cast<std::size_t>(model().nv()) + extra_names().size(); }

  // Length of the steps to come. twin: model() with armature that stands for its drives (sim/drives.hpp); it must
  // outlive the steps.
  virtual void set_step(double dt, const Model& twin) = 0;
  // The twin of set_step has another armature now.
  virtual void change_twin(int /*v*/, double /*armature*/) {}

  // Makes a state obey the mechanism: one that a caller set, or one that its coordinates were moved to.
  virtual void settle(Out<double> /*q*/, Out<double> /*v*/, double /*time*/) {}
  // After the last settle of a step: coordinates may be replaced by better ones.
  virtual void end_step(In<double> /*q*/, In<double> /*v*/, double /*time*/) {}
  // Moves the extra coordinates by v for dt.
  virtual void move_extra(In<double> /*q*/, In<double> /*v*/, double /*dt*/, Out<double> /*q_after*/,
                          Out<double> /*v_after*/) const {}
  // Largest position error of its loops after the last settle [m or rad].
  virtual double position_error() const { return 0; }

  // Poses and velocities of the nodes of the view.
  virtual void calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>&) = 0;

  // What follows works at q and v of the last factor. In a collision, dt = 0, drives and stiffness do not count.
  virtual void factor(const ContactStep&) = 0;
  // x = v+ - v of all forces of that step, without rows.
  virtual void get_free_change(Out<double> x) const = 0;
  // Adds J^T f to `row`: f in the coordinates of a node of the view, or between a joint's node of model() and its
  // parent.
  virtual void add_node_force(int node, const Force<double>& f, Out<double> row) = 0;
  virtual void add_joint_force(int node, const Force<double>& f, Out<double> row) = 0;
  // x = M^-1 f in O(N).
  virtual void solve_mass(In<double> f, Out<double> x) = 0;

  virtual double kinetic_energy(In<double> q, In<double> v, double time) = 0;   // [J]
  virtual double potential_energy(In<double> q, double time) = 0;               // [J] of gravity, and stored in it
  virtual Force<double> momentum(In<double> q, In<double> v, double time) = 0;  // about the world's origin
  // [N m, N] of gravity, about the world's origin. Asked for where view() is another model than model().
  virtual Force<double> weight(In<double> /*q*/, double /*time*/) { return {}; }
  virtual double calc_damping_work(In<double> /*v*/, In<double> /*v_after*/) const { return 0; }  // [J] of its own
};

}  // namespace sinew
