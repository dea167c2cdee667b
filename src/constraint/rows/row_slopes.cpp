// src/constraint/rows/row_slopes.cpp
#include "constraint/rows/row_slopes.hpp"

#include <algorithm>

#include "base/polynomial.hpp"
#include "sinew/base/dual.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/spatial/xtov.hpp"
#include "tree/checks.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

// About a point that lies d from the one before.
Motion<double> shifted(const Motion<double>& m, const Vec3<double>& d) { return {m.ang, m.lin + cross(m.ang, d)}; }
Motion<double> to_world_axes(const Rotation<double>& E, const Motion<double>& m) {
  return {apply_inverse(E, m.ang), apply_inverse(E, m.lin)};
}
Force<double> to_world_axes(const Rotation<double>& E, const Force<double>& f) {
  return {apply_inverse(E, f.ang), apply_inverse(E, f.lin)};
}
// Both vectors of a force, or of a motion and a force, as arrows without a place.
Force<double> cross_arrows(const Force<double>& f, const Vec3<double>& w) { return {cross(f.ang, w), cross(f.lin, w)}; }
Vec3<double> cross_arrows(const Motion<double>& m, const Force<double>& f) {
  return cross(m.ang, f.ang) + cross(m.lin, f.lin);
}
void set_part(Force<double>& f, int k, double x) {
  double* const parts[] = {&f.ang.x, &f.ang.y, &f.ang.z, &f.lin.x, &f.lin.y, &f.lin.z};
  *parts[k] = x;
}

// The pose X of b after b has moved by the unit motion k, with its slope.
Transform<Dual> moved_pose(const Transform<double>& X, int k) {
  const double w[3] = {k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0.};
  const Dual i(1);
  const Mat3<Dual> turn{
      i, Dual(0, w[2]), Dual(0, -w[1]), Dual(0, -w[2]), i, Dual(0, w[0]), Dual(0, w[1]), Dual(0, -w[0]), i};
  const Vec3<Dual> shift{Dual(0, k == 3 ? 1 : 0), Dual(0, k == 4 ? 1 : 0), Dual(0, k == 5 ? 1 : 0)};
  return Transform<Dual>{Rotation<Dual>{turn}, shift} * cast<Dual>(X);
}
Motion<Dual> moved_motion(const Motion<double>& m, int k) {
  Motion<Dual> out = cast<Dual>(m);
  Dual* const parts[] = {&out.ang.x, &out.ang.y, &out.ang.z, &out.lin.x, &out.lin.y, &out.lin.z};
  parts[k]->slope = 1;
  return out;
}
Force<double> slope_of(const Force<Dual>& f) {
  return {{f.ang.x.slope, f.ang.y.slope, f.ang.z.slope}, {f.lin.x.slope, f.lin.y.slope, f.lin.z.slope}};
}

