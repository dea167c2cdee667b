// sinew/sim/soft_contact.hpp - surfaces of springs and dampers without mass [F08 section 11.8]
// Along the normal a surface stands at z (0: undeformed, negative: pressed in), the body above it at the gap p:
//   K z + D zdot + f = 0,     f = 0 where p > z,     f = max(0, -K z - D pdot) where p = z         [F08 11.73, 11.74]
// and along the two tangents at x, with Coulomb's law between body and surface [F08 11.77-11.79]. A surface without
// contact relaxes as exp(-K t / D). Forces depend on positions, velocities and z, x only: any forward dynamics takes
// them as tau, and no complementarity problem is solved. In exchange the motion is stiff and needs steps of D / K or
// less. While bodies touch, p is used for z, so that z need not be exact. With `remember_normal` z is not a state: it
// is p, or once the contact is lost the last p relaxed since then, and state_size is 2 per contact instead of 3.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/sim/contact_source.hpp"
#include "sinew/sim/integrate.hpp"

namespace sinew {

// Springs and dampers of a surface.
struct SoftSurface {
  double stiffness = 0, damping = 0;                  // K [N/m], D [N s/m] along the normal
  double tangent_stiffness = 0, tangent_damping = 0;  // K_t, D_t; both 0: those of the normal
};
// Two surfaces in contact as one, in series. Throws std::invalid_argument unless K / D is the same for both: otherwise
// one state cannot represent two.
SoftSurface lump(const SoftSurface&, const SoftSurface&);

// The laws of one contact.
struct SoftNormal {
  double force = 0, zdot = 0;
  bool touches = false;
};
SoftNormal calc_soft_normal(const SoftSurface&, double p, double pdot, double z, double skin = 0);
struct SoftTangent {
  std::array<double, 2> force{}, xdot{};
  bool slips = false;
};
// v: velocity of the body along the tangents; limit: mu f_n.
SoftTangent calc_soft_tangent(const SoftSurface&, const std::array<double, 2>& x, const std::array<double, 2>& v,
                              double limit);
// Two surfaces with a state each: p = z1 + z2 where they touch.
struct SoftPair {
  double force = 0, z1dot = 0, z2dot = 0;
};
SoftPair calc_soft_pair(const SoftSurface&, const SoftSurface&, double p, double pdot, double z1, double z2);
// z after a time without contact.
double relax(double stiffness, double damping, double z, double time);

struct SoftContactOptions {
  SoftSurface surface;
  int slots = 16;                // contacts that may be pressed or still relaxing at one time
  bool remember_normal = false;  // z by the analytic solution
  double skin = 1e-9;            // [m] surfaces that are this close count as touching
};

// What a contact does.
struct SoftForce {
  std::uint64_t contact = 0;
  double normal = 0;
  std::array<double, 2> tangent{};  // along contact_tangents of the normal
  bool slips = false;
};

class SoftContact {
 public:
  // The model must outlive it. Throws std::invalid_argument for parameters out of range.
  SoftContact(const Model&, const SoftContactOptions&);
  SoftContact(const Model&&, const SoftContactOptions&) = delete;
  int state_size() const;

  // Motion of the bodies, to find contacts with; calc_forces uses it too.
  const VelocityWorkspace<double>& calc_motion(In<double> q, In<double> v, double time = 0);
  // tau: (nv) joint forces of all contacts; zdot: (state_size). A contact gets a slot of z when it first touches.
  // Throws std::runtime_error where there are more than slots.
  void calc_forces(std::span<const ContactPoint>, In<double> z, double time, Out<double> tau, Out<double> zdot);
  std::span<const SoftForce> forces() const { return forces_; }  // of those that touch, after calc_forces
  double calc_stored_energy(In<double> z) const;                 // [J] in the springs, after calc_forces

  // After a step and calc_motion: updates the remembered normals and frees slots of surfaces that have relaxed; their z
  // becomes 0. True if there are any.
  bool end_step(std::span<const ContactPoint>, Out<double> z, double time);
  const SoftContactOptions& options() const { return options_; }

 private:
  struct Slot {
    std::uint64_t contact = 0;
    bool taken = false, touched = false;
    double z = 0, time = 0;  // when it last touched
  };
  std::size_t stride() const { return options_.remember_normal ? 2 : 3; }
  Slot* find(std::uint64_t contact);
  Slot& take(std::uint64_t contact);
  // z of the surface under a body at p.
  double calc_normal(const Slot&, In<double> z, double p, double time) const;

  const Model& model_;
  SoftContactOptions options_;
  ConstraintSet none_;
  ConstraintRows here_;
  ContactRows rows_;
  std::vector<Slot> slots_;
  std::vector<double> speeds_, r_;
  std::vector<SoftForce> forces_;
  std::vector<double> depths_;  // (slots) p of those that touch, else 0
};

// dv/dt by the articulated-body algorithm with soft contacts; extra numbers are the state of the contacts. The model
// and the contacts must outlive the functions that these two make.
RightHandSide make_soft_dynamics(const Model&, SoftContact&, ContactSource, JointForces = {});
RightHandSide make_soft_dynamics(const Model&&, SoftContact&, ContactSource, JointForces = {}) = delete;
// To be called after each of its steps: Integrator::set_projection(make_soft_upkeep(soft, source)).
Projection make_soft_upkeep(SoftContact&, ContactSource);

}  // namespace sinew
