// sinew/sim/straight_motion.hpp - steps in which free bodies move straight
// The linear velocity of free and planar joints is along axes that turn with the body. A step that kept these numbers
// constant would bend the path of every spinning body: a rolling ball would sink into the floor. So a step keeps the
// velocity along the parent's axes: origins move straight, and v is expressed in the new axes afterwards.
// Other joints, and reversed ones, move along their coordinates.
#pragma once
#include <vector>

#include "sinew/model/configuration.hpp"

namespace sinew {

class StraightMotion {
 public:
  // The model must outlive it.
  explicit StraightMotion(const Model&);
  explicit StraightMotion(const Model&&) = delete;
  bool any() const { return !free_.empty() || !planar_.empty(); }

  // e: (nv) minus the rate of the numbers v while the velocity itself is constant: w x v for linear parts, else zero.
  void calc_turning(In<double> v, Out<double> e) const;
  // q and v after dt at the velocity v. Outputs may alias inputs.
  void move(In<double> q, In<double> v, double dt, Out<double> q_after, Out<double> v_after);
  // a: (nv) accelerations in a step from q, linear parts those of the origin along the axes at q. On return: the rate
  // of the numbers v at the end of the step.
  void turn_acceleration(In<double> q, In<double> q_after, In<double> v_after, Out<double> a) const;

 private:
  struct Place {
    std::size_t q, v;
  };
  const Model& model_;
  std::vector<Place> free_, planar_;
  std::vector<double> before_;  // (nq)
};

}  // namespace sinew
