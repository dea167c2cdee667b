// src/sim/rough_contacts.hpp - accelerations and forces of contacts that stay, with Coulomb's law
// A contact that slides has friction mu f_n against its slip; one that sticks, or is about to slide, obeys the law with
// its tangential acceleration in place of the slip:
//   a = W z + d,   sliding: z_t = -mu z_n slip,  0 <= z_n, a_n >= 0, z_n a_n = 0;   else (z, a) obey Coulomb's law
// Friction of sliding contacts is found by repetition, which does not converge in Painleve's paradox.
#pragma once
#include "held_contacts.hpp"

namespace sinew {

enum class ContactGrip { none, cone, slides };  // none: parts, no force

class RoughContacts {
 public:
  RoughContacts(HeldContacts& held, lcp::Solver& solver) : held_(held), solver_(solver) {}
  // Per contact: a grip, and a direction of slip (a unit vector along the tangents; read only where it slides). Throws
  // std::runtime_error that names the time if there is no solution.
  void solve(const StatePoint&, std::span<const std::uint64_t> ids, std::span<const ContactGrip>,
             std::span<const std::array<double, 2>> slips);
  // (loops, then normal, tangent, tangent of each contact)
  const std::vector<double>& forces() const { return z_; }
  const std::vector<double>& accelerations() const { return a_; }
  const std::vector<double>& velocities() const { return velocities_; }
  const lcp::Certificate& certificate() const { return certificate_; }

 private:
  HeldContacts& held_;
  lcp::Solver& solver_;
  std::vector<double> z_, a_, velocities_, positions_, M_, q_, mu_, x_;
  std::vector<int> rows_;  // of the problem
  lcp::Certificate certificate_;
};

}  // namespace sinew
