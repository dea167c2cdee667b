// src/operators/lyapunov.cpp
#include "sinew/operators/lyapunov.hpp"

#include <algorithm>
#include <stdexcept>

#include "sinew/base/counted.hpp"
#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {
namespace {

template <class T>
int largest(const Blocks<T>& Y) {
  int most = 0;
  for (int k = 0; k < Y.count(); ++k) most = std::max({most, Y.rows(k), Y.cols(k)});
  return most;
}

// Y and X alike; A and B carry their columns to those of the parent.
template <class T>
void check_blocks(const char* call, const Shape& s, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& X,
                  const Blocks<T>& Y) {
  for (const Blocks<T>* b : {&A, &B, &X, &Y}) check_size(call, "the list of blocks", at(b->count()), at(s.nodes()));
  for (const SweepNode& x : s.sweep()) {
    const int k = x.node, p = x.parent;
    const bool base = p == kInertial;
    if (X.rows(k) != Y.rows(k) || X.cols(k) != Y.cols(k) || A.cols(k) != X.rows(k) || B.cols(k) != X.cols(k) ||
        A.rows(k) != (base ? 0 : X.rows(p)) || B.rows(k) != (base ? 0 : X.cols(p)))
      throw std::invalid_argument(
          std::string(call) + ": the blocks of " + s.describe(k) + " do not fit each other: A " +
          std::to_string(A.rows(k)) + " x " + std::to_string(A.cols(k)) + ", B " + std::to_string(B.rows(k)) + " x " +
          std::to_string(B.cols(k)) + ", X " + std::to_string(X.rows(k)) + " x " + std::to_string(X.cols(k)) + ", Y " +
          std::to_string(Y.rows(k)) + " x " + std::to_string(Y.cols(k)));
  }
}

}  // namespace

template <class T>
void solve_forward_lyapunov(const Shape& s, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& X, Blocks<T>& Y) {
  check_blocks("solve_forward_lyapunov", s, A, B, X, Y);
  const int most = largest(X);
  std::vector<T> work(at(most * most));
  for (int k = 0; k < s.nodes(); ++k) std::copy(X[k], X[k] + X.rows(k) * X.cols(k), Y[k]);
  for (std::size_t i = s.outward().size(); i-- > 0;) {
    const int k = s.outward()[i], p = s.parent(k);
    if (p == kInertial) continue;
    multiply<false>(A.rows(k), A.cols(k), Y.cols(k), A[k], Y[k], work.data());
    multiply_by_transposed<true>(A.rows(k), B.cols(k), B.rows(k), work.data(), B[k], Y[p]);  // [J11 13]
  }
}

template <class T>
void solve_backward_lyapunov(const Shape& s, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& X, Blocks<T>& Y) {
  check_blocks("solve_backward_lyapunov", s, A, B, X, Y);
  const int most = largest(X);
  std::vector<T> work(at(most * most));
  for (int k = 0; k < s.nodes(); ++k) std::copy(X[k], X[k] + X.rows(k) * X.cols(k), Y[k]);
  for (const int k : s.outward()) {
    const int p = s.parent(k);
    if (p == kInertial) continue;
    multiply_transposed<false>(A.cols(k), A.rows(k), Y.cols(p), A[k], Y[p], work.data());
    multiply<true>(A.cols(k), B.rows(k), B.cols(k), work.data(), B[k], Y[k]);  // [J11 23]
  }
}

template <class T>
std::vector<T> calc_forward_block(const Shape& s, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& Y, int i,
                                  int j) {
  check_blocks("calc_forward_block", s, A, B, Y, Y);
  const bool up = s.is_ancestor(i, j), down = s.is_ancestor(j, i);
  if (!up && !down) return std::vector<T>(at(Y.rows(i) * Y.cols(j)), lit<T>(0));
  int k = up ? j : i;
  std::vector<T> Z(Y[k], Y[k] + Y.rows(k) * Y.cols(k)), next;
  for (; k != (up ? i : j); k = s.parent(k), std::swap(Z, next)) {
    if (up) {  // Z(p, j) = A(p, k) Z(k, j)
      next.resize(at(A.rows(k) * Y.cols(j)));
      multiply<false>(A.rows(k), A.cols(k), Y.cols(j), A[k], Z.data(), next.data());
    } else {  // Z(i, p) = Z(i, k) B^*(p, k)
      next.resize(at(Y.rows(i) * B.rows(k)));
      multiply_by_transposed<false>(Y.rows(i), B.cols(k), B.rows(k), Z.data(), B[k], next.data());
    }
  }
  return Z;
}

template <class T>
std::vector<T> calc_backward_block(const Shape& s, const Blocks<T>& A, const Blocks<T>& B, const Blocks<T>& Y, int i,
                                   int j) {
  check_blocks("calc_backward_block", s, A, B, Y, Y);
  const int c = s.common_ancestor(i, j);
  if (c == kInertial)
    return std::vector<T>(at(Y.rows(i) * Y.cols(j)), lit<T>(0));  // of trees that do not hang together
  const auto path_to = [&](int k) {                               // the nodes after c, outwards
    std::vector<int> path;
    for (; k != c; k = s.parent(k)) path.push_back(k);
    return std::vector<int>(path.rbegin(), path.rend());
  };
  // Z(i, j) = A^*(c, i) Y(c) B(c, j)
  std::vector<T> Z(Y[c], Y[c] + Y.rows(c) * Y.cols(c)), next;
  for (const int k : path_to(i)) {
    next.resize(at(A.cols(k) * Y.cols(c)));
    multiply_transposed<false>(A.cols(k), A.rows(k), Y.cols(c), A[k], Z.data(), next.data());
    std::swap(Z, next);
  }
  for (const int k : path_to(j)) {
    next.resize(at(Y.rows(i) * B.cols(k)));
    multiply<false>(Y.rows(i), B.rows(k), B.cols(k), Z.data(), B[k], next.data());
    std::swap(Z, next);
  }
  return Z;
}

#define SINEW_INSTANTIATE(T)                                                                                           \
  template void solve_forward_lyapunov(const Shape&, const Blocks<T>&, const Blocks<T>&, const Blocks<T>&,             \
                                       Blocks<T>&);                                                                    \
  template void solve_backward_lyapunov(const Shape&, const Blocks<T>&, const Blocks<T>&, const Blocks<T>&,            \
                                        Blocks<T>&);                                                                   \
  template std::vector<T> calc_forward_block(const Shape&, const Blocks<T>&, const Blocks<T>&, const Blocks<T>&, int,  \
                                             int);                                                                     \
  template std::vector<T> calc_backward_block(const Shape&, const Blocks<T>&, const Blocks<T>&, const Blocks<T>&, int, \
                                              int);
SINEW_INSTANTIATE(double)
SINEW_INSTANTIATE(Counted)
#undef SINEW_INSTANTIATE

}  // namespace sinew::sko
