// src/model/canonical.hpp - joints as users write them, turned into canonical axes
#pragma once
#include "sinew/base/diagnostic.hpp"
#include "sinew/joint/joint.hpp"
#include "sinew/model/joint_spec.hpp"

namespace sinew {

// child body <- parent body  is  after * joint * before. Wrong parameters are diagnostics.
JointPart make_canonical(const JointSpec&, Diagnostics&);
Joint make_canonical_loop(const LoopSpec&, Transform<double>& before, Diagnostics&);

// One primitive of a joint with the place of its coordinates among the joint's own.
struct PrimitivePart {
  JointPart part;
  int q = 0, v = 0;
  int top_part = 0;  // which part of the outermost composite it belongs to
};
// A composite as a chain from parent to child; any other joint as a chain of one. Reversed joints with an axis come out
// as joints about the opposite axis.
std::vector<PrimitivePart> make_chain(const JointPart&);

}  // namespace sinew
