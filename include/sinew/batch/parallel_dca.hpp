// sinew/batch/parallel_dca.hpp - divide and conquer on several threads
// As dca (tree/dca.hpp), in double: pieces of the mechanism that do not depend on each other are assembled at the same
// time. The same operations as on one thread, so the same bits for any number of threads. Pays from some hundred bodies
// on (bench/batch/dca_bench.cpp).
// Reference: [F08 section 7.5].
#pragma once
#include "sinew/batch/thread_pool.hpp"
#include "sinew/tree/dca.hpp"

namespace sinew {

// Throws what dca throws. Allocates nothing.
void dca(ThreadPool&, const Model&, DcaWorkspace<double>&, In<double> q, In<double> v, In<double> tau, Out<double> a,
         const Surroundings<double>& = {});

}  // namespace sinew
