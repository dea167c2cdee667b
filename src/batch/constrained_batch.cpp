// src/batch/constrained_batch.cpp
#include "sinew/batch/constrained_batch.hpp"

#include <atomic>
#include <vector>

#include "batch/check_rows.hpp"
#include "sinew/batch/thread_pool.hpp"

namespace sinew {

struct ConstrainedBatch::Implementation {
  Implementation(const Model& m, const ConstraintSet& s, const ConstrainedOptions& o, int threads)
      : model(&m), set(&s), pool(threads) {
    for (int k = 0; k < pool.size(); ++k) workspaces.emplace_back(m, s, o);
  }
  const Model* model;
  const ConstraintSet* set;
  ThreadPool pool;
  std::vector<ConstrainedWorkspace> workspaces;  // one per thread
};

ConstrainedBatch::ConstrainedBatch(const Model& m, const ConstraintSet& s, const ConstrainedOptions& o, int threads)
    : p_(std::make_unique<Implementation>(m, s, o, threads)) {}
ConstrainedBatch::~ConstrainedBatch() = default;
int ConstrainedBatch::threads() const { return p_->pool.size(); }

std::size_t ConstrainedBatch::forward_dynamics(Rows q, Rows v, Rows tau, OutRows qdd, OutRows lambda,
                                               VectorView<SolveStatus> status, double time) {
  const char* call = "ConstrainedBatch::forward_dynamics";
  const Model& m = *p_->model;
  const std::size_t samples = q.rows();
  check_rows(call, "q", q, samples, at(m.nq()));
  check_rows(call, "v", v, samples, at(m.nv()));
  check_rows(call, "tau", tau, samples, at(m.nv()));
  check_rows(call, "qdd", qdd, samples, at(m.nv()));
  check_rows(call, "lambda", lambda, samples, at(p_->set->rows()));
  if (status.data() && status.size() != samples)
    throw std::invalid_argument(std::string(call) + ": status has " + std::to_string(status.size()) +
                                " entries, there are " + std::to_string(samples) + " samples");
  std::atomic<std::size_t> unsolved = 0;
  p_->pool.run(samples, [&](int worker, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SolveCertificate& c =
          constrained_forward_dynamics(m, *p_->set, p_->workspaces[at(worker)], get_row(q, i), get_row(v, i),
                                       get_row(tau, i), get_row(qdd, i), get_row(lambda, i), {{}, time});
      unsolved += c.status != SolveStatus::solved;
      if (status.data()) status[i] = c.status;
    }
  });
  return unsolved;
}

}  // namespace sinew
