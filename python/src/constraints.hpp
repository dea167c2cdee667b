// python/src/constraints.hpp - a constraint set as Python holds it: it keeps its model
#pragma once
#include "common.hpp"
#include "sinew/constraint/embedding/embedding.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"

namespace sinew::py {

struct PySet {
  std::shared_ptr<PyModel> model;
  ConstraintSet set;
};
using Rows = ConstraintRows;

// Of a Python function, or of a loop joint.
struct PyCustom {
  std::shared_ptr<const CustomConstraint> constraint;
};

// Throws where model and set do not belong together.
void check_set(const char* call, const PyModel&, const PySet&);

// Options as keyword arguments; independent: velocity coordinates of the model.
ConstrainedOptions read_options(const char* call, const PyModel&, ConstrainedMethod, double period,
                                IntegersIn independent);
EmbeddingOptions read_options(const char* call, const PyModel&, IntegersIn independent,
                              std::shared_ptr<const ClosureFunction>, double position_tolerance, int max_iterations,
                              double rank_tolerance, double change_below);

// Workspaces keep the set that they were made for.
template <class W>
struct OfSet : Held<W> {
  template <class... Arguments>
  explicit OfSet(std::shared_ptr<PySet> s, Arguments&&... arguments)
      : Held<W>(*s->model, s->set, std::forward<Arguments>(arguments)...), set(std::move(s)) {}
  std::shared_ptr<PySet> set;
};

template <class W>
void check(const char* call, const PyModel& m, const PySet& s, const OfSet<W>& ws) {
  check_set(call, m, s);
  if (ws.set.get() != &s)
    throw nb::value_error((std::string(call) + ": the workspace is of another constraint set").c_str());
}

}  // namespace sinew::py
