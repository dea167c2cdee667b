// src/sim/step_setting.hpp - what the phases of a step share: what no step changes, and the step in the making
#pragma once
#include "constants.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::stepping {

// What no step changes.
struct Setting {
  const Model& model;
  const Model& view;  // whose nodes contacts act on
  const ConstraintSet& set;
  Mechanism* mechanism = nullptr;  // none: a tree
  SimulationOptions options;       // complete
  std::vector<std::string> extra;  // names of coordinates after those of the model
  std::vector<int> body_of_node;   // (nodes of the view) body of the model
  std::vector<int> view_body;      // (bodies of the model) their numbers in the view

  // The joints' part of q and of v: without extra coordinates.
  template <class Numbers>
  auto q_of_joints(Numbers& q) const {
    return VectorView(q.data(), at(model.nq()));
  }
  template <class Numbers>
  auto v_of_joints(Numbers& v) const {
    return VectorView(v.data(), at(model.nv()));
  }
  bool has_other_view() const { return &view != &model; }
  void calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& of_view) const;
};

// One step: what the simulation owns, and phases read and write.
struct Step {
  State& state;  // v changes in collisions; all else at the end of the step
  std::vector<ContactPoint>& contacts;
  ContactShapes& shapes;
  MocapBodies& mocap;
  In<double> control, applied, tau;
  const std::vector<Force<double>>& external;
  std::vector<Vec3<double>>& contact_forces;
  std::vector<double>& acceleration;
  StepReport& report;
  std::vector<WedgedPart>& wedged;
  SimulationTotals& totals;
  Interrupt interrupt;

  // Adds a solution to the report and to the totals; or only what it cost.
  void note(const lcp::Certificate&, const ContactCosts&) const;
  void note(const ContactCosts&) const;
};

// Room for the memory of a solver.
void reserve_memory(ContactMemory&, std::size_t contacts, std::size_t joint_rows, std::size_t loops);

// Impulse of contacts with the world on the mechanism, about the origin of the world. impulses: (3 contacts).
Force<double> calc_world_impulse(std::span<const ContactPoint>, In<double> impulses);

}  // namespace sinew::stepping
