// sinew/operators/reorder.hpp - the same numbers in the order of another SKO model of the same system
#pragma once
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::sko {

class Reorder {
 public:
  Reorder() = default;
  explicit Reorder(std::vector<int> of) : of_(std::move(of)) {}  // place in the old order of each new number
  std::size_t size() const { return of_.size(); }

  // A vector in the new order, and back in the old one.
  template <class T>
  std::vector<T> to_new(const std::vector<T>& in) const {
    check_size("Reorder", "the vector", in.size(), of_.size());
    std::vector<T> out(in.size());
    for (std::size_t i = 0; i < of_.size(); ++i) out[i] = in[at(of_[i])];
    return out;
  }
  template <class T>
  std::vector<T> to_old(const std::vector<T>& in) const {
    check_size("Reorder", "the vector", in.size(), of_.size());
    std::vector<T> out(in.size());
    for (std::size_t i = 0; i < of_.size(); ++i) out[at(of_[i])] = in[i];
    return out;
  }

 private:
  std::vector<int> of_;
};

}  // namespace sinew::sko
