// src/operators/flexible_sko.cpp
#include "sinew/operators/flexible_sko.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "operators/affine_fields.hpp"
#include "operators/moments.hpp"
#include "operators/stacking.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/spatial/exponential.hpp"

namespace sinew::sko {
namespace {

// a = (1 - cos t) / t^2, b = (t - sin t) / t^3 and their derivatives by t^2, from t^2.
struct TurnFactors {
  double a, b, da, db;
};
TurnFactors calc_turn_factors(double tt) {
  constexpr double kSmall = 0.04;
  if (tt < kSmall)
    return {1. / 2 - tt * (1. / 24 - tt * (1. / 720 - tt * (1. / 40320 - tt / 3628800))),
            1. / 6 - tt * (1. / 120 - tt * (1. / 5040 - tt * (1. / 362880 - tt / 39916800))),
            -1. / 24 + tt * (2. / 720 - tt * (3. / 40320 - tt * 4. / 3628800)),
            -1. / 120 + tt * (2. / 5040 - tt * (3. / 362880 - tt * 4. / 39916800))};
  const double t = std::sqrt(tt), c = std::cos(t), s = std::sin(t), a = (1 - c) / tt, b = (t - s) / (tt * t);
  return {a, b, (0.5 * s / t - a) / tt, (0.5 * a - 1.5 * b) / tt};
}

void set_angular(double* M, int size, const Sym3<double>& I) {
  const double e[9] = {I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[i * size + j] = e[3 * i + j];
}
void set_coupling(double* M, int size, const Vec3<double>& h) {  // h x
  const double e[9] = {0, -h.z, h.y, h.z, 0, -h.x, -h.y, h.x, 0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M[i * size + 3 + j] = M[(3 + j) * size + i] = e[3 * i + j];
}

}  // namespace

FlexibleSko::FlexibleSko(const FlexibleModel& m)
    : sko(m.make_shape()), model_(&m), X_(m.parts().size()), v_(m.parts().size()), external_(m.parts().size()) {
  for (const FlexibleBody& b : m.bodies()) {
    fields_.push_back(make_fields(b));
    nodes_.emplace_back(b.nodes.size());
    for (Interface& x : nodes_.back()) x.E.resize(at(b.modes));
  }
  const Shape& s = sko.shape();
  int largest = 0;
  for (int k = 0; k < s.nodes(); ++k) largest = std::max(largest, s.size(k));
  up_.resize(at(largest)), next_.resize(at(largest));
  const std::span<const double> armature = m.model().armature();
  for (int k = 0; k < s.nodes(); ++k) {
    const FlexiblePart& p = part(k);
    const int size = s.size(k), modes = p.flexible >= 0 ? m.bodies()[at(p.flexible)].modes : 0;
    const Node& n = m.model().nodes()[at(p.node)];
    const int nv = p.jointed ? n.nv : 0;
    for (int d = 0; d < nv; ++d) {
      order_.push_back(n.v + d);
      if (!m.has_armature(p)) continue;
      sko.M(k)[(6 + modes + d) * (size + 1)] = armature[at(n.v + d)];
      sko.H(k)[d * size + 6 + modes + d] = 1;
    }
    for (int i = 0; i < modes; ++i) {
      order_.push_back(m.first_mode(p.flexible) + i);
      sko.H(k)[(nv + i) * size + 6 + i] = 1;
    }
    if (p.flexible >= 0) continue;
    set_angular(sko.M(k), size, p.inertia.I);
    set_coupling(sko.M(k), size, p.inertia.h);
    for (int i = 3; i < 6; ++i) sko.M(k)[i * (size + 1)] = p.inertia.m;
  }
}

// Moments sum f_a f_b^T of all fields f follow from those of s and of the shapes.
FlexibleSko::Fields FlexibleSko::make_fields(const FlexibleBody& b) {
  const AffineFields affine = find_affine_fields(b);
  Fields out;
  const std::size_t m = at(b.modes), n = m + affine.fields.size();
  out.modes = b.modes, out.count = static_cast<int>(n);
  out.C = affine.C;
  const std::vector<AffineField>& g = affine.fields;
  // sum f_a f_b^T and sum s f_a^T
  const auto moments = [&](std::size_t i, std::size_t j) -> Mat3<double> {
    if (i < m && j < m) return b.second_moments[i * m + j];
    if (i < m) return transpose(affine.with_shape(g[j - m], b, i));
    if (j < m) return affine.with_shape(g[i - m], b, j);
    return affine.with_each_other(g[i - m], g[j - m]);
  };
  const auto first = [&](std::size_t i) { return i < m ? b.first_moments[i] : affine.with_place(g[i - m]); };
  out.momentum = b.momentum, out.spin = b.angular_momentum;
  for (std::size_t i = m; i < n; ++i) {
    out.momentum.push_back(affine.momentum(g[i - m]));
    out.spin.push_back(cross_of(first(i)));
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.I1.push_back(inertia_of_sum(first(i)));
    for (std::size_t j = 0; j < n; ++j) {
      const Mat3<double> W = moments(i, j);
      out.mass.push_back(i < m && j < m ? b.mass[i * m + j] : W.xx + W.yy + W.zz);
      out.I2.push_back(inertia_of_sum(W));
      out.C1.push_back(-cross_of(W));
    }
  }
  out.x.resize(n), out.rate.resize(n), out.bias.resize(n), out.c.resize(n);
  out.y_bias.resize(n - m), out.Z.resize((n - m) * m), out.T.resize(n * m);
  return out;
}

FlexibleSko::Interface& FlexibleSko::interface_of(int k, int node) { return nodes_[at(part(k).flexible)][at(node)]; }

// r = p + phi eta + 1/2 eta q eta, turned by exp(theta), theta = turn eta. With w = J(theta) theta' the angular
// velocity,
//   J = 1 + a theta x + b theta x theta x,  a = (1 - cos t)/t^2, b = (t - sin t)/t^3, t = |theta|
void FlexibleSko::calc_interface(int k, int node, In<double> q, In<double> v, Interface& out) const {
  const FlexiblePart& p = part(k);
  const FlexibleBody& b = model_->bodies()[at(p.flexible)];
  const FlexibleNode& n = b.nodes[at(node)];
  const auto m = at(b.modes);
  const double *eta = q.data() + model_->model().nq() + p.first_mode,
               *rate = v.data() + model_->model().nv() + p.first_mode;
  Vec3<double> r = n.position, theta{}, theta_rate{}, r_rate{}, r_bias{};
  for (std::size_t i = 0; i < m; ++i) theta += eta[i] * n.turn[i], theta_rate += rate[i] * n.turn[i];
  const double tt = dot(theta, theta), tt_rate = 2 * dot(theta, theta_rate);
  const TurnFactors f = calc_turn_factors(tt);
  const auto J = [&](const Vec3<double>& x) {
    const Vec3<double> y = cross(theta, x);
    return x + f.a * y + f.b * cross(theta, y);
  };
  const Rotation<double> E = to_rotation(exp(theta));
  // Columns about the node's own origin, along the body's axes.
  for (std::size_t i = 0; i < m; ++i) {
    Vec3<double> moved = n.shift[i], curved{};
    if (!n.second.empty())
      for (std::size_t j = 0; j < m; ++j) {
        moved += eta[j] * n.second[i * m + j];
        curved += rate[j] * n.second[i * m + j];
      }
    r += (0.5 * eta[i]) * (n.shift[i] + moved);
    r_rate += rate[i] * moved;
    r_bias += rate[i] * curved;
    out.E[i] = {J(n.turn[i]), moved};
  }
  const Vec3<double> w = J(theta_rate), y = cross(theta, theta_rate);
  const Vec3<double> w_bias = (f.da * tt_rate) * y + (f.db * tt_rate) * cross(theta, y) + f.b * cross(theta_rate, y);
  out.X = {E, r};
  for (Motion<double>& x : out.E) x = {apply(E, x.ang), apply(E, x.lin)};
  // A joint with velocity v_J and c: its own columns change in the body's frame by (w_bias, r_bias - w x r_rate). The
  // second term turns the rate of a point into that of the field of velocities at a fixed place.
  const Motion<double> vJ{apply(E, w), apply(E, r_rate)};
  const Motion<double> c{apply(E, w_bias), apply(E, r_bias - cross(w, r_rate))};
  out.v = apply(out.X, v_[at(k)]) + vJ;
  out.bias = c + cross(out.v, vJ);  // [F08 3.71]
}

void FlexibleSko::calc_part(int k, In<double> q, In<double> v, double time) {
  const Model& m = model_->model();
  const FlexiblePart& p = part(k);
  const Shape& s = sko.shape();
  const int size = s.size(k);
  JointMotion<double> joint;
  int nv = 0;
  if (p.jointed) {
    const Node& n = m.nodes()[at(p.node)];
    calc_joint(n.joint, q.data() + n.q, v.data() + n.v, time, joint);
    nv = n.nv;
  }
  const Transform<double> X = p.frame * (joint.X * p.placement);
  const Motion<double> vJ = apply(p.frame, joint.v);
  for (int d = 0; d < nv; ++d) {
    const auto S = to_array(apply(p.frame, joint.S[d]));
    std::copy(S.begin(), S.end(), sko.H(k) + d * size);
  }
  Motion<double> a = apply(p.frame, joint.c);
  Motion<double>& vk = v_[at(k)];
  const auto set_column = [&](int row, const Motion<double>& x) {  // row of the weight: a velocity of the parent
    const auto e = to_array(x);
    std::copy(e.begin(), e.end(), sko.A(k) + row * size);
  };
  const auto set_rigid_columns = [&](const Transform<double>& Y) {
    const Mat6<double> dense = to_dense(Y);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) sko.A(k)[i * size + j] = dense(j, i);
  };
  if (p.parent == kInertial) {
    vk = vJ;
    X_[at(k)] = X;
    a = a + apply(X, Motion<double>{{}, -m.gravity()});
  } else if (p.at_node < 0) {
    vk = apply(X, v_[at(p.parent)]) + vJ;
    X_[at(k)] = X * X_[at(p.parent)];
    set_rigid_columns(X);
  } else {
    const Interface& x = interface_of(p.parent, p.at_node);
    vk = apply(X, x.v) + vJ;
    X_[at(k)] = X * (x.X * X_[at(p.parent)]);
    a = a + apply(X, x.bias);
    set_rigid_columns(X * x.X);
    for (std::size_t i = 0; i < x.E.size(); ++i) set_column(6 + static_cast<int>(i), apply(X, x.E[i]));
  }
  a = a + cross(vk, vJ);  // [F08 3.71]
  const auto bias = to_array(a);
  std::copy(bias.begin(), bias.end(), sko.a(k));
}

// moment: mass times the place of its centre in the world.
void FlexibleSko::add_weight(double mass, const Vec3<double>& moment) {
  const Vec3<double>& g = model_->model().gravity();
  gravity_ -= dot(g, moment);
  weight_ += Force<double>{cross(moment, g), mass * g};
}

void FlexibleSko::calc_rigid(int k) {
  const RigidInertia<double>& I = part(k).inertia;
  const Motion<double>& v = v_[at(k)];
  const Force<double> h = I * v;
  const auto b = to_array(cross(v, h) - external_[at(k)]);  // v x* I v [F08 3.74]
  std::copy(b.begin(), b.end(), sko.b(k));
  kinetic_ += 0.5 * dot(v, h);
  const Transform<double>& X = X_[at(k)];
  add_weight(I.m, I.m * X.r + apply_inverse(X.E, I.h));
  momentum_ += apply_inverse(X, h);
}

void FlexibleSko::calc_flexible(int k, In<double> q, In<double> v, double dt) {
  const FlexiblePart& p = part(k);
  const FlexibleBody& body = model_->bodies()[at(p.flexible)];
  Fields& f = fields_[at(p.flexible)];
  const std::size_t m = at(f.modes), n = at(f.count), size = at(sko.shape().size(k));
  const double *eta = q.data() + model_->model().nq() + p.first_mode,
               *rate = v.data() + model_->model().nv() + p.first_mode;
  const Vec3<double>&w = v_[at(k)].ang, &u = v_[at(k)].lin;

  // x = (eta, y(eta)), its rate, Z = dy/deta, and `curved` = what y'' has besides Z eta''
  std::copy(eta, eta + m, f.x.begin());
  std::copy(rate, rate + m, f.rate.begin());
  std::fill(f.bias.begin(), f.bias.end(), 0.0);
  Force<double> curved{};
  for (std::size_t r = 0; r < n - m; ++r) {
    double y = 0, y_rate = 0, y_bias = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const double* C = f.C.data() + (r * m + i) * m;
      double z = 0, z_rate = 0;
      for (std::size_t j = 0; j < m; ++j) z += C[j] * eta[j], z_rate += C[j] * rate[j];
      f.Z[r * m + i] = z;
      y += 0.5 * eta[i] * z, y_rate += rate[i] * z, y_bias += rate[i] * z_rate;
    }
    f.x[m + r] = y, f.rate[m + r] = y_rate;
    for (std::size_t a = 0; a < n; ++a) f.bias[a] += f.mass[a * n + m + r] * y_bias;
    f.y_bias[r] = y_bias;
  }

