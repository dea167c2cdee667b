// src/constraint/two_trees/primary_secondary.cpp - steps D to F: the two trees together
#include "sinew/constraint/two_trees/primary_secondary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constraint/two_trees/coupling_steps.hpp"
#include "sinew/constraint/solve/certify.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

CouplingWorkspace::Side make_side(const CoupledTree& t, int rows) {
  const std::size_t carriers = t.nodes.size();
  return {std::vector<double>(at(rows) * 6 * carriers), std::vector<char>(at(rows) * carriers),
          std::vector<double>(6 * carriers), std::vector<int>(carriers)};
}

void check_tree(const char* call, const Model& m, const CoupledTree& t, const CouplingWorkspace::Side& side,
                std::size_t x) {
  t.aba.made_for.check(call, m, "CoupledTree");
  check_size(call, "the workspace for the bodies with closure points", side.first.size(), t.nodes.size());
  check_size(call, "accelerations", x, t.v.size());
  if (t.count.motion == 0) throw std::invalid_argument(std::string(call) + ": call prepare for each tree first");
}

// A B^*, and what the rows add to gap and size.
void take_side(const CoupledTree& t, CouplingWorkspace& ws, CouplingWorkspace::Side& side, MatrixView<const double> A,
               In<double> x) {
  const std::size_t carriers = t.nodes.size();
  std::fill(side.A.begin(), side.A.end(), 0.0);
  std::fill(side.touches.begin(), side.touches.end(), char(0));
  for (std::size_t r = 0; r < A.rows(); ++r)
    for (std::size_t k = 0; k < t.places.size(); ++k) {
      std::array<double, 6> a;
      for (std::size_t i = 0; i < 6; ++i) a[i] = A(r, 6 * k + i);
      if (std::all_of(a.begin(), a.end(), [](double e) { return e == 0; })) continue;
      for (std::size_t i = 0; i < 6; ++i) {
        ws.gap[r] += a[i] * x[6 * k + i];
        ws.size[r] += std::abs(a[i] * x[6 * k + i]);
      }
      const std::size_t c = at(t.carrier[k]);
      const auto f = to_array(apply(t.B[k], to_force(a)));  // [R92 0.17]
      for (std::size_t i = 0; i < 6; ++i) side.A[(r * carriers + c) * 6 + i] += f[i];
      side.touches[r * carriers + c] = 1;
    }
}

// A_ii without cancellation: each carrier by itself, without its loops.
double response_of_ends(const CoupledTree& t, const CouplingWorkspace::Side& side, int row) {
  double sum = 0;
  for (std::size_t c = 0; c < t.nodes.size(); ++c) {
    if (!side.touches[at(row) * t.nodes.size() + c]) continue;
    const double *a = side.A.data() + (at(row) * t.nodes.size() + c) * 6, *own = t.own.data() + c * 36;
    for (std::size_t i = 0; i < 6; ++i) sum += a[i] * std::inner_product(a, a + 6, own + 6 * i, 0.0);
  }
  return sum;
}

int first_of_group(std::vector<int>& above, int row) {
  while (above[row] != row) row = above[row] = above[above[row]];
  return row;
}
void join_rows(const CoupledTree& t, CouplingWorkspace& ws, CouplingWorkspace::Side& side) {
  std::fill(side.first.begin(), side.first.end(), -1);
  const std::size_t carriers = t.nodes.size();
  for (int r = 0; r < static_cast<int>(ws.above.size()); ++r)
    for (std::size_t c = 0; c < carriers; ++c) {
      if (!side.touches[at(r) * carriers + c] || t.group[c] < 0) continue;
      int& first = side.first[t.group[c]];
      if (first < 0) first = r;
      const int a = first_of_group(ws.above, r), b = first_of_group(ws.above, first);
      ws.above[std::max(a, b)] = std::min(a, b);
    }
}

}  // namespace

