// src/delassus/chang_khatib.cpp
#include "sinew/delassus/chang_khatib.hpp"

#include "base/scalar_pass.hpp"
#include "responses.hpp"

namespace sinew::delassus {

template <class T>
void chang_khatib(const Model& m, ChangKhatibWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  const Problem& p = ws.problem;
  check_call<T>("chang_khatib", m, p, ws.depth.size(), q, K, W);
  std::fill(ws.Lambda.begin(), ws.Lambda.end(), lit<T>(0));
  int last = 0;  // columns of the tree on the world that node i belongs to end here
  calc_responses<T>(
      m, ws, q, K, time,
      [&](int i) {
        if (m.nodes()[i].parent == 0) last = p.end(i);
        return last;
      },
      [&](int i, const SpatialColumns<T>& F, const SpatialColumns<T>& A) {
        const int e = p.end_on(i);
        if (e < 0) return;
        for (int a = p.ends()[e].begin; a < p.ends()[e].end; ++a)
          for (int b = a; b < last; ++b) ws.Lambda[at(a) * at(ws.stride) + at(b)] = product(F, a, A, b);
      });
  to_rows(p, ws.Lambda.data(), ws.stride, W);
}

#define SINEW_INSTANTIATE(T) \
  template void chang_khatib(const Model&, ChangKhatibWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
