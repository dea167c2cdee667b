// src/contact/body_space.hpp - Lambda = G M^-1 G^T over single bodies, for nmc_os and hinge_pairs
// [J14 section 8]. Phi, the inverse of the bodies' inertias, is block diagonal. Armature a adds A a A^T to M, so that
//   M^-1 = Phi - Phi A (1/a + A^T Phi A)^-1 A^T Phi :
// coordinates with armature are further rows of the same product, and are eliminated afterwards.
#pragma once
#include "maximal.hpp"
#include "sinew/linear/symmetric_factor.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

namespace sinew::contact {

class BodySpace {
 public:
  // Throws std::invalid_argument where a body has no inverse inertia.
  BodySpace(const Model&, const ConstraintSet&, const char* formulation);
  const MaximalSystem& system() const { return s_; }
  // Lambda, and w = error + G M^-1 F dt: velocities of the rows without their impulses. Rows: hinges, loops, contacts.
  void assemble(StepData&);
  MatrixView<const double> compliance() const { return {Lambda_.data(), at(s_.rows()), at(s_.rows()), at(all_rows())}; }
  const std::vector<double>& free_velocity() const { return w_; }
  // Velocities after the rows' impulses p.
  void recover(const StepData&, const double* p, ContactAnswer&);

 private:
  int all_rows() const { return s_.rows() + static_cast<int>(coordinates_.size()); }
  void find_armature(const Model&);  // which may change from step to step
  void add_armature_entries(const StepData&);
  void eliminate_armature();
  MaximalSystem s_;
  std::vector<InverseInertia<double>> Phi_;   // (nodes)
  std::vector<int> coordinates_;              // those with armature
  std::vector<double> armature_;              // (coordinates_)
  std::vector<delassus::Entry> entries_;      // of G, then of A
  std::vector<Force<double>> K_;              // (entries_)
  std::vector<std::vector<int>> entries_on_;  // (nodes)
  std::vector<double> Lambda_, w_, y_, column_;
  linear::SymmetricFactor core_;  // 1/a + A^T Phi A
  std::vector<Force<double>> f_;
  std::vector<Motion<double>> U_;
};

}  // namespace sinew::contact
