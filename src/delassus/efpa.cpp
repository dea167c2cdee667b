// src/delassus/efpa.cpp
#include "sinew/delassus/efpa.hpp"

#include "base/scalar_pass.hpp"
#include "responses.hpp"

namespace sinew::delassus {

template <class T>
void efpa(const Model& m, EfpaWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  const Problem& p = ws.problem;
  check_call<T>("efpa", m, p, ws.depth.size(), q, K, W);
  std::fill(ws.Lambda.begin(), ws.Lambda.end(), lit<T>(0));
  calc_responses<T>(
      m, ws, q, K, time, [&](int i) { return p.end(i); },
      [&](int i, const SpatialColumns<T>& F, const SpatialColumns<T>& A) {  // [S23 Alg. 2 line 12]
        const auto couple = [&](int begin, int end, int from) {
          for (int a = begin; a < end; ++a)
            for (int b = std::max(a, from); b < p.end(i); ++b)
              ws.Lambda[at(a) * at(ws.stride) + at(b)] = product(F, a, A, b);
        };
        if (const int e = p.end_on(i); e >= 0) couple(p.ends()[e].begin, p.ends()[e].end, p.begin(i));
        for (const int child : m.topology().children(i)) couple(p.begin(child), p.end(child), p.end(child));
      });
  to_rows(p, ws.Lambda.data(), ws.stride, W);
}

#define SINEW_INSTANTIATE(T) \
  template void efpa(const Model&, EfpaWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