  // In all fields: a body whose points move linearly in x.
  RigidInertia<double> rigid = body.rigid;
  Sym3<double> I_rate{};
  Vec3<double> h_rate{}, spin{}, c_bias{};  // spin: sum c_a x_a'
  double field_energy = 0;
  for (std::size_t a = 0; a < n; ++a) {
    Sym3<double> I = f.I1[a];
    Vec3<double> c = f.spin[a], c_rate{}, twist{};
    double momentum = 0;
    for (std::size_t e = 0; e < n; ++e) {
      const std::size_t ae = a * n + e;
      I = I + f.x[e] * f.I2[ae];
      c += f.x[e] * f.C1[ae], c_rate += f.rate[e] * f.C1[ae], twist += f.rate[e] * f.C1[e * n + a];
      momentum += f.mass[ae] * f.rate[e];
    }
    f.c[a] = c;
    rigid.I = rigid.I + (0.5 * f.x[a]) * (f.I1[a] + I);
    rigid.h += f.x[a] * f.momentum[a];
    I_rate = I_rate + f.rate[a] * I;
    h_rate += f.rate[a] * f.momentum[a], spin += f.rate[a] * c, c_bias += f.rate[a] * c_rate;
    // (M' w)_a - dT/dx_a
    f.bias[a] += dot(w, c_rate - twist) - 0.5 * dot(w, I * w) - dot(w, cross(f.momentum[a], u));
    field_energy += 0.5 * f.rate[a] * momentum;
    if (a >= m) curved += f.y_bias[a - m] * Force<double>{c, f.momentum[a]};
  }