// Gradients in frame b of rows that are functions of X, u and w.
template <class Rows>
void differentiate_pair(const Rows& rows, SlopePair& p, const PairState<double>& m, double time, bool with_positions) {
  if (p.rows.empty()) return;
  PairRow<double> here[6];
  calc_pair_rows(rows, m, time, here);
  const int count = static_cast<int>(p.rows.size());
  for (int r = 0; r < count; ++r) p.rows[at(r)].T = here[r].T_b;
  if (p.constant && !with_positions) return;
  PairRow<Dual> along[6];
  for (int k = 0; k < 6; ++k) {
    calc_pair_rows(rows, PairState<Dual>{moved_pose(m.X, k), cast<Dual>(m.u), cast<Dual>(m.w)}, time, along);
    for (int r = 0; r < count; ++r) {
      RowGradient& g = p.rows[at(r)];
      set_part(g.position_X, k, along[r].position.slope);
      if (p.constant) continue;
      set_part(g.rate_X, k, along[r].rate.slope);
      set_part(g.velocity_X, k, along[r].velocity.slope);
      g.T_X[at(k)] = slope_of(along[r].T_b);
    }
  }
  for (int k = 0; k < 6 && !p.constant; ++k) {
    calc_pair_rows(rows, PairState<Dual>{cast<Dual>(m.X), moved_motion(m.u, k), cast<Dual>(m.w)}, time, along);
    for (int r = 0; r < count; ++r) set_part(p.rows[at(r)].rate_u, k, along[r].rate.slope);
  }
}
// The same along the axes of the world: there T and w_b count too.
void differentiate_along_world(const MaskRows& mask, SlopePair& p, const PairState<double>& m, bool with_positions) {
  const Vec3<double> w_b = apply(p.E, p.v_b.ang);
  const Motion<double> spun{cross(w_b, m.u.ang), cross(w_b, m.u.lin)};
  std::size_t r = 0;
  for (int k = 0; k < 6; ++k) {
    if (!mask.blocked[k]) continue;
    RowGradient& g = p.rows[r++];
    const Force<double> axis = detail::unit_force<double>(k);
    g.T = {apply(p.E, axis.ang), apply(p.E, axis.lin)};
    g.rate_u = cross_arrows(g.T, w_b);
    g.rate_turn = apply_inverse(p.E, cross_arrows(m.w + spun, g.T));
    g.rate_spin = g.velocity_turn = apply_inverse(p.E, cross_arrows(m.u, g.T));
  }
  if (!with_positions) return;
  // d(T . d) = T . dd + (T x s) . d, by position errors with T as it is and by the turn of T
  const Motion<double> d{mask.holds_turns ? xtov_exact(Transform<double>{m.X.E, {}}).ang : Vec3<double>{},
                         mask.holds_shifts ? apply(m.X.E, m.X.r) : Vec3<double>{}};
  for (RowGradient& g : p.rows) g.position_turn = apply_inverse(p.E, cross_arrows(d, g.T));
  for (int k = 0; k < 6; ++k) {
    Dual along[6];
    calc_world_positions(mask, moved_pose(m.X, k), cast<Dual>(p.E), along);
    for (std::size_t i = 0; i < p.rows.size(); ++i) set_part(p.rows[i].position_X, k, along[i].slope);
  }
}

// The polynomial of a sum of coordinates.
PolynomialSlopes evaluate_gear(const SlopeGear::Term& t, In<double> q) {
  double x = -t.reference;
  for (const SlopeGear::Coordinate& c : t.of) x += c.factor * q[at(c.q)];
  return evaluate_polynomial(t.coefficients, x);
}
double along_gear(const std::vector<SlopeGear::Coordinate>& of, In<double> x) {
  double sum = 0;
  for (const SlopeGear::Coordinate& c : of) sum += c.factor * x[at(c.v)];
  return sum;
}

[[noreturn]] void refuse_slopes(const std::string& constraint, const std::string& why) {
  throw std::invalid_argument(constraint + ": " + why);
}
std::vector<SlopeGear::Coordinate> to_coordinates(const TendonEntry& t, const std::string& name) {
  std::vector<SlopeGear::Coordinate> out;
  for (const TendonEntry::Part& p : t.parts) {
    if (p.kind != TendonPartKind::joint)
      refuse_slopes(name, "tendon '" + t.name + "' runs through sites, whose derivatives are not known");
    out.push_back({p.q, p.v, p.factor});
  }
  return out;
}
const PairConstraint* find_pair_constraint(const ConstraintEntry& c) {
  const auto* custom = std::get_if<CustomRows>(&c.kind);
  return custom ? dynamic_cast<const PairConstraint*>(custom->get()) : nullptr;
}
SlopePair make_pair_slopes(const Model& m, std::size_t entry, const ConstraintEntry& c, const FramePair& frames,
                           bool constant, bool world_axes) {
  SlopePair p;
  p.entry = entry, p.row = c.row, p.frames = frames, p.constant = constant, p.world_axes = world_axes;
  p.rows.resize(at(c.rows()));
  std::vector<SlopePair::Step> steps(m.nodes().size());
  for (int i = frames.node_a; i > 0; i = m.nodes()[at(i)].parent) steps[at(i)].moves_a = true;
  for (int i = frames.node_b; i > 0; i = m.nodes()[at(i)].parent) steps[at(i)].moves_b = true;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    steps[i].node = static_cast<int>(i);
    if (m.nodes()[i].nv > 0 && (steps[i].moves_a || steps[i].moves_b)) p.path.push_back(steps[i]);
  }
  return p;
}

