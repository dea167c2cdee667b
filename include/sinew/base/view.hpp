// sinew/base/view.hpp - light views of contiguous numbers
// Public calls take these. They convert from anything with data() and size(): std::vector, std::array,
// an Eigen vector, a span; a plain std::span does not convert from an Eigen 3.4 vector.
#pragma once
#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "sinew/base/index.hpp"

namespace sinew {

// Contiguous numbers of somebody else.
template <class T>
class VectorView {
 public:
  constexpr VectorView() = default;
  constexpr VectorView(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class C>
    requires(!std::same_as<std::remove_cvref_t<C>, VectorView> &&
             requires(C&& c) {
               { c.data() } -> std::convertible_to<T*>;
               { c.size() } -> std::convertible_to<std::size_t>;
             })
  constexpr VectorView(C&& c)  // NOLINT(google-explicit-constructor)
      : data_(c.data()), size_(static_cast<std::size_t>(c.size())) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Row-major, rows `stride` apart.
template <class T>
class MatrixView {
 public:
  constexpr MatrixView() = default;
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t rows() const { return rows_; }
  constexpr std::size_t cols() const { return cols_; }
  constexpr std::size_t stride() const { return stride_; }
  constexpr T& operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
};

// Arguments of a call whose workspace says what T is: aba(model, workspace, q, v, tau, qdd) takes any containers.
template <class T>
using In = VectorView<const std::type_identity_t<T>>;
template <class T>
using Out = VectorView<std::type_identity_t<T>>;
template <class T>
using OutMatrix = MatrixView<std::type_identity_t<T>>;

// Throws std::invalid_argument naming both sizes: "aba: q has 6 entries, the model needs 7".
inline void check_size(const char* call, const char* name, std::size_t got, std::size_t need) {
  if (got != need)
    throw std::invalid_argument(std::string(call) + ": " + name + " has " + std::to_string(got) +
                                " entries, the model needs " + std::to_string(need));
}

// Throws std::invalid_argument: "get_body_pose: there is no body 1000 (there are 5, counted from 0)".
[[noreturn]] void refuse_index(const char* call, const char* name, const std::string& index, std::size_t count);
inline void check_index(const char* call, const char* name, int index, std::size_t count) {
  if (index < 0 || at(index) >= count) refuse_index(call, name, std::to_string(index), count);
}
inline void check_index(const char* call, const char* name, std::size_t index, std::size_t count) {
  if (index >= count) refuse_index(call, name, std::to_string(index), count);
}

}  // namespace sinew
