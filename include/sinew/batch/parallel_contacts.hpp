// sinew/batch/parallel_contacts.hpp - one scene on several threads; the same bits on any number
//   ThreadPool pool(4);
//   use_threads(simulation, pool);
#pragma once
#include "sinew/batch/thread_pool.hpp"
#include "sinew/sim/stepper.hpp"

namespace sinew {

// From now on contacts are looked for, and islands of a Simulation solved, on the threads of the pool, which must
// outlive the stepper. Pays from some hundred pairs, or several islands, on; few are done on the calling thread alone.
void use_threads(Stepper&, ThreadPool& pool);
// Contacts only.
void use_threads(ContactShapes& shapes, ThreadPool& pool);

}  // namespace sinew
