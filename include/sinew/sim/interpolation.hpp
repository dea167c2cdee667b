// sinew/sim/interpolation.hpp - the steps of integrators, and the motion between their ends
// A step is a weighted sum of rates of the state at a few stages. With weights that depend on delta the same rates give
// the motion inside the step [F08 11.45, 11.46]:
//   y(delta) = y0 + h (sum of b_i(delta) k_i),   delta = (t - t0) / h in 0 .. 1,   y(1) = the step
// so that a step can be shortened to an event after it was made. Positions are expressed by vectors at the step's start
// (sim/tangent.hpp).
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sinew/sim/tangent.hpp"

namespace sinew {

// The methods, with their order and cost.
enum class IntegrationMethod {
  euler,                // order 1, 1 evaluation per step                                           [F08 11.47]
  semi_implicit_euler,  // order 1, 1 evaluation: q moves by the new velocity; symplectic where v is dq/dt
  heun,                 // order 2, 2 evaluations: the version with 2/3                             [F08 11.50]
  rk4,                  // order 4, 4 evaluations, on the numbers q themselves; quaternions are scaled to unit length
  rkmk4,                // order 4, 4 evaluations, on the joints' groups (Runge-Kutta-Munthe-Kaas)
  dormand_prince,       // order 5, 6 evaluations, on the groups; adapts its step unless told otherwise
};
inline constexpr std::array kIntegrationMethods{IntegrationMethod::euler, IntegrationMethod::semi_implicit_euler,
                                                IntegrationMethod::heun,  IntegrationMethod::rk4,
                                                IntegrationMethod::rkmk4, IntegrationMethod::dormand_prince};
std::string_view to_string(IntegrationMethod);
// By name; none: there is no such method.
std::optional<IntegrationMethod> find_integration_method(std::string_view name);
int order_of(IntegrationMethod);                // of the step: error at the end of a run ~ h^order
int order_of_interpolation(IntegrationMethod);  // inside a step: error ~ h^(order + 1)

// A state, and extra numbers with rates of their own (deformations of soft surfaces, controllers).
struct StatePoint {
  VectorView<const double> q, v, extra;
  double time = 0;
};

inline constexpr std::size_t kMostStages = 7;

// One step: its start, the rates at its stages, and the motion between its ends.
class InterpolatedStep {
 public:
  // The model must outlive it.
  InterpolatedStep(const Model&, int extra, IntegrationMethod);
  InterpolatedStep(const Model&&, int extra, IntegrationMethod) = delete;

  double start_time() const { return time_; }
  double length() const { return h_; }
  // At delta in 0 .. 1, in storage of its own that the next call overwrites.
  StatePoint calc(double delta);
  void calc(double delta, Out<double> q, Out<double> v, Out<double> extra);

 private:
  friend class Integrator;
  // Positions: vectors at the start (nv numbers), or plain q (nq numbers) of `rk4`.
  std::size_t position_size() const { return plain_ ? q_.size() : v_.size(); }
  void place(const double* weights, std::size_t stages, Out<double> q, Out<double> v, Out<double> extra);

  const Model& model_;
  IntegrationMethod method_;
  bool plain_;
  std::size_t stages_;
  double time_ = 0, h_ = 0;
  std::vector<double> q_, v_, extra_;                             // at the start
  std::array<std::vector<double>, kMostStages> k_, dv_, dextra_;  // rates at the stages
  std::vector<double> u_;                                         // scratch: (position_size)
  std::vector<double> at_q_, at_v_, at_extra_;
};

}  // namespace sinew