// S, psi, chi and phi of one node.
void calc_node_slopes(const Model& m, RowSlopes& ws, std::size_t i, In<double> q, In<double> v, In<double> a,
                      double time) {
  const Node& n = m.nodes()[i];
  const auto& X = ws.motion.kinematics.X;
  const auto parent = at(n.parent);
  calc_columns(n, Transform<double>{X[i].E, {}}, q.data() + n.q, time, ws.S.data() + n.v);
  const Vec3<double> d = n.parent > 0 ? X[i].r - X[parent].r : Vec3<double>{};
  const Motion<double> v_p = shifted(ws.motion.v[parent], d), a_p = shifted(ws.motion.a[parent], d);
  const Motion<double>& v_i = ws.motion.v[i];
  JointSlopes<double> slopes;
  const bool moving = has_moving_subspace(n.joint);
  if (moving) calc_joint_slopes(n.joint, q.data() + n.q, v.data() + n.v, time, slopes);
  for (int k = 0; k < n.nv; ++k) {
    const auto c = at(n.v + k);
    const Motion<double>& s = ws.S[c];
    ws.psi[c] = cross(v_p, s);
    ws.phi[c] = cross(v_p + v_i, s);
    ws.chi[c] = cross(a_p, s);
    if (moving) {
      Motion<double> along{}, across{}, faster = slopes.c[k];
      for (int l = 0; l < n.nv; ++l) {
        along += v[at(n.v + l)] * slopes.S[k][l];
        across += v[at(n.v + l)] * slopes.S[l][k];
        faster += a[at(n.v + l)] * slopes.S[k][l];
      }
      const Motion<double> turned = to_world_axes(X[i].E, along);
      ws.psi[c] += turned;
      ws.phi[c] += turned + to_world_axes(X[i].E, across);
      ws.chi[c] += cross(v_i, turned) + to_world_axes(X[i].E, faster);
    }
    ws.chi[c] += cross(v_p, ws.psi[c]);
  }
}

void clear(const MatrixView<double>& x) {
  for (std::size_t i = 0; i < x.rows(); ++i) std::fill_n(x.data() + i * x.stride(), x.cols(), 0.0);
}

}  // namespace

RowSlopes::RowSlopes(const Model& m, const ConstraintSet& set)
    : motion(m), S(at(m.nv())), psi(S), chi(S), phi(S), u(m.nodes().size()), chi_x(S), body_of(m.nodes().size(), -1) {
  for (std::size_t b = m.bodies().size(); b-- > 0;) body_of[at(m.bodies()[b].node)] = static_cast<int>(b);
  for (std::size_t entry = 0; entry < set.entries().size(); ++entry) {
    const ConstraintEntry& c = set.entries()[entry];
    if (const auto* loop = std::get_if<LoopRows>(&c.kind)) {
      pairs.push_back(make_pair_slopes(m, entry, c, loop->frames, has_constant_forces(*loop), false));
    } else if (const auto* mask = std::get_if<MaskRows>(&c.kind)) {
      pairs.push_back(make_pair_slopes(m, entry, c, mask->frames, has_constant_forces(*mask), mask->world_axes));
    } else if (const auto* rolling = std::get_if<RollingRows>(&c.kind)) {
      pairs.push_back(make_pair_slopes(m, entry, c, rolling->frames, has_constant_forces(*rolling), false));
    } else if (const auto* coupling = std::get_if<CouplingRows>(&c.kind)) {
      const auto coordinate = [&](int node) {
        return SlopeGear::Coordinate{m.nodes()[at(node)].q, m.nodes()[at(node)].v, 1};
      };
      SlopeGear gear{c.row, {coordinate(coupling->node)}, {}};
      for (const CouplingRows::Term& t : coupling->terms)
        gear.terms.push_back({{coordinate(t.node)}, t.coefficients, t.reference});
      gears.push_back(std::move(gear));
    } else if (const auto* tendon = std::get_if<TendonRows>(&c.kind)) {
      SlopeGear gear{c.row, to_coordinates(tendon->dependent, c.name), {}};
      if (!tendon->driver.parts.empty())
        gear.terms.push_back({to_coordinates(tendon->driver, c.name), tendon->coefficients, tendon->driver_neutral});
      gears.push_back(std::move(gear));
    } else if (const PairConstraint* pair = find_pair_constraint(c)) {
      pairs.push_back(make_pair_slopes(m, entry, c, pair->frames(), false, false));
    } else {
      refuse_slopes(c.name, "the derivatives of a constraint that a program wrote are not known");
    }
  }
}

