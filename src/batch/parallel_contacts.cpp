// src/batch/parallel_contacts.cpp
#include "sinew/batch/parallel_contacts.hpp"

namespace sinew {

void use_threads(ContactShapes& shapes, ThreadPool& pool) {
  shapes.loop = [&pool](std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
    pool.run(count, [&](int, std::size_t begin, std::size_t end) { body(begin, end); });
  };
}

}  // namespace sinew
