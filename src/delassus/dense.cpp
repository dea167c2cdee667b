// src/delassus/dense.cpp
#include "sinew/delassus/dense.hpp"

#include "base/scalar_pass.hpp"
#include "driver.hpp"

namespace sinew::delassus {

template <class T>
DenseWorkspace<T>::DenseWorkspace(const Model& m, const Problem& problem_in)
    : problem(problem_in),
      crba(m),
      jacobian(m, problem),
      M(at(m.nv()) * at(m.nv())),
      Y(at(m.nv()) * at(problem.rows())) {}

template <class T>
void dense(const Model& m, DenseWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  using std::sqrt;
  const Problem& p = ws.problem;
  check_call<T>("dense", m, p, ws.crba.turns.size(), q, K, W);
  const std::size_t n = at(m.nv()), rows = at(p.rows());
  const MatrixView<T> M(ws.M.data(), n, n), Y(ws.Y.data(), n, rows);
  crba(m, ws.crba, q, M, time);
  calc_general_joints(m, q.data(), time, ws.crba.general, true);
  calc_row_jacobian(m, p, ws.crba, ws.jacobian, q, K);

  // J^T, rows in the order of the coordinates
  for (T& y : ws.Y) y = lit<T>(0);
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    for (int k = 0; k < m.nodes()[i].nv; ++k) {
      const T* row = ws.jacobian.transpose.data() + (m.links<double>()[i].dof + k) * ws.jacobian.stride;
      for (int c = p.begin(static_cast<int>(i)); c < p.end(static_cast<int>(i)); ++c)
        Y(at(m.nodes()[i].v + k), at(p.row_of(c))) += row[c];
    }
  // M = C C^T, Y = C^-1 J^T
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) M(j, j) -= M(j, k) * M(j, k);
    M(j, j) = lit<T>(1) / sqrt(M(j, j));
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) M(i, j) -= M(i, k) * M(j, k);
      M(i, j) *= M(j, j);
    }
    for (std::size_t c = 0; c < rows; ++c) {
      for (std::size_t k = 0; k < j; ++k) Y(j, c) -= M(j, k) * Y(k, c);
      Y(j, c) *= M(j, j);
    }
  }
  for (std::size_t a = 0; a < rows; ++a)
    for (std::size_t b = a; b < rows; ++b) {
      T sum = lit<T>(0);
      for (std::size_t k = 0; k < n; ++k) sum += Y(k, a) * Y(k, b);
      W(a, b) = W(b, a) = sum;
    }
}

#define SINEW_INSTANTIATE(T)         \
  template struct DenseWorkspace<T>; \
  template void dense(const Model&, DenseWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
