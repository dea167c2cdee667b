// tests/batch/public_calls_test.cpp - every public call of batch/, wrong in one argument at a time
#include "support/public_calls.hpp"

#include <gtest/gtest.h>

#include "sinew/batch/batch.hpp"
#include "sinew/batch/constrained_batch.hpp"
#include "sinew/batch/device_simulation.hpp"
#include "sinew/batch/parallel_dca.hpp"
#include "sinew/batch/simulation_batch.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::test {
namespace {

TEST(BatchCalls, AllArguments) {
  const Model m = compile(mechanisms::chain(3)).value();
  const int samples = 4, n = m.nv(), bodies = static_cast<int>(m.bodies().size());
  Batch<double> batch(m);
  CallTable table;
  // The rows of q say how many samples there are: of q only the columns can be wrong.
  const std::vector<double> zero(at(samples * n));
  const Batch<double>::Rows q{zero.data(), at(samples), at(n)};
  const auto in = [&](Arguments& x, const char* name) -> Batch<double>::Rows {
    const MatrixView<double> out = x.matrix(name, samples, n);
    return {out.data(), out.rows(), out.cols()};
  };
  const auto columns = [&](Arguments& x) -> Batch<double>::Rows {
    std::vector<double>& row = x.numbers("q", n);
    return {row.data(), 1, row.size()};
  };
  std::vector<double> room(1000);
  table.add("Batch::rnea", [&](Arguments& x) { batch.rnea(q, in(x, "v"), in(x, "a"), x.matrix("tau", samples, n)); });
  table.add("Batch::aba", [&](Arguments& x) { batch.aba(q, in(x, "v"), in(x, "tau"), x.matrix("a", samples, n)); });
  table.add("Batch::crba", [&](Arguments& x) { batch.crba(q, x.matrix("M", samples, n * n)); });
  table.add("Batch::calc_mass_inverse",
            [&](Arguments& x) { batch.calc_mass_inverse(q, x.matrix("Minv", samples, n * n)); });
  table.add("Batch::calc_rnea_derivatives", [&](Arguments& x) {
    batch.calc_rnea_derivatives(q, in(x, "v"), in(x, "a"), x.matrix("tau", samples, n),
                                x.matrix("dtau_dq", samples, n * n), x.matrix("dtau_dv", samples, n * n),
                                x.matrix("M", samples, n * n));
  });
  table.add("Batch::calc_aba_derivatives", [&](Arguments& x) {
    batch.calc_aba_derivatives(q, in(x, "v"), in(x, "tau"), x.matrix("a", samples, n),
                               x.matrix("da_dq", samples, n * n), x.matrix("da_dv", samples, n * n),
                               x.matrix("Minv", samples, n * n));
  });
  table.add("Batch::calc_kinematics",
            [&](Arguments& x) { batch.calc_kinematics(q, x.matrix("poses", samples, 12 * bodies)); });
  table.add("Batch::crba", [&](Arguments& x) { batch.crba(columns(x), {room.data(), 1, at(n * n)}); });
  table.add("Batch::calc_kinematics", [&](Arguments& x) {
    batch.calc_kinematics(columns(x), {room.data(), 1, at(12 * bodies)});
  });
  const ThreeModels models{mechanisms::chain(3), mechanisms::chain(4)};
  Three<DcaWorkspace<double>> dca_ws(models);
  ThreadPool pool(2);
  table.add("dca", [&](Arguments& x) {
    dca(pool, models.right, dca_ws.take(x), x.numbers("q", n), x.numbers("v", n), x.numbers("tau", n),
        x.numbers("a", n), {x.forces("external", at(bodies)), 0});
  });
  // Worlds with an actuator, so that controls have columns.
  ModelSpec spec = mechanisms::chain(3);
  spec.actuators.emplace_back().name = "motor", spec.actuators[0].target = spec.joints[0].name;
  const Model driven = compile(spec).value();
  SimulationBatch worlds(driven, 4, {.simulation = {.dt = 1e-3}});
  const State start = make_state(driven);
  const Observation seen = worlds.make_observation({"q", "time"});
  table.add("SimulationBatch::set_start", [&](Arguments& x) { worlds.set_start(start, x.numbers("control", 1)); });
  table.add("SimulationBatch::set_start",
            [&](Arguments& x) { worlds.set_start(x.place("world", 3, 4), start, std::vector<double>(1)); });
  table.add("SimulationBatch::model", [&](Arguments& x) { worlds.model(x.place("world", 3, 4)); });
  table.add("SimulationBatch::simulation", [&](Arguments& x) { worlds.simulation(x.place("world", 3, 4)); });
  table.add("SimulationBatch::mocap", [&](Arguments& x) { worlds.mocap(x.place("world", 3, 4)); });
  table.add("SimulationBatch::reset", [&](Arguments& x) { worlds.reset({}, in(x, "q"), in(x, "v")); });
  table.add("SimulationBatch::rollout", [&](Arguments& x) {
    const MatrixView<double> u = x.matrix("controls", 4, 2);
    worlds.rollout(2, {u.data(), u.rows(), u.cols()}, x.matrix("states", 4, 3 * 6));
  });
  table.add("SimulationBatch::observe", [&](Arguments& x) { worlds.observe(seen, x.matrix("out", 4, 4)); });
  DeviceSimulation<double> on_device(driven, 2, {.dt = 1e-3});
  table.add("DeviceSimulation::set_state",
            [&](Arguments& x) { on_device.set_state(x.numbers("q", 2 * n), x.numbers("v", 2 * n)); });
  table.add("DeviceSimulation::get_state",
            [&](Arguments& x) { on_device.get_state(x.numbers("q", 2 * n), x.numbers("v", 2 * n)); });
  table.add("DeviceSimulation::set_start",
            [&](Arguments& x) { on_device.set_start(x.numbers("q", 2 * n), x.numbers("v", 2 * n)); });
  table.add("DeviceSimulation::set_control", [&](Arguments& x) { on_device.set_control(x.numbers("control", 2)); });
  table.add("DeviceSimulation::set_applied", [&](Arguments& x) { on_device.set_applied(x.numbers("applied", 2 * n)); });
  on_device.set_observation({"q", "time"});
  table.add("DeviceSimulation::get_observation",
            [&](Arguments& x) { on_device.get_observation(x.numbers("out", 2 * (n + 1))); });
  table.add("DeviceSimulation::set_variants", [&](Arguments& x) {
    on_device.set_variants({&driven, 1}, x.integers("variant", {0, 0}));
  });
  table.add("DeviceSimulation::reset",
            [&](Arguments& x) { on_device.reset(std::vector<unsigned char>(x.numbers("mask", 2).size())); });
  const Model bar = compile(mechanisms::four_bar()).value();
  const ConstraintSet loops(bar);
  ConstrainedBatch constrained(bar, loops);
  std::vector<SolveStatus> status(2);
  std::vector<double> at_neutral(bar.neutral().begin(), bar.neutral().end());
  at_neutral.insert(at_neutral.end(), bar.neutral().begin(), bar.neutral().end());
  const auto two = [&](Arguments& x, const char* name) -> ConstrainedBatch::Rows {
    const MatrixView<double> out = x.matrix(name, 2, bar.nv());
    return {out.data(), out.rows(), out.cols()};
  };
  table.add("ConstrainedBatch::forward_dynamics", [&](Arguments& x) {
    constrained.forward_dynamics({at_neutral.data(), 2, at(bar.nq())}, two(x, "v"), two(x, "tau"),
                                 x.matrix("qdd", 2, bar.nv()), x.matrix("lambda", 2, loops.rows()), status);
  });
  const ThreeModels bars{mechanisms::four_bar(), mechanisms::stewart_platform()};
  Three<ConstraintSet> sets{bars};
  table.add("ConstrainedBatch",
            [&](Arguments& x) { ConstrainedBatch(bars.right, sets.take(x, "the constraint set")); });
  EXPECT_EQ(table.run("batch"), "");
}

}  // namespace
}  // namespace sinew::test