void place_row_slopes(const Model& m, const ConstraintSet& set, RowSlopes& ws, In<double> q, In<double> v, In<double> a,
                      double time, bool with_positions) {
  calc_accelerations(m, ws.motion, q, v, a, time);
  for (std::size_t i = 1; i < m.nodes().size(); ++i) calc_node_slopes(m, ws, i, q, v, a, time);
  const auto& X = ws.motion.kinematics.X;
  for (SlopePair& p : ws.pairs) {
    const auto& kind = set.entries()[p.entry].kind;
    const PairState<double> state = to_pair_state(calc_relative_motion(p.frames, ws.motion));
    const auto node_a = at(p.frames.node_a), node_b = at(p.frames.node_b);
    const Transform<double> frame = p.frames.in_b * X[node_b];
    p.E = frame.E, p.origin = frame.r;
    p.v_a = shifted(ws.motion.v[node_a], p.origin - X[node_a].r);
    p.a_a = shifted(ws.motion.a[node_a], p.origin - X[node_a].r);
    p.v_b = shifted(ws.motion.v[node_b], p.origin - X[node_b].r);
    if (const auto* loop = std::get_if<LoopRows>(&kind))
      differentiate_pair(*loop, p, state, time, with_positions);
    else if (const auto* rolling = std::get_if<RollingRows>(&kind))
      differentiate_pair(*rolling, p, state, time, with_positions);
    else if (const PairConstraint* other = find_pair_constraint(set.entries()[p.entry]))
      differentiate_pair(*other, p, state, time, with_positions);
    else if (p.world_axes)
      differentiate_along_world(std::get<MaskRows>(kind), p, state, with_positions);
    else
      differentiate_pair(std::get<MaskRows>(kind), p, state, time, with_positions);
    for (RowGradient& g : p.rows)
      for (Force<double>* f : {&g.T, &g.rate_X, &g.rate_u, &g.velocity_X, &g.position_X}) *f = to_world_axes(p.E, *f);
  }
}

void calc_row_slopes(const Model& m, const RowSlopes& ws, In<double> q, In<double> v, In<double> a,
                     const RowWeights& weights, OutMatrix<double> G_q, OutMatrix<double> G_v) {
  clear(G_q), clear(G_v);
  const auto& X = ws.motion.kinematics.X;
  struct Gradient {
    Force<double> of_X, of_u, of_w;
    Vec3<double> of_turn, of_spin;
  };
  for (const SlopePair& p : ws.pairs) {
    Gradient rows[6];
    const std::size_t count = p.rows.size();
    for (std::size_t r = 0; r < count; ++r) {
      const RowGradient& g = p.rows[r];
      rows[r] = {weights.position * g.position_X, weights.velocity * g.T, weights.rate * g.T, {}, {}};
      if (p.constant) continue;
      rows[r].of_X += weights.rate * g.rate_X + weights.velocity * g.velocity_X;
      rows[r].of_u += weights.rate * g.rate_u;
      if (!p.world_axes) continue;
      rows[r].of_turn =
          weights.rate * g.rate_turn + weights.velocity * g.velocity_turn + weights.position * g.position_turn;
      rows[r].of_spin = weights.rate * g.rate_spin;
    }
    const Motion<double> both = p.v_a + p.v_b;
    for (const SlopePair::Step& step : p.path) {
      if (!p.changes_with(step)) continue;
      const Node& n = m.nodes()[at(step.node)];
      const Vec3<double> d = p.origin - X[at(step.node)].r;
      const double sigma = step.sigma();
      for (auto k = at(n.v); k < at(n.v + n.nv); ++k) {
        const Motion<double> s = shifted(ws.S[k], d), psi = shifted(ws.psi[k], d);
        const Motion<double> du = psi + cross(s, p.v_a);
        const Motion<double> dw =
            shifted(ws.chi[k], d) + cross(s, p.a_a) + cross(psi, p.v_a) - cross(p.v_b, du);  // (1)
        const Motion<double> faster = shifted(ws.phi[k], d) + cross(s, both);                // (2)
        for (std::size_t r = 0; r < count; ++r) {
          const Gradient& g = rows[r];
          double along_q = sigma * (dot(g.of_u, du) + dot(g.of_w, dw) + dot(g.of_X, s));
          double along_v = sigma * (dot(g.of_u, s) + dot(g.of_w, faster));
          if (p.world_axes && step.moves_b) {
            along_q += dot(g.of_turn, s.ang) + dot(g.of_spin, psi.ang);
            along_v += dot(g.of_spin, s.ang);
          }
          G_q(at(p.row) + r, k) = along_q;
          G_v(at(p.row) + r, k) = along_v;
        }
      }
    }
  }
  for (const SlopeGear& gear : ws.gears) {
    const auto r = at(gear.row);
    for (const SlopeGear::Coordinate& c : gear.linear) {
      G_q(r, at(c.v)) += weights.position * c.factor;
      G_v(r, at(c.v)) += weights.velocity * c.factor;
    }
    for (const SlopeGear::Term& t : gear.terms) {
      const PolynomialSlopes p = evaluate_gear(t, q);
      const double speed = along_gear(t.of, v), more = along_gear(t.of, a);
      for (const SlopeGear::Coordinate& c : t.of) {
        G_q(r, at(c.v)) -= c.factor * (weights.rate * (p.second * more + p.third * speed * speed) +
                                       weights.velocity * p.second * speed + weights.position * p.first);
        G_v(r, at(c.v)) -= c.factor * (weights.rate * 2 * p.second * speed + weights.velocity * p.first);
      }
    }
  }
}

