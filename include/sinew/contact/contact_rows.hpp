// sinew/contact/contact_rows.hpp - contacts as rows: three each, along the normal and the two tangents
//   u = J v,   J^T r,   row 3 c + k of contact c: the velocity of a against b along axis k          [J14 22, 34, 46]
// A row is a unit force on node a at the point, with its reaction on node b; nothing on the world.
#pragma once
#include <span>
#include <vector>

#include "sinew/constraint/constraint_set.hpp"
#include "sinew/contact/contact_point.hpp"

namespace sinew {

// Throws std::invalid_argument that names the contact, what is wrong with it, and the cure.
void check_contacts(const char* call, const Model&, std::span<const ContactPoint>);

struct ContactRows {
  explicit ContactRows(const Model&);
  std::vector<delassus::Entry> entries;  // rows counted from 0
  std::vector<Force<double>> K;          // (entries) in the node's coordinates
  std::vector<Force<double>> f;          // (nodes) scratch of the products
  std::vector<Motion<double>> u;         // (nodes) scratch of the products
  int rows = 0;
};

// The entries of the rows `first`, `first` + 1, .. of some contacts, added to `entries`. All three rows of each, or
// only the normal.
void add_contact_entries(std::span<const ContactPoint>, int first, std::vector<delassus::Entry>& entries,
                         int rows_each = 3);
// Their forces at a position: one an entry; K has room for all of them.
void calc_contact_forces(std::span<const ContactPoint>, const KinematicsWorkspace<double>&, Force<double>* K,
                         int rows_each = 3);
// u: (3 contacts), with all that moves the bodies, prescribed joints too. After calc_velocities.
void calc_contact_velocities(std::span<const ContactPoint>, const VelocityWorkspace<double>&, Out<double> u);

// Entries and forces. Allocates nothing once there was as many contacts before.
void calc_contact_rows(std::span<const ContactPoint>, const KinematicsWorkspace<double>&, ContactRows&);
// J: 3 contacts x nv; J x; J^T r. After calc_contact_rows; `here` is what calc_constraint_rows filled for the position.
void get_contact_jacobian(const Model&, const ConstraintRows& here, const ContactRows&, OutMatrix<double> J);
void multiply_by_contact_jacobian(const Model&, const ConstraintRows& here, ContactRows&, In<double> x, Out<double> y);
void multiply_by_contact_jacobian_transpose(const Model&, const ConstraintRows& here, ContactRows&, In<double> r,
                                            Out<double> tau);

}  // namespace sinew
