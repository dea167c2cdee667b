// src/sim/step_grips.hpp - how the points of a grip share its force, where a body slides between others
// Two pads that squeeze a body touch it at several points each. Rigid bodies do not say how these share the force, and
// while the body slides, each way to share it turns the body differently. Answers of a solver that starts from its last
// answer wander among them: the body begins to turn. So the warm start of such a grip is drawn to equal shares, a
// little in each step; what the motion needs, the solver restores. Pads are parts of mechanisms or of the world: where
// free bodies squeeze each other (dominoes that lean, heaps), their own motion says how they share a force.
#pragma once
#include <utility>
#include <vector>

#include "step_setting.hpp"

namespace sinew::stepping {

class Grips {
 public:
  explicit Grips(const Model& view);  // whose nodes contacts act on
  void reserve(std::size_t contacts, std::size_t joint_rows, std::size_t loops);
  // contacts, impulses (3 each): of the last step, which the solver remembers.
  void even_out(std::span<const ContactPoint> contacts, In<double> impulses, ContactSolver&);

 private:
  // Contacts of the same two nodes with the same normal, all sliding.
  struct Side {
    std::size_t begin = 0, end = 0;
    bool gripped = false;
  };
  std::vector<bool> is_free_body_;  // (nodes)
  std::vector<Side> sides_;
  std::vector<std::pair<int, std::size_t>> pressed_;  // a node, and a side that presses on it
  ContactMemory memory_;
};

}  // namespace sinew::stepping