void calc_product_slopes(const Model& m, RowSlopes& ws, In<double> q, In<double> x, double time, OutMatrix<double> D) {
  clear(D);
  const auto& X = ws.motion.kinematics.X;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const Motion<double> above =
        n.parent > 0 ? shifted(ws.u[at(n.parent)], X[i].r - X[at(n.parent)].r) : Motion<double>{};
    ws.u[i] = above;
    JointSlopes<double> slopes;
    const double rest[kMaxJointDofs] = {};
    const bool moving = has_moving_subspace(n.joint);
    if (moving) calc_joint_slopes(n.joint, q.data() + n.q, rest, time, slopes);
    for (int k = 0; k < n.nv; ++k) {
      const auto c = at(n.v + k);
      ws.u[i] += x[c] * ws.S[c];
      ws.chi_x[c] = cross(above, ws.S[c]);
      for (int l = 0; l < n.nv && moving; ++l) ws.chi_x[c] += to_world_axes(X[i].E, x[at(n.v + l)] * slopes.S[k][l]);
    }
  }
  for (const SlopePair& p : ws.pairs) {
    const auto node_a = at(p.frames.node_a), node_b = at(p.frames.node_b);
    const auto of = [&](std::size_t node) {
      return node > 0 ? shifted(ws.u[node], p.origin - X[node].r) : Motion<double>{};
    };
    const Motion<double> a_a = of(node_a), w = of(node_b) - a_a;
    const Motion<double> seen{apply(p.E, w.ang), apply(p.E, w.lin)};
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      const RowGradient& g = p.rows[r];
      Force<double> of_X{};
      for (int k = 0; k < 6 && !p.constant && !p.world_axes; ++k) set_part(of_X, k, dot(g.T_X[at(k)], seen));
      of_X = to_world_axes(p.E, of_X);
      for (const SlopePair::Step& step : p.path) {
        if (!p.changes_with(step)) continue;
        const Node& n = m.nodes()[at(step.node)];
        const Vec3<double> d = p.origin - X[at(step.node)].r;
        for (auto k = at(n.v); k < at(n.v + n.nv); ++k) {
          const Motion<double> s = shifted(ws.S[k], d);
          double along = step.sigma() * (dot(of_X, s) + dot(g.T, shifted(ws.chi_x[k], d) + cross(s, a_a)));
          if (p.world_axes && step.moves_b) along += dot(cross_arrows(w, g.T), s.ang);
          D(at(p.row) + r, k) = along;
        }
      }
    }
  }
  for (const SlopeGear& gear : ws.gears)
    for (const SlopeGear::Term& t : gear.terms) {
      const double more = evaluate_gear(t, q).second * along_gear(t.of, x);
      for (const SlopeGear::Coordinate& c : t.of) D(at(gear.row), at(c.v)) -= c.factor * more;
    }
}

