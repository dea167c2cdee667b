// sinew/sim/straight_motion.hpp - a step that lets what flies fly straight
// Free and planar joints state linear velocity along axes that turn with the body. A step that holds those numbers
// bends the path of every body that spins: a rolling ball would sink into the floor. So a step holds the velocity
// along the axes of the parent instead: origins move straight, and v is stated in the new axes afterwards.
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

  // e: (nv) how fast the numbers v change when the velocity does not, negated: w x v for linear parts, else zero.
  void calc_turning(In<double> v, Out<double> e) const;
  // q and v after dt at the velocity v. Outputs may alias inputs.
  void move(In<double> q, In<double> v, double dt, Out<double> q_after, Out<double> v_after);
  // a: (nv) accelerations in a step from q, linear parts those of the origin along the axes at q. Becomes how fast the
  // numbers v change at the end of the step.
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