  // On the modes: x' = (1; Z) eta'.
  double *M = sko.M(k), *b = sko.b(k);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t j = 0; j < m; ++j) {
      double sum = f.mass[a * n + j];
      for (std::size_t r = 0; r < n - m; ++r) sum += f.mass[a * n + m + r] * f.Z[r * m + j];
      f.T[a * m + j] = sum;
    }
  for (std::size_t i = 0; i < m; ++i) {
    Vec3<double> c = f.c[i], s = f.momentum[i];
    double bias = f.bias[i], elastic = 0, lossy = 0, stiff_rate = 0;
    for (std::size_t r = 0; r < n - m; ++r) {
      const double z = f.Z[r * m + i];
      c += z * f.c[m + r], s += z * f.momentum[m + r], bias += z * f.bias[m + r];
    }
    const double column[6] = {c.x, c.y, c.z, s.x, s.y, s.z};
    for (std::size_t r = 0; r < 6; ++r) M[r * size + 6 + i] = M[(6 + i) * size + r] = column[r];
    for (std::size_t j = 0; j < m; ++j) {
      const std::size_t ij = i * m + j;
      const double damping = body.damping.empty() ? 0 : body.damping[ij];
      elastic += body.stiffness[ij] * eta[j], stiff_rate += body.stiffness[ij] * rate[j], lossy += damping * rate[j];
      double sum = f.T[ij];
      for (std::size_t r = 0; r < n - m; ++r) sum += f.Z[r * m + i] * f.T[(m + r) * m + j];
      M[(6 + i) * size + 6 + j] = sum + dt * (damping + dt * body.stiffness[ij]);
    }
    b[6 + i] = bias + elastic + lossy + dt * stiff_rate;
    elastic_ += 0.5 * eta[i] * elastic;
    damping_power_ += rate[i] * lossy;
  }
  set_angular(M, static_cast<int>(size), rigid.I);
  set_coupling(M, static_cast<int>(size), rigid.h);
  for (std::size_t i = 3; i < 6; ++i) M[i * (size + 1)] = rigid.m;

