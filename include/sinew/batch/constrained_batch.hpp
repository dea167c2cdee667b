// sinew/batch/constrained_batch.hpp - accelerations of many samples of one mechanism under constraints
// As constrained_forward_dynamics (constraint/solve/forward_dynamics.hpp), one sample per row of every array, over
// threads with a workspace each. The bits of a sample are those of the call alone. Allocates nothing after construction
// where that call does not.
#pragma once
#include <memory>

#include "sinew/constraint/solve/forward_dynamics.hpp"

namespace sinew {

class ConstrainedBatch {
 public:
  using Rows = MatrixView<const double>;
  using OutRows = MatrixView<double>;

  // The model and the set must outlive it. threads = 0: one per hardware thread.
  ConstrainedBatch(const Model&, const ConstraintSet&, const ConstrainedOptions& = {}, int threads = 1);
  ConstrainedBatch(const Model&&, const ConstraintSet&, const ConstrainedOptions& = {}, int threads = 1) = delete;
  ConstrainedBatch(const Model&, const ConstraintSet&&, const ConstrainedOptions& = {}, int threads = 1) = delete;
  ~ConstrainedBatch();
  int threads() const;

  // qdd: nv per row, lambda: one per row of the set, status: one per sample, or none. Returns the number of samples
  // that were not solved; what these hold is said in constraint/solve/forward_dynamics.hpp.
  std::size_t forward_dynamics(Rows q, Rows v, Rows tau, OutRows qdd, OutRows lambda,
                               VectorView<SolveStatus> status = {}, double time = 0);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> p_;
};

}  // namespace sinew
