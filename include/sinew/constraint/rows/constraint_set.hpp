// sinew/constraint/rows/constraint_set.hpp - constraints as rows: the one producer of K, k and position errors
//   K(q, t) qdd = k(q, v, t),   velocity error  e1 = K v - target,   position error  e0(q, t)   [F08 sections 8.2, 8.3]
// A set is made once for a model: the model's own active loops and couplings
// (of joints and of tendons), and any that the user adds. Rows are
// forces on nodes (delassus::Problem), so every solver of the library takes every kind of constraint.
// Signs: a row's velocity is that of side b relative to side a; a positive multiplier pushes b along the row, a against
// it. H qdd + C = tau + K^T lambda.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sinew/delassus/problem.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

// Two frames that may not move relative to each other along some of the six axes of frame b, angular ones first.
// All six: a weld. The last three: a point held. A body that is not named is the world; in place of a body a frame of
// the model may be named, here and in the other constraints: poses are then relative to it.
// With world_axes the six axes, through the origin of frame b, are those of the world. Shifts relative to the world are
// held in any combination then, others and turns where all three are blocked; the rest holds velocities only.
// Where the free axes make a group of motions (as in every lower pair), the mask holds positions. Where they do not
// (one turn of three blocked; one direction of a point that may turn) it is nonholonomic and holds velocities only:
// its position errors are zero.
// Laws move the pose at which b is held relative to frame a, along the axes of a: shifts first, then at most one turn.
struct MaskConstraint {
  std::string name;
  std::string body_a, body_b;
  Pose pose_a, pose_b;
  std::array<bool, 6> blocked{true, true, true, true, true, true};
  std::vector<MotionLaw> laws;  // none, or one per blocked axis (rheonomic); an empty one holds the axis still
  bool world_axes = false;      // then without laws
};

// A sphere on body b that rolls without slip or loss of contact on a plane of body a. Nonholonomic: three rows, of
// which only the first, along the normal, has a position error.
struct RollingConstraint {
  std::string name;
  std::string body_a, body_b;
  Vec3<double> point{}, normal{0, 0, 1};  // of the plane, in body a
  Vec3<double> centre{};                  // of the sphere, in body b
  double radius = 0;                      // [m]
};

// Inputs and outputs of a user's constraint.
struct ConstraintState {
  const Model& model;
  VectorView<const double> q, v;
  double time;
  const VelocityWorkspace<double>& motion;  // poses and velocities of the nodes; accelerations where dv/dt = 0
};
struct ConstraintOutput {
  VectorView<Force<double>> K;            // one per entry, in the node's coordinates
  VectorView<double> k;                   // one per row: K qdd = k
  VectorView<double> position, velocity;  // errors, one per row
};
class CustomConstraint {
 public:
  virtual ~CustomConstraint() = default;
  virtual std::string name() const = 0;
  virtual int rows() const = 0;
  virtual std::vector<delassus::Entry> entries(const Model&) const = 0;          // rows counted from 0
  virtual void calc(const ConstraintState&, const ConstraintOutput&) const = 0;  // fills all of the output
};

using ConstraintSpec =
    std::variant<LoopSpec, CouplingSpec, MaskConstraint, RollingConstraint, std::shared_ptr<const CustomConstraint>>;

struct ConstraintEntry;  // one compiled constraint: src/constraint/rows/constraint_entry.hpp

// Throws std::invalid_argument naming the constraint and what is wrong with it.
class ConstraintSet {
 public:
  explicit ConstraintSet(const Model&, std::vector<ConstraintSpec> more = {}, bool with_those_of_the_model = true);
  ~ConstraintSet();
  ConstraintSet(ConstraintSet&&) noexcept;
  ConstraintSet& operator=(ConstraintSet&&) noexcept;

  int rows() const { return problem_.rows(); }
  const delassus::Problem& problem() const { return problem_; }
  int constraints() const;
  // Of a constraint, by its number; constraint_of: the number of the constraint that a row belongs to.
  const std::string& constraint_name(int constraint) const;
  int constraint_of(int row) const;
  std::string row_name(int row) const;  // "loop 'knee': moment about y of its frame on body 'shank'"
  std::span<const ConstraintEntry> entries() const;

 private:
  std::vector<ConstraintEntry> entries_;
  std::vector<int> constraint_of_;
  delassus::Problem problem_;
};

// The rows at one state.
struct ConstraintRows {
  ConstraintRows(const Model&, const ConstraintSet&);
  VelocityWorkspace<double> motion;        // accelerations are those where dv/dt = 0
  std::vector<double> zeros;               // (nv)
  std::vector<Motion<double>> S;           // (nv) joint motions: world axes, about the node's origin
  std::vector<Force<double>> K;            // (entries) in the node's coordinates
  std::vector<double> k;                   // (rows) without stabilization
  std::vector<double> position, velocity;  // (rows) errors
  std::vector<Force<double>> f;            // (nodes) scratch of the products
  std::vector<Motion<double>> u;           // (nodes) scratch of the products
};

// Fills all fields of ConstraintRows. Allocates nothing.
void calc_constraint_rows(const Model&, const ConstraintSet&, ConstraintRows&, In<double> q, In<double> v,
                          double time = 0);
// K as a matrix, rows x nv, after calc_constraint_rows. K v is the velocity error where there is no target.
void get_constraint_jacobian(const Model&, const ConstraintSet&, const ConstraintRows&, OutMatrix<double> K);
// K^T lambda into tau, and K x into y, without K; after calc_constraint_rows. O(n + rows).
void multiply_by_constraint_jacobian_transpose(const Model&, const ConstraintSet&, ConstraintRows&, In<double> lambda,
                                               Out<double> tau);
void multiply_by_constraint_jacobian(const Model&, const ConstraintSet&, ConstraintRows&, In<double> x, Out<double> y);

// Baumgarte: k - 2 alpha e1 - beta^2 e0 with alpha = beta = 1 / period; a period of 0 leaves k as it is.
// [F08 8.21-8.24]
struct Baumgarte {
  double period = 0;  // [s]
};
void stabilize(const ConstraintRows&, const Baumgarte&, Out<double> k);

}  // namespace sinew
