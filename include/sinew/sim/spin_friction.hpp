// sinew/sim/spin_friction.hpp - friction against spinning and rolling, at contacts
// A contact whose normal impulse is n also passes couples between its bodies, which turn against each other at w:
//   about the normal      |c_n| <= torsional n,    c_n = -torsional n sign(w_n)    where they spin
//   across it             |c_t| <= rolling n,      c_t = -rolling n w_t / |w_t|    where they roll
// torsional and rolling are lengths [m]: the radius of the patch that touches, and how far ahead it pushes. Each couple
// is a joint row (two across) whose bounds depend on n. The problem of a step is solved again until bounds and n agree.
// The law across the normal is a disc, not a box: it is found by Newton's method in the direction of w_t.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/contact/contact_point.hpp"
#include "sinew/contact/formulation.hpp"

namespace sinew {

class SpinFriction {
 public:
  // Forgets the rows of the last step.
  void begin_step();
  // Appends rows for the contacts that have none yet, with bounds from the impulses of the last step. The rows are
  // views into this object. After calc_velocities.
  void add_rows(std::span<const ContactPoint>, const VelocityWorkspace<double>&, std::vector<JointRow>& rows);
  bool any() const { return !couples_.empty(); }
  // Bounds and directions that fit the answer of the problem with these rows. False: they were the same.
  bool update(std::span<const ContactPoint>, const ContactAnswer&, const VelocityWorkspace<double>&,
              std::vector<JointRow>& rows);
  // [N m s] of the couples on the mechanism from the world.
  Vec3<double> calc_world_impulse(std::span<const ContactPoint>, const ContactAnswer&) const;
  // Impulses of a step (3 per contact), for the bounds in the next one.
  void learn(std::span<const ContactPoint>, In<double> impulses);

 private:
  struct Couple {
    std::size_t contact = 0, row = 0;
    Vec3<double> axis{};           // world
    int nodes[2] = {}, count = 0;  // those that move
    Force<double> forces[2] = {};  // on them, of a unit couple
  };
  struct Known {
    std::uint64_t id = 0;
    double normal = 0;  // [N s]
  };
  static void turn(Couple&, const ContactPoint&, const Vec3<double>& axis, const VelocityWorkspace<double>&);
  bool update_rolling(std::size_t first, double limit, const ContactPoint&, const ContactAnswer&,
                      const VelocityWorkspace<double>&, std::vector<JointRow>& rows);
  double find_known(std::uint64_t id);

  std::vector<Couple> couples_;  // of a contact: about its normal, if any, then two across it, if any
  std::size_t next_ = 0;         // contact without rows
  std::vector<Known> known_;     // in the order of the contacts of the last step
  std::size_t cursor_ = 0;
};

}  // namespace sinew
