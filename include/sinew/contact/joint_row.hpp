// sinew/contact/joint_row.hpp - an impulse within bounds between a node and its parent, or along a tendon
// Limits, dry friction, drives of limited strength:  lower <= z <= upper  with  w = u + bias + softness z  as in
// lcp::Problem, where u is the velocity of the node against its parent along the direction, or dL/dt of a length L(q).
// With softness s > 0 and no bounds  z = -(u + bias) / s: a spring and damper at the end of a step, or an inertia.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sinew/delassus/problem.hpp"
#include "sinew/tree/node_force.hpp"

namespace sinew {

struct JointRow {
  int node = 0, parent = 0;   // of the model
  Force<double> direction{};  // in the node's coordinates; the parent feels the opposite
  double bias = 0;            // [rad/s or m/s] added to u before it is compared with zero: gap / dt
  double lower = 0, upper = std::numeric_limits<double>::infinity();  // [N m s or N s]
  std::uint64_t id = 0;                                               // the same from step to step
  double softness = 0;  // [1/kg or 1/(kg m^2)] of a drive; its owner accounts for its work
  // A couple of a contact: its forces act on nodes of contacts (of a mechanism, those of its view), and its work counts
  // as friction of contacts.
  bool of_contact = false;
  // Not empty: forces on nodes in place of node, parent and direction. They must live as long as the row is used.
  NodeForces forces = {};
};

// Throws std::invalid_argument that names the row and its fault. of_contacts: the model of rows `of_contact`, if it is
// another one.
void check_joint_rows(const char* call, const Model&, std::span<const JointRow>, const Model* of_contacts = nullptr);

// Entries, numbered from `first`; forces at a position; velocities of the rows. See contact_rows.hpp.
void add_joint_row_entries(std::span<const JointRow>, int first, std::vector<delassus::Entry>& entries);
Force<double>* calc_joint_row_forces(std::span<const JointRow>, const KinematicsWorkspace<double>&, Force<double>* K);
void calc_joint_row_velocities(std::span<const JointRow>, const VelocityWorkspace<double>&, Out<double> u);

}  // namespace sinew
