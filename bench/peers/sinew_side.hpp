// bench/peers/sinew_side.hpp - Sinew's coordinates, joints and matrices in Pinocchio's order and convention
#pragma once
#include <algorithm>

#include "peer.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/tree/kinematics.hpp"

namespace peers {

using namespace sinew;
using Numbers = std::vector<double>;

class Peer {
 public:
  explicit Peer(const Model& model)
      : model_(model), map_(model, Convention::pinocchio), nv_(static_cast<std::size_t>(model.nv())) {
    for (const JointEntry& j : model.joints())
      if (j.nv > 0) joints_.push_back(&j);
    std::ranges::sort(joints_, {}, [&](const JointEntry* j) { return other(static_cast<std::size_t>(j->v)); });
  }

  const ConventionMap& map() const { return map_; }

  std::vector<std::string> joint_names() const {
    std::vector<std::string> names;
    for (const JointEntry* j : joints_) names.push_back(j->name);
    return names;
  }

  State from_other(const State& s) const {
    State ours{Numbers(static_cast<std::size_t>(model_.nq())), Numbers(nv_), Numbers(nv_), Numbers(nv_)};
    map_.from_other_q(s.q, ours.q);
    map_.from_other_v(ours.q, s.v, ours.v);
    map_.from_other_a(ours.q, ours.v, s.a, ours.a);
    map_.from_other_tau(ours.q, s.tau, ours.tau);
    return ours;
  }

  Numbers matrix(const Numbers& m) const {
    Numbers out(nv_ * nv_);
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t j = 0; j < nv_; ++j) out[other(i) * nv_ + other(j)] = m[i * nv_ + j];
    return out;
  }

  // One after the other.
  Numbers matrices(std::initializer_list<const Numbers*> all) const {
    Numbers out;
    for (const Numbers* m : all) {
      const Numbers ours = matrix(*m);
      out.insert(out.end(), ours.begin(), ours.end());
    }
    return out;
  }

  // Linear rows above angular ones.
  Numbers jacobian(const std::vector<Motion<double>>& J) const {
    Numbers out(6 * nv_);
    for (std::size_t k = 0; k < nv_; ++k) {
      const Motion<double>& s = J[k];
      const double column[6] = {s.lin.x, s.lin.y, s.lin.z, s.ang.x, s.ang.y, s.ang.z};
      for (std::size_t i = 0; i < 6; ++i) out[i * nv_ + other(k)] = column[i];
    }
    return out;
  }

  // Joint by joint, the first three rows of the matrix that takes its child's to world coordinates.
  Numbers poses(const KinematicsWorkspace<double>& ws) const {
    Numbers out;
    for (const JointEntry* j : joints_) {
      const Transform<double> X = get_body_pose(model_, ws, j->child);
      const Mat3<double>& E = X.E.m;
      const double rows[12] = {E.xx, E.yx, E.zx, X.r.x, E.xy, E.yy, E.zy, X.r.y, E.xz, E.yz, E.zz, X.r.z};
      out.insert(out.end(), rows, rows + 12);
    }
    return out;
  }

 private:
  std::size_t other(std::size_t i) const { return static_cast<std::size_t>(map_.other_v_index(static_cast<int>(i))); }

  const Model& model_;
  ConventionMap map_;
  std::size_t nv_;
  std::vector<const JointEntry*> joints_;
};

}  // namespace peers
