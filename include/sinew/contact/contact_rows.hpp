// sinew/contact/contact_rows.hpp - the rows of a step: one per joint row, three per contact
//   u = J v,   J^T r,   rows of joints first, then row 3 c + k of contact c: the velocity of a against b along axis k
//   [J14 22, 34, 46]
// A row is a unit force on node a (for a contact, at its point), with its reaction on node b. The world has no entries.
#pragma once
#include <span>
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/contact/contact_point.hpp"
#include "sinew/contact/joint_row.hpp"
#include "sinew/lcp/row_layout.hpp"

namespace sinew {

// Throws std::invalid_argument that names the contact, its fault and the cure.
void check_contacts(const char* call, const Model&, std::span<const ContactPoint>);

// The rows of one step: joint rows, then contacts.
struct StepRows {
  std::span<const JointRow> joints;
  std::span<const ContactPoint> contacts;
  lcp::RowLayout layout() const { return {0, static_cast<int>(joints.size()), static_cast<int>(contacts.size())}; }
};

struct ContactRows {
  explicit ContactRows(const Model&);
  MadeFor made_for;
  std::vector<delassus::Entry> entries;  // rows counted from 0
  std::vector<Force<double>> K;          // (entries) in the node's coordinates
  std::vector<Force<double>> f;          // (nodes) scratch of the products
  std::vector<Motion<double>> u;         // (nodes) scratch of the products
  int rows = 0;
};

// Adds the entries of the rows `first`, `first` + 1, .. of the contacts to `entries`. rows_each: 3, or 1 for the normal
// only.
void add_contact_entries(std::span<const ContactPoint>, int first, std::vector<delassus::Entry>& entries,
                         int rows_each = 3);
// The forces of these rows at a position: one per entry; K must have room for all of them.
void calc_contact_forces(std::span<const ContactPoint>, const KinematicsWorkspace<double>&, Force<double>* K,
                         int rows_each = 3);
// u: (3 contacts) velocities, with the motion of prescribed joints. After calc_velocities.
void calc_contact_velocities(std::span<const ContactPoint>, const VelocityWorkspace<double>&, Out<double> u);

// The same for the rows of joints and contacts together.
void add_step_entries(const StepRows&, int first, std::vector<delassus::Entry>& entries);
void calc_step_forces(const StepRows&, const KinematicsWorkspace<double>&, Force<double>* K);
void calc_step_velocities(const StepRows&, const VelocityWorkspace<double>&, Out<double> u);

// Entries and forces. Allocates nothing once it has had as many rows.
void calc_contact_rows(const StepRows&, const KinematicsWorkspace<double>&, ContactRows&);
// J: rows x nv; J x; J^T r. After calc_contact_rows; `here` is what calc_constraint_rows filled for the position.
void get_contact_jacobian(const Model&, const ConstraintRows& here, const ContactRows&, OutMatrix<double> J);
void multiply_by_contact_jacobian(const Model&, const ConstraintRows& here, ContactRows&, In<double> x, Out<double> y);
void multiply_by_contact_jacobian_transpose(const Model&, const ConstraintRows& here, ContactRows&, In<double> r,
                                            Out<double> tau);

}  // namespace sinew
