// sinew/sweep/sweep.hpp - the loops over a tree: base to tip, tip to base
// Nodes are numbered depth first, so the parent of most nodes is the node before, and its state stays in registers.
// Only a node with several children stores its state, in a slot of its own.
#pragma once
#include "sinew/model/link.hpp"

namespace sinew {

// state(i) = step(i, link, state of the parent). `world` is the state of node 0; slots hold states of branch nodes.
SINEW_HD_CALLER
template <class State, class R, class Slots, class StepFn>
SINEW_HD void base_to_tip(const Link<R>* links, int n, const State& world, Slots&& slots, StepFn&& step) {
  State state = world;
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    if (l.parent == 0)
      state = world;
    else if (l.from >= 0)
      state = slots(l.from);
    state = step(i, l, state);
    if (l.keep >= 0) slots(l.keep) = state;
  }
}

// Each node passes a load to its parent: load = step(i, link, children), where children.add_to(own) adds the loads of
// its children. The load of a link on the world (link.parent == 0) is not used.
template <class Load>
struct Children {
  const Load* next;  // of the next node, if it is a child
  const Load* slot;  // of all others, if there are any
  // Adds the loads of the children to the node's own.
  SINEW_HD void add_to(Load& own) const {
    if (next) own += *next;
    if (slot) own += *slot;
  }
};
SINEW_HD_CALLER
template <class Load, class R, class Slots, class StepFn>
SINEW_HD void tip_to_base(const Link<R>* links, int n, Slots&& slots, StepFn&& step) {
  Load load{};
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const Children<Load> children{l.has_next ? &load : nullptr, l.keep >= 0 ? &slots(l.keep) : nullptr};
    load = step(i, l, children);
    if (l.from >= 0) {
      if (l.opens)
        slots(l.from) = load;
      else
        slots(l.from) += load;
    }
  }
}

}  // namespace sinew
