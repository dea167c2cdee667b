// src/constraint/embedding/loop_elimination.cpp
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "constraint/checks.hpp"
#include "constraint/embedding/loop_solver.hpp"
#include "constraint/rows/constraint_entry.hpp"
#include "sinew/constraint/rank/clusters.hpp"

namespace sinew {
namespace {

double most_of(const Vec3<double>& a) { return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}); }

// 1 / sqrt(H_jj) at the neutral position, by composite bodies [F08 section 6.2]; 1 where nothing is moved.
std::vector<double> find_scales(const Model& m, const ConstraintSet& set) {
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, m.neutral(), rows.zeros);
  const auto& X = rows.motion.kinematics.X;
  std::vector<RigidInertia<double>> composite(m.nodes().size());
  std::vector<double> out(at(m.nv()), 1.0);
  for (std::size_t i = m.nodes().size(); i-- > 1;) {
    const Node& n = m.nodes()[i];
    composite[i] = composite[i] + apply_inverse(Transform<double>{X[i].E, {}}, n.inertia);
    for (std::size_t k = at(n.v); k < at(n.v + n.nv); ++k) {
      const double H = dot(rows.S[k], composite[i] * rows.S[k]) + m.armature()[k];
      if (H > 0) out[k] = 1 / std::sqrt(H);
    }
    RigidInertia<double>& parent = composite[at(n.parent)];
    parent = parent + apply_inverse(Transform<double>{{}, X[i].r - X[at(n.parent)].r}, composite[i]);
  }
  return out;
}

// The constant part of a step.
LoopStep make_step(const Model& m, const ConstraintSet& set, int constraint) {
  const ConstraintEntry& c = set.entries()[at(constraint)];
  LoopStep s;
  s.constraint = constraint, s.row = c.row, s.rows = c.rows();
  s.path = find_coordinates(m, set, constraint);
  const auto place = [&](const Node& n) {
    const auto found = std::lower_bound(s.path.begin(), s.path.end(), n.v);
    return n.nv > 0 && found != s.path.end() && *found == n.v ? static_cast<int>(found - s.path.begin()) : -1;
  };
  for (int e = c.entry; e < c.entry + c.entries; ++e) {
    const delassus::Entry& entry = set.problem().entries()[at(e)];
    LoopStep::Entry out{e, entry.row - c.row, static_cast<int>(s.visits.size()), 0};
    for (int i = entry.node; i > 0; i = m.nodes()[at(i)].parent) s.visits.push_back({i, place(m.nodes()[at(i)])});
    while (static_cast<int>(s.visits.size()) > out.begin && s.visits.back().column < 0) s.visits.pop_back();
    out.end = static_cast<int>(s.visits.size());
    s.entries.push_back(out);
  }
  s.natural.resize(at(s.rows)), s.shift.resize(at(s.rows)), s.k.resize(at(s.rows));
  return s;
}

// K of the path [F08 8.20], then the replaced columns out of it.
void calc_step_rows(const Model& m, const ConstraintRows& rows, LoopElimination& e, LoopStep& s) {
  const auto& X = rows.motion.kinematics.X;
  const std::size_t width = s.columns.size();
  std::fill(s.K.begin(), s.K.end(), 0.0);
  std::fill(s.natural.begin(), s.natural.end(), 0.0);
  std::fill(s.shift.begin(), s.shift.end(), 0.0);
  for (const LoopStep::Entry& entry : s.entries) {
    if (entry.begin == entry.end) continue;
    const Force<double>& local = rows.K[at(entry.entry)];
    const Transform<double>& pose = X[at(s.visits[at(entry.begin)].node)];
    Force<double> f{apply_inverse(pose.E, local.ang), apply_inverse(pose.E, local.lin)};
    double* K = s.K.data() + at(entry.row) * width;
    double& natural = s.natural[at(entry.row)];
    const double shift = most_of(f.lin);
    double turn = most_of(f.ang);
    s.shift[at(entry.row)] = std::max(s.shift[at(entry.row)], shift);
    for (int i = entry.begin; i < entry.end; ++i) {
      const LoopStep::Visit& visit = s.visits[at(i)];
      const Node& n = m.nodes()[at(visit.node)];
      if (visit.column >= 0) {
        for (std::size_t k = 0; k < at(n.nv); ++k) {
          const Motion<double>& S = rows.S[at(n.v) + k];
          K[at(visit.column) + k] += dot(f, S);
          natural = std::max(natural, (turn * most_of(S.ang) + shift * most_of(S.lin)) * e.scale[at(n.v) + k]);
        }
      }
      const Vec3<double> d = X[at(visit.node)].r - X[at(n.parent)].r;
      f.ang = f.ang + cross(d, f.lin);
      turn += most_of(d) * shift;
    }
  }
  // A force through all axes of its path makes a row of zeros: it is as large as the constraint's other forces are.
  double per_shift = 0;
  for (std::size_t r = 0; r < at(s.rows); ++r)
    if (s.shift[r] > 0) per_shift = std::max(per_shift, s.natural[r] / s.shift[r]);
  for (std::size_t r = 0; r < at(s.rows); ++r) s.natural[r] = std::max(s.natural[r], per_shift * s.shift[r]);
  for (const LoopStep::Replaced& x : s.replaced) {
    const LoopStep& from = e.steps[at(x.step)];
    const double* G = from.G.data() + at(x.place) * x.by.size();
    for (std::size_t r = 0; r < at(s.rows); ++r) {
      const double there = s.K[r * width + at(x.column)];
      for (std::size_t j = 0; j < x.by.size(); ++j) s.K[r * width + at(x.by[j])] += there * G[j];
    }
  }
}

