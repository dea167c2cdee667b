// src/sim/step_arms.hpp - where friction of a contact that rolls acts: its arm half way through the step
// A contact that sticks holds  J v+ = 0  along its tangents. v+ is the velocity half a step after the position q of the
// step, so this J is wanted there: the arm from the centre of mass goes on as it did in the last step, by half of that.
// With the arm at q a spinning top would lose or gain height, to first order in dt. Normal forces, and friction that
// slides, are forces of the place q: with their arms half way a rocking body would be damped.
// Only where a body touches the world at one point: a body on several stands or slides, and other bodies have arms too.
#pragma once
#include "step_setting.hpp"

namespace sinew::stepping {

class Arms {
 public:
  explicit Arms(const Setting& s) : set_(s) {}
  void reserve(std::size_t contacts);

  // Before contacts are found: those of the last step; `known`: the step begins where that ended.
  void keep(std::span<const ContactPoint> contacts, bool known);
  // Arms of the contacts that stick and are there again. motion: where the step begins.
  void find(std::span<const ContactPoint>, const VelocityWorkspace<double>& motion, const ContactShapes&);
  // The contacts as the problem of the step has them.
  std::span<const ContactPoint> apply(std::span<const ContactPoint>);

 private:
  struct Arm {
    std::uint64_t id = 0;
    Vec3<double> change{};
  };
  struct Last {
    std::uint64_t id = 0;
    Vec3<double> point{};
  };
  const Setting& set_;
  std::vector<Last> last_;
  std::vector<ContactPoint> half_way_;
  std::vector<int> points_;  // (nodes) with the world
  std::vector<Arm> arms_;
};

}  // namespace sinew::stepping
