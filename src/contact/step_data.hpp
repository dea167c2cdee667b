// src/contact/step_data.hpp - what every formulation reads and writes in a step
// A formulation is two calls: assemble() writes the complementarity problem, recover() reads its answer z.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/contact/formulation.hpp"
#include "sinew/contact/mechanism.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew::contact {

// The state before the step. Velocities are those of the position that the step starts from, so that for all
// formulations  w = K (v+ - v) + loop_error  and  w = J (v+ - v) + approach.
struct StepData {
  StepData(const Model&, const ConstraintSet&);
  StepData(Mechanism&, const ConstraintSet& none);
  Mechanism* mechanism = nullptr;  // none: a tree
  const Model& model;              // the view of the mechanism, if there is one
  const Model& joint_model() const { return mechanism ? mechanism->model() : model; }
  std::size_t nq = 0, nv = 0;  // numbers in q and v
  const ConstraintSet& set;
  const ContactStep* step = nullptr;
  std::span<const ContactPoint> contacts;
  std::span<const JointRow> joints;
  StepRows pushing() const { return {joints, contacts}; }
  // Of all rows of the step: loops, joints, contacts.
  lcp::RowLayout layout() const {
    lcp::RowLayout out = pushing().layout();
    out.free = set.rows();
    return out;
  }
  ConstraintRows rows;                                // of the loops
  const VelocityWorkspace<double>* motion = nullptr;  // how the nodes move
  std::vector<double> loop_error;                     // (rows) K v - U + feedback e0 / dt
  std::vector<double> loop_velocity;                  // (rows) K v
  std::vector<double> approach;                       // (joints + 3 contacts) J v, with the biases; with a mechanism
                                                      // assemble() adds J v of the joints
  std::vector<double> bias;                           // (contacts) as used; or empty
  std::vector<double> tau;  // (nv) forces of joints, with M times the turning, less the bias of armature
  RneaWorkspace<double> rnea;
  std::vector<double> f;  // (nv) impulse of the forces: (tau - C) dt
};
// Fills all except tau and f. full: also joint axes and accelerations of the nodes, which a step without loops may not
// need.
void read_step(StepData&, const ContactStep&, bool full);
// A formulation needs either f (the first call) or tau (the second).
// The velocity that inertial forces are taken at.
inline In<double> inertial_velocity(const ContactStep& s) { return s.middle.size() == 0 ? s.v : s.middle; }
void calc_force_impulse(StepData&);
void calc_joint_forces(StepData&);

// A problem with its memory, which is kept from step to step.
struct ProblemData {
  void resize(const lcp::RowLayout&);
  void reserve(const lcp::RowLayout& most);
  // Once after assemble: fills the bounds of the joint rows, which are the last unilateral ones, and friction of the
  // contacts; adds the softness of joint rows to W.
  void fill(const StepData&);
  void fill_sparse(const StepData&);
  std::vector<int> rows;  // (rows) their places among all unknowns; empty: all, in order
  MatrixView<double> matrix() { return {W.data(), q.size(), q.size()}; }
  lcp::FrictionProblem view();  // builds W where it was not needed
  void calc_velocity(const std::vector<double>& z, std::vector<double>& w);
  std::vector<double> W, q, mu, preload, lower, upper;
  lcp::RowLayout layout;
  bool without_matrix = false;  // then the problem is `sparse`, and q, W and the others are not used
  lcp::SparseProblem sparse;
  std::vector<int> trees;  // of it, by their numbers in the formulation
  // After calc_velocity: M^-1 J^T z, and the sums of the absolute values of its terms.
  std::vector<double> pushed, pushed_terms;
  bool rests = false;                 // nothing moved before the step
  bool soft = false;                  // has rows with softness: their springs approach rest for ever
  double tolerance = 0;               // of its answer
  std::vector<double> contradiction;  // see lcp::Solver
  // The largest velocity after the step, infinite where one is not finite; and what such velocities are the sums of.
  double left = 0, terms = 0;
  void note_velocity(double v) { left = std::isfinite(v) ? std::max(left, std::abs(v)) : INFINITY; }
  bool comes_to_rest() const { return !soft && std::isfinite(terms) && left <= tolerance * terms; }
};

// Independent problems: one per island. All unknowns together are bilateral ones, those of joint rows, and three per
// contact.
struct Islands {
  std::vector<ProblemData> problems;  // the first `count` are used; keeps its memory
  std::size_t count = 0, unknowns = 0;
  int sparse_rows = 0;                         // islands of that many rows may be without W
  std::size_t roomy = 0;                       // the problem with the most memory for that: the largest such island's
  ProblemData& single(const lcp::RowLayout&);  // all unknowns in one
  // Memory is made for these; sparse: no trees, if there is no such problem.
  lcp::RowLayout dense;
  lcp::SparseRoom sparse;
};

// Clears contact rows along which nothing can move, such as a normal through the axis of the only joint. Their entries
// are rounding errors, which a solver's scaling would amplify to unbounded impulses.
void clear_immovable_rows(ProblemData&);

class Method {
 public:
  virtual ~Method() = default;
  virtual bool needs_axes() const { return true; }
  virtual void reserve(const lcp::RowLayout& /*most*/, Islands&) {}  // memory for steps of at most this many rows
  // The model has this armature now: where a formulation has models or numbers of its own.
  virtual void set_armature(int /*v*/, double /*armature*/) {}
  virtual void assemble(StepData&, Islands&) = 0;
  virtual void recover(StepData&, In<double> z, ContactAnswer&) = 0;  // v, loops, contact; they have their sizes
};
std::unique_ptr<Method> make_nmc(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_mc(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_rmc(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_os(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_nmc_os(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_hinge_pairs(const Model&, const ConstraintSet&);
std::unique_ptr<Method> make_mechanism_rows(Mechanism&);

}  // namespace sinew::contact
