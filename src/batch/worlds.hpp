// src/batch/worlds.hpp - what a SimulationBatch holds: simulations, and tables with a row for each
#pragma once
#include <algorithm>
#include <atomic>
#include <optional>

#include "sinew/batch/simulation_batch.hpp"
#include "sinew/batch/thread_pool.hpp"
#include "sinew/sim/sensor_readings.hpp"

namespace sinew {

// One row of numbers per world.
struct WorldTable {
  WorldTable(std::size_t r, std::size_t c) : rows(r), cols(c), numbers(r * c) {}
  double* row(std::size_t i) { return numbers.data() + i * cols; }
  void put(std::size_t i, In<double> from) { std::copy(from.begin(), from.end(), row(i)); }
  void get(std::size_t i, Out<double> to) { std::copy_n(row(i), cols, to.begin()); }
  MatrixView<double> view() { return {numbers.data(), rows, cols}; }
  std::size_t rows, cols;
  std::vector<double> numbers;
};

struct SimulationBatch::Implementation {
  struct World {
    const Model* model = nullptr;
    std::unique_ptr<Simulation> simulation;
    State start, last_good;
    std::vector<double> start_control;
    std::string cause;  // of its failure
  };
  // What reads observations: scratch of a thread, or of a world where models differ.
  struct Reader {
    std::vector<BodyMotion> motions;
    std::optional<SensorReadings> sensors;
  };

  Implementation(const std::vector<const Model*>&, const SimulationBatchOptions&);
  const Model& model() const { return *worlds[0].model; }

  // body(worker, world) for every world; a thread takes the next few when it is done with its own.
  template <class Body>
  void for_each_world(const Body& body) {
    const std::size_t n = worlds.size(), threads = at(pool.size()), few = std::max<std::size_t>(1, n / (8 * threads));
    std::atomic<std::size_t> next = 0;
    pool.run(threads, [&](int worker, std::size_t, std::size_t) {
      for (std::size_t begin = next.fetch_add(few); begin < n; begin = next.fetch_add(few))
        for (std::size_t i = begin; i < std::min(n, begin + few); ++i) body(worker, i);
    });
  }
  // Of world i.
  void reset(std::size_t i, In<double> to_q, In<double> to_v);
  bool step(std::size_t i, const Interrupt&);  // false: it is set aside
  bool set_aside(std::size_t i, std::string cause);
  void get_rows(std::size_t i, State&);
  void put_rows(std::size_t i, const State&);
  void get_forces(std::size_t i, std::vector<Force<double>>& forces);
  void observe(std::size_t i, Reader&, const Observation&, double* out);

  SimulationBatchOptions options;
  ThreadPool pool;
  bool shared;  // all worlds have the same model
  std::vector<World> worlds;
  WorldTable q, v, control, applied, external, activation, time;
  std::vector<unsigned char> failed;
  std::vector<Reader> readers;     // (workers), or (worlds) where models differ
  std::vector<int> body_of_shape;  // (shapes of the model)
};

}  // namespace sinew
