// src/model/dof_tree.cpp
#include "sinew/model/dof_tree.hpp"

#include <utility>

namespace sinew {

DofTree::DofTree(std::vector<int> parent, std::vector<int> velocity)
    : parent_(std::move(parent)), velocity_(std::move(velocity)), depth_(parent_.size()), end_(parent_.size()) {
  row_.reserve(parent_.size());
  shape_ = 0xcbf29ce484222325;  // FNV-1a
  const auto hash = [this](int number) { shape_ = (shape_ ^ static_cast<std::uint32_t>(number)) * 0x100000001b3; };
  for (std::size_t k = 0; k < parent_.size(); ++k) {
    const long d = depth_[k] = parent_[k] < 0 ? 0 : depth_[parent_[k]] + 1;
    row_.push_back(packed_size_);
    hash(parent_[k]), hash(velocity_[k]);
    in_order_ = in_order_ && velocity_[k] == static_cast<int>(k);
    packed_size_ += static_cast<std::size_t>(d) + 1;
    d1_ += d;
    d2_ += d * (d + 1) / 2;
  }
  for (std::size_t k = parent_.size(); k-- > 0;) {
    if (end_[k] == 0) end_[k] = static_cast<int>(k) + 1;
    if (parent_[k] >= 0 && end_[parent_[k]] < end_[k]) end_[parent_[k]] = end_[k];
  }
}

}  // namespace sinew