CouplingWorkspace::CouplingWorkspace(const CoupledTree& primary, const CoupledTree& secondary, int most_rows)
    : most(most_rows),
      certificate(most_rows),
      p(make_side(primary, most_rows)),
      s(make_side(secondary, most_rows)),
      equation(most_rows),
      part(most_rows),
      gap(at(most_rows)),
      size(gap),
      answer(gap),
      above(at(most_rows)),
      members(at(most_rows)),
      root(6 * secondary.carriers()),
      P(most_rows),
      small(6 * secondary.carriers()),
      C(at(most_rows) * s.column.size()),
      PC(C),
      y(s.column.size()) {}

void check_coupling(const char* call, const Model& primary, const CoupledTree& p, const Model& secondary,
                    const CoupledTree& s, const CouplingWorkspace& ws, MatrixView<const double> A_P,
                    MatrixView<const double> A_S, std::size_t rows, std::size_t x_P, std::size_t x_S,
                    std::size_t forces) {
  check_tree(call, primary, p, ws.p, x_P);
  check_tree(call, secondary, s, ws.s, x_S);
  check_size(call, "columns of A_P", A_P.cols(), p.alpha.size());
  check_size(call, "rows of A_P", A_P.rows(), rows);
  check_size(call, "columns of A_S", A_S.cols(), s.alpha.size());
  check_size(call, "rows of A_S", A_S.rows(), rows);
  check_size(call, "f", forces, rows);
  if (rows > at(ws.most)) check_size(call, "the workspace", at(ws.most), rows);
}

void take_rows(const CoupledTree& p, const CoupledTree& s, CouplingWorkspace& ws, MatrixView<const double> A_P,
               MatrixView<const double> A_S, In<double> x_P, In<double> x_S, In<double> U) {
  for (std::vector<double>* x : {&ws.gap, &ws.size, &ws.answer}) x->resize(U.size());
  ws.above.resize(U.size());
  for (std::size_t i = 0; i < U.size(); ++i) ws.gap[i] = -U[i], ws.size[i] = std::abs(U[i]);
  take_side(p, ws, ws.p, A_P, x_P);
  take_side(s, ws, ws.s, A_S, x_S);
  SolveCertificate& c = ws.certificate;
  c.status = SolveStatus::solved;
  c.algorithm = "primary_secondary";
  c.freedoms = static_cast<int>(p.v.size() + s.v.size());
  c.rows = static_cast<int>(U.size());
  c.rank = 0, c.least_row = 1;
  c.redundant.clear(), c.contradicting.clear();
}

void find_row_groups(const CoupledTree& p, const CoupledTree* s, CouplingWorkspace& ws) {
  std::iota(ws.above.begin(), ws.above.end(), 0);
  join_rows(p, ws, ws.p);
  if (s) join_rows(*s, ws, ws.s);
  ws.groups = 0;
}
bool take_members(CouplingWorkspace& ws, int row) {
  if (first_of_group(ws.above, row) != row) return false;
  ws.members.clear();
  for (int r = row; r < static_cast<int>(ws.above.size()); ++r)
    if (first_of_group(ws.above, r) == row) ws.members.push_back(r);
  ++ws.groups;
  return true;
}

void solve_forces(const CoupledTree& p, const CoupledTree& s, CouplingWorkspace& ws, Out<double> f,
                  const RankOptions& o) {
  find_row_groups(p, &s, ws);
  ForceEquation& e = ws.equation;
  for (int row = 0; row < static_cast<int>(f.size()); ++row) {
    if (!take_members(ws, row)) continue;
    const std::size_t rows = ws.members.size();
    e.resize(static_cast<int>(rows));
    std::fill(e.A.begin(), e.A.end(), 0.0);
    const auto add = [&](int i, int j, double x) { e.A[at(i) * rows + at(j)] += x; };
    for_each_entry(p, ws.p, ws.members, add);
    for_each_entry(s, ws.s, ws.members, add);
    for (std::size_t i = 0; i < rows; ++i) {
      const int r = ws.members[i];
      e.k[i] = e.b[i] = ws.gap[r], e.size[i] = ws.size[r];
      e.full[i] = std::sqrt(response_of_ends(p, ws.p, r) + response_of_ends(s, ws.s, r));
    }
    ws.part.status = SolveStatus::solved;
    solve(e, o, {ws.answer.data(), rows}, ws.part);
    SolveCertificate& c = ws.certificate;
    c.rank += ws.part.rank;
    c.least_row = std::min(c.least_row, ws.part.least_row);
    if (ws.part.status != SolveStatus::solved) c.status = ws.part.status;
    for (const int i : ws.part.redundant) c.redundant.push_back(ws.members[i]);
    for (const int i : ws.part.contradicting) c.contradicting.push_back(ws.members[i]);
    for (std::size_t i = 0; i < rows; ++i) f[at(ws.members[i])] = ws.answer[i];
  }
  std::sort(ws.certificate.redundant.begin(), ws.certificate.redundant.end());
  std::sort(ws.certificate.contradicting.begin(), ws.certificate.contradicting.end());
}