  const Force<double> of_modes{spin, h_rate}, all = rigid * v_[at(k)] + of_modes;  // momentum
  const Force<double> rate_of_mass{I_rate * w + cross(h_rate, u) + c_bias, cross(w, h_rate)};
  const auto on_frame = to_array(rate_of_mass + curved + cross(v_[at(k)], all) - external_[at(k)]);
  std::copy(on_frame.begin(), on_frame.end(), b);
  kinetic_ += 0.5 * dot(v_[at(k)], all + of_modes) + field_energy;
  const Transform<double>& X = X_[at(k)];
  add_weight(rigid.m, rigid.m * X.r + apply_inverse(X.E, rigid.h));
  momentum_ += apply_inverse(X, all);
  std::vector<Interface>& nodes = nodes_[at(p.flexible)];
  for (std::size_t i = 0; i < nodes.size(); ++i) calc_interface(k, static_cast<int>(i), q, v, nodes[i]);
}

void FlexibleSko::update(In<double> q, In<double> v, const Surroundings<double>& around, double implicit_dt) {
  const Model& m = model_->model();
  check_size("FlexibleSko", "q", q.size(), at(model_->nq()));
  check_size("FlexibleSko", "v", v.size(), at(model_->nv()));
  if (around.external.size() != 0) check_size("FlexibleSko", "external", around.external.size(), m.bodies().size());
  std::fill(external_.begin(), external_.end(), Force<double>{});
  for (std::size_t i = 1; i < around.external.size(); ++i) {
    const int k = model_->part_of(static_cast<int>(i));
    if (k == kInertial) continue;
    external_[at(k)] += apply(part(k).frame, apply_inverse(m.bodies()[i].in_node, around.external[i]));
  }
  kinetic_ = elastic_ = gravity_ = damping_power_ = 0;
  momentum_ = weight_ = {};
  for (int k = 0; k < sko.shape().nodes(); ++k) {
    calc_part(k, q, v, around.time);
    const FlexiblePart& p = part(k);
    const int modes = p.flexible >= 0 ? model_->bodies()[at(p.flexible)].modes : 0;
    if (p.flexible >= 0)
      calc_flexible(k, q, v, implicit_dt);
    else
      calc_rigid(k);
    if (sko.shape().size(k) == 6 + modes) continue;
    const Node& n = m.nodes()[at(p.node)];
    const double* A = m.armature().data() + n.v;
    for (int d = 0; d < n.nv; ++d) kinetic_ += 0.5 * A[d] * v[at(n.v + d)] * v[at(n.v + d)];
    if (has_armature_bias(n.joint.kind, A)) calc_armature_bias(n.joint.kind, A, v, n.v, sko.b(k) + 6 + modes);
  }
}

