// sinew/contact/loop.hpp - a loop that the caller may spread over threads
#pragma once
#include <cstddef>
#include <functional>

namespace sinew {

// Calls body(begin, end) for ranges that together are 0 .. count - 1, on several threads maybe. Those who take one give
// the same bits for any ranges. None: one thread. use_threads (batch/parallel_contacts.hpp) makes one.
using Loop = std::function<void(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body)>;

}  // namespace sinew
