// sinew/sim/contact_source.hpp - where contacts come from: the model's shapes, or a user's function
#pragma once
#include <functional>
#include <vector>

#include "sinew/contact/contact_point.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

// Lists all contacts at a position whose gap is at most `reach` [m]. Each has an id that stays the same from call to
// call. The list may depend on position and time only. A touching contact that is no longer listed has left its
// surface: a geometric loss.
using ContactSource =
    std::function<void(const KinematicsWorkspace<double>&, double time, double reach, std::vector<ContactPoint>&)>;

// Contacts of the model's shapes (contact/contact_shapes.hpp).
ContactSource make_contact_source(const Model&);

}  // namespace sinew