double scaled(const LoopElimination& e, const LoopStep& s, int row, int column) {
  const double size = s.natural[at(row)];
  if (size == 0) return 0;
  return s.K[at(row) * s.columns.size() + at(column)] * e.scale[at(s.columns[at(column)])] / size;
}

// LU of the dependent columns, and G = -A11^-1 A12 [F08 8.51]. False where a pivot is missing.
bool factor_step(LoopElimination& e, LoopStep& s) {
  const int rank = static_cast<int>(s.dependent.size());
  for (int r = 0; r < s.rows; ++r)
    for (int d = 0; d < rank; ++d) s.lu(r, d) = scaled(e, s, r, s.dependent[at(d)]);
  eliminate(s.lu, linear::rounding_of(s.rows));
  s.least_pivot = find_least_pivot(s.lu);
  if (s.lu.rank < rank) return false;
  double* x = e.work.data();
  s.left = 0;
  for (int i = 0; i < s.rows - rank; ++i) {
    calc_combination(s.lu, i, x);
    for (const int o : s.open) {
      double left = scaled(e, s, s.lu.row[at(rank + i)], o);
      for (int p = 0; p < rank; ++p) left -= x[p] * scaled(e, s, s.lu.row[at(p)], o);
      s.left = std::max(s.left, std::abs(left));
    }
  }
  for (std::size_t o = 0; o < s.open.size(); ++o) {
    for (int p = 0; p < rank; ++p) x[p] = scaled(e, s, s.lu.row[at(p)], s.open[o]);
    solve_pivots(s.lu, x);
    const double unit = e.scale[at(s.columns[at(s.open[o])])];
    for (int p = 0; p < rank; ++p) {
      const std::size_t d = at(s.lu.col[at(p)]);
      s.G[d * s.open.size() + o] = -x[p] * e.scale[at(s.columns[at(s.dependent[d])])] / unit;
    }
  }
  return true;
}

// Which columns the step has, and which of them are dependent already.
void find_columns(const LoopElimination& e, LoopStep& s) {
  s.columns = s.path;
  s.replaced.clear();
  std::map<int, int> place;                 // of a velocity coordinate in s.columns
  std::set<std::pair<int, int>> dependent;  // step and coordinate: earlier steps first
  const auto note = [&](int coordinate, int at_place) {
    place[coordinate] = at_place;
    if (e.step_of[at(coordinate)] >= 0) dependent.insert({e.step_of[at(coordinate)], coordinate});
  };
  for (std::size_t i = 0; i < s.columns.size(); ++i) note(s.columns[i], static_cast<int>(i));
  while (!dependent.empty()) {
    const auto [step, coordinate] = *dependent.begin();
    dependent.erase(dependent.begin());
    LoopStep::Replaced x{place[coordinate], step, e.place_of[at(coordinate)], {}};
    const LoopStep& from = e.steps[at(step)];
    for (const int o : from.open) {
      const int other = from.columns[at(o)];
      if (!place.contains(other)) {
        note(other, static_cast<int>(s.columns.size()));
        s.columns.push_back(other);
      }
      x.by.push_back(place[other]);
    }
    s.replaced.push_back(std::move(x));
  }
  s.K.assign(at(s.rows) * s.columns.size(), 0.0);
}

