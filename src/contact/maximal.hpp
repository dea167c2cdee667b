// src/contact/maximal.hpp - a mechanism as single bodies: six velocities per node, hinges as rows [J14 17-24]
// Body velocities V are those of the nodes, in their own coordinates, at the position that the step starts from:
// V+ = J(q) v+, so that the physics is that of joint coordinates. The acceleration due to turning joint axes,
// dJ/dt v, is among the forces:  M (V+ - V) = F dt + G^T p,  F = weight + joint forces - M dJ/dt v - V x* M V.
// M is block diagonal except for armature, which is inertia of a joint coordinate and couples two bodies.
// Rows of G: hinges (6 - nv each, T of [F08 section 3.5]), loops, joint rows, contacts. For all of them  w = G (V+ - V)
// + error.
#pragma once
#include "sinew/joint/joint.hpp"
#include "step_data.hpp"

namespace sinew::contact {

struct MaximalSystem {
  MaximalSystem(const Model&, const ConstraintSet&);
  int bodies, hinge_rows;
  lcp::RowLayout layout;  // free: hinges, then loops
  bool has_armature = false;
  int rows() const { return layout.rows(); }

  std::vector<delassus::Entry> entries;  // of G
  std::vector<Force<double>> K;          // one per entry
  std::size_t fixed_entries = 0;         // those of hinges and loops come first
  std::vector<double> error;             // (rows)
  std::vector<Motion<double>> V;         // (nodes) before the step
  std::vector<Force<double>> impulse;    // (nodes) F dt, and the given contact impulses
  ContactRows in_joints;                 // contacts as the joints see them
  std::vector<double> J;                 // their Jacobian
  // Unit force of each velocity coordinate: on its node, and on the parent.
  std::vector<Force<double>> active, reaction;  // (nv)
};

void assemble(StepData&, MaximalSystem&);
// y = G U, and out += G^T p.
void multiply_by_rows(const MaximalSystem&, const std::vector<Motion<double>>& U, double* y);
void add_row_impulses(const MaximalSystem&, const double* p, std::vector<Force<double>>& out);
// v: the step's velocity, plus U - V in joint coordinates.
void to_joint_velocities(const StepData&, const MaximalSystem&, const std::vector<Motion<double>>& U, Out<double> v);

}  // namespace sinew::contact
