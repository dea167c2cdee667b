// sinew/sim/free_flight.hpp - steps of bodies that fly: straight paths, and spin that keeps energy and momentum
// The linear velocity of free and planar joints is along axes that turn with the body. A step that kept these numbers
// constant would bend the path of every spinning body: a rolling ball would sink into the floor. So a step keeps the
// velocity along the parent's axes, and v is expressed in the new axes afterwards.
//   Single bodies: a free, planar or spherical joint from the world, and nothing hangs on the body. The centre of mass
//   moves straight. Without forces the body spins by the implicit midpoint rule of Euler's equation,
//     I (w* - w) = dt (I w_m) x w_m,  w_m = (w + w*) / 2,  R+ = R cay(dt w_m)
//   which keeps energy and angular momentum to rounding, at any spin. [Lewis, Simo: Conserving algorithms for the
//   dynamics of Hamiltonian systems on Lie groups, J. Nonlinear Sci. 4 (1994) 253] Where the body touches something, it
//   turns by its velocity at the end of the step, which is what contacts are solved for.
//   Roots of trees: the origin moves straight.
// Other joints, reversed ones, and single bodies with armature or without inertia about some axis move along their
// coordinates or as roots of trees do.
#pragma once
#include <vector>

#include "sinew/model/configuration.hpp"

namespace sinew {

// Bodies that may be tied or may bend are no single bodies, whatever their joints.
enum class SingleBodies { spin_exactly, as_roots };

class FreeFlight {
 public:
  // The model must outlive it.
  explicit FreeFlight(const Model&, SingleBodies = SingleBodies::spin_exactly);
  explicit FreeFlight(const Model&&, SingleBodies = SingleBodies::spin_exactly) = delete;
  bool any() const { return !free_.empty() || !planar_.empty() || !single_.empty(); }

  // Begins a step of length dt at the velocity v: nothing touches anything. middle: (nv) the velocity that inertial
  // forces are taken at; it becomes zero for single bodies, whose spin is in add_forces.
  void begin(In<double> v, Out<double> middle, double dt);
  void touch(int node);  // in this step

  // (nv) minus the rate of the numbers v while the velocity itself is constant: w x v for the linear parts of roots,
  // else zero; at `middle`.
  In<double> turning() const { return turning_; }
  void add_turning(In<double> v, Out<double> a) const;  // the same at v, added to a
  // tau: (nv) forces of joints. Adds the torques that make single bodies spin by the rule above.
  void add_forces(Out<double> tau) const;
  // q and v after the step, from v at its end along the axes at its start. Outputs may alias inputs.
  void move(In<double> q, In<double> v, Out<double> q_after, Out<double> v_after);
  // a: (nv) the change of v in the step over dt, along the axes at q. On return: the rate of the numbers v at the end
  // of the step.
  void turn_acceleration(In<double> q, In<double> v, In<double> q_after, In<double> v_after, Out<double> a) const;

 private:
  struct Place {
    std::size_t q, v;
  };
  struct Single {
    JointKind kind;
    Place at;
    Sym3<double> I;       // about the centre of mass; about the origin where the joint is spherical
    Vec3<double> centre;  // of mass, from the origin; zero where the joint is spherical
    // Of the step.
    Vec3<double> spun;        // w*
    Quaternion<double> turn;  // without forces
    Vec3<double> torque;      // about the centre of mass
    bool touches;
  };
  void begin(Single&, In<double> v) const;
  void move(const Single&, Out<double> q_after, Out<double> v_after) const;

  const Model& model_;
  double dt_ = 0;
  std::vector<Place> free_, planar_;
  std::vector<Single> single_;
  std::vector<int> single_of_;            // (nodes) -1: none
  std::vector<double> turning_, before_;  // (nv), (nq)
};

}  // namespace sinew
