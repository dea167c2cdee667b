// sinew/model/model_hash.hpp - one number for everything in a model that decides how it moves
// Two models with the same number step to the same bits; a record and a snapshot carry it, so that a run is resumed
// with the model that it began with. FNV-1a over the specification: bodies, joints, places, shapes that collide, loops,
// couplings, actuators, contact filters and gravity, with their names and their order. What is left out does not act on
// the motion: colours, groups, keyframes, the timestep (it is an option of the run), places in files. Laws of
// prescribed joints are hashed by samples, joints of users by their sizes and their neutral position: their code cannot
// be seen.
#pragma once
#include <cstdint>

namespace sinew {

class Model;

std::uint64_t calc_model_hash(const Model&);

}  // namespace sinew
