// sinew/operators/blocks.hpp - the blocks of an operator with one block per node, stored one after the other
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::sko {

// Row-major, without gaps. Block k has rows[k] x cols[k] numbers.
template <class T>
class Blocks {
 public:
  Blocks() = default;
  // Appends a block of zeros.
  void add(int rows, int cols) {
    sizes_.push_back({rows, cols, values_.size()});
    values_.resize(values_.size() + at(rows * cols));
  }
  int count() const { return static_cast<int>(sizes_.size()); }
  // Size of block k.
  int rows(int k) const { return sizes_[at(k)].rows; }
  int cols(int k) const { return sizes_[at(k)].cols; }
  T* operator[](int k) { return values_.data() + sizes_[at(k)].begin; }
  const T* operator[](int k) const { return values_.data() + sizes_[at(k)].begin; }
  // Block k as a matrix.
  MatrixView<const T> view(int k) const { return {(*this)[k], at(rows(k)), at(cols(k))}; }
  const std::vector<T>& values() const { return values_; }
  // The numbers of blocks of the same sizes.
  void copy_values(const Blocks& from) { std::copy(from.values_.begin(), from.values_.end(), values_.begin()); }

 private:
  struct Size {
    int rows, cols;
    std::size_t begin;
  };
  std::vector<Size> sizes_;
  std::vector<T> values_;
};

}  // namespace sinew::sko
