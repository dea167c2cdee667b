// src/derivative/delassus_rate.cpp
#include "sinew/derivative/delassus_rate.hpp"

#include <string>

#include "sinew/model/configuration.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// The force as its body sees it while q moves. E: body <- world.
Force<Dual> turn_row_force(const RowForce& part, const Rotation<Dual>& E) {
  const Force<Dual> here = cast<Dual>(part.force);
  if (part.axes == RowAxes::body) return here;
  Rotation<Dual> still = E;
  for (Dual* x : {&still.m.xx, &still.m.xy, &still.m.xz, &still.m.yx, &still.m.yy, &still.m.yz, &still.m.zx,
                  &still.m.zy, &still.m.zz})
    x->slope = 0;
  const Vec3<Dual> point = cast<Dual>(part.point);
  const Vec3<Dual> force = apply(E, apply_inverse(still, here.lin));
  const Vec3<Dual> couple = apply(E, apply_inverse(still, here.ang - cross(point, here.lin)));
  return {couple + cross(point, force), force};
}

std::size_t check_row_count(int count) {
  if (count < 0) throw std::invalid_argument("DelassusRateWorkspace: " + std::to_string(count) + " rows");
  return at(count);
}

}  // namespace

DelassusRateWorkspace::DelassusRateWorkspace(const Model& m, int count)
    : rows(check_row_count(count)),
      jacobian(m),
      inverse(m),
      crba(m),
      factor(m.dof_tree()),
      rate(at(m.nq())),
      q(at(m.nq())),
      x(at(m.nv())),
      y(x),
      p(rows * at(m.nv())),
      a(p.size()),
      dMa(p.size()),
      column(at(m.nv())) {}

void calc_delassus_rate(const Model& m, DelassusRateWorkspace& ws, In<double> q, In<double> v,
                        VectorView<const RowForce> rows, OutMatrix<double> W, OutMatrix<double> dW, double time) {
  const char* call = "calc_delassus_rate";
  const std::size_t n = at(m.nv()), count = ws.rows;
  check_state(call, m, ws.crba.made_for, q.size(), v.size());
  check_shape(call, "W", W, count, count);
  check_shape(call, "dW", dW, count, count);

  calc_rate<double>(m, q, v, ws.rate);
  for (std::size_t k = 0; k < ws.q.size(); ++k) ws.q[k] = Dual(q[k], ws.rate[k]);
  calc_jacobian<Dual>(m, ws.jacobian, ws.q, time);
  std::fill(ws.p.begin(), ws.p.end(), Dual(0));
  for (const RowForce& part : rows) {
    check_index(call, "row", part.row, count);
    check_index(call, "body", part.body, m.bodies().size());
    const BodyEntry& body = m.bodies()[at(part.body)];
    const Rotation<Dual> E = (cast<Dual>(body.in_node) * ws.jacobian.kinematics.X[at(body.node)]).E;
    multiply_by_jacobian_transpose<Dual>(m, ws.jacobian, body, ReferenceFrame::body, turn_row_force(part, E), ws.x);
    for (std::size_t k = 0; k < n; ++k) ws.p[at(part.row) * n + k] += ws.x[k];
  }

  const DofTree& tree = m.dof_tree();
  crba_packed<double>(m, ws.crba, q, ws.factor.packed, time);
  factor(tree, ws.factor);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t k = 0; k < n; ++k) ws.column[k] = ws.p[r * n + at(tree.velocity(static_cast<int>(k)))].value;
    solve(tree, ws.factor, VectorView<double>(ws.column));
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t to = at(tree.velocity(static_cast<int>(k)));
      ws.a[r * n + to] = ws.column[k], ws.x[to] = Dual(ws.column[k]);
    }
    multiply_by_mass<Dual>(m, ws.inverse, ws.q, ws.x, ws.y, time);
    for (std::size_t k = 0; k < n; ++k) ws.dMa[r * n + k] = ws.y[k].slope;
  }
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t s = 0; s < count; ++s) {
      double sum = 0, rate = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const Dual &p_r = ws.p[r * n + k], &p_s = ws.p[s * n + k];
        const double a_r = ws.a[r * n + k], a_s = ws.a[s * n + k];
        sum += p_r.value * a_s;
        rate += p_r.slope * a_s + a_r * (p_s.slope - ws.dMa[s * n + k]);  // (1)
      }
      W(r, s) = sum, dW(r, s) = rate;
    }
}

}  // namespace sinew
