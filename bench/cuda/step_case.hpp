// bench/cuda/step_case.hpp - a scene with states and the CPU's steps from them, as one file
// The machine with the device has a compiler and nothing else: this file is all it needs of the library's host side.
#pragma once
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/scene_tables.hpp"

namespace sinew::bench {

struct StepCase {
  device::SceneTables<double> in_double;
  device::SceneTables<float> in_float;
  // Rows: states, controls, and velocities after a step of Simulation, with its own solver and with another one. Where
  // these differ the answer is not unique, or depends on rounding errors.
  std::vector<double> q, v, control, v_after, v_other;
  std::vector<double> start_q, start_v;  // where worlds begin that are timed
  template <class R>
  device::SceneTables<R>& tables() {
    if constexpr (sizeof(R) == 4)
      return in_float;
    else
      return in_double;
  }

  // transfer(data, bytes) for all of it; resize tells how large tables are.
  template <class Transfer>
  void each(Transfer&& transfer) {
    const auto of_vector = [&](auto& x) {
      std::size_t n = x.size();
      transfer(&n, sizeof n);
      x.resize(n);
      transfer(x.data(), n * sizeof x[0]);
    };
    const auto of_tables = [&](auto& t) {
      transfer(&t.scene, sizeof t.scene);
      t.for_each([&](auto& table, auto&) { of_vector(table); });
    };
    of_tables(in_double), of_tables(in_float);
    of_vector(q), of_vector(v), of_vector(control), of_vector(v_after), of_vector(v_other);
    of_vector(start_q), of_vector(start_v);
  }
  void write(const std::string& path) {
    std::FILE* f = std::fopen(path.c_str(), "wb");
    if (!f) throw std::runtime_error("cannot open " + path);
    each([&](const void* data, std::size_t bytes) { std::fwrite(data, 1, bytes, f); });
    std::fclose(f);
  }
  void read(const std::string& path) {
    std::FILE* f = std::fopen(path.c_str(), "rb");
    if (!f) throw std::runtime_error("cannot open " + path);
    each([&](void* data, std::size_t bytes) {
      if (std::fread(data, 1, bytes, f) != bytes) throw std::runtime_error(path + " is too short");
    });
    std::fclose(f);
  }
};

}  // namespace sinew::bench
