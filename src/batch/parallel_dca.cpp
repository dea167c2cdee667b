// src/batch/parallel_dca.cpp
#include "sinew/batch/parallel_dca.hpp"

#include "tree/dca_run.hpp"

namespace sinew {

void dca(ThreadPool& pool, const Model& m, DcaWorkspace<double>& ws, In<double> q, In<double> v, In<double> tau,
         Out<double> a, const Surroundings<double>& around) {
  const auto run = [&](std::size_t count, const auto& body) {
    pool.run(count, [&](int, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  };
  dca_steps::run_dca<double>("dca", m, ws, q, v, tau, a, around, run);
}

}  // namespace sinew
