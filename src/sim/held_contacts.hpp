// src/sim/held_contacts.hpp - contacts as equations: their forces and accelerations
//   rows G = (loops K; normals of contacts),   W = G M^-1 G^T,   G vdot = G a + W z + drift
// Contacts are chosen by id. One that its source no longer lists is carried along: its point with body a, its normal
// with body b, as they stood when `remember` was called.
#pragma once
#include "linear/growing_cholesky.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/sim/event_driven.hpp"
#include "sinew/tree/aba.hpp"

namespace sinew {

class HeldContacts {
 public:
  HeldContacts(const Model&, const ConstraintSet&, ContactSource, JointForces, const EventDrivenOptions&);

  // All contacts near a state, and how fast their gaps grow.
  const std::vector<ContactPoint>& find(const StatePoint&);
  const std::vector<double>& speeds() const { return speeds_; }
  const std::vector<std::array<double, 2>>& slips() const { return slips_; }  // [m/s] along the tangents
  void remember(std::span<const ContactPoint>);

  // Rows of the loops and of these contacts: their normals, or three each with the tangents. Fills all below.
  void calc(const StatePoint&, std::span<const std::uint64_t> ids, int rows_each = 1);
  const lcp::RowLayout& layout() const { return layout_; }             // free: loops; no unilateral rows
  double get_response(int i, int j) const { return W_[index(i, j)]; }  // W
  // (rows) accelerations of the rows without forces; of a loop, less its right-hand side k.
  const std::vector<double>& d() const { return d_; }
  const std::vector<ContactPoint>& chosen() const { return chosen_; }
  // (rows) position and velocity errors: those of the loops; gaps (of tangents 0) and velocities.
  void get_errors(std::vector<double>& position, std::vector<double>& velocity);

  // Finds the rows that do not depend on rows before them in `order`, and factors W of these.
  void factor(std::span<const int> order);
  bool is_independent(int row) const { return independent_[row]; }
  // z = -W^+ x on the independent rows, 0 on the others; after factor.
  void solve(In<double> x, std::vector<double>& z) const;
  // M^-1 G^T z, added to `to`.
  void add_response(In<double> z, Out<double> to) const;
  const std::vector<double>& free_acceleration() const { return a_; }

 private:
  std::size_t index(int i, int j) const { return at(i) * at(layout_.rows()) + at(j); }
  void look(const KinematicsWorkspace<double>&, double time, std::vector<ContactPoint>&);
  void choose(const KinematicsWorkspace<double>&, double time, std::span<const std::uint64_t> ids,
              std::vector<ContactPoint>& out);
  void add_drift(const StatePoint&, std::span<const std::uint64_t> ids);

  struct Carried {
    ContactPoint contact;
    Vec3<double> point, normal;  // in node a, in node b
  };
  const Model& model_;
  const ConstraintSet& set_;
  ContactSource source_;
  JointForces forces_;
  const EventDrivenOptions& options_;
  ConstraintRows here_;
  VelocityWorkspace<double> near_;
  ContactRows contact_rows_;
  AbaWorkspace<double> aba_;
  std::vector<Carried> carried_;
  std::vector<ContactPoint> found_, looked_, chosen_, chosen_near_;
  std::vector<double> all_speeds_, speeds_, tau_, a_, q_, K_, J_, u_;
  std::vector<std::array<double, 2>> slips_;
  lcp::RowLayout layout_;
  std::vector<double> G_, Y_, W_, d_;
  std::vector<bool> independent_;
  std::vector<int> kept_;           // independent rows, in their order
  linear::GrowingCholesky factor_;  // of W of those rows
};

}  // namespace sinew