void FlexibleSko::set_armature(int v, double armature) {
  check_index("FlexibleSko::set_armature", "v", v, at(model_->model().nv()));
  const Shape& s = sko.shape();
  for (int k = 0; k < s.nodes(); ++k) {
    const FlexiblePart& p = part(k);
    const Node& n = model_->model().nodes()[at(p.node)];
    const int modes = p.flexible >= 0 ? model_->bodies()[at(p.flexible)].modes : 0, size = s.size(k);
    if (p.jointed && n.v == v && n.nv == 1 && size == 7 + modes) sko.M(k)[(6 + modes) * (size + 1)] = armature;
  }
}

std::vector<double> FlexibleSko::stack(In<double> by_coordinate) const {
  return stack_in_order("FlexibleSko", by_coordinate, order_);
}
std::vector<double> FlexibleSko::unstack(In<double> by_node) const {
  return unstack_in_order("FlexibleSko", by_node, order_);
}

FlexiblePlace FlexibleSko::find_place(const std::string& name) const {
  const Model& m = model_->model();
  const auto frame = m.find_frame(name);
  if (!frame) throw std::invalid_argument("FlexibleSko: the model has no body or frame '" + name + "'");
  const int k = model_->part_of(frame->body);
  if (k == kInertial) throw std::invalid_argument("FlexibleSko: '" + name + "' does not move");
  const Transform<double> in_part = frame->in_node * inverse(part(k).frame);
  if (part(k).flexible >= 0 && norm(in_part.r) > 0)
    throw std::invalid_argument("FlexibleSko: frame '" + name + "' is on flexible body '" + part(k).name +
                                "'; name one of its interface nodes instead, find_place(body, node)");
  return {k, -1, in_part};
}
FlexiblePlace FlexibleSko::find_place(const std::string& body, const std::string& node) const {
  const auto& bodies = model_->bodies();
  for (int k = 0; k < sko.shape().nodes(); ++k) {
    if (part(k).flexible < 0 || bodies[at(part(k).flexible)].body != body) continue;
    const auto& nodes = bodies[at(part(k).flexible)].nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].name == node) return {k, static_cast<int>(n), {}};
    throw std::invalid_argument("FlexibleSko: flexible body '" + body + "' has no node '" + node + "'");
  }
  throw std::invalid_argument("FlexibleSko: there is no flexible body '" + body + "'");
}

