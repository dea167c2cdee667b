// src/batch/simulation_batch.cpp
#include "sinew/batch/simulation_batch.hpp"

#include <limits>
#include <stdexcept>

#include "batch/check_rows.hpp"
#include "batch/worlds.hpp"

namespace sinew {
namespace {

// What must agree, so that a row means the same in all worlds.
void check_alike(const Model& a, const Model& b, std::size_t world) {
  const auto refuse = [&](const char* what) {
    throw std::invalid_argument("SimulationBatch: the model of world " + std::to_string(world) + " has other " + what +
                                " than that of world 0");
  };
  const auto same_names = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& s, const auto& t) { return s.name == t.name; });
  };
  const auto same_shape = [](const ShapeSpec& x, const ShapeSpec& y) { return x.body == y.body; };
  const auto same_size = [](const JointEntry& x, const JointEntry& y) { return x.nq == y.nq && x.nv == y.nv; };
  const ModelSpec &p = a.spec(), &r = b.spec();
  if (!same_names(a.joints(), b.joints()) ||
      !std::equal(a.joints().begin(), a.joints().end(), b.joints().begin(), same_size))
    refuse("joints");
  if (!same_names(a.bodies(), b.bodies())) refuse("bodies");
  if (!same_names(p.actuators, r.actuators) || a.activations() != b.activations()) refuse("actuators");
  if (!same_names(p.sensors, r.sensors)) refuse("sensors");
  if (!std::equal(p.shapes.begin(), p.shapes.end(), r.shapes.begin(), r.shapes.end(), same_shape)) refuse("shapes");
}

}  // namespace

SimulationBatch::Implementation::Implementation(const std::vector<const Model*>& models,
                                                const SimulationBatchOptions& o)
    : options(o),
      pool(o.threads),
      shared(std::all_of(models.begin(), models.end(), [&](const Model* m) { return m == models[0]; })),
      worlds(models.size()),
      q(models.size(), at(models[0]->nq())),
      v(models.size(), at(models[0]->nv())),
      control(models.size(), models[0]->spec().actuators.size()),
      applied(models.size(), at(models[0]->nv())),
      external(models.size(), 6 * models[0]->bodies().size()),
      activation(models.size(), at(models[0]->activations())),
      time(models.size(), 1),
      failed(models.size()),
      readers(shared ? at(pool.size()) : models.size()) {
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    World& w = worlds[i];
    if (models[i] != models[0]) check_alike(*models[0], *models[i], i);
    w.model = models[i];
    w.start = w.last_good = make_state(*w.model);
    w.start_control.resize(control.cols);
  }
  for_each_world([&](int, std::size_t i) {
    worlds[i].simulation = std::make_unique<Simulation>(*worlds[i].model, options.simulation);
  });
  for (std::size_t i = 0; i < worlds.size(); ++i) put_rows(i, worlds[i].start);
  for (const ShapeSpec& s : model().spec().shapes) body_of_shape.push_back(*model().find_body(s.body));
}

void SimulationBatch::Implementation::get_rows(std::size_t i, State& s) {
  q.get(i, s.q), v.get(i, s.v), activation.get(i, s.activation);
  s.time = *time.row(i);
}
void SimulationBatch::Implementation::put_rows(std::size_t i, const State& s) {
  q.put(i, s.q), v.put(i, s.v), activation.put(i, s.activation);
  *time.row(i) = s.time;
}

// None where all are zero.
void SimulationBatch::Implementation::get_forces(std::size_t i, std::vector<Force<double>>& forces) {
  const double* x = external.row(i);
  if (std::all_of(x, x + external.cols, [](double f) { return f == 0; })) return forces.clear();
  forces.resize(external.cols / 6);
  for (Force<double>& f : forces) f = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, x += 6;
}

void SimulationBatch::Implementation::reset(std::size_t i, In<double> to_q, In<double> to_v) {
  World& w = worlds[i];
  State& s = w.last_good;
  s = w.start;
  if (to_q.data()) std::copy(to_q.begin(), to_q.end(), s.q.begin());
  if (to_v.data()) std::copy(to_v.begin(), to_v.end(), s.v.begin());
  if (w.simulation->mechanism()) {
    w.simulation = std::make_unique<Simulation>(*w.model, options.simulation);
    w.simulation->state = s;
  } else {
    w.simulation->restart(s);
  }
  put_rows(i, s), control.put(i, w.start_control);
  for (WorldTable* t : {&applied, &external}) std::fill_n(t->row(i), t->cols, 0.0);
  failed[i] = 0, w.cause.clear();
}

bool SimulationBatch::Implementation::step(std::size_t i, const Interrupt& of_batch) {
  Simulation& s = *worlds[i].simulation;
  get_rows(i, s.state), control.get(i, s.control), applied.get(i, s.applied);
  get_forces(i, s.external);
  s.interrupt = of_batch;
  try {
    const StepReport& r = s.step();
    if (options.refuse_unsolved && r.unsolved > 0)
      return set_aside(i, "a contact problem was not solved: " + std::string(to_string(r.status)) +
                              ", relative residual " + std::to_string(r.residual));
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    return set_aside(i, e.what());
  }
  put_rows(i, s.state);
  return true;
}

// The rows still hold the state before the step.
bool SimulationBatch::Implementation::set_aside(std::size_t i, std::string cause) {
  failed[i] = 1, worlds[i].cause = std::move(cause);
  get_rows(i, worlds[i].last_good);
  return false;
}

