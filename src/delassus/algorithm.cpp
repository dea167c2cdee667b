// src/delassus/algorithm.cpp
#include "sinew/delassus/algorithm.hpp"

#include <functional>
#include <utility>

#include "base/scalar_pass.hpp"
#include "driver.hpp"
#include "sinew/delassus/chang_khatib.hpp"
#include "sinew/delassus/dense.hpp"
#include "sinew/delassus/efpa.hpp"
#include "sinew/delassus/kjr.hpp"
#include "sinew/delassus/ltl.hpp"
#include "sinew/delassus/pv.hpp"

namespace sinew::delassus {

#if SINEW_FIRST_PASS
std::string_view to_string(Algorithm a) {
  switch (a) {
    case Algorithm::dense: return "dense";
    case Algorithm::ltl: return "ltl";
    case Algorithm::kjr: return "kjr";
    case Algorithm::chang_khatib: return "chang_khatib";
    case Algorithm::efpa: return "efpa";
    case Algorithm::pv: return "pv";
    case Algorithm::pvr: return "pvr";
    case Algorithm::mixed: return "mixed";
  }
  return "";
}
std::optional<Algorithm> find_algorithm(std::string_view name) {
  for (const Algorithm a : kAlgorithms)
    if (to_string(a) == name) return a;
  return std::nullopt;
}
#endif

// A workspace together with the algorithm that uses it.
template <class T>
struct Delassus<T>::Any {
  std::function<void(In<T> q, In<Force<T>> K, OutMatrix<T> W, double time)> calc;
};

template <class T>
Delassus<T>::Delassus(const Model& m, const Problem& p, Algorithm a, std::span<const Force<double>> K)
    : algorithm_(a), any_(std::make_unique<Any>()) {
  const auto bind = [&]<class Workspace>(auto call, const std::shared_ptr<Workspace>& ws) {
    any_->calc = [&m, call, ws](In<T> q, In<Force<T>> rows, OutMatrix<T> W, double time) {
      call(m, *ws, q, rows, W, time);
    };
  };
  const auto bind_pv = [&](Plan plan) { bind(pv<T>, std::make_shared<PvWorkspace<T>>(m, p, std::move(plan))); };
  switch (a) {
    case Algorithm::dense: bind(dense<T>, std::make_shared<DenseWorkspace<T>>(m, p)); break;
    case Algorithm::ltl: bind(ltl<T>, std::make_shared<LtlWorkspace<T>>(m, p)); break;
    case Algorithm::kjr: bind(kjr<T>, std::make_shared<KjrWorkspace<T>>(m, p)); break;
    case Algorithm::chang_khatib: bind(chang_khatib<T>, std::make_shared<ChangKhatibWorkspace<T>>(m, p)); break;
    case Algorithm::efpa: bind(efpa<T>, std::make_shared<EfpaWorkspace<T>>(m, p)); break;
    case Algorithm::pv: bind_pv(make_pv_plan(m, p)); break;
    case Algorithm::pvr: bind_pv(make_pvr_plan(m, p)); break;
    case Algorithm::mixed: bind_pv(make_mixed_plan(m, p, K)); break;
  }
}
template <class T>
Delassus<T>::~Delassus() = default;
template <class T>
Delassus<T>::Delassus(Delassus&&) noexcept = default;
template <class T>
Delassus<T>& Delassus<T>::operator=(Delassus&&) noexcept = default;

template <class T>
void Delassus<T>::calc(In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  any_->calc(q, K, W, time);
}

#define SINEW_INSTANTIATE(T) template class Delassus<T>;
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
