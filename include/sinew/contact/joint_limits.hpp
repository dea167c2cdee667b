// sinew/contact/joint_limits.hpp - end stops and dry friction of joints, as rows of a step
//   a stop      0 <= z,  towards the inside;   w = u + gap / dt >= 0:  the coordinate does not pass it within the step
//   friction    |z| <= friction dt  against the motion of the coordinate, and w = u: it holds, or slides
// Joints with one position coordinate per freedom have two stops per coordinate; a spherical joint has one, on the
// angle from its neutral position. Free joints have none.
#pragma once
#include <vector>

#include "sinew/contact/joint_row.hpp"

namespace sinew {

class JointLimits {
 public:
  // The model must outlive it.
  explicit JointLimits(const Model&);
  explicit JointLimits(const Model&&) = delete;
  bool any() const { return !stops_.empty() || !friction_.empty(); }
  int most_rows() const { return static_cast<int>(stops_.size() + friction_.size()); }

  // Rows at q, for a step of dt at about the velocity v: friction of every joint that has some, and the stops that
  // twice that velocity would reach. A step takes back the share `recovery` of what lies beyond a stop. Order and ids
  // depend on the model only. Allocates nothing once it has found as many rows.
  void find(In<double> q, In<double> v, double dt, double recovery, double time, std::vector<JointRow>& rows);
  // Adds the stops that are not among the rows and that q after the step has passed; true where there was one.
  bool add_passed(In<double> q, In<double> q_after, double dt, double recovery, double time,
                  std::vector<JointRow>& rows) const;
  // [rad or m] The farthest that q is beyond a stop, 0 if it is beyond none; `coordinate` is set to where.
  double calc_violation(In<double> q, int& coordinate) const;

 private:
  struct Stop {
    int node = 0, coordinate = 0;  // of the node's joint
    std::size_t q = 0, v = 0;
    double place = 0, sign = 0;  // gap = sign (q - place)
    bool whole_turn = false;     // of a spherical joint: gap = place - angle
  };
  struct Friction {
    int node = 0, coordinate = 0;
    double most = 0;  // [N m or N]
  };
  double calc_gap(const Stop&, In<double> q) const;
  JointRow make_row(int node, int coordinate, In<double> q, double time) const;
  JointRow make_stop(std::size_t index, double gap, In<double> q, double dt, double recovery, double time) const;

  const Model& model_;
  std::vector<Stop> stops_;
  std::vector<Friction> friction_;
};

}  // namespace sinew
