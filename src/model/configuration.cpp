// src/model/configuration.cpp
#include "sinew/model/configuration.hpp"

#include <cmath>
#include <numbers>

#include "base/scalar_pass.hpp"

namespace sinew {
namespace {
std::size_t nq(const Model& m) { return at(m.nq()); }
std::size_t nv(const Model& m) { return at(m.nv()); }

#if SINEW_FIRST_PASS
bool is_angle(const Node& n, int k) {
  switch (n.joint.kind) {
    case JointKind::prismatic: return false;
    case JointKind::cylindrical: return k == 0;
    case JointKind::planar: return k == 0;
    case JointKind::free: return k < 3;
    default: return true;
  }
}
#endif

}  // namespace

#if SINEW_FIRST_PASS
State make_state(const Model& m) {
  return {{m.neutral().begin(), m.neutral().end()},
          std::vector<double>(nv(m), 0.0),
          0.0,
          std::vector<double>(static_cast<std::size_t>(m.activations()), 0.0)};
}

std::vector<double> random_configuration(const Model& m, Random& rng, double reach) {
  std::vector<double> q(nq(m)), lower(nv(m)), upper(nv(m));
  for (const Node& n : m.nodes()) {
    for (int k = 0; k < n.nv; ++k) {
      const std::size_t i = at(n.v + k);
      const DofSpec& d = m.dofs()[i];
      const double width = is_angle(n, k) ? std::numbers::pi : reach;
      // A missing limit is set `width` from zero, or from the other limit where that is farther out.
      lower[i] = std::isfinite(d.lower) ? d.lower : std::min(-width, d.upper - width);
      upper[i] = std::isfinite(d.upper) ? d.upper : std::max(width, lower[i] + width);
    }
    random(n.joint, rng, lower.data() + n.v, upper.data() + n.v, q.data() + n.q);
  }
  return q;
}
#endif

template <class T>
void integrate(const Model& m, VectorView<const T> q, VectorView<const T> v, const T& dt, VectorView<T> out) {
  check_size("integrate", "q", q.size(), nq(m));
  check_size("integrate", "v", v.size(), nv(m));
  check_size("integrate", "out", out.size(), nq(m));
  for (const Node& n : m.nodes()) {
    T dv[kMaxJointDofs];
    for (int k = 0; k < n.nv; ++k) dv[k] = dt * v[n.v + k];
    integrate(n.joint, q.data() + n.q, dv, out.data() + n.q);
  }
}

template <class T>
void difference(const Model& m, VectorView<const T> q0, VectorView<const T> q1, VectorView<T> dv) {
  check_size("difference", "q0", q0.size(), nq(m));
  check_size("difference", "q1", q1.size(), nq(m));
  check_size("difference", "dv", dv.size(), nv(m));
  for (const Node& n : m.nodes()) difference(n.joint, q0.data() + n.q, q1.data() + n.q, dv.data() + n.v);
}

template <class T>
void calc_rate(const Model& m, VectorView<const T> q, VectorView<const T> v, VectorView<T> qdot) {
  check_size("calc_rate", "q", q.size(), nq(m));
  check_size("calc_rate", "v", v.size(), nv(m));
  check_size("calc_rate", "qdot", qdot.size(), nq(m));
  for (const Node& n : m.nodes()) calc_rate(n.joint, q.data() + n.q, v.data() + n.v, qdot.data() + n.q);
}

template <class T>
void normalize(const Model& m, VectorView<T> q) {
  check_size("normalize", "q", q.size(), nq(m));
  for (const Node& n : m.nodes()) normalize(n.joint, q.data() + n.q);
}

#define SINEW_INSTANTIATE(T)                                                                                \
  template void integrate(const Model&, VectorView<const T>, VectorView<const T>, const T&, VectorView<T>); \
  template void difference(const Model&, VectorView<const T>, VectorView<const T>, VectorView<T>);          \
  template void calc_rate(const Model&, VectorView<const T>, VectorView<const T>, VectorView<T>);           \
  template void normalize(const Model&, VectorView<T>);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
