// sinew/operators/rigid_sko.hpp - a rigid-body model as an SKO model, O(N) per update
//   RigidSko r(model);  r.update(q, v);  forward_dynamics(r.sko, ws, r.stack(tau), qdd);
// Node k of the SKO model is node k + 1 of the Model: A(p(k), k) is the transform of forces from node to parent, H(k)
// is S^T, M(k) is the inertia, all in the node's coordinates. Bias terms are those of [F08], not of [R92]; gravity
// enters as an acceleration of the inertial frame.
// Armature is inertia of a hinge, not of a body: a node with armature has the velocities of its hinge beside the six of
// the body, so V(k) = (v; theta'), H = [S^T 1], M = diag(I, armature), and the weights have columns of zeros there.
// Freedoms are stacked node by node, the Model's coordinates in its own order: stack() and unstack() translate.
// The Model must outlive the RigidSko.
#pragma once
#include "sinew/model/model.hpp"
#include "sinew/operators/sko_model.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::sko {

class RigidSko {
 public:
  explicit RigidSko(const Model&);
  RigidSko(const Model&&) = delete;
  const Model& model() const { return *model_; }

  // A and H at q; a and b at q and v, with gravity and external forces.
  void update(In<double> q, In<double> v, const Surroundings<double>& = {});

  std::vector<double> stack(In<double> by_coordinate) const;         // order of the Model -> order of the nodes
  std::vector<double> unstack(In<double> by_node) const;             // and back
  int coordinate(int freedom) const { return order_[at(freedom)]; }  // of the Model

  SkoModel<double> sko;

 private:
  const Model* model_;
  std::vector<int> order_;         // velocity coordinate of each freedom
  std::vector<Motion<double>> v_;  // (nodes of the Model)
  std::vector<Force<double>> external_;
  std::vector<double> angles_;       // of revolute nodes, else 0; room for one register more
  std::vector<Turn<double>> turns_;  // their cosines and sines
};

}  // namespace sinew::sko
