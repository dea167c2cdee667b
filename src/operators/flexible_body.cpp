// src/operators/flexible_body.cpp
#include "sinew/operators/flexible_body.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linear/symmetric_eigenvalues.hpp"
#include "operators/moments.hpp"
#include "sinew/base/view.hpp"

namespace sinew::sko {
namespace {

[[noreturn]] void refuse_body(const FlexibleBody& b, const std::string& why) {
  throw std::invalid_argument("flexible body '" + b.body + "': " + why);
}

void check_length(const FlexibleBody& b, const std::string& what, std::size_t got, std::size_t need, bool optional) {
  if (got == need || (optional && got == 0)) return;
  refuse_body(b, what + " has " + std::to_string(got) + " entries; " + std::to_string(b.modes) + " modes need " +
                     std::to_string(need) + (optional ? ", or none" : ""));
}

bool is_finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
bool is_finite(const Mat3<double>& a) {
  return is_finite(Vec3<double>{a.xx, a.xy, a.xz}) && is_finite(Vec3<double>{a.yx, a.yy, a.yz}) &&
         is_finite(Vec3<double>{a.zx, a.zy, a.zz});
}
bool is_finite(double a) { return std::isfinite(a); }

template <class T>
void check_finite(const FlexibleBody& b, const std::string& what, const std::vector<T>& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!is_finite(list[i])) refuse_body(b, what + " has an entry that is not finite, number " + std::to_string(i));
}

linear::Matrix square(const std::vector<double>& a, int m) {
  linear::Matrix out(m, m);
  std::copy(a.begin(), a.end(), out.data());
  return out;
}

void check_symmetric(const FlexibleBody& b, const std::string& what, const std::vector<double>& a) {
  constexpr double kRounding = 1e-9;
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  const auto m = at(b.modes);
  for (std::size_t i = 0; i < m && !a.empty(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(a[i * m + j] - a[j * m + i]) > kRounding * largest)
        refuse_body(b, what + " is not symmetric: entries of modes " + std::to_string(i) + " and " + std::to_string(j) +
                           " are " + std::to_string(a[i * m + j]) + " and " + std::to_string(a[j * m + i]));
}

// The smallest eigenvalue of a matrix whose rows and columns are scaled to a diagonal of ones (or zeros).
double smallest_scaled(linear::Matrix A) {
  std::vector<double> scale(at(A.rows()));
  for (int i = 0; i < A.rows(); ++i) scale[at(i)] = A(i, i) > 0 ? 1 / std::sqrt(A(i, i)) : 1;
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) A(i, j) *= scale[at(i)] * scale[at(j)];
  const std::vector<double> e = linear::symmetric_eigenvalues(A);
  return e.empty() ? 1 : e.front();
}

void check_node(const FlexibleBody& b, const FlexibleNode& n, const std::string& what, bool optional) {
  const auto m = at(b.modes);
  check_length(b, what + ": shift", n.shift.size(), m, optional);
  check_length(b, what + ": turn", n.turn.size(), m, optional);
  check_length(b, what + ": second", n.second.size(), m * m, true);
  check_finite(b, what + ": shift", n.shift);
  check_finite(b, what + ": turn", n.turn);
  check_finite(b, what + ": second", n.second);
  if (!is_finite(n.position)) refuse_body(b, what + ": its position is not finite");
}

// Mass of frame and modes together, undeformed.
linear::Matrix calc_whole_mass(const FlexibleBody& b) {
  const int m = b.modes;
  linear::Matrix out(6 + m, 6 + m);
  const Vec3<double>& h = b.rigid.h;
  const Mat3<double> I = to_mat3(b.rigid.I), H = skew(h);
  const double angular[9] = {I.xx, I.xy, I.xz, I.yx, I.yy, I.yz, I.zx, I.zy, I.zz};
  const double coupling[9] = {H.xx, H.xy, H.xz, H.yx, H.yy, H.yz, H.zx, H.zy, H.zz};
  for (int i = 0; i < 3; ++i) {
    out(3 + i, 3 + i) = b.rigid.m;
    for (int j = 0; j < 3; ++j) {
      out(i, j) = angular[3 * i + j];
      out(i, 3 + j) = out(3 + j, i) = coupling[3 * i + j];
    }
  }
  for (int i = 0; i < m; ++i) {
    const Vec3<double>&c = b.angular_momentum[at(i)], &s = b.momentum[at(i)];
    const double column[6] = {c.x, c.y, c.z, s.x, s.y, s.z};
    for (int k = 0; k < 6; ++k) out(k, 6 + i) = out(6 + i, k) = column[k];
    for (int j = 0; j < m; ++j) out(6 + i, 6 + j) = b.mass[at(i * m + j)];
  }
  return out;
}

}  // namespace

