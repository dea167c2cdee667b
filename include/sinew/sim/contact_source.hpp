// sinew/sim/contact_source.hpp - where contacts come from: the model's shapes, or a function of the user's
#pragma once
#include <functional>
#include <vector>

#include "sinew/contact/contact_point.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

// All contacts at a position whose gap is at most `reach` [m], with an id each that stays the same from call to call;
// a function of position and time alone. A contact that is no longer listed though it touched has left its surface: a
// geometric loss.
using ContactSource =
    std::function<void(const KinematicsWorkspace<double>&, double time, double reach, std::vector<ContactPoint>&)>;

// Those of the model's shapes (contact/contact_shapes.hpp).
ContactSource make_contact_source(const Model&);

}  // namespace sinew
