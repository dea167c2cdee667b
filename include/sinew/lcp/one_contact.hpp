// sinew/lcp/one_contact.hpp - Coulomb's law at one contact, exactly
//   u = A r + b,   0 <= r_n  complementary to  u_n >= 0,   |r_t| <= mu (r_n + preload),  opposed to u_t where it slides
// Open, sticking and sliding are tried in that order; sliding is one equation in one unknown, the ratio of slip speed
// to friction: (S + ratio I) r_t = -c with S the tangential block less the normal row, then |r_t| = mu (r_n + preload).
// In the axes of S it is two divisions per step; a bracket is kept, so the search always converges where A is regular.
#pragma once

namespace sinew::lcp {

// What the contact does at the answer.
enum class ContactState { open, sticking, sliding };

class OneContact {
 public:
  OneContact() = default;
  // A: 3 x 3 by rows, symmetric positive definite; n, t, t.
  OneContact(const double* A, double mu, double preload);
  // r from b, both n, t, t.
  ContactState solve(const double* b, double* r) const;

 private:
  ContactState slide(const double* b, double* r) const;
  ContactState solve_preloaded(const double* b, double* r) const;

  double A_[9] = {}, inverse_[9] = {};
  double mu_ = 0, preload_ = 0;
  double axis_[2] = {1, 0};                                // first axis of S among the tangents
  double stiffness_[2] = {};                               // eigenvalues of S
  double coupling_[2] = {};                                // of the normal row with the axes of S
  double disc_axis_[2] = {1, 0}, disc_stiffness_[2] = {};  // the same of the tangential block itself
};

}  // namespace sinew::lcp
