// src/linear/sparse_ldl.hpp - a symmetric sparse matrix, and L D L^T of it with an ordering that keeps L sparse
// The factorization is Eigen's (SimplicialLDLT, approximate minimum degree): sparse_ldl.cpp alone sees it. Without
// pivots, so for matrices that are quasidefinite: [A B^T; B -C] with A and C positive definite.
#pragma once
#include <memory>
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew::linear {

// Column by column, lower triangle only.
class SparseSymmetric {
 public:
  struct Entry {
    int row, col;  // row >= col
    double value;
  };
  // Entries at the same place are added up in the order given.
  void assign(int size, const std::vector<Entry>& entries);
  int size() const { return static_cast<int>(first_.size()) - 1; }
  long nonzeros() const { return static_cast<long>(value_.size()); }
  // Column c is the entries first(c) .. first(c + 1) - 1, rows ascending.
  int first(int c) const { return first_[c]; }
  int row(int e) const { return row_[e]; }
  double value(int e) const { return value_[e]; }
  // Every column must begin with its diagonal, zero or not.
  double diagonal(int c) const { return value_[first_[c]]; }
  void set_diagonal(int c, double value) { value_[first_[c]] = value; }
  // r -= M x
  void subtract_product(VectorView<const double> x, VectorView<double> r) const;

 private:
  friend class SparseLdl;
  std::vector<int> first_{0}, row_;
  std::vector<double> value_;
  std::vector<int> place_, order_;  // work of assign
};

class SparseLdl {
 public:
  SparseLdl();
  ~SparseLdl();
  SparseLdl(SparseLdl&&) noexcept;
  SparseLdl& operator=(SparseLdl&&) noexcept;
  // The ordering is found the first time; every later matrix must have entries at the same places.
  void factor(const SparseSymmetric&);
  // x += A^-1 b
  void add_solution(VectorView<const double> b, VectorView<double> x) const;
  bool is_positive() const;  // the matrix of the last factor: all of D > 0
  long nonzeros() const;     // of L, below its diagonal; 0 before factor

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::linear
