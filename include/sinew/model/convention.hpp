// sinew/model/convention.hpp - coordinates in the order and form of Pinocchio and MuJoCo
// docs/conventions.md states the maps in words.
//   pinocchio  joints depth first, children by joint name; free: position, quaternion x y z w | linear, angular in the
//              body; continuous revolute: cos, sin; planar: x, y, cos, sin | v_x, v_y, w; spherical: x y z w
//   mujoco     our order; free: position, quaternion w x y z | linear in the world, angular in the body
// Mocap bodies have no coordinates there: from_other_q puts them where they stand in the neutral position.
// Sizes are checked; outputs must not alias inputs.
#pragma once
#include <string_view>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

enum class Convention { sinew, pinocchio, mujoco };

std::string_view to_string(Convention);

// Between our coordinates and those of another program, for one model.
class ConventionMap {
 public:
  ConventionMap(const Model&, Convention);

  int nq() const { return nq_; }  // in the other convention; nv is the same in all
  int nv() const { return nv_; }

  // Positions.
  void to_other_q(VectorView<const double> q, VectorView<double> other) const;
  void from_other_q(VectorView<const double> other, VectorView<double> q) const;
  // Velocities at our position q.
  void to_other_v(VectorView<const double> q, VectorView<const double> v, VectorView<double> other) const;
  void from_other_v(VectorView<const double> q, VectorView<const double> other, VectorView<double> v) const;
  // Rates of the velocity coordinates. Where the map of v turns with the body they depend on v too.
  void to_other_a(VectorView<const double> q, VectorView<const double> v, VectorView<const double> a,
                  VectorView<double> other) const;
  void from_other_a(VectorView<const double> q, VectorView<const double> v, VectorView<const double> other,
                    VectorView<double> a) const;
  // Generalised forces: power is the same in both.
  void to_other_tau(VectorView<const double> q, VectorView<const double> tau, VectorView<double> other) const;
  void from_other_tau(VectorView<const double> q, VectorView<const double> other, VectorView<double> tau) const;

  // Index of velocity coordinate i in the other convention, for matrices of joints whose coordinates are only permuted.
  int other_v_index(int i) const {
    check_index("other_v_index", "velocity coordinate", i, v_index_.size());
    return v_index_[i];
  }

 private:
  struct Segment {
    JointKind kind;
    bool cos_sin;  // the angle is written as cos, sin
    int q, v, other_q, other_v, nq, nv;
  };
  void add(const JointEntry&, const JointSpec&);

  Convention convention_;
  int nq_ = 0, nv_ = 0, our_nq_ = 0;
  std::vector<double> neutral_;  // our q
  std::vector<Segment> segments_;
  std::vector<int> v_index_;
};

}  // namespace sinew
