// src/operators/sko_model.cpp
#include "sinew/operators/sko_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "operators/plain_number.hpp"

namespace sinew::sko {
namespace {

template <class T>
void copy_block(const Shape& s, const char* what, int k, MatrixView<const T> from, Blocks<T>& to) {
  const auto shape_of = [](std::size_t rows, std::size_t cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  };
  if (from.rows() != at(to.rows(k)) || from.cols() != at(to.cols(k)))
    throw std::invalid_argument(std::string("SkoModel: ") + what + " of " + s.describe(k) + " is " +
                                shape_of(from.rows(), from.cols()) + ", it must be " +
                                shape_of(at(to.rows(k)), at(to.cols(k))));
  T* out = to[k];
  for (std::size_t i = 0; i < from.rows(); ++i)
    for (std::size_t j = 0; j < from.cols(); ++j) *out++ = from(i, j);
}

}  // namespace

template <class T>
SkoModel<T>::SkoModel(Shape shape)
    : shape_(std::make_shared<const Shape>(std::move(shape))), identity_(Identity::make_new()) {
  const Shape& s = *shape_;
  for (int k = 0; k < s.nodes(); ++k) {
    A_.add(s.parent(k) == kInertial ? 0 : s.size(s.parent(k)), s.size(k));
    H_.add(s.freedoms(k), s.size(k));
    M_.add(s.size(k), s.size(k));
  }
  a_.resize(at(s.size()));
  b_ = a_;
}

template <class T>
void SkoModel<T>::set_weight(int node, MatrixView<const T> block) {
  copy_block(shape(), "the weight A", check(node), block, A_);
}
template <class T>
void SkoModel<T>::set_hinge(int node, MatrixView<const T> block) {
  copy_block(shape(), "the hinge map H", check(node), block, H_);
}
template <class T>
void SkoModel<T>::set_inertia(int node, MatrixView<const T> block) {
  copy_block(shape(), "the inertia M", check(node), block, M_);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < block.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      largest = std::max({largest, std::abs(plain_number(block(i, j))), std::abs(plain_number(block(j, i)))});
      difference = std::max(difference, std::abs(plain_number(block(i, j)) - plain_number(block(j, i))));
    }
  constexpr double kRounding = 1e-12;
  if (difference > kRounding * largest)
    throw std::invalid_argument("SkoModel: the inertia M of " + shape().describe(node) +
                                " is not symmetric: two entries that must agree differ by " +
                                std::to_string(difference / largest) + " of the largest");
}
template <class T>
void SkoModel<T>::set_bias(int node, In<T> a_of_node, In<T> b_of_node) {
  check_size("SkoModel", "the bias acceleration", a_of_node.size(), at(shape().size(node)));
  check_size("SkoModel", "the bias force", b_of_node.size(), at(shape().size(node)));
  std::copy(a_of_node.begin(), a_of_node.end(), a(node));
  std::copy(b_of_node.begin(), b_of_node.end(), b(node));
}

void MadeForSko::refuse(const char* call, const Shape& s) const {
  throw std::invalid_argument(std::string(call) + ": the workspace was made for another model, with " +
                              std::to_string(nodes_) + " nodes and " + std::to_string(freedoms_) +
                              " freedoms; this one has " + std::to_string(s.nodes()) + " nodes and " +
                              std::to_string(s.freedoms()) + " freedoms");
}

template class SkoModel<double>;
template class SkoModel<Counted>;

}  // namespace sinew::sko
