// sinew/base/result.hpp - a value with remarks, or the reasons why there is none
#pragma once
#include <optional>
#include <stdexcept>
#include <utility>

#include "sinew/base/diagnostic.hpp"

namespace sinew {

// A failed Result holds at least one error; a good one may hold notes and warnings.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value, Diagnostics diagnostics = {})  // NOLINT(google-explicit-constructor)
      : diagnostics_(std::move(diagnostics)) {
    if (!diagnostics_.has_errors()) value_.emplace(std::move(value));
  }
  Result(Diagnostics diagnostics)  // NOLINT(google-explicit-constructor)
      : diagnostics_(std::move(diagnostics)) {
    if (!diagnostics_.has_errors()) throw std::logic_error("sinew::Result: a failure needs at least one error");
  }

  // Whether there is a value.
  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // Throws std::invalid_argument with the first error when there is no value.
  const T& value() const& { return check(), *value_; }
  T& value() & { return check(), *value_; }
  T&& value() && { return check(), *std::move(value_); }
  const T* operator->() const { return check(), &*value_; }
  const T& operator*() const& { return value(); }

 private:
  void check() const {
    if (value_) return;
    for (const Diagnostic& d : diagnostics_)
      if (d.severity == Severity::error) throw std::invalid_argument(to_string(d));
  }

  std::optional<T> value_;
  Diagnostics diagnostics_;
};

}  // namespace sinew
