// src/generate/arguments.hpp - what a traced algorithm is called with
#pragma once
#include <span>
#include <type_traits>
#include <vector>

#include "sinew/base/traced.hpp"
#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew::generate {

// The arguments of a call, one list after the other.
template <class T>
struct Arguments {
  const Model& m;
  std::span<const FrameEntry> frames;  // that were asked for
  std::vector<VectorView<const T>> in;
  std::vector<VectorView<T>> out;
  MatrixView<T> square(std::size_t k = 0) const { return {out[k].data(), at(m.nv()), at(m.nv())}; }
};
using TracedCall = void (*)(const Arguments<Traced>&);

}  // namespace sinew::generate
