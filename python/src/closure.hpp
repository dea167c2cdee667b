// python/src/closure.hpp - loops closed by the user's formulae, written in Python
#pragma once
#include "callable.hpp"
#include "sinew/constraint/closure/closure.hpp"

namespace sinew::py {

class PythonClosure final : public ClosureFunction {
 public:
  PythonClosure(int independents, Callable calc, std::optional<Callable> refuse)
      : independents_(independents), calc_(std::move(calc)), refuse_(std::move(refuse)) {}
  int independents() const override { return independents_; }
  std::string refuse(VectorView<const double> y) const override;
  void calc(VectorView<const double> y, VectorView<const double> yd, const ClosureOutput&) const override;

 private:
  int independents_;
  Callable calc_;
  std::optional<Callable> refuse_;
};

}  // namespace sinew::py
