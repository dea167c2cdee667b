// sinew/sim/mechanisms.hpp - mechanisms with recursions of their own (contact/mechanism.hpp), for a Simulation
//   Simulation s(make_embedded_mechanism(model, set, {.independent = {0}}), {.dt = 1e-3});
//   Simulation t(make_flexible_mechanism(flexible_model), {.dt = 1e-3});
// Without options of the embedding, Simulation(model, {.loops = LoopMethod::embed}) does the same.
#pragma once
#include <memory>

#include "sinew/constraint/embedding/embedding.hpp"
#include "sinew/contact/mechanism.hpp"
#include "sinew/operators/flexible_model.hpp"

namespace sinew {

// Loops in minimal coordinates. The model and the set must outlive it. Throws std::invalid_argument naming a constraint
// that holds velocities only.
std::unique_ptr<Mechanism> make_embedded_mechanism(const Model&, const ConstraintSet&, const EmbeddingOptions& = {});
std::unique_ptr<Mechanism> make_embedded_mechanism(const Model&&, const ConstraintSet&,
                                                   const EmbeddingOptions& = {}) = delete;
std::unique_ptr<Mechanism> make_embedded_mechanism(const Model&, const ConstraintSet&&,
                                                   const EmbeddingOptions& = {}) = delete;
// Of such a mechanism; none for others.
const EmbeddingReport* get_embedding(const Mechanism*);

// Bodies that bend. Stiffness and damping of the modes are those at the end of a step, so that no stiffness is too
// large for it. Extra coordinates: eta of each flexible body, named "beam mode 1". A shape on a body that bends moves
// with the interface node nearest to its middle, or with the body's frame where that is nearer and clamped; put a node
// (of a beam: a station) where shapes are. Its rows have the mode shapes of that node in them. It does not touch other
// shapes of its body, nor bodies that are joined to it. The FlexibleModel must outlive it. Throws std::invalid_argument
// naming an actuator that acts on no joint, a tendon, a medium, or a shape on a body without a place to move with.
std::unique_ptr<Mechanism> make_flexible_mechanism(const sko::FlexibleModel&);
std::unique_ptr<Mechanism> make_flexible_mechanism(const sko::FlexibleModel&&) = delete;

}  // namespace sinew
