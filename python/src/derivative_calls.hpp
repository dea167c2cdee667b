// python/src/derivative_calls.hpp - what calls for derivatives share: arguments with their names, results, checks
#pragma once
#include <string>
#include <tuple>

#include "common.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::py {

using FourArrays = std::tuple<Array, Array, Array, Array>;

// An array, and its name in messages.
template <class A>
struct Named {
  const char* name;
  A array;
};

inline void refuse_same_array(const char* call, const OutMatrix2& a, const OutMatrix2& b, std::size_t n) {
  if (n > 0 && a.data() == b.data())
    throw nb::value_error((std::string(call) + ": two outputs are the same array").c_str());
}

// f(q, v, x, out, three matrices) for inverse and forward dynamics, whose names differ; n velocities.
template <class W, class F>
FourArrays call_derivatives(const char* call, const PyModel& m, Held<W>& ws, std::size_t n, ArrayIn q, Named<ArrayIn> v,
                            Named<ArrayIn> x, ArrayOut out, Named<ArrayOut> first, Named<ArrayOut> second,
                            Named<ArrayOut> third, ArrayIn external, double time, F&& f) {
  const InVector Q(call, "q", q, at(m.nq())), V(call, v.name, v.array, n), X(call, x.name, x.array, n);
  const InForces E(call, "external", external, m.bodies().size());
  OutVector O(call, "out", out, n);
  OutMatrix2 A(call, first.name, first.array, n, n), B(call, second.name, second.array, n, n),
      C(call, third.name, third.array, n, n);
  O.apart_from(Q, V, X), A.apart_from(Q, V, X, O), B.apart_from(Q, V, X, O), C.apart_from(Q, V, X, O);
  refuse_same_array(call, A, B, n), refuse_same_array(call, A, C, n), refuse_same_array(call, B, C, n);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, X, O, A.view(), B.view(), C.view(), Surroundings<double>{E.view(), time}); });
  return {O.take(), A.take(), B.take(), C.take()};
}

// f(q, v, tau, out, matrix): forward dynamics, and how it changes with parameters of the model.
template <class W, class F>
std::tuple<Array, Array> call_by_parameters(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v,
                                            ArrayIn tau, ArrayOut out, Named<ArrayOut> by, std::size_t columns,
                                            ArrayIn external, double time, F&& f) {
  const auto nv = at(m.nv());
  const InVector Q(call, "q", q, at(m.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
  const InForces E(call, "external", external, m.bodies().size());
  OutVector O(call, "out", out, nv);
  OutMatrix2 D(call, by.name, by.array, nv, columns);
  O.apart_from(Q, V, T), D.apart_from(Q, V, T, O);
  const Use<W> use(call, ws);
  run(m, [&] { f(m, *use, Q, V, T, O, D.view(), Surroundings<double>{E.view(), time}); });
  return {O.take(), D.take()};
}

}  // namespace sinew::py