void FlexibleSko::check_place(const char* call, const FlexiblePlace& p) const {
  check_index(call, "part", p.part, X_.size());
  if (p.node >= 0)
    check_index(call, "node", p.node, part(p.part).flexible < 0 ? 0 : nodes_[at(part(p.part).flexible)].size());
}

Transform<double> FlexibleSko::get_part_pose(int p) const {
  check_index("get_part_pose", "part", p, X_.size());
  return X_[at(p)];
}
Motion<double> FlexibleSko::get_part_velocity(int p) const {
  check_index("get_part_velocity", "part", p, X_.size());
  return v_[at(p)];
}
Transform<double> FlexibleSko::get_pose(const FlexiblePlace& p) const {
  check_place("get_pose", p);
  if (p.node < 0) return p.frame * X_[at(p.part)];
  return p.frame * (nodes_[at(part(p.part).flexible)][at(p.node)].X * X_[at(p.part)]);
}
Motion<double> FlexibleSko::get_velocity(const FlexiblePlace& p) const {
  const Transform<double> X = get_pose(p);
  const Motion<double> v =
      apply(p.frame, p.node < 0 ? v_[at(p.part)] : nodes_[at(part(p.part).flexible)][at(p.node)].v);
  return {apply_inverse(X.E, v.ang), apply_inverse(X.E, v.lin)};
}