SimulationBatch::SimulationBatch(const Model& m, std::size_t worlds, const SimulationBatchOptions& o)
    : SimulationBatch(std::vector<const Model*>(worlds, &m), o) {}
SimulationBatch::SimulationBatch(const std::vector<const Model*>& models, const SimulationBatchOptions& o) {
  if (models.empty()) throw std::invalid_argument("SimulationBatch: there must be at least one world");
  p_ = std::make_unique<Implementation>(models, o);
}
SimulationBatch::~SimulationBatch() = default;

std::size_t SimulationBatch::size() const { return p_->worlds.size(); }
int SimulationBatch::threads() const { return p_->pool.size(); }
const SimulationBatchOptions& SimulationBatch::options() const { return p_->options; }
double SimulationBatch::step_length() const { return p_->worlds[0].simulation->step_length(); }
const Model& SimulationBatch::model(std::size_t world) const {
  check_index("SimulationBatch::model", "world", world, size());
  return *p_->worlds[world].model;
}
const Simulation& SimulationBatch::simulation(std::size_t world) const {
  check_index("SimulationBatch::simulation", "world", world, size());
  return *p_->worlds[world].simulation;
}

MocapBodies& SimulationBatch::mocap(std::size_t world) {
  check_index("SimulationBatch::mocap", "world", world, size());
  return p_->worlds[world].simulation->mocap;
}

void SimulationBatch::set_start(const State& s, In<double> control) {
  for (std::size_t i = 0; i < size(); ++i) set_start(i, s, control);
}
void SimulationBatch::set_start(std::size_t world, const State& s, In<double> control) {
  const char* call = "SimulationBatch::set_start";
  check_index(call, "world", world, size());
  check_size(call, "q", s.q.size(), p_->q.cols);
  check_size(call, "v", s.v.size(), p_->v.cols);
  check_size(call, "activation", s.activation.size(), p_->activation.cols);
  check_size(call, "control", control.size(), p_->control.cols);
  p_->worlds[world].start = s;
  p_->worlds[world].start_control.assign(control.begin(), control.end());
}

SimulationBatch::OutRows SimulationBatch::q() { return p_->q.view(); }
SimulationBatch::OutRows SimulationBatch::v() { return p_->v.view(); }
SimulationBatch::OutRows SimulationBatch::control() { return p_->control.view(); }
SimulationBatch::OutRows SimulationBatch::applied() { return p_->applied.view(); }
SimulationBatch::OutRows SimulationBatch::external() { return p_->external.view(); }
SimulationBatch::OutRows SimulationBatch::activation() { return p_->activation.view(); }
Out<double> SimulationBatch::time() { return p_->time.numbers; }
VectorView<const unsigned char> SimulationBatch::failed() const { return p_->failed; }

std::vector<WorldFailure> SimulationBatch::failures() const {
  std::vector<WorldFailure> out;
  for (std::size_t i = 0; i < size(); ++i)
    if (p_->failed[i]) out.push_back({i, p_->worlds[i].cause, p_->worlds[i].last_good});
  return out;
}

void SimulationBatch::reset(VectorView<const unsigned char> mask, Rows q, Rows v) {
  const char* call = "SimulationBatch::reset";
  if (mask.data() && mask.size() != size())
    throw std::invalid_argument(std::string(call) + ": the mask has " + std::to_string(mask.size()) +
                                " entries, there are " + std::to_string(size()) + " worlds");
  if (q.data()) check_rows(call, "q", q, size(), p_->q.cols);
  if (v.data()) check_rows(call, "v", v, size(), p_->v.cols);
  const auto row = [](Rows m, std::size_t i) { return m.data() ? get_row(m, i) : In<double>(); };
  p_->for_each_world([&](int, std::size_t i) {
    if (!mask.data() || mask[i]) p_->reset(i, row(q, i), row(v, i));
  });
}

void SimulationBatch::step(int steps) {
  if (steps < 0) throw std::invalid_argument("SimulationBatch::step: the number of steps must not be negative");
  p_->for_each_world([&](int, std::size_t i) {
    for (int k = 0; k < steps && !p_->failed[i]; ++k) p_->step(i, interrupt);
  });
}

void SimulationBatch::rollout(std::size_t length, Rows controls, OutRows states, int steps) {
  const char* call = "SimulationBatch::rollout";
  Implementation& p = *p_;
  const std::size_t nq = p.q.cols, nv = p.v.cols, nu = p.control.cols, width = nq + nv;
  if (steps < 1) throw std::invalid_argument(std::string(call) + ": there must be at least one step per control");
  check_rows(call, "controls", controls, size(), length * nu);
  check_rows(call, "states", states, size(), (length + 1) * width);
  p.for_each_world([&](int, std::size_t i) {
    const double* u = controls.data() + i * controls.stride();
    double* out = states.data() + i * states.stride();
    for (std::size_t t = 0; t <= length; ++t, out += width) {
      if (t > 0) {
        if (!p.failed[i]) p.control.put(i, {u + (t - 1) * nu, nu});
        for (int k = 0; k < steps && !p.failed[i]; ++k) p.step(i, interrupt);
      }
      if (p.failed[i] && t > 0) {
        std::fill_n(out, width, std::numeric_limits<double>::quiet_NaN());
      } else {
        p.q.get(i, {out, nq}), p.v.get(i, {out + nq, nv});
      }
    }
  });
}

}  // namespace sinew
