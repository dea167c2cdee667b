// src/delassus/algorithm.cpp
#include "sinew/delassus/algorithm.hpp"

#include <utility>
#include <variant>

#include "driver.hpp"
#include "sinew/delassus/chang_khatib.hpp"
#include "sinew/delassus/dense.hpp"
#include "sinew/delassus/efpa.hpp"
#include "sinew/delassus/kjr.hpp"
#include "sinew/delassus/ltl.hpp"
#include "sinew/delassus/pv.hpp"

namespace sinew::delassus {

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

namespace {
template <class T>
void run(const Model& m, DenseWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  dense(m, ws, q, K, W, t);
}
template <class T>
void run(const Model& m, LtlWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  ltl(m, ws, q, K, W, t);
}
template <class T>
void run(const Model& m, KjrWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  kjr(m, ws, q, K, W, t);
}
template <class T>
void run(const Model& m, ChangKhatibWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  chang_khatib(m, ws, q, K, W, t);
}
template <class T>
void run(const Model& m, EfpaWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  efpa(m, ws, q, K, W, t);
}
template <class T>
void run(const Model& m, PvWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double t) {
  pv(m, ws, q, K, W, t);
}
}  // namespace

template <class T>
struct Delassus<T>::Any {
  const Model& model;
  std::variant<std::monostate, DenseWorkspace<T>, LtlWorkspace<T>, KjrWorkspace<T>, ChangKhatibWorkspace<T>,
               EfpaWorkspace<T>, PvWorkspace<T>>
      workspace;
};

template <class T>
Delassus<T>::Delassus(const Model& m, const Problem& p, Algorithm a, std::span<const Force<double>> K)
    : algorithm_(a), any_(std::make_unique<Any>(m)) {
  auto& ws = any_->workspace;
  switch (a) {
    case Algorithm::dense: ws.template emplace<DenseWorkspace<T>>(m, p); break;
    case Algorithm::ltl: ws.template emplace<LtlWorkspace<T>>(m, p); break;
    case Algorithm::kjr: ws.template emplace<KjrWorkspace<T>>(m, p); break;
    case Algorithm::chang_khatib: ws.template emplace<ChangKhatibWorkspace<T>>(m, p); break;
    case Algorithm::efpa: ws.template emplace<EfpaWorkspace<T>>(m, p); break;
    case Algorithm::pv: ws.template emplace<PvWorkspace<T>>(m, p, make_pv_plan(m, p)); break;
    case Algorithm::pvr: ws.template emplace<PvWorkspace<T>>(m, p, make_pvr_plan(m, p)); break;
    case Algorithm::mixed: ws.template emplace<PvWorkspace<T>>(m, p, make_mixed_plan(m, p, K)); break;
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
  std::visit(
      [&](auto& ws) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(ws)>, std::monostate>)
          run<T>(any_->model, ws, q, K, W, time);
      },
      any_->workspace);
}

#define SINEW_INSTANTIATE(T) template class Delassus<T>;
SINEW_FOR_EACH_SINGLE_SCALAR(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
