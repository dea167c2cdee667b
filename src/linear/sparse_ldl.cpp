// src/linear/sparse_ldl.cpp
#include "linear/sparse_ldl.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace sinew::linear {

void SparseSymmetric::assign(int size, const std::vector<Entry>& entries) {
  // sorted by row, then by column, the order of equal ones kept
  const int count = static_cast<int>(entries.size());
  const auto sort_by = [&](auto key, auto source, std::vector<int>& out) {
    place_.assign(at(size) + 1, 0);
    for (const Entry& e : entries) ++place_[key(e) + 1];
    for (int i = 0; i < size; ++i) place_[i + 1] += place_[i];
    out.resize(entries.size());
    for (int k = 0; k < count; ++k) out[place_[key(entries[source(k)])]++] = source(k);
  };
  std::vector<int>& by_row = row_;  // scratch until the rows are written
  sort_by([](const Entry& e) { return e.row; }, [](int k) { return k; }, by_row);
  sort_by([](const Entry& e) { return e.col; }, [&](int k) { return by_row[k]; }, order_);
  first_.assign(at(size) + 1, 0);
  row_.clear(), value_.clear();
  int col = -1;
  for (const int k : order_) {
    const Entry& e = entries[k];
    if (e.col == col && row_.back() == e.row) {
      value_.back() += e.value;
      continue;
    }
    col = e.col;
    row_.push_back(e.row), value_.push_back(e.value);
    ++first_[e.col + 1];
  }
  for (int c = 0; c < size; ++c) first_[c + 1] += first_[c];
}

void SparseSymmetric::subtract_product(VectorView<const double> x, VectorView<double> r) const {
  for (int c = 0; c < size(); ++c) {
    r[c] -= diagonal(c) * x[c];
    double sum = 0;
    for (int e = first_[c] + 1; e < first_[c + 1]; ++e) {
      sum += value_[e] * x[row_[e]];
      r[row_[e]] -= value_[e] * x[c];
    }
    r[c] -= sum;
  }
}

struct SparseLdl::Impl {
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
};

SparseLdl::SparseLdl() = default;
SparseLdl::~SparseLdl() = default;
SparseLdl::SparseLdl(SparseLdl&&) noexcept = default;
SparseLdl& SparseLdl::operator=(SparseLdl&&) noexcept = default;

void SparseLdl::factor(const SparseSymmetric& m) {
  if (impl_) {
    check_size("SparseLdl::factor", "the matrix", m.value_.size(), static_cast<std::size_t>(impl_->matrix.nonZeros()));
    std::copy(m.value_.begin(), m.value_.end(), impl_->matrix.valuePtr());
  } else {
    impl_ = std::make_unique<Impl>();
    impl_->matrix =
        Eigen::Map<const Eigen::SparseMatrix<double>>(m.size(), m.size(), static_cast<Eigen::Index>(m.value_.size()),
                                                      m.first_.data(), m.row_.data(), m.value_.data());
    impl_->ldlt.analyzePattern(impl_->matrix);
  }
  impl_->ldlt.factorize(impl_->matrix);
}

void SparseLdl::add_solution(VectorView<const double> b, VectorView<double> x) const {
  const auto n = static_cast<Eigen::Index>(b.size());
  Eigen::Map<Eigen::VectorXd>(x.data(), n) += impl_->ldlt.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
}

bool SparseLdl::is_positive() const {
  return impl_ && impl_->ldlt.info() == Eigen::Success && impl_->ldlt.vectorD().minCoeff() > 0;
}

long SparseLdl::nonzeros() const { return impl_ ? impl_->ldlt.matrixL().nestedExpression().nonZeros() : 0; }

}  // namespace sinew::linear