// Chooses the dependent ones among the columns of the step that are not replaced.
void choose_dependent(LoopElimination& e, LoopStep& s, int number, In<char> held, double tolerance) {
  std::vector<int> front;
  std::vector<char> replaced(s.columns.size());
  for (const LoopStep::Replaced& x : s.replaced) replaced[at(x.column)] = 1;
  for (std::size_t i = 0; i < s.columns.size(); ++i)
    if (!replaced[i]) front.push_back(static_cast<int>(i));
  linear::PivotedElimination all(s.rows, static_cast<int>(front.size()));
  for (int r = 0; r < s.rows; ++r)
    for (std::size_t j = 0; j < front.size(); ++j) all(r, static_cast<int>(j)) = scaled(e, s, r, front[j]);
  for (std::size_t j = 0; j < front.size(); ++j) all.held[j] = held[at(s.columns[at(front[j])])];
  eliminate(all, tolerance);
  s.dependent.clear(), s.open.clear();
  for (int j = 0; j < all.cols; ++j) (j < all.rank ? s.dependent : s.open).push_back(front[at(all.col[at(j)])]);
  std::sort(s.dependent.begin(), s.dependent.end());
  std::sort(s.open.begin(), s.open.end());
  for (std::size_t d = 0; d < s.dependent.size(); ++d) {
    const int coordinate = s.columns[at(s.dependent[d])];
    e.step_of[at(coordinate)] = number, e.place_of[at(coordinate)] = static_cast<int>(d);
  }
  s.lu = linear::PivotedElimination(s.rows, all.rank);
  s.G.assign(s.dependent.size() * s.open.size(), 0.0);
  s.g.assign(s.dependent.size(), 0.0);
}

}  // namespace

LoopElimination::LoopElimination(const Model& m, const ConstraintSet& set, std::vector<EmbeddedGroup> all)
    : groups(std::move(all)),
      first_step{0},
      step_of(at(m.nv()), -1),
      place_of(at(m.nv()), -1),
      scale(find_scales(m, set)),
      force(at(m.nv())),
      carried(at(m.nv())) {
  int most = 0;
  for (const EmbeddedGroup& g : groups) {
    for (const int c : g.constraints) {
      steps.push_back(make_step(m, set, c));
      most = std::max(most, steps.back().rows);
    }
    first_step.push_back(static_cast<int>(steps.size()));
  }
  work.resize(at(most));
}

void choose_coordinates(const Model& m, const ConstraintRows& rows, LoopElimination& e, In<char> held,
                        double tolerance) {
  std::fill(e.step_of.begin(), e.step_of.end(), -1);
  for (std::size_t g = 0; g < e.groups.size(); ++g) {
    const std::size_t begin = at(e.first_step[g]), end = at(e.first_step[g + 1]);
    // The independent columns that each remaining step reaches, and the steps that reach a column.
    std::map<int, std::set<int>> reached;        // by constraint
    std::map<int, std::set<int>> reach;          // by coordinate
    std::set<std::pair<std::size_t, int>> next;  // number of columns and constraint
    std::map<int, LoopStep> rest;                // by constraint: the order does not depend on earlier choices
    for (std::size_t i = begin; i < end; ++i) rest.emplace(e.steps[i].constraint, std::move(e.steps[i]));
    for (const auto& [c, s] : rest) {
      reached[c] = {s.path.begin(), s.path.end()};
      for (const int k : s.path) reach[k].insert(c);
      next.insert({s.path.size(), c});
    }
    for (std::size_t i = begin; i < end; ++i) {
      const int c = next.begin()->second;
      next.erase(next.begin());
      LoopStep& s = e.steps[i] = std::move(rest.at(c));
      find_columns(e, s);
      calc_step_rows(m, rows, e, s);
      choose_dependent(e, s, static_cast<int>(i), held, tolerance);
      factor_step(e, s);
      for (const int k : reached[c]) reach[k].erase(c);
      // A step that reaches a column that is now dependent reaches what that depends on instead.
      for (const int d : s.dependent) {
        const int gone = s.columns[at(d)];
        for (const int other : reach[gone]) {
          std::set<int>& columns = reached[other];
          next.erase({columns.size(), other});
          columns.erase(gone);
          for (const int o : s.open) columns.insert(s.columns[at(o)]), reach[s.columns[at(o)]].insert(other);
          next.insert({columns.size(), other});
        }
        reach.erase(gone);
      }
    }
  }
}

