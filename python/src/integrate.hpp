// python/src/integrate.hpp - right-hand sides and projections of integrators, as Python holds them
#pragma once
#include "callable.hpp"
#include "constraints.hpp"
#include "sinew/sim/integrate.hpp"

namespace sinew::py {

// A state with extra numbers, as functions of Python get it.
struct PyPoint {
  std::vector<double> q, v, extra;
  double time = 0;
  StatePoint view() const { return {q, v, extra, time}; }
};
inline PyPoint copy_point(const StatePoint& x) {
  return {{x.q.begin(), x.q.end()}, {x.v.begin(), x.v.end()}, {x.extra.begin(), x.extra.end()}, x.time};
}

// What a right-hand side or a projection refers to, and scratch of its own: one thread at a time.
struct RateSource {
  explicit RateSource(std::shared_ptr<PyModel> m, std::shared_ptr<void> more = {})
      : model(std::move(m)), kept(std::move(more)) {}
  std::shared_ptr<PyModel> model;
  std::shared_ptr<void> kept;  // a set, a flexible model, ...
  Busy busy;
};
template <class F>
struct PyFunction {
  F f;
  std::shared_ptr<RateSource> of;
};
using PyRate = PyFunction<RightHandSide>;
using PyProjection = PyFunction<Projection>;

// forces(point) -> tau; None: none.
JointForces read_forces(const char* call, nb::handle);
inline constexpr const char* kForcesType =
    "collections.abc.Callable[[StatePoint], numpy.typing.ArrayLike] | None = None";

}  // namespace sinew::py