void add_correction(const Model& m, CoupledTree& t, CouplingWorkspace::Side& side, In<double> f, Out<double> x) {
  const std::size_t loops = t.loop_force.size(), carriers = t.nodes.size(), carried = 6 * carriers;
  double* forces = t.forces.data() + loops;
  std::fill(t.forces.begin(), t.forces.end(), 0.0);
  for (std::size_t r = 0; r < f.size(); ++r)
    for (std::size_t c = 0; c < carriers; ++c)
      for (std::size_t i = 6 * c; side.touches[r * carriers + c] && i < 6 * c + 6; ++i)
        forces[i] -= side.A[r * carried + i] * f[r];
  ++t.count.correction;
  if (t.is_free_body) {
    for (std::size_t c = 0; c < t.nodes.size(); ++c) {
      std::array<double, 6> a{};
      for (std::size_t i = 0; i < 6; ++i)
        a[i] = std::inner_product(forces + 6 * c, forces + 6 * c + 6, t.own.data() + 36 * c + 6 * i, 0.0);
      t.added[c] = to_motion(a);
      for (std::size_t i = 0; i < 6; ++i) x[i] += a[i];
    }
    return;
  }
  for (std::size_t i = 0; i < carried; ++i)
    for (std::size_t r = 0; r < loops; ++r) t.forces[r] -= t.Z[i * loops + r] * forces[i];
  calc_response(m, *t.dynamics, t.q, t.nothing, t.K, t.forces, t.response);  // [R92 0.36]
  for (std::size_t i = 0; i < t.response.size(); ++i) x[i] += t.response[i];
  for (std::size_t c = 0; c < t.nodes.size(); ++c)
    t.added[c] = t.nodes[c] == 0 ? Motion<double>{} : t.dynamics->accelerations[t.nodes[c]];
}

const SolveCertificate& finish(const Model& primary, CoupledTree& p, const Model& secondary, CoupledTree& s,
                               CouplingWorkspace& ws, Out<double> a_P, Out<double> a_S, In<double> f) {
  std::copy(p.free.begin(), p.free.end(), a_P.begin());
  std::copy(s.free.begin(), s.free.end(), a_S.begin());
  add_correction(primary, p, ws.p, f, a_P);
  add_correction(secondary, s, ws.s, f, a_S);
  for (CoupledTree* t : {&p, &s})
    for (std::size_t r = 0; r < t->loop_force.size(); ++r) t->loop_force[r] = t->loop_free[r] + t->forces[r];
  (void)(find_non_finite("lambda", f, ws.certificate) || find_non_finite("qdd", a_P, ws.certificate) ||
         find_non_finite("qdd", a_S, ws.certificate));
  return ws.certificate;
}

const SolveCertificate& couple(const Model& primary, CoupledTree& p, const Model& secondary, CoupledTree& s,
                               CouplingWorkspace& ws, MatrixView<const double> A_P, MatrixView<const double> A_S,
                               In<double> U, Out<double> a_P, Out<double> a_S, Out<double> f, const RankOptions& o) {
  check_coupling("couple", primary, p, secondary, s, ws, A_P, A_S, U.size(), a_P.size(), a_S.size(), f.size());
  take_rows(p, s, ws, A_P, A_S, p.alpha, s.alpha, U);
  solve_forces(p, s, ws, f, o);  // D [R92 0.35]
  return finish(primary, p, secondary, s, ws, a_P, a_S, f);
}

}  // namespace sinew
