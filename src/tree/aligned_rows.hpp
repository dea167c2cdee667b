// src/tree/aligned_rows.hpp - matrices whose rows begin at a multiple of the largest register
// So that registers do not lie across two lines of the cache.
#pragma once
#include <cstdint>
#include <vector>

namespace sinew {

inline constexpr int kRegister = 16;  // numbers in the largest one
// Numbers from one row to the next, with room for `more` registers behind the columns.
inline int aligned_stride(int columns, int more) {
  return (columns + (more + 1) * kRegister - 1) / kRegister * kRegister;
}
// The first of them that is so aligned; the list needs kRegister more than its rows.
template <class T>
T* align_numbers(std::vector<T>& x) {
  const std::size_t bytes = kRegister * sizeof(T), over = reinterpret_cast<std::uintptr_t>(x.data()) % bytes;
  return x.data() + (over == 0 || over % sizeof(T) != 0 ? 0 : (bytes - over) / sizeof(T));
}

}  // namespace sinew
