// sinew/batch/parallel_contacts.hpp - contacts of one scene, looked for on several threads; the same bits on any number
//   ThreadPool pool(4);
//   use_threads(simulation.shapes(), pool);
#pragma once
#include "sinew/batch/thread_pool.hpp"
#include "sinew/contact/contact_shapes.hpp"

namespace sinew {

// From now on `shapes` places its shapes and collides its pairs on the threads of the pool, which must outlive it. Pays
// from some hundred pairs on; few are done on the calling thread alone.
void use_threads(ContactShapes& shapes, ThreadPool& pool);

}  // namespace sinew
