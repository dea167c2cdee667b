// sinew/model/model_hash.hpp - one number for everything in a model that decides how it moves
// Two models with the same number step to the same bits; a record and a snapshot carry it, so that a run is resumed
// with the model that it began with. FNV-1a over the specification: bodies, joints, places, shapes that collide, loops,
// couplings, actuators, contact filters and gravity, with their names and their order. Left out, because they do not
// change the motion: colours, groups, keyframes, places in files, and the timestep, which is an option of the run. Code
// cannot be hashed: laws of prescribed joints enter by samples, users' joints by their sizes and neutral positions.
#pragma once
#include <cstdint>

namespace sinew {

class Model;

std::uint64_t calc_model_hash(const Model&);

}  // namespace sinew