bool add_force_slopes(const Model& m, const RowSlopes& ws, In<double> q, In<double> lambda, OutMatrix<double> C,
                      Out<unsigned char> touched) {
  const auto& X = ws.motion.kinematics.X;
  bool any = false;
  for (const SlopePair& p : ws.pairs) {
    if (p.constant && p.frames.node_a == 0) continue;
    const double* of = lambda.data() + p.row;
    Force<double> f{}, f_X[6] = {};
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      f += of[r] * p.rows[r].T;
      for (std::size_t k = 0; k < 6 && !p.constant && !p.world_axes; ++k) f_X[k] += of[r] * p.rows[r].T_X[k];
    }
    any = true;
    for (const SlopePair::Step& step : p.path) {
      if (!p.changes_with(step)) continue;
      const Node& n = m.nodes()[at(step.node)];
      const Vec3<double> d = p.origin - X[at(step.node)].r;
      for (auto k = at(n.v); k < at(n.v + n.nv); ++k) {
        const Motion<double> s = shifted(ws.S[k], d);
        Force<double> on_b{};
        if (p.world_axes) {
          if (step.moves_b) on_b = cross_arrows(f, s.ang);
        } else if (!p.constant) {
          const auto parts = to_array(Motion<double>{apply(p.E, s.ang), apply(p.E, s.lin)});
          for (std::size_t i = 0; i < 6; ++i) on_b += step.sigma() * parts[i] * f_X[i];
          on_b = to_world_axes(p.E, on_b);
        }
        const Force<double> on_a = -(on_b + step.sigma() * cross(s, f));  // (3)
        for (const SlopePair::Step& other : p.path) {
          const Node& h = m.nodes()[at(other.node)];
          Force<double> sum{};
          if (other.moves_a) sum += on_a;
          if (other.moves_b) sum += on_b;
          const Vec3<double> arm = p.origin - X[at(other.node)].r;
          for (auto i = at(h.v); i < at(h.v + h.nv); ++i) {
            C(i, k) += dot(shifted(ws.S[i], arm), sum);
            touched[i] = 1;
          }
        }
      }
    }
  }
  for (const SlopeGear& gear : ws.gears)
    for (const SlopeGear::Term& t : gear.terms) {
      const double more = lambda[at(gear.row)] * evaluate_gear(t, q).second;
      if (more == 0) continue;
      any = true;
      for (const SlopeGear::Coordinate& i : t.of) {
        touched[at(i.v)] = 1;
        for (const SlopeGear::Coordinate& k : t.of) C(at(i.v), at(k.v)) -= more * i.factor * k.factor;
      }
    }
  return any;
}

void add_pair_forces(const Model& m, const ConstraintSet& set, const RowSlopes& ws, const ConstraintRows& rows,
                     In<double> lambda, Out<Force<double>> external) {
  const auto entries = set.problem().entries();
  for (const SlopePair& p : ws.pairs) {
    const ConstraintEntry& c = set.entries()[p.entry];
    for (auto e = at(c.entry); e < at(c.entry + c.entries); ++e) {
      if (entries[e].node == 0) continue;
      const auto b = at(ws.body_of[at(entries[e].node)]);
      external[b] += lambda[at(entries[e].row)] * apply(m.bodies()[b].in_node, rows.K[e]);
    }
  }
}

void add_gear_forces(const RowSlopes& ws, In<double> q, In<double> lambda, Out<double> tau) {
  for (const SlopeGear& gear : ws.gears) {
    const double force = lambda[at(gear.row)];
    for (const SlopeGear::Coordinate& c : gear.linear) tau[at(c.v)] += c.factor * force;
    for (const SlopeGear::Term& t : gear.terms) {
      const double more = force * evaluate_gear(t, q).first;
      for (const SlopeGear::Coordinate& c : t.of) tau[at(c.v)] -= c.factor * more;
    }
  }
}

}  // namespace sinew
