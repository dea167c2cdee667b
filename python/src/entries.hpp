// python/src/entries.hpp - bodies, joints and frames of a compiled model, as Python holds them: copies that know their
// model
#pragma once
#include "common.hpp"

namespace sinew::py {

template <class Entry>
struct PyEntry {
  Entry entry;
  int index = 0;
  Identity model;
};
using PyBody = PyEntry<BodyEntry>;
using PyJoint = PyEntry<JointEntry>;
using PyFrame = PyEntry<FrameEntry>;

// A joint by its number or name.
int find_joint(const char* call, const Model&, nb::handle);

}  // namespace sinew::py
