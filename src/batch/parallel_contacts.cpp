// src/batch/parallel_contacts.cpp
#include "sinew/batch/parallel_contacts.hpp"

namespace sinew {
namespace {

Loop make_loop(ThreadPool& pool) {
  return [&pool](std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
    pool.run(count, [&](int, std::size_t begin, std::size_t end) { body(begin, end); });
  };
}

}  // namespace

void use_threads(Stepper& stepper, ThreadPool& pool) { stepper.set_loop(make_loop(pool)); }
void use_threads(ContactShapes& shapes, ThreadPool& pool) { shapes.loop = make_loop(pool); }

}  // namespace sinew
