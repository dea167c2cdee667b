// tests/support/closed_form.hpp - what came before recursion, as oracles: F08 5.2 and Table 5.2
// Chains of one-axis joints only. The closed forms write everything in world coordinates, in terms of the joint axes
// s_i, and cost O(n^2) for velocities, O(n^3) for accelerations, O(n^4) for the equation of motion.
#pragma once
#include <algorithm>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew::test {

// Joints and bodies 1..n as entries 0..n-1; each body hangs on the one before.
template <class T>
struct ChainInWorld {
  std::vector<Motion<T>> s;        // joint axes
  std::vector<RigidInertia<T>> I;  // of the bodies
};
// In double, so that the counting scalar sees the closed forms only. Throws std::invalid_argument unless the model is
// an unbranched chain of revolute, prismatic or helical joints, its coordinates in the order of the chain.
ChainInWorld<double> chain_in_world(const Model&, In<double> q);
template <class T>
ChainInWorld<T> cast_chain(const ChainInWorld<double>& c) {
  ChainInWorld<T> out;
  for (const auto& s : c.s) out.s.push_back(cast<T>(s));
  for (const auto& I : c.I) out.I.push_back(cast<T>(I));
  return out;
}

// Eq 5.2, recursive: n (m + a).
template <class T>
std::vector<Motion<T>> recursive_velocities(const std::vector<Motion<T>>& s, const std::vector<T>& qd,
                                            Motion<T> base = {}) {
  std::vector<Motion<T>> v;
  for (std::size_t i = 0; i < s.size(); ++i) v.push_back(base = base + qd[i] * s[i]);
  return v;
}
// Eq 5.3: n (n + 1) / 2 m + n (n - 1) / 2 a.
template <class T>
std::vector<Motion<T>> closed_form_velocities(const std::vector<Motion<T>>& s, const std::vector<T>& qd) {
  std::vector<Motion<T>> v(s.size());
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) v[i] += qd[j] * s[j];
  return v;
}
// Eq 5.4, recursive.
template <class T>
std::vector<Motion<T>> recursive_accelerations(const std::vector<Motion<T>>& s, const std::vector<T>& qd,
                                               const std::vector<T>& qdd) {
  const std::vector<Motion<T>> v = recursive_velocities(s, qd);
  std::vector<Motion<T>> a;
  Motion<T> last{};
  for (std::size_t i = 0; i < s.size(); ++i) a.push_back(last = last + qdd[i] * s[i] + cross(v[i], qd[i] * s[i]));
  return a;
}
// Eq 5.5, O(n^3).
template <class T>
std::vector<Motion<T>> closed_form_accelerations(const std::vector<Motion<T>>& s, const std::vector<T>& qd,
                                                 const std::vector<T>& qdd) {
  std::vector<Motion<T>> a(s.size());
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      a[i] += qdd[j] * s[j];
      for (std::size_t k = 0; k < j; ++k) a[i] += cross(qd[k] * s[k], qd[j] * s[j]);
    }
  return a;
}

// Eq 5.6 with its misprint mended (qdd_j, not qdd_i). From 5.3, 5.5 and f = I a + v x* I v:
//   H_ij  = sum over l >= max(i, j)    of s_i . I_l s_j
//   C_ijk = sum over l >= max(i, j, k) of s_i . (s_j x* I_l s_k + [k < j] I_l (s_k x s_j)),   O(n^4)
//   g_i   = - sum over l >= i          of s_i . I_l a_g
template <class T>
std::vector<T> closed_form_torques(const ChainInWorld<T>& c, const std::vector<T>& qd, const std::vector<T>& qdd,
                                   const Vec3<T>& gravity) {
  const std::size_t n = c.s.size();
  std::vector<T> tau(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = i; l < n; ++l) tau[i] -= dot(c.s[i], c.I[l] * Motion<T>{{}, gravity});
    for (std::size_t j = 0; j < n; ++j) {
      T H{};
      for (std::size_t l = std::max(i, j); l < n; ++l) H += dot(c.s[i], c.I[l] * c.s[j]);
      tau[i] += H * qdd[j];
      for (std::size_t k = 0; k < n; ++k) {
        T C{};
        for (std::size_t l = std::max({i, j, k}); l < n; ++l) {
          Force<T> f = cross(c.s[j], c.I[l] * c.s[k]);
          if (k < j) f += c.I[l] * cross(c.s[k], c.s[j]);
          C += dot(c.s[i], f);
        }
        tau[i] += C * (qd[j] * qd[k]);
      }
    }
  }
  return tau;
}

// Table 5.2, line by line: accelerations are those of the origins, gravity enters as -g at the base. The linear
// velocity v is calculated for the comparison only; nothing reads it.
struct Original3d {
  std::vector<Vec3<double>> w, dw, v, dv, F, N, f, n;  // one per body, in its frame
  std::vector<double> tau;
};
// Throws std::invalid_argument unless the model is an unbranched chain of revolute joints.
Original3d original_rnea(const Model&, In<double> q, In<double> qd, In<double> qdd);

}  // namespace sinew::test
