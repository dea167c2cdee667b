// src/tree/driver.hpp - what the drivers of the sweeps share
#pragma once
#include "sinew/model/model.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

template <class T>
using ConstantOf = typename ScalarTraits<T>::Value;  // what a sweep's constants are kept in
template <class T>
std::span<const Link<ConstantOf<T>>> links_of(const Model& m) {
  return m.links<ConstantOf<T>>();
}

inline std::size_t node_count(const Model& m) { return m.nodes().size(); }
inline std::size_t padded_nodes(const Model& m) { return m.nodes().size() + 16; }  // room for one more register

inline void check_positions(const char* call, const Model& m, std::size_t q) {
  check_size(call, "q", q, static_cast<std::size_t>(m.nq()));
}
inline void check_coordinates(const char* call, const char* name, const Model& m, std::size_t size) {
  check_size(call, name, size, static_cast<std::size_t>(m.nv()));
}

// The motion of a general joint. `still`: a prescribed joint has its position at that time, but no velocity.
template <class T>
struct JointMotionOf {
  const Model& model;
  const T* q;
  const T* v;
  double time;
  bool still;
  void operator()(int i, const Link<ConstantOf<T>>& l, JointMotion<T>& out) const {
    calc_joint(model.nodes()[i].joint, q + l.q, v + l.v, time, out);
    if (still && l.nv == 0) out.v = out.c = {};
  }
};
// The shift of a one-axis joint along its axis.
template <class T>
struct ShiftOf {
  const T* q;
  template <class R>
  T operator()(const Link<R>& l) const {
    return lit<T>(l.d) + lit<T>(l.slides) * q[l.q];
  }
};

// External forces of bodies, as forces on the nodes they belong to. Null where there are none.
template <class T>
Force<T>* gather_external(const char* call, const Model& m, const Surroundings<T>& s, std::vector<Force<T>>& nodes) {
  if (s.external.size() == 0) return nullptr;
  check_size(call, "external", s.external.size(), m.bodies().size());
  for (Force<T>& f : nodes) f = {};
  for (std::size_t b = 1; b < m.bodies().size(); ++b) {
    const BodyEntry& body = m.bodies()[b];
    nodes[body.node] += apply_inverse(cast<T>(body.in_node), s.external[b]);
  }
  return nodes.data();
}

}  // namespace sinew
