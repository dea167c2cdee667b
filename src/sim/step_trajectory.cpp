// src/sim/step_trajectory.cpp
#include "sinew/sim/step_trajectory.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/sim/snapshot.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

void append(std::vector<double>& to, MatrixView<const double> m) {
  to.insert(to.end(), m.data(), m.data() + m.rows() * m.cols());
}
void check_rows(const char* call, const char* name, std::size_t rows, std::size_t cols, std::size_t steps,
                std::size_t width) {
  if (rows == 0 && cols == 0) return;
  check_shape(call, name, MatrixView<const double>(nullptr, rows, cols), steps, width);
}

}  // namespace

struct StepTrajectory::Impl {
  Impl(Simulation& s, const StepTrajectoryOptions& o)
      : sim(s),
        between(o.between),
        derivatives(s, o.step),
        n(2 * at(s.model().nv())),
        controls(s.control.size()),
        parameters(o.parameters) {
    for (const StepParameter& p : parameters) columns += at(p.columns());
    if (between < 0) throw std::invalid_argument("StepTrajectory: between must not be negative");
    check_controller();
  }
  void check_controller() const {
    if (sim.controller)
      throw std::invalid_argument(
          "StepTrajectory: the simulation has a controller, whose derivatives are not known; set the control instead");
  }
  int stretch_of(int k) const { return between > 0 ? k / between : 0; }
  // The matrices of the step are there.
  std::size_t load(int k);
  void take(const Snapshot& from, int stretch);
  void take_step();  // and its matrices; may throw, and changes nothing else
  void keep_step();

  // What acts in a step.
  struct Acting {
    std::vector<double> control, applied;
    std::vector<Force<double>> external;
  };

  Simulation& sim;
  int between;
  StepDerivatives derivatives;
  std::size_t n, controls, columns = 0;  // columns: of D
  std::vector<StepParameter> parameters;
  std::vector<Acting> acting;         // (steps)
  std::vector<Snapshot> checkpoints;  // (stretches)
  int first_at_switch = -1;
  // One stretch, or all.
  int loaded = 0;
  std::vector<double> A, B, C, D;
  std::vector<double> last_D, by_one;  // of the last step; of one parameter
  void clear_matrices() { A.clear(), B.clear(), C.clear(), D.clear(); }
};

void StepTrajectory::Impl::take_step() {
  derivatives.step();
  last_D.resize(n * columns);
  std::size_t column = 0;
  for (const StepParameter& p : parameters) {
    const std::size_t width = at(p.columns());
    by_one.resize(n * width);
    derivatives.calc_by(p, {by_one.data(), n, width});
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(by_one.data() + i * width, width, last_D.data() + i * columns + column);
    column += width;
  }
}

void StepTrajectory::Impl::keep_step() {
  append(A, derivatives.state()), append(B, derivatives.control()), append(C, derivatives.applied());
  D.insert(D.end(), last_D.begin(), last_D.end());
}

void StepTrajectory::Impl::take(const Snapshot& from, int stretch) {
  sim.restore(from);
  clear_matrices();
  const std::size_t first = at(stretch) * at(between), end = std::min(first + at(between), acting.size());
  for (std::size_t k = first; k < end; ++k) {
    sim.control = acting[k].control, sim.applied = acting[k].applied, sim.external = acting[k].external;
    take_step();
    keep_step();
  }
  loaded = stretch;
}

std::size_t StepTrajectory::Impl::load(int k) {
  check_index("StepTrajectory", "step", k, acting.size());
  const int stretch = stretch_of(k);
  if (stretch == loaded) return at(k) - at(stretch) * at(between);
  const Snapshot here = sim.make_snapshot();
  const Acting now{sim.control, sim.applied, sim.external};
  const auto go_back = [&] {
    sim.restore(here);
    sim.control = now.control, sim.applied = now.applied, sim.external = now.external;
  };
  try {
    take(checkpoints[at(stretch)], stretch);
  } catch (...) {
    loaded = -1;
    go_back();
    throw;
  }
  go_back();
  return at(k) - at(stretch) * at(between);
}

StepTrajectory::StepTrajectory(Simulation& s, const StepTrajectoryOptions& o) : impl_(std::make_unique<Impl>(s, o)) {}
StepTrajectory::~StepTrajectory() = default;
StepTrajectory::StepTrajectory(StepTrajectory&&) noexcept = default;

const StepDerivativesReport& StepTrajectory::step() {
  Impl& x = *impl_;
  x.check_controller();
  const int k = steps();
  Impl::Acting now{x.sim.control, x.sim.applied, x.sim.external};
  const bool first = x.between > 0 && k % x.between == 0;
  if (!first && x.loaded != x.stretch_of(k)) x.load(k - 1);
  Snapshot checkpoint;
  if (first) checkpoint = x.sim.make_snapshot();
  x.take_step();
  const StepDerivativesReport& r = x.derivatives.report();
  if (first) {
    x.checkpoints.push_back(std::move(checkpoint));
    x.clear_matrices();
    x.loaded = x.stretch_of(k);
  }
  x.acting.push_back(std::move(now));
  x.keep_step();
  if (!r.differentiable && x.first_at_switch < 0) x.first_at_switch = k;
  return r;
}

