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
//   A single body that nothing but gravity pulls falls on its parabola: the centre moves by the mean of its velocities
//   before and after. All else moves by the velocity at the end, which keeps the energy of springs bounded.
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

  bool is_single(int node) const;  // the body of this node is a single body
  // Begins a step of length dt at the velocity v: nothing touches anything. middle: (nv) the velocity that inertial
  // forces are taken at, as far as it is known; it becomes zero for single bodies, whose spin is in add_forces.
  void begin(In<double> v, Out<double> middle, double dt);
  void touch(int node);  // in this step

  // (nv) minus the rate of the numbers v while the velocity itself is constant: w x v for the linear parts of roots,
  // else zero; at `middle`.
  In<double> turning() const { return turning_; }
  void add_turning(In<double> v, Out<double> a) const;  // the same at v, added to a
  // tau: (nv) forces of joints. Adds the torques that make single bodies spin by the rule above. Of those that touch
  // something until now, w_m has the change that `middle` expects.
  void add_forces(Out<double> tau) const;
  // q and v after the step, from v at its end along the axes at its start. Outputs may alias inputs.
  void move(In<double> q, In<double> v, Out<double> q_after, Out<double> v_after);
  // In the last move the body of this node fell on its parabola.
  bool fell(int node) const;
  // How far the numbers v are behind their time, at the velocity v_end that the step leads to: what moves by the
  // velocity at the end has the velocity of dt / 2 ago, half its change; what falls, none.
  void find_lag(In<double> q, In<double> v, In<double> v_end, Out<double> lag) const;
  // Moves by a displacement: (nv) a velocity along the axes at q, for unit time. Straight paths as above.
  void shift(In<double> q, In<double> displacement, Out<double> q_after) const;
  // Of the centre of the single body of this node, along the axes of the world: (nv) a displacement along the axes at
  // q.
  Vec3<double> calc_way(int node, In<double> q, In<double> displacement) const;
  // Expresses a velocity along the axes at another position: that of centres, or of the origins of roots, stays.
  void turn(In<double> q, In<double> q_after, Out<double> v) const;
  // a: (nv) the change of v in the step over dt, along the axes at q. On return: the rate of the numbers v at the end
  // of the step.
  void turn_acceleration(In<double> q, In<double> v, In<double> q_after, In<double> v_after, Out<double> a) const;

 private:
  struct Place {
    std::size_t q, v;
  };
  struct Single {
    JointKind kind{};
    Place at{};
    Sym3<double> I;        // about the centre of mass; about the origin where the joint is spherical
    Vec3<double> centre;   // of mass, from the origin; zero where the joint is spherical
    Vec3<double> gravity;  // along the axes of the world's side of the joint; zero where it is spherical
    // Of the step.
    Vec3<double> spun;               // w*
    Quaternion<double> turn;         // without forces
    Vec3<double> torque;             // about the centre of mass
    Vec3<double> push;               // expected change of w by contacts
    Vec3<double> start, start_spin;  // velocity of the centre, and w, where the step begins
    bool touches = false, fell = false;
  };
  void begin(Single&, In<double> v, const Vec3<double>& expected) const;
  bool falls(const Single&, const double* q, const Vec3<double>& change) const;
  // visit(kind of joint, its place, centre of mass from the origin) for all that moves straight.
  template <class Visit>
  void visit_straight(Visit) const;
  void move(Single&, Out<double> q_after, Out<double> v_after) const;

  const Model& model_;
  double dt_ = 0;
  std::vector<Place> free_, planar_;
  std::vector<Single> single_;
  std::vector<int> single_of_;            // (nodes) -1: none
  std::vector<double> turning_, before_;  // (nv), (nq)
};

}  // namespace sinew
