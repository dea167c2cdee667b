// src/sim/interpolation.cpp
#include "sinew/sim/interpolation.hpp"

#include <algorithm>

#include "tableau.hpp"

namespace sinew {

std::string_view to_string(IntegrationMethod method) {
  switch (method) {
    case IntegrationMethod::euler: return "euler";
    case IntegrationMethod::semi_implicit_euler: return "semi_implicit_euler";
    case IntegrationMethod::heun: return "heun";
    case IntegrationMethod::rk4: return "rk4";
    case IntegrationMethod::rkmk4: return "rkmk4";
    case IntegrationMethod::dormand_prince: return "dormand_prince";
  }
  return "unknown";
}

std::optional<IntegrationMethod> find_integration_method(std::string_view name) {
  for (const IntegrationMethod m : kIntegrationMethods)
    if (to_string(m) == name) return m;
  return {};
}

int order_of(IntegrationMethod method) {
  switch (method) {
    case IntegrationMethod::heun: return 2;
    case IntegrationMethod::rk4:
    case IntegrationMethod::rkmk4: return 4;
    case IntegrationMethod::dormand_prince: return 5;
    default: return 1;
  }
}

int order_of_interpolation(IntegrationMethod method) {
  return order_of(method) >= 4 ? order_of(method) - 1 : order_of(method);
}

InterpolatedStep::InterpolatedStep(const Model& m, int extra, IntegrationMethod method)
    : model_(m),
      method_(method),
      plain_(method == IntegrationMethod::rk4),
      stages_(tableau_of(method).stages),
      q_(static_cast<std::size_t>(m.nq())),
      v_(static_cast<std::size_t>(m.nv())),
      extra_(static_cast<std::size_t>(extra)),
      u_(position_size()),
      at_q_(q_),
      at_v_(v_),
      at_extra_(extra_) {
  for (std::size_t i = 0; i < stages_; ++i) {
    k_[i].resize(position_size());
    dv_[i].resize(v_.size());
    dextra_[i].resize(extra_.size());
  }
}

void InterpolatedStep::place(const double* weights, std::size_t stages, Out<double> q, Out<double> v,
                             Out<double> extra) {
  const auto add = [&](const std::vector<double>& start, const std::array<std::vector<double>, kMostStages>& rates,
                       Out<double> out) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < stages; ++i) sum += weights[i] * rates[i][j];
      out[j] = (start.empty() ? 0 : start[j]) + h_ * sum;
    }
  };
  if (plain_) {
    add(q_, k_, q);
    normalize<double>(model_, q);
  } else {
    add({}, k_, u_);
    integrate(model_, q_, u_, 1.0, q);
  }
  add(v_, dv_, v);
  add(extra_, dextra_, extra);
}

void InterpolatedStep::calc(double delta, Out<double> q, Out<double> v, Out<double> extra) {
  check_size("InterpolatedStep", "q", q.size(), q_.size());
  check_size("InterpolatedStep", "v", v.size(), v_.size());
  check_size("InterpolatedStep", "extra", extra.size(), extra_.size());
  double weights[kMostStages];
  calc_weights(method_, delta, weights);
  place(weights, stages_, q, v, extra);
}

StatePoint InterpolatedStep::calc(double delta) {
  calc(delta, at_q_, at_v_, at_extra_);
  return {at_q_, at_v_, at_extra_, time_ + delta * h_};
}

}  // namespace sinew
