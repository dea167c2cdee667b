// src/constraint/rows/constraint_rows.cpp - the numbers of the rows, and products with K
// Joint motions and the forces that are carried down the tree: axes of the world, about each node's own origin.
#include "constraint/checks.hpp"
#include "constraint/rows/constraint_entry.hpp"
#include "tree/columns.hpp"

namespace sinew {
ConstraintRows::ConstraintRows(const Model& m, const ConstraintSet& set)
    : motion(m),
      zeros(at(m.nv())),
      S(at(m.nv())),
      K(set.problem().entries().size()),
      k(at(set.rows())),
      position(at(set.rows())),
      velocity(at(set.rows())),
      f(m.nodes().size()),
      u(m.nodes().size()) {
  check_set("ConstraintRows", m, set);
}

void calc_constraint_rows(const Model& m, const ConstraintSet& set, ConstraintRows& rows, In<double> q, In<double> v,
                          double time) {
  check_rows("calc_constraint_rows", m, set, rows);
  check_state("calc_constraint_rows", m, rows.motion.kinematics.made_for, q.size(), v.size());
  calc_accelerations(m, rows.motion, q, v, In<double>(rows.zeros), time);
  const auto& X = rows.motion.kinematics.X;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    calc_columns(n, Transform<double>{X[i].E, {}}, q.data() + n.q, time, rows.S.data() + n.v);
  }

  const ConstraintState state{m, q, v, time, rows.motion};
  for (const ConstraintEntry& c : set.entries()) {
    const RowWriter out{rows.K.data() + c.entry, rows.k.data() + c.row, rows.position.data() + c.row,
                        rows.velocity.data() + c.row};
    if (const auto* custom = std::get_if<CustomRows>(&c.kind)) {
      const auto count = at(c.rows());
      (*custom)->calc(state, {{out.K, at(c.entries)}, {out.k, count}, {out.position, count}, {out.velocity, count}});
    } else {
      std::visit(
          [&](const auto& kind) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(kind)>, CustomRows>) calc_rows(kind, state, out);
          },
          c.kind);
    }
  }
}

void get_constraint_jacobian(const Model& m, const ConstraintSet& set, const ConstraintRows& rows,
                             OutMatrix<double> K) {
  check_rows("get_constraint_jacobian", m, set, rows);
  check_shape("get_constraint_jacobian", "K", K, at(set.rows()), at(m.nv()));
  for (std::size_t r = 0; r < K.rows(); ++r)
    for (std::size_t c = 0; c < K.cols(); ++c) K(r, c) = 0;
  const auto& X = rows.motion.kinematics.X;
  const auto entries = set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    Force<double> f = in_world_axes(rows.K[e], X[entries[e].node]);
    for (int i = entries[e].node; i > 0;) {
      const Node& n = m.nodes()[i];
      for (int k = n.v; k < n.v + n.nv; ++k) K(at(entries[e].row), at(k)) += dot(f, rows.S[k]);  // [F08 8.20]
      f = carried_back(f, X[i].r - X[n.parent].r);
      i = n.parent;
    }
  }
}

void multiply_by_constraint_jacobian_transpose(const Model& m, const ConstraintSet& set, ConstraintRows& rows,
                                               In<double> lambda, Out<double> tau) {
  check_rows("multiply_by_constraint_jacobian_transpose", m, set, rows);
  check_size("multiply_by_constraint_jacobian_transpose", "lambda", lambda.size(), at(set.rows()));
  check_size("multiply_by_constraint_jacobian_transpose", "tau", tau.size(), at(m.nv()));
  const auto& X = rows.motion.kinematics.X;
  const auto entries = set.problem().entries();
  for (Force<double>& f : rows.f) f = {};
  for (std::size_t e = 0; e < entries.size(); ++e)
    rows.f[entries[e].node] += lambda[entries[e].row] * in_world_axes(rows.K[e], X[entries[e].node]);
  for (std::size_t i = m.nodes().size(); i-- > 1;) {
    const Node& n = m.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) tau[k] = dot(rows.f[i], rows.S[k]);
    rows.f[n.parent] += carried_back(rows.f[i], X[i].r - X[n.parent].r);
  }
}

void multiply_by_constraint_jacobian(const Model& m, const ConstraintSet& set, ConstraintRows& rows, In<double> x,
                                     Out<double> y) {
  check_rows("multiply_by_constraint_jacobian", m, set, rows);
  check_size("multiply_by_constraint_jacobian", "x", x.size(), at(m.nv()));
  check_size("multiply_by_constraint_jacobian", "y", y.size(), at(set.rows()));
  const auto& X = rows.motion.kinematics.X;
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const Motion<double>& p = rows.u[n.parent];
    rows.u[i] = {p.ang, p.lin - cross(X[i].r - X[n.parent].r, p.ang)};
    for (int k = n.v; k < n.v + n.nv; ++k) rows.u[i] += x[k] * rows.S[k];
  }
  for (double& sum : y) sum = 0;
  const auto entries = set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    y[entries[e].row] += dot(in_world_axes(rows.K[e], X[entries[e].node]), rows.u[entries[e].node]);
}

void stabilize(const ConstraintRows& rows, const Baumgarte& b, Out<double> k) {
  check_size("stabilize", "k", k.size(), rows.k.size());
  const double rate = b.period > 0 ? 1 / b.period : 0;  // alpha = beta [F08 8.21]
  for (std::size_t r = 0; r < k.size(); ++r)
    k[r] = rows.k[r] - 2 * rate * rows.velocity[r] - rate * rate * rows.position[r];  // [F08 8.22]
}

}  // namespace sinew
