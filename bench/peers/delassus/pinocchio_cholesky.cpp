// bench/peers/delassus/pinocchio_cholesky.cpp
#include <pinocchio/algorithm/constraint-cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>

#include "pinocchio_contacts.hpp"

namespace peers {
namespace {

struct Cholesky : pinocchio::ConstraintCholeskyDecompositionTpl<double, 0> {
  using ConstraintCholeskyDecompositionTpl::ConstraintCholeskyDecompositionTpl;
  using ConstraintCholeskyDecompositionTpl::delassus_block;  // the matrix before it is factored
};

template <bool full>
class CholeskyWay final : public ContactWay {
 public:
  CholeskyWay(const pinocchio::Model& m, const std::vector<Contact>& c)
      : ContactWay(m, c), cholesky_(m, data, models, datas) {}

  void run(const EigenState& s) override {
    pinocchio::crba(model, data, s.q, pinocchio::Convention::WORLD);
    pinocchio::calc(model, data, models, datas);
    cholesky_.compute(model, data, models, datas, true, full);
    if constexpr (full) cholesky_.getInverseOperationalSpaceInertiaMatrix(delassus);
  }
  Eigen::MatrixXd W() const override {
    if constexpr (full) return delassus;
    return cholesky_.delassus_block;
  }

 private:
  Cholesky cholesky_;
};

}  // namespace

WayPtr make_cholesky(const pinocchio::Model& m, const std::vector<Contact>& c) {
  return std::make_unique<CholeskyWay<false>>(m, c);
}
WayPtr make_cholesky_full(const pinocchio::Model& m, const std::vector<Contact>& c) {
  return std::make_unique<CholeskyWay<true>>(m, c);
}

}  // namespace peers