PickOff FlexibleSko::make_pick_off(const FlexiblePlace& p) const {
  const Transform<double> X = get_pose(p);
  const int size = sko.shape().size(p.part);
  PickOff out{p.part, 6, std::vector<double>(at(6 * size), 0.0)};
  const Interface* x = p.node < 0 ? nullptr : &nodes_[at(part(p.part).flexible)][at(p.node)];
  for (int c = 0; c < 6; ++c) {
    const Force<double> unit = sinew::detail::unit_force<double>(c);
    const Force<double> f = apply_inverse(p.frame, Force<double>{apply(X.E, unit.ang), apply(X.E, unit.lin)});
    const auto on_frame = to_array(x ? apply_inverse(x->X, f) : f);
    for (int i = 0; i < 6; ++i) out.block[at(6 * i + c)] = on_frame[at(i)];
    for (std::size_t i = 0; x && i < x->E.size(); ++i) out.block[6 * (6 + i) + at(c)] = dot(x->E[i], f);
  }
  return out;
}

void FlexibleSko::add_force(const FlexiblePlace& p, const Force<double>& f, Out<double> forces) {
  check_place("FlexibleSko::add_force", p);
  const Shape& s = sko.shape();
  check_size("FlexibleSko::add_force", "the forces", forces.size(), at(s.freedoms()));
  // On the part: on its frame, and on its modes where they move the place.
  const Force<double> at_node = apply_inverse(p.frame, f);
  const Interface* x = p.node < 0 ? nullptr : &nodes_[at(part(p.part).flexible)][at(p.node)];
  const auto on_frame = to_array(x ? apply_inverse(x->X, at_node) : at_node);
  std::fill(up_.begin(), up_.end(), 0.0);
  std::copy(on_frame.begin(), on_frame.end(), up_.begin());
  for (std::size_t i = 0; x && i < x->E.size(); ++i) up_[6 + i] = dot(x->E[i], at_node);
  for (int k = p.part;; k = s.parent(k)) {  // H A f
    const int size = s.size(k), parent = s.parent(k);
    for (int d = 0; d < s.freedoms(k); ++d) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += sko.H()[k][d * size + i] * up_[at(i)];
      forces[at(order_[at(s.freedom_begin(k) + d)])] += sum;
    }
    if (parent == kInertial) return;
    for (int i = 0; i < s.size(parent); ++i) {
      double sum = 0;
      for (int j = 0; j < size; ++j) sum += sko.A()[k][i * size + j] * up_[at(j)];
      next_[at(i)] = sum;
    }
    std::swap(up_, next_);
  }
}

void FlexibleSko::add_joint_force(int p, const Force<double>& f, Out<double> forces) {
  check_index("FlexibleSko::add_joint_force", "part", p, X_.size());
  const Shape& s = sko.shape();
  check_size("FlexibleSko::add_joint_force", "the forces", forces.size(), at(s.freedoms()));
  const auto six = to_array(f);
  const int joint_freedoms = part(p).jointed ? model_->model().nodes()[at(part(p).node)].nv : 0;
  for (int d = 0; d < joint_freedoms; ++d)
    for (int i = 0; i < 6; ++i)
      forces[at(order_[at(s.freedom_begin(p) + d)])] += sko.H()[p][d * s.size(p) + i] * six[at(i)];
}

void FlexibleSko::calc_jacobian(const FlexiblePlace& p, OutMatrix<double> J) {
  check_size("FlexibleSko::calc_jacobian", "rows of J", J.rows(), 6);
  check_size("FlexibleSko::calc_jacobian", "columns of J", J.cols(), order_.size());
  const Transform<double> X = get_pose(p);
  std::vector<double> row(order_.size());
  for (int c = 0; c < 6; ++c) {
    const Force<double> unit = sinew::detail::unit_force<double>(c);
    std::fill(row.begin(), row.end(), 0.0);
    add_force(p, {apply(X.E, unit.ang), apply(X.E, unit.lin)}, row);
    for (std::size_t j = 0; j < row.size(); ++j) J(at(c), j) = row[j];
  }
}

}  // namespace sinew::sko