bool factor_loops(const Model& m, const ConstraintRows& rows, LoopElimination& e, int& culprit) {
  for (LoopStep& s : e.steps) {
    calc_step_rows(m, rows, e, s);
    if (!factor_step(e, s)) {
      culprit = s.constraint;
      return false;
    }
  }
  return true;
}

void solve_loops(LoopElimination& e, In<double> k, Out<double> x, double& left, int& left_row) {
  left = 0, left_row = -1;
  for (LoopStep& s : e.steps) {
    const std::size_t width = s.columns.size(), rank = s.dependent.size();
    for (std::size_t r = 0; r < at(s.rows); ++r) {
      double rest = k[at(s.row) + r];
      for (const LoopStep::Replaced& y : s.replaced)
        rest -= s.K[r * width + at(y.column)] * e.steps[at(y.step)].g[at(y.place)];
      s.k[r] = s.natural[r] > 0 ? rest / s.natural[r] : 0;
    }
    for (int i = 0; i < s.rows - static_cast<int>(rank); ++i) {
      const std::size_t r = at(s.lu.row[rank + at(i)]);
      double difference = s.k[r];
      calc_combination(s.lu, i, e.work.data());
      for (std::size_t p = 0; p < rank; ++p) difference -= e.work[p] * s.k[at(s.lu.row[p])];
      difference = std::abs(difference) * s.natural[r];
      if (difference > left) left = difference, left_row = s.row + static_cast<int>(r);
    }
    solve(s.lu, s.k.data(), s.g.data(), e.work.data());
    for (std::size_t d = 0; d < rank; ++d) s.g[d] *= e.scale[at(s.columns[at(s.dependent[d])])];
  }
  for (std::size_t i = e.steps.size(); i-- > 0;) {
    const LoopStep& s = e.steps[i];
    for (std::size_t d = 0; d < s.dependent.size(); ++d) {
      double sum = s.g[d];
      for (std::size_t o = 0; o < s.open.size(); ++o)
        sum += s.G[d * s.open.size() + o] * x[at(s.columns[at(s.open[o])])];
      x[at(s.columns[at(s.dependent[d])])] = sum;
    }
  }
}

// With L the multipliers of the rows and R the rows that steps leave, K = L R: first R^T mu = f, then L^T lambda = mu.
void solve_loops_transpose(LoopElimination& e, In<double> f, Out<double> lambda) {
  std::copy(f.begin(), f.end(), e.force.begin());
  std::fill(e.carried.begin(), e.carried.end(), 0.0);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  // y = A11^-T of numbers at the dependent columns, then at the pivot rows.
  const auto solve_step = [&](const LoopStep& s, const std::vector<double>& at_columns, double sign) {
    double* y = e.work.data();
    for (std::size_t p = 0; p < s.dependent.size(); ++p) {
      const std::size_t column = at(s.columns[at(s.dependent[at(s.lu.col[p])])]);
      y[p] = e.scale[column] * at_columns[column];
    }
    solve_pivots_transpose(s.lu, y);
    for (std::size_t p = 0; p < s.dependent.size(); ++p) {
      const std::size_t r = at(s.lu.row[p]);
      lambda[at(s.row) + r] += sign * y[p] / s.natural[r];
    }
  };
  for (const LoopStep& s : e.steps) {
    solve_step(s, e.force, 1);
    for (const int o : s.open)
      for (std::size_t r = 0; r < at(s.rows); ++r)
        e.force[at(s.columns[at(o)])] -= s.K[r * s.columns.size() + at(o)] * lambda[at(s.row) + r];
  }
  for (std::size_t i = e.steps.size(); i-- > 0;) {
    const LoopStep& s = e.steps[i];
    solve_step(s, e.carried, -1);
    for (const LoopStep::Replaced& x : s.replaced)
      for (std::size_t r = 0; r < at(s.rows); ++r)
        e.carried[at(s.columns[at(x.column)])] += s.K[r * s.columns.size() + at(x.column)] * lambda[at(s.row) + r];
  }
}

}  // namespace sinew