void StepTrajectory::clear() {
  Impl& x = *impl_;
  x.acting.clear(), x.checkpoints.clear(), x.clear_matrices();
  x.first_at_switch = -1, x.loaded = 0;
}

int StepTrajectory::steps() const { return static_cast<int>(impl_->acting.size()); }
int StepTrajectory::first_at_switch() const { return impl_->first_at_switch; }

MatrixView<const double> StepTrajectory::state(int k) {
  const std::size_t n = impl_->n, i = impl_->load(k);
  return {impl_->A.data() + i * n * n, n, n};
}
MatrixView<const double> StepTrajectory::control(int k) {
  const std::size_t n = impl_->n, c = impl_->controls, i = impl_->load(k);
  return {impl_->B.data() + i * n * c, n, c};
}
MatrixView<const double> StepTrajectory::applied(int k) {
  const std::size_t n = impl_->n, i = impl_->load(k);
  return {impl_->C.data() + i * n * n / 2, n, n / 2};
}

MatrixView<const double> StepTrajectory::by_parameters(int k) {
  const std::size_t n = impl_->n, c = impl_->columns, i = impl_->load(k);
  return {impl_->D.data() + i * n * c, n, c};
}
int StepTrajectory::parameters() const { return static_cast<int>(impl_->columns); }

void StepTrajectory::push_forward(In<double> start, MatrixView<const double> control_rows,
                                  MatrixView<const double> applied_rows, Out<double> end, In<double> changes) {
  const char* call = "push_forward";
  const std::size_t n = impl_->n, count = at(steps());
  check_size(call, "the start", start.size(), n);
  check_size(call, "the end", end.size(), n);
  check_rows(call, "the control", control_rows.rows(), control_rows.cols(), count, impl_->controls);
  check_rows(call, "the applied forces", applied_rows.rows(), applied_rows.cols(), count, n / 2);
  if (changes.size() > 0) check_size(call, "the change of parameters", changes.size(), impl_->columns);
  std::vector<double> x(start.begin(), start.end()), next(n);
  const auto add = [&](MatrixView<const double> m, const double* by) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m.cols(); ++j) next[i] += m(i, j) * by[j];
  };
  for (int k = 0; k < steps(); ++k) {
    std::fill(next.begin(), next.end(), 0.0);
    add(state(k), x.data());
    if (control_rows.cols() > 0) add(control(k), &control_rows(at(k), 0));
    if (applied_rows.cols() > 0) add(applied(k), &applied_rows(at(k), 0));
    if (changes.size() > 0) add(by_parameters(k), changes.data());
    std::swap(x, next);
  }
  std::copy(x.begin(), x.end(), end.begin());
}

void StepTrajectory::pull_back(In<double> end, Out<double> start, OutMatrix<double> control_rows,
                               OutMatrix<double> applied_rows, MatrixView<const double> at_steps,
                               Out<double> by_parameter) {
  const char* call = "pull_back";
  const std::size_t n = impl_->n, count = at(steps());
  check_size(call, "the end", end.size(), n);
  check_size(call, "the start", start.size(), n);
  check_rows(call, "the control", control_rows.rows(), control_rows.cols(), count, impl_->controls);
  check_rows(call, "the applied forces", applied_rows.rows(), applied_rows.cols(), count, n / 2);
  check_rows(call, "the gradients at steps", at_steps.rows(), at_steps.cols(), count, n);
  if (by_parameter.size() > 0) check_size(call, "the gradient by parameters", by_parameter.size(), impl_->columns);
  std::fill(by_parameter.begin(), by_parameter.end(), 0.0);
  std::vector<double> w(end.begin(), end.end()), before(n);
  const auto add = [&](MatrixView<const double> m, double* to) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m.cols(); ++j) to[j] += m(i, j) * w[i];
  };
  const auto set = [&](MatrixView<const double> m, double* to) {
    std::fill_n(to, m.cols(), 0.0);
    add(m, to);
  };
  for (int k = steps() - 1; k >= 0; --k) {
    for (std::size_t i = 0; i < n && at_steps.cols() > 0; ++i) w[i] += at_steps(at(k), i);
    if (control_rows.cols() > 0) set(control(k), &control_rows(at(k), 0));
    if (applied_rows.cols() > 0) set(applied(k), &applied_rows(at(k), 0));
    if (by_parameter.size() > 0) add(by_parameters(k), by_parameter.data());
    set(state(k), before.data());
    std::swap(w, before);
  }
  std::copy(w.begin(), w.end(), start.begin());
}

}  // namespace sinew