void set_material(FlexibleBody& b, int modes, const std::vector<MaterialPoint>& points) {
  const auto m = at(modes);
  const bool second = std::any_of(points.begin(), points.end(), [](const auto& p) { return !p.second.empty(); });
  b.modes = modes;
  b.mass.assign(m * m, 0.0);
  b.momentum.assign(m, {}), b.angular_momentum.assign(m, {}), b.first_moments.assign(m, {});
  b.second_moments.assign(m * m, {});
  b.second_momentum.assign(second ? m * m : 0, {}), b.stiffening.assign(second ? m * m : 0, {});
  b.rigid = {};
  for (const MaterialPoint& p : points) {
    check_length(b, "the shift of a point", p.shift.size(), m, false);
    check_length(b, "the second-order shift of a point", p.second.size(), m * m, true);
    b.rigid = b.rigid + make_inertia(p.mass, p.position, {});
    for (std::size_t i = 0; i < m; ++i) {
      const Vec3<double> f = p.mass * p.shift[i];
      b.momentum[i] += f;
      b.angular_momentum[i] += cross(p.position, f);
      b.first_moments[i] = b.first_moments[i] + outer(p.position, f);
      for (std::size_t j = 0; j < m; ++j) {
        b.mass[i * m + j] += dot(f, p.shift[j]);
        b.second_moments[i * m + j] = b.second_moments[i * m + j] + outer(f, p.shift[j]);
        if (p.second.empty()) continue;
        const Vec3<double> q = p.mass * p.second[i * m + j];
        b.second_momentum[i * m + j] += q;
        b.stiffening[i * m + j] = b.stiffening[i * m + j] + outer(p.position, q);
      }
    }
  }
}

void set_damping_ratio(FlexibleBody& b, double ratio) {
  const auto m = at(b.modes);
  b.damping.assign(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i)
    b.damping[i * (m + 1)] = 2 * ratio * std::sqrt(b.stiffness[i * (m + 1)] * b.mass[i * (m + 1)]);
}

void check_flexible_body(const FlexibleBody& b) {
  if (b.modes < 1) refuse_body(b, "it has " + std::to_string(b.modes) + " modes; it needs at least one");
  const auto m = at(b.modes);
  check_length(b, "the modal mass", b.mass.size(), m * m, false);
  check_length(b, "the stiffness", b.stiffness.size(), m * m, false);
  check_length(b, "the damping", b.damping.size(), m * m, true);
  check_length(b, "the momentum of the modes", b.momentum.size(), m, false);
  check_length(b, "the angular momentum of the modes", b.angular_momentum.size(), m, false);
  check_length(b, "the first moments", b.first_moments.size(), m, false);
  check_length(b, "the second moments", b.second_moments.size(), m * m, false);
  check_length(b, "the second-order momentum", b.second_momentum.size(), m * m, true);
  check_length(b, "the stiffening", b.stiffening.size(), m * m, true);
  if (b.second_momentum.empty() != b.stiffening.empty())
    refuse_body(b, "second-order momentum and stiffening must both be given, or both be left out");
  check_finite(b, "the modal mass", b.mass);
  check_finite(b, "the stiffness", b.stiffness);
  check_finite(b, "the damping", b.damping);
  check_finite(b, "the momentum of the modes", b.momentum);
  check_finite(b, "the angular momentum of the modes", b.angular_momentum);
  check_finite(b, "the first moments", b.first_moments);
  check_finite(b, "the second moments", b.second_moments);
  check_finite(b, "the second-order momentum", b.second_momentum);
  check_finite(b, "the stiffening", b.stiffening);
  for (std::size_t i = 0; i < b.nodes.size(); ++i) {
    check_node(b, b.nodes[i], "node '" + b.nodes[i].name + "'", false);
    for (std::size_t j = 0; j < i; ++j)
      if (b.nodes[i].name == b.nodes[j].name) refuse_body(b, "two nodes have the name '" + b.nodes[i].name + "'");
  }
  check_node(b, b.root, "the root", true);
  check_symmetric(b, "the modal mass", b.mass);
  check_symmetric(b, "the stiffness", b.stiffness);
  check_symmetric(b, "the damping", b.damping);
  constexpr double kDependent = 1e-10;
  const double mass = smallest_scaled(square(b.mass, b.modes));
  if (!(mass > kDependent))
    refuse_body(b,
                "the modal mass is not positive definite: its smallest eigenvalue, with a diagonal scaled to ones, "
                "is " +
                    std::to_string(mass) + "; leave out modes that repeat others, or correct the mass");
  const double whole = smallest_scaled(calc_whole_mass(b));
  if (!(whole > -kDependent))
    refuse_body(b, "rigid and modal mass together are indefinite (smallest scaled eigenvalue " + std::to_string(whole) +
                       "): the modes carry more momentum than the body's inertia allows; "
                       "mass, momenta and inertia must be of the same body");
  if (!(smallest_scaled(square(b.stiffness, b.modes)) > -kDependent))
    refuse_body(b, "the stiffness is indefinite; no mode may release energy");
  if (!b.damping.empty() && !(smallest_scaled(square(b.damping, b.modes)) > -kDependent))
    refuse_body(b, "the damping is indefinite; no mode may gain energy from it");
}

}  // namespace sinew::sko
