// sinew/operators/flexible_model.hpp - a Model some of whose bodies bend
//   FlexibleModel m(model, {make_beam({.body = "link", ...})});
// Coordinates: q is the Model's q, then eta of each flexible body in the order of the list; v is the Model's v, then
// the rates of eta. Joints that hang on a flexible body hang on the interface node at their place, or on the one that
// `attach` names, at a rigid offset; they move and turn with it. The body's own joint stands at its frame.
// Bodies welded to a flexible body, and a flexible body welded to another or to the world, are nodes of their own.
// The Model must outlive it. Immutable.
// Errors: std::invalid_argument naming the body or joint: a body that is unknown or listed twice, data that
// check_flexible_body refuses, an inertia that differs from the Model's by more than 1e-3 (see replaces_inertia), a
// joint with no interface node at its place, a joint that does not leave free what the modes move at the root, loops
// and couplings (they join nodes of the rigid Model).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/operators/flexible_body.hpp"
#include "sinew/operators/shape.hpp"

namespace sinew::sko {

// A node of the SKO model: what moves as one piece.
struct FlexiblePart {
  std::string name;
  int parent = kInertial;        // part
  int node = 0;                  // of the Model: whose frame and joint it has
  bool jointed = false;          // false: welded to its parent
  int flexible = -1;             // place in bodies(); -1: rigid
  int at_node = -1;              // the interface node of a flexible parent
  Transform<double> frame;       // the part's frame <- the Model's node; the body's own frame if it bends
  Transform<double> placement;   // the joint's F_p <- the parent part's frame, or <- its interface node
  RigidInertia<double> inertia;  // of its rigid bodies, in the part's frame
  int first_mode = 0;            // of its eta in bodies' coordinates, counted from 0
};

class FlexibleModel {
 public:
  // Node of a flexible parent by name of the joint that hangs on it.
  using Attachments = std::vector<std::pair<std::string, std::string>>;
  FlexibleModel(const Model&, std::vector<FlexibleBody>, const Attachments& attach = {});
  FlexibleModel(const Model&&, std::vector<FlexibleBody>, const Attachments& attach = {}) = delete;

  const Model& model() const { return *model_; }
  const std::vector<FlexibleBody>& bodies() const { return bodies_; }
  const Attachments& attachments() const { return attach_; }
  int modes() const { return modes_; }  // of all bodies
  int nq() const { return model_->nq() + modes_; }
  int nv() const { return model_->nv() + modes_; }
  int first_mode(int flexible) const;  // in v, of that body

  const std::vector<FlexiblePart>& parts() const { return parts_; }  // parents first
  int part_of(int body) const;                                       // of the Model; kInertial: fixed to the world
  Shape make_shape() const;                                          // of the SKO model, one node per part
  // Whether its joint has armature.
  bool has_armature(const FlexiblePart&) const;

 private:
  void add_parts();
  int add_part(FlexiblePart, int parent_body, int joint);
  int find_part(int body);
  void check_rigid_inertia(const FlexibleBody&) const;
  void check_root(const FlexiblePart&) const;
  int find_interface(int flexible, const std::string& joint, const Vec3<double>& place) const;

  const Model* model_;
  std::vector<FlexibleBody> bodies_;
  Attachments attach_;
  int modes_ = 0;
  std::vector<int> first_mode_;   // (bodies_)
  std::vector<int> flexible_of_;  // (bodies of the Model) place in bodies_; -1: rigid
  std::vector<int> part_of_;      // (bodies of the Model)
  std::vector<FlexiblePart> parts_;
};

}  // namespace sinew::sko
