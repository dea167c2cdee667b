// sinew/contact/formulation.hpp - one step of a mechanism with contacts, in any of J14's six formulations
// All of them state the same physics in impulses and velocities over a step of length dt:
//   M (v+ - v) = (tau - C) dt + K^T p + J^T r,     K v+ = -(stabilization),     (J v+ + bias, r) obey Coulomb's law,
// or for joint rows their bounds (joint_row.hpp),
// and differ in the unknowns that the complementarity problem keeps [J14 Tables 1, 2]:
//   nmc          body velocities, hinge and loop impulses, contacts     6n + n_b + n_u (n_f + 2)
//   mc           joint velocities, loop impulses, contacts              N + n_b + n_u (n_f + 2)
//   rmc          contacts, loops eliminated densely                     n_u (n_f + 2)
//   os           loop impulses and contacts, W by the Delassus suite    n_b + n_u (n_f + 2)      (the default)
//   nmc_os       hinge and loop impulses and contacts, W block by block in body coordinates
//   hinge_pairs  body velocities; every hinge and loop row as two inequalities [J14 5]
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/contact/cone.hpp"
#include "sinew/contact/joint_row.hpp"
#include "sinew/contact/loop.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew {

class Mechanism;  // contact/mechanism.hpp

enum class Formulation { nmc, mc, rmc, os, nmc_os, hinge_pairs };
inline constexpr std::array kFormulations{Formulation::nmc, Formulation::mc,     Formulation::rmc,
                                          Formulation::os,  Formulation::nmc_os, Formulation::hinge_pairs};
std::string_view to_string(Formulation);
std::optional<Formulation> find_formulation(std::string_view name);

// A step of length 0 is a collision: only impulses act, no forces [J14 54].
struct ContactStep {
  In<double> q, v, tau;  // tau is not read where dt is 0
  double dt = 0, time = 0;
  std::span<const ContactPoint> contacts;
  std::span<const JointRow> joints;  // limits, dry friction
  In<double> bias;  // (contacts) added to the normal velocity before it is compared with zero: gap / dt; or empty
  // [m/s] Smaller biases count as zero in problems without W: those of a heap contradict each other, and an answer that
  // settles them has slips as small, which are hard to find.
  double least_bias = 0;
  In<double> preload;                        // (contacts) see lcp::FrictionProblem; or empty
  In<double> impulse;                        // (3 contacts) known contact impulses, normal, tangent, tangent; or empty
  VectorView<const Force<double>> external;  // one per body, in its frame; or none
  // (nv) acceleration due to axes that turn (FreeFlight::turning): M times it is added to the forces; or empty
  In<double> turning;
  In<double> middle;    // (nv) the velocity that inertial forces are taken at; or empty: v
  In<double> expected;  // (nv) the velocity after the step, about, from where solvers may start; or empty
  double feedback =
      0;  // 0 .. 1: share of the loops' position errors that the step removes, K v+ = U - feedback e0 / dt
  const VelocityWorkspace<double>* motion = nullptr;  // of q and v at `time`, if known already
  bool same_place =
      false;  // q, time, contacts and joint rows are those of the last call: what depends only on them is kept
};

// Where the time went, and how large the problem was.
struct ContactCosts {
  int size = 0;                                     // unknowns of the (mixed) complementarity problem, with its pyramid
  double assembly = 0, solution = 0, recovery = 0;  // [s]
};

// [J] of impulses over the step, each times the mean of the velocities before and after.
struct ContactWork {
  double normal = 0, friction = 0, loops = 0, stops = 0, joint_friction = 0;
};

struct ContactAnswer {
  std::vector<double> v;         // (nv) after the step
  std::vector<double> contact;   // (3 contacts) impulses: normal, tangent, tangent
  std::vector<double> velocity;  // (3 contacts) after the step, without the bias
  ContactWork work;
  double drift = 0;                                      // largest position error of the loops before the step
  std::vector<double> joints;                            // (joint rows) impulses
  std::vector<double> joint_velocity;                    // (joint rows) after the step, without the bias
  std::vector<double> loops;                             // (rows of the set) impulses
  std::vector<bool> unsolved_joints, unsolved_contacts;  // those in islands that were not solved
  // (joint rows, then 3 per contact) impulses which prove that rows contradict, the largest of an island 1: see
  // lcp::Solver::contradiction. Empty where no island has such rows.
  std::vector<double> contradiction;
  lcp::Certificate certificate;
  ContactCosts costs;
};

// Called with every problem and its certificate.
using ContactWatch = std::function<void(const lcp::FrictionProblem&, const lcp::Certificate&)>;

// All that one call leaves for the next.
struct ContactMemory {
  std::vector<double> z;                     // unknowns of the last problem
  std::vector<ContactPoint> met;             // contacts of the last call
  std::vector<double> impulses, velocities;  // (3 met)
  // (met) of their islands: 1 where the last answer was kept, -n where n steps are to go until it is settled again; and
  // the residual of an answer that was close, or -1 where they moved before the step.
  std::vector<double> repeated, residuals;
  std::vector<std::uint64_t> joint_ids;  // joint rows of the last call
  std::vector<double> joint_impulses;
};

// One object for a model, its bilateral constraints and a formulation; contacts may change from call to call.
class ContactSolver {
 public:
  // The model and the set must outlive it.
  ContactSolver(const Model&, const ConstraintSet&, Formulation, const lcp::SolverOptions&);
  ContactSolver(const Model&&, const ConstraintSet&, Formulation, const lcp::SolverOptions&) = delete;
  ContactSolver(const Model&, const ConstraintSet&&, Formulation, const lcp::SolverOptions&) = delete;
  // Of a mechanism with recursions of its own, which must outlive it: contacts only, W by one O(N) solution per row.
  ContactSolver(Mechanism&, const lcp::SolverOptions&);
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;
  const ContactAnswer& solve(const ContactStep&);
  const ContactAnswer& solve(const ContactStep&, const lcp::SolverOptions&);  // with these options, this once
  // Reserves memory, so that steps with at most that many allocate nothing where the cone is exact and the formulation
  // is os. Larger steps allocate, and so do the first ones of islands that are solved without W.
  void reserve(int contacts, int joint_rows);
  // The problem of the last call as the solver got it; of several islands, the largest.
  const lcp::FrictionProblem& problem() const;
  lcp::SolverOptions& options();  // all may be changed between calls
  // After set_armature (model/model.hpp) of the model: the same for what was made of it.
  void set_armature(int v, double armature);
  ContactWatch watch;
  Loop loop;  // over islands
  // State of each contact of the last call, see find_contact_state.
  std::vector<ContactState> contact_states(double tolerance = 1e-9) const;
  // A solver with the memory of another one goes on with the same bits.
  ContactMemory get_memory() const;
  void get_memory(ContactMemory&) const;  // the same, into memory that is there
  void set_memory(const ContactMemory&);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
