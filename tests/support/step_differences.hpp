// tests/support/step_differences.hpp - derivatives of a step by central differences of Simulation::step
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/step_derivatives.hpp"

namespace sinew::test {

// With what StepDerivatives needs, and solved to rounding.
inline SimulationOptions plain_options(double dt = 0) {
  SimulationOptions o{.dt = dt, .middle_forces = false, .refinements = 0};
  o.solver.tolerance = 1e-13, o.solver.acceptable = 0;
  return o;
}

// What the rows of a step do, to see whether a change of the state keeps all modes.
inline std::vector<std::pair<int, std::uint64_t>> find_modes(const Simulation& s, const StepDerivativesReport& r) {
  std::vector<std::pair<int, std::uint64_t>> out;
  for (const StepRow& x : r.rows) {
    if (x.mode == StepMode::open) continue;
    if (x.before) {
      out.emplace_back(500 + 10 * static_cast<int>(x.kind) + static_cast<int>(x.mode), at(x.index + 1));
      continue;
    }
    const std::uint64_t id = x.kind == StepRowKind::contact    ? s.contacts()[at(x.index)].id
                             : x.kind == StepRowKind::actuator ? static_cast<std::uint64_t>(x.index)
                             : x.kind == StepRowKind::impact   ? static_cast<std::uint64_t>(x.index)
                                                               : s.joint_rows()[at(x.index)].id;
    const bool overlaps = x.kind == StepRowKind::contact ? s.contacts()[at(x.index)].gap < 0
                          : x.kind == StepRowKind::stop  ? s.joint_rows()[at(x.index)].bias < 0
                                                         : false;
    out.emplace_back((overlaps ? 100 : 0) + 10 * static_cast<int>(x.kind) + static_cast<int>(x.mode), id);
  }
  // What is near something turns by its velocity at the end, what flies alone by its free spin.
  for (const ContactPoint& c : s.contacts())
    for (const int node : {c.node_a, c.node_b}) out.emplace_back(1000, static_cast<std::uint64_t>(node));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Steps from states near one, and its derivatives by central differences.
class Differences {
 public:
  Differences(const Model& m, const SimulationOptions& o) : model(m), options(o), set(m) { begin(make_state(m)); }

  struct Result {
    bool differentiable = false, same_modes = true, unique = true;
    bool close = false;  // a slip, or a spare of friction, too small for differences
    double worst = 0;    // relative to the largest entry of each block
    std::string where;
    int contacts = 0, sliding = 0, sticking = 0;
  };
  // Null where the step is refused.
  std::optional<Result> compare(const State& at_state, const std::vector<double>& control,
                                const std::vector<double>& applied) {
    Result out;
    const auto n = at(model.nv());
    const std::size_t controls = control.size();
    if (!take(at_state, control, applied)) return std::nullopt;
    const auto modes = find_modes(*sim, derivatives->report());
    const StepDerivativesReport report = derivatives->report();
    out.differentiable = report.differentiable, out.unique = report.unique;
    for (const StepRow& r : report.rows) {
      if (r.kind != StepRowKind::contact) continue;
      out.close = out.close || (r.mode == StepMode::slides && r.distance < 2e-4);
      out.contacts += r.mode != StepMode::open, out.sliding += r.mode == StepMode::slides;
      out.sticking += r.mode == StepMode::sticks;
    }
    const std::vector<double> A = copy(derivatives->state()), B = copy(derivatives->control()),
                              C = copy(derivatives->applied());
    end_ = sim->state;
    const std::size_t columns = 3 * n + controls;
    std::vector<double> found(2 * n * columns);
    // A step that changes a mode, or in which the differences still bend, is tried again at an eighth, twice at most.
    for (std::size_t k = 0, tries = 0; k < columns && out.same_modes; ++k) {
      const double h = (k < n ? 2e-6 : k < 2 * n ? 1e-4 : force_step) * std::pow(0.125, tries);
      std::array<std::vector<double>, 4> ends;
      const double steps[] = {h, -h, h / 2, -h / 2};
      for (std::size_t i = 0; i < 4 && out.same_modes; ++i) {
        State s = at_state;
        std::vector<double> c = control, f = applied, dq(n);
        if (k < n) {
          dq[k] = steps[i];
          integrate(model, at_state.q, dq, 1, s.q);
        } else if (k < 2 * n) {
          s.v[k - n] += steps[i];
        } else if (k < 3 * n) {
          f[k - 2 * n] += steps[i];
        } else {
          c[k - 3 * n] += steps[i];
        }
        out.same_modes = take(s, c, f) && find_modes(*sim, derivatives->report()) == modes;
        ends[i].resize(2 * n);
        difference(model, end_.q, sim->state.q, VectorView<double>(ends[i].data(), n));
        std::copy(sim->state.v.begin(), sim->state.v.end(), ends[i].begin() + static_cast<std::ptrdiff_t>(n));
      }
      double bend = 0, most = k < 2 * n ? 1 : 1e-2 * sim->options().dt;
      for (std::size_t r = 0; r < 2 * n && out.same_modes; ++r) {
        const double one = (ends[0][r] - ends[1][r]) / (2 * h), two = (ends[2][r] - ends[3][r]) / h;
        found[r * columns + k] = (4 * two - one) / 3;
        bend = std::max(bend, std::abs(one - two)), most = std::max(most, std::abs(two));
      }
      const bool bends = bend > 2e-5 * most;
      if (tries < 2 && (!out.same_modes || bends))
        out.same_modes = true, ++tries, --k;
      else
        tries = 0, out.close = out.close || bends;
    }
    if (!out.same_modes) return out;
    // least: a scale below which a block is small because all is held.
    const auto check = [&](const char* name, std::size_t row, std::size_t first, std::size_t count, double least,
                           auto entry) {
      double worst = 0, scale = least;
      std::string where;
      for (std::size_t r = row; r < row + n; ++r)
        for (std::size_t k = 0; k < count; ++k) {
          const double x = entry(r, k), y = found[r * columns + first + k];
          scale = std::max({scale, std::abs(x), std::abs(y)});
          if (std::abs(x - y) > worst) {
            worst = std::abs(x - y);
            where = fmt::format("{} ({}, {}): {} instead of {}", name, r, k, x, y);
          }
        }
      if (worst / scale > out.worst) out.worst = worst / scale, out.where = where;
    };
    const double dt = sim->options().dt;
    for (const std::size_t row : {std::size_t{0}, n}) {
      const double by_v = row == 0 ? dt : 1, by_force = 1e-2 * dt * by_v;
      check("by q", row, 0, n, 1, [&](auto r, auto k) { return A[r * 2 * n + k]; });
      check("by v", row, n, n, by_v, [&](auto r, auto k) { return A[r * 2 * n + n + k]; });
      check("by force", row, 2 * n, n, by_force, [&](auto r, auto k) { return C[r * n + k]; });
      check("by control", row, 3 * n, controls, by_force, [&](auto r, auto k) { return B[r * controls + k]; });
    }
    return out;
  }

  const Model& model;
  SimulationOptions options;
  ConstraintSet set;
  std::unique_ptr<Simulation> sim;
  std::unique_ptr<StepDerivatives> derivatives;
  std::string refused;
  double force_step = 1e-4;  // [N, N m or units of control]

 private:
  static std::vector<double> copy(MatrixView<const double> m) { return {m.data(), m.data() + m.rows() * m.cols()}; }
  // Embedded loops only begin in a new simulation. Here they are closed to rounding.
  void begin(const State& s) {
    if (sim && !sim->mechanism()) return sim->restart(s);
    derivatives = nullptr;
    sim =
        options.loops == LoopMethod::embed
            ? std::make_unique<Simulation>(make_embedded_mechanism(model, set, {.position_tolerance = 1e-17}), options)
            : std::make_unique<Simulation>(model, options);
    derivatives = std::make_unique<StepDerivatives>(*sim);
    sim->state = s;
  }
  bool take(const State& s, const std::vector<double>& control, const std::vector<double>& applied) {
    begin(s);
    sim->control = control, sim->applied = applied;
    try {
      derivatives->step();
    } catch (const StepRefused& e) {
      refused = e.what();
      return false;
    }
    return true;
  }
  State end_;
};

}  // namespace sinew::test
