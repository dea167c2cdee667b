// sinew/contact/collision.hpp - collisions in two phases: compression, and restitution after Poisson [J14 section 7]
//   compression     approach velocities of touching bodies are brought to zero, as in a step of length 0; the normal
//                   impulse of each contact is stored [J14 54, 55]
//   decompression   restitution gives back  eps times  the stored impulse, along the normal; more impulse may be needed
//                   so that no contact approaches again [J14 56-58]
// Friction of the second phase. In the paper it is bounded by the additional normal impulse only, not by what is given
// back. Such a collision can gain energy, without bound, where normal and tangent are coupled. By default friction is
// bounded by the whole normal impulse, mu (F_n + eps F_n,c): no gain was seen in any random case. Pass all contacts
// that touch in one call, those at rest too: which of them take part is part of the answer. Loops keep their velocity U
// in a collision.
#pragma once
#include <utility>

#include "sinew/contact/formulation.hpp"
#include "sinew/tree/energy.hpp"

namespace sinew {

// What bounds friction in the second phase.
enum class RestitutionFriction {
  whole,    // bounded by the whole normal impulse: the default
  printed,  // bounded by the additional impulse only, as in [J14 57]
};

struct CollisionOptions {
  lcp::SolverOptions solver;
  RestitutionFriction friction = RestitutionFriction::whole;
};

// [J] Impulses do  p (u- + u+) / 2  of work, so that kinetic energy changes by the sum of the three (and by the
// work that keeps prescribed joints on their motion).
struct CollisionEnergy {
  double before = 0, compressed = 0, after = 0;              // kinetic
  double normal_work = 0, friction_work = 0, loop_work = 0;  // of both phases
};

struct CollisionAnswer {
  std::vector<double> v;           // (nv) after the collision
  std::vector<double> compressed;  // (nv) between the phases
  std::vector<double> compression,
      restitution;             // (3 contacts) impulses: normal, tangent, tangent, with what is given back
  std::vector<double> loops;   // (rows of the set) of both phases
  std::vector<double> joints;  // (joint rows) of both phases
  lcp::Certificate compression_certificate, restitution_certificate;
  std::vector<double> contradiction;  // as in ContactAnswer, of the last phase that has one
  bool restituted = false;            // there was a second phase
  CollisionEnergy energy;
  ContactCosts costs;  // of both phases
};

// Collisions of one model under one set of constraints.
class CollisionSolver {
 public:
  // The model and the set must outlive it.
  CollisionSolver(const Model&, const ConstraintSet&, Formulation = Formulation::os, const CollisionOptions& = {});
  CollisionSolver(const Model&&, const ConstraintSet&, Formulation = Formulation::os,
                  const CollisionOptions& = {}) = delete;
  CollisionSolver(const Model&, const ConstraintSet&&, Formulation = Formulation::os,
                  const CollisionOptions& = {}) = delete;
  CollisionSolver(Mechanism&, const CollisionOptions&);  // which must outlive it
  // joints: limits that hold in the collision; their work counts as that of loops.
  const CollisionAnswer& solve(In<double> q, In<double> v, std::span<const ContactPoint>, double time = 0,
                               std::span<const JointRow> joints = {});
  void reserve(int contacts, int joint_rows);  // as that of ContactSolver
  CollisionOptions options;                    // may be changed between calls
  void set_watch(ContactWatch w) { solver_.watch = std::move(w); }
  void set_loop(Loop l) { solver_.loop = std::move(l); }
  ContactMemory get_memory() const { return solver_.get_memory(); }
  void get_memory(ContactMemory& out) const { solver_.get_memory(out); }
  void set_memory(const ContactMemory& memory) { solver_.set_memory(memory); }

 private:
  struct Work {
    std::vector<double> u, Kv, joints;
  };
  // Velocities of the rows at v.
  void measure(const ContactStep&, In<double> v, Work&);
  // Adds the work of impulses that changed the rows' velocities from before_ to now_.
  void add_works(In<double> contact, In<double> loops, In<double> joints);
  double calc_energy(In<double> q, In<double> v, double time);

  Mechanism* mechanism_ = nullptr;             // none: a tree
  std::unique_ptr<const ConstraintSet> none_;  // of a mechanism: its loops are its own
  const Model& model_;                         // the view of the mechanism
  const ConstraintSet& set_;
  ContactSolver solver_;
  ConstraintRows rows_;
  EnergyWorkspace<double> energies_;
  Work before_, now_;
  std::vector<double> given_, preload_, row_;
  CollisionAnswer answer_;
};

}  // namespace sinew
