// src/sim/flexible_dynamics.cpp
#include "sinew/sim/flexible_dynamics.hpp"

#include <algorithm>
#include <memory>

namespace sinew {
namespace {

struct FlexibleRun {
  FlexibleRun(const sko::FlexibleModel& m, JointForces f)
      : forces(std::move(f)),
        sko(m),
        dynamics(sko.sko),
        q(at(m.nq())),
        v(at(m.nv())),
        tau(at(m.nv())),
        stacked(at(m.nv())),
        out(at(m.nv())) {}
  JointForces forces;
  sko::FlexibleSko sko;
  sko::SkoDynamics<double> dynamics;
  std::vector<double> q, v, tau, stacked, out;
};

}  // namespace

RightHandSide make_flexible_dynamics(const sko::FlexibleModel& m, JointForces forces) {
  auto run = std::make_shared<FlexibleRun>(m, std::move(forces));
  const std::size_t modes = at(m.modes()), nv = at(m.model().nv());
  return [run, modes, nv](const StatePoint& x, const StateRate& rate) {
    check_size("make_flexible_dynamics", "extra (eta and its rates)", x.extra.size(), 2 * modes);
    FlexibleRun& w = *run;
    const double *eta = x.extra.begin(), *eta_rate = eta + modes;
    std::copy(eta, eta + modes, std::copy(x.q.begin(), x.q.end(), w.q.begin()));
    std::copy(eta_rate, eta_rate + modes, std::copy(x.v.begin(), x.v.end(), w.v.begin()));
    std::fill(w.tau.begin(), w.tau.end(), 0.0);
    if (w.forces) w.forces(x, Out<double>{w.tau.data(), nv});
    w.sko.update(w.q, w.v, {{}, x.time});
    for (std::size_t i = 0; i < w.tau.size(); ++i) w.stacked[i] = w.tau[at(w.sko.coordinate(static_cast<int>(i)))];
    sko::forward_dynamics<double>(w.sko.sko, w.dynamics, w.stacked, w.out);
    for (std::size_t i = 0; i < w.out.size(); ++i) {
      const std::size_t c = at(w.sko.coordinate(static_cast<int>(i)));
      (c < nv ? rate.v[c] : rate.extra[modes + c - nv]) = w.out[i];
    }
    std::copy(eta_rate, eta_rate + modes, rate.extra.begin());
  };
}

}  // namespace sinew
