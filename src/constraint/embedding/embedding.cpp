// src/constraint/embedding/embedding.cpp
#include "sinew/constraint/embedding/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constraint/checks.hpp"
#include "constraint/embedding/loop_solver.hpp"
#include "constraint/rows/constraint_entry.hpp"
#include "constraint/rows/measure_rows.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {
namespace {

constexpr double kStalled = 1e-10;      // [m or rad] errors below this that no longer shrink are rounding
constexpr double kRankPerError = 10.0;  // [1/m or 1/rad] rank tolerance per distance from closed positions
constexpr double kLeastTerms = 1;       // [m/s^2 or rad/s^2] accelerations whose rounding is no contradiction
constexpr double kFormulae = 1e-8;      // largest difference between formulae and constraints at the neutral position

constexpr double kVelocityRounding = 1e-14;  // velocity errors below this part of the largest velocity are rounding

double largest_error(VectorView<const double> x) {
  double out = 0;
  for (const double e : x) out = std::isfinite(e) ? std::max(out, std::abs(e)) : e;
  return out;
}

void refuse_nonholonomic(const ConstraintSet& set) {
  for (const ConstraintEntry& c : set.entries()) {
    const auto* mask = std::get_if<MaskRows>(&c.kind);
    if (std::holds_alternative<RollingRows>(c.kind) || (mask && !mask->holds_positions))
      throw std::invalid_argument("EmbeddingWorkspace: " + c.name +
                                  " holds velocities, not positions, so no coordinates follow from others; take rows "
                                  "with multipliers instead (constraint/solve, --loops rows)");
  }
}

std::string name_joint_coordinate(const Model& m, int k) {
  for (const JointEntry& j : m.joints())
    if (k >= j.v && k < j.v + j.nv)
      return "joint '" + j.name + "'" + (j.nv > 1 ? fmt::format(" ({} of {})", k - j.v + 1, j.nv) : "");
  return fmt::format("velocity coordinate {}", k);
}
std::string name_joints(const Model& m, const std::vector<int>& all) {
  std::string out;
  for (const int k : all) out += (out.empty() ? "" : ", ") + name_joint_coordinate(m, k);
  return out;
}

// Position coordinate of the joint whose only velocity coordinate is k.
int find_position(const Model& m, int k) {
  for (const Node& n : m.nodes())
    if (n.v == k && n.nv == 1 && n.nq == 1) return n.q;
  throw std::invalid_argument("EmbeddingWorkspace: " + name_joint_coordinate(m, k) +
                              " has several freedoms, so a closure function cannot take its position for y; name "
                              "coordinates of joints with one freedom in EmbeddingOptions::independent");
}

void note_choice(EmbeddingWorkspace& ws) {
  ws.independent.clear();
  std::fill(ws.place_in_y.begin(), ws.place_in_y.end(), -1);
  const std::vector<int>& step = ws.loops.step_of;
  for (std::size_t k = 0; k < step.size(); ++k) {
    if (step[k] >= 0) continue;
    ws.place_in_y[k] = static_cast<int>(ws.independent.size());
    ws.independent.push_back(static_cast<int>(k));
  }
  ws.maps.resize(ws.loops.groups.size());
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    EmbeddedMap& map = ws.maps[g];
    const std::vector<int>& all = ws.loops.groups[g].coordinates;
    map.independent.clear();
    for (const int k : all)
      if (step[at(k)] < 0) map.independent.push_back(k);
    map.X.assign(all.size() * map.independent.size(), 0.0);
  }
  ws.report.freedoms = static_cast<int>(ws.independent.size());
}

double find_worst_pivot(const EmbeddingWorkspace& ws, int& constraint) {
  double out = 1;
  for (const LoopStep& s : ws.loops.steps)
    if (!s.dependent.empty() && s.least_pivot < out) out = s.least_pivot, constraint = s.constraint;
  return out;
}
// The first constraint that makes more or fewer coordinates dependent than where the rank was decided; -1: none.
int find_changed_rank(const EmbeddingWorkspace& ws) {
  for (const LoopStep& s : ws.loops.steps)
    if (static_cast<int>(s.dependent.size()) != ws.rank_of[at(s.constraint)]) return s.constraint;
  return -1;
}
int count_rank(const EmbeddingWorkspace& ws) {
  std::size_t out = 0;
  for (const LoopStep& s : ws.loops.steps) out += s.dependent.size();
  return static_cast<int>(out);
}

void remember_factor(EmbeddingWorkspace& ws, In<double> q, double time) {
  std::copy(q.begin(), q.end(), ws.factored_q.begin());
  ws.factored_time = time, ws.factored = true;
}
bool is_factored(const EmbeddingWorkspace& ws, In<double> q, double time) {
  return ws.factored && time == ws.factored_time && std::equal(q.begin(), q.end(), ws.factored_q.begin());
}

// The rank of the choice that was made is the mechanism's from now on.
void decide_rank(EmbeddingWorkspace& ws) {
  ws.report.rank = count_rank(ws);
  for (const LoopStep& s : ws.loops.steps) ws.rank_of[at(s.constraint)] = static_cast<int>(s.dependent.size());
}

// After calc_constraint_rows. Coordinates that the caller wants come first at the first choice; later ones are free.
void choose(const Model& m, EmbeddingWorkspace& ws, double distance, double time) {
  constexpr double kMost = 1e-2;
  const bool near = distance > kStalled;
  const double tolerance = near ? std::max(linear::kImpliedWhileClosing, std::min(kMost, kRankPerError * distance))
                                : ws.options.rank_tolerance;
  const std::vector<int> before = ws.independent;
  const bool again = ws.chosen;
  if (again) std::fill(ws.held.begin(), ws.held.end(), char{0});
  choose_coordinates(m, ws.rows, ws.loops, ws.held, tolerance);
  note_choice(ws);
  ws.chosen = true, ws.factored = false;
  int where = -1;
  ws.chosen_pivot = find_worst_pivot(ws, where);
  if (!again || before == ws.independent) return;
  CoordinateChange change{time, {}, {}};
  std::set_difference(before.begin(), before.end(), ws.independent.begin(), ws.independent.end(),
                      std::back_inserter(change.left));
  std::set_difference(ws.independent.begin(), ws.independent.end(), before.begin(), before.end(),
                      std::back_inserter(change.joined));
  ws.report.changes.push_back(std::move(change));
}

bool fail(EmbeddingWorkspace& ws, EmbeddingStatus status) {
  ws.report.status = status;
  return false;
}

// Factors the loops at closed positions, after calc_constraint_rows. A choice that no longer serves is replaced once.
bool factor_closed(const Model& m, EmbeddingWorkspace& ws, In<double> q, double time) {
  EmbeddingReport& report = ws.report;
  if (!ws.chosen) choose(m, ws, 0, time), decide_rank(ws);
  if (is_factored(ws, q, time)) return true;
  int where = -1;
  const auto serves = [&] {
    if (count_rank(ws) != report.rank || !factor_loops(m, ws.rows, ws.loops, where)) return false;
    report.least_pivot = find_worst_pivot(ws, where);
    if (!(report.least_pivot > ws.options.rank_tolerance)) return false;
    for (const LoopStep& s : ws.loops.steps)
      if (!(s.left <= ws.options.rank_tolerance)) {
        where = s.constraint;
        return false;
      }
    return true;
  };
  if (!serves()) {
    choose(m, ws, 0, time);
    if (!serves()) {
      const int changed = find_changed_rank(ws);
      report.constraint = changed >= 0 ? changed : where;
      return fail(ws, EmbeddingStatus::singular);
    }
  }
  remember_factor(ws, q, time);
  return true;
}

// X of each group, by the steps in reverse.
void calc_maps(EmbeddingWorkspace& ws) {
  const LoopElimination& e = ws.loops;
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    EmbeddedMap& map = ws.maps[g];
    const std::size_t n = map.independent.size();
    const auto row = [&](int k) { return map.X.data() + at(ws.place_in_group[at(k)]) * n; };
    for (std::size_t j = 0; j < n; ++j) {
      double* own = row(map.independent[j]);
      std::fill(own, own + n, 0.0);
      own[j] = 1;
    }
    for (int i = e.first_step[g + 1]; i-- > e.first_step[g];) {
      const LoopStep& s = e.steps[at(i)];
      for (std::size_t d = 0; d < s.dependent.size(); ++d) {
        double* to = row(s.columns[at(s.dependent[d])]);
        std::fill(to, to + n, 0.0);
        for (std::size_t o = 0; o < s.open.size(); ++o) {
          const double G = s.G[d * s.open.size() + o];
          const double* from = row(s.columns[at(s.open[o])]);
          for (std::size_t j = 0; j < n; ++j) to[j] += G * from[j];  // [F08 8.51]
        }
      }
    }
  }
}

// X and g by formulae; positions and velocities of the whole tree in ws.closed.
void calc_by_formulae(EmbeddingWorkspace& ws, In<double> q, In<double> v) {
  for (std::size_t j = 0; j < ws.y.size(); ++j) {
    ws.y[j] = q[at(ws.y_position[j])];
    ws.yd[j] = v[at(ws.options.independent[j])];
  }
  ClosedMotion& motion = ws.closed.front();
  calc_closure(*ws.options.closure, ws.y, ws.yd, motion);
  ws.g = motion.g;
  const std::size_t all = ws.y.size();
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    EmbeddedMap& map = ws.maps[g];
    const std::vector<int>& coordinates = ws.loops.groups[g].coordinates;
    for (std::size_t j = 0; j < map.independent.size(); ++j) {
      const auto& wanted = ws.options.independent;
      const auto place =
          static_cast<std::size_t>(std::find(wanted.begin(), wanted.end(), map.independent[j]) - wanted.begin());
      for (std::size_t i = 0; i < coordinates.size(); ++i)
        map.X[i * map.independent.size() + j] = motion.G[at(coordinates[i]) * all + place];
    }
  }
}

// The formulae must be those of the constraints, with the coordinates that were named.
void check_formulae(const Model& m, const ConstraintSet& set, EmbeddingWorkspace& ws) {
  const ClosureFunction& f = *ws.options.closure;
  const auto complain = [](const std::string& what) {
    throw std::invalid_argument("EmbeddingWorkspace: the closure function " + what);
  };
  if (f.independents() != static_cast<int>(ws.options.independent.size()))
    complain(fmt::format("has {} independent coordinates, EmbeddingOptions::independent names {}", f.independents(),
                         ws.options.independent.size()));
  calc_constraint_rows(m, set, ws.rows, m.neutral(), ws.rows.zeros);
  choose(m, ws, 0, 0);
  decide_rank(ws);
  std::vector<int> wanted = ws.options.independent;
  std::sort(wanted.begin(), wanted.end());
  if (wanted != ws.independent)
    complain("has other freedoms than the mechanism: independent are " + name_joints(m, ws.independent));
  std::vector<double> y, yd;
  for (const int k : ws.options.independent) {
    ws.y_position.push_back(find_position(m, k));
    y.push_back(m.neutral()[at(ws.y_position.back())]), yd.push_back(1);
  }
  const ClosureCheck c = check_closure(m, set, f, y, yd);
  if (!(c.position <= kFormulae && c.velocity <= kFormulae && c.acceleration <= kFormulae))
    complain(
        fmt::format("differs from the constraints at the neutral position: {:.2g} in positions, {:.2g} in G, "
                    "{:.2g} in g",
                    c.position, c.velocity, c.acceleration));
}

// After calc_constraint_rows and, without formulae, factor_closed: X and g, checked.
bool calc_motion_map(const ConstraintSet& set, EmbeddingWorkspace& ws, In<double> q, In<double> v) {
  EmbeddingReport& report = ws.report;
  if (ws.options.closure) {
    calc_by_formulae(ws, q, v);
    return true;
  }
  calc_maps(ws);
  std::fill(ws.g.begin(), ws.g.end(), 0.0);
  double left = 0;
  int row = -1;
  solve_loops(ws.loops, ws.rows.k, ws.g, left, row);
  if (row < 0) return true;
  measure_accelerations(set, ws.rows, 0, ws.size);
  double terms = kLeastTerms;
  for (const double x : ws.size) terms = std::max(terms, x);
  if (left <= linear::kContradiction * terms) return true;
  report.row = row;
  return fail(ws, EmbeddingStatus::contradiction);
}

bool is_finite(EmbeddingWorkspace& ws) {
  ws.report.position_error = largest_error(ws.rows.position);
  ws.report.velocity_error = largest_error(ws.rows.velocity);
  if (std::isfinite(ws.report.position_error) && std::isfinite(ws.report.velocity_error)) return true;
  return fail(ws, EmbeddingStatus::non_finite);
}

void start_report(EmbeddingReport& r) {
  r.status = EmbeddingStatus::ready;
  r.row = r.constraint = r.coordinate = -1;
}

// The dependent coordinates move until the loops are closed.
bool close_positions(const Model& m, const ConstraintSet& set, EmbeddingWorkspace& ws, Out<double> q, In<double> v,
                     double time) {
  EmbeddingReport& report = ws.report;
  const bool first = !ws.chosen;
  double last = HUGE_VAL;
  ws.closed_by.clear();
  for (report.iterations = 0;; ++report.iterations) {
    calc_constraint_rows(m, set, ws.rows, q, v, time);
    if (!is_finite(ws)) return false;
    const double error = report.position_error;
    const bool stalled = error <= kStalled && error > 0.5 * last;
    if (error <= ws.options.position_tolerance || stalled) break;
    if (report.iterations == ws.options.max_iterations) {
      for (std::size_t r = 0; r < ws.rows.position.size(); ++r)
        if (std::abs(ws.rows.position[r]) == error) report.row = static_cast<int>(r);
      return fail(ws, EmbeddingStatus::not_closed);
    }
    last = error;
    int where = -1;
    ws.factored = false;
    if (!ws.chosen) choose(m, ws, error, time);
    if (!factor_loops(m, ws.rows, ws.loops, where)) {
      choose(m, ws, error, time);
      if (!factor_loops(m, ws.rows, ws.loops, where)) {
        report.constraint = where;
        return fail(ws, EmbeddingStatus::singular);
      }
    }
    for (std::size_t r = 0; r < ws.rhs.size(); ++r) ws.rhs[r] = -ws.rows.position[r];
    std::fill(ws.x.begin(), ws.x.end(), 0.0);
    double left = 0;
    int row = -1;
    solve_loops(ws.loops, ws.rhs, ws.x, left, row);
    integrate(m, In<double>(q), ws.x, 1.0, q);
    ws.closed_by.assign(ws.independent.begin(), ws.independent.end());
  }
  if (first && ws.chosen) {  // chosen away from closed positions, where rows do not imply each other yet
    ws.chosen = false;
    choose(m, ws, 0, time);
    decide_rank(ws);
  }
  return true;
}

}  // namespace

std::string_view to_string(EmbeddingStatus s) {
  constexpr std::string_view kNames[] = {"ready",      "singular",   "contradiction",
                                         "not_closed", "no_inertia", "non_finite"};
  return kNames[static_cast<std::size_t>(s)];
}

EmbeddingWorkspace::EmbeddingWorkspace(const Model& m, const ConstraintSet& set, const EmbeddingOptions& o)
    : options(o),
      rows(m, set),
      loops(m, set, find_groups(m, set)),
      group_of(m.nodes().size(), -1),
      place_in_y(at(m.nv()), -1),
      place_in_group(at(m.nv()), -1),
      g(at(m.nv())),
      rank_of(at(set.constraints())),
      held(at(m.nv())),
      factored_q(at(m.nq())),
      x(at(m.nv())),
      rhs(at(set.rows())),
      size(rhs) {
  refuse_nonholonomic(set);
  closed_by.reserve(at(m.nv()));
  report.rows = set.rows();
  for (const int k : options.independent) {
    check_index("EmbeddingWorkspace", "velocity coordinate", k, held.size());
    held[at(k)] = 1;
  }
  for (std::size_t i = 0; i < loops.groups.size(); ++i) {
    for (const int n : loops.groups[i].nodes) group_of[at(n)] = static_cast<int>(i);
    for (std::size_t k = 0; k < loops.groups[i].coordinates.size(); ++k)
      place_in_group[at(loops.groups[i].coordinates[k])] = static_cast<int>(k);
  }
  if (!options.closure) return;
  check_formulae(m, set, *this);
  closed.emplace_back(m, *options.closure);
  y.resize(options.independent.size());
  yd = y;
}

const EmbeddingReport& prepare_embedding(const Model& m, const ConstraintSet& set, EmbeddingWorkspace& ws, In<double> q,
                                         In<double> v, double time) {
  check_rows("prepare_embedding", m, set, ws.rows);
  check_state("prepare_embedding", m, ws.rows.motion.kinematics.made_for, q.size(), v.size());
  start_report(ws.report);
  calc_constraint_rows(m, set, ws.rows, q, v, time);
  if (!is_finite(ws)) return ws.report;
  if (!ws.options.closure && !factor_closed(m, ws, q, time)) return ws.report;
  calc_motion_map(set, ws, q, v);
  return ws.report;
}

const EmbeddingReport& close_loops(const Model& m, const ConstraintSet& set, EmbeddingWorkspace& ws, Out<double> q,
                                   Out<double> v, double time) {
  check_rows("close_loops", m, set, ws.rows);
  check_state("close_loops", m, ws.rows.motion.kinematics.made_for, q.size(), v.size());
  start_report(ws.report);
  if (ws.options.closure) {
    calc_by_formulae(ws, q, v);
    std::copy(ws.closed.front().q.begin(), ws.closed.front().q.end(), q.begin());
    std::copy(ws.closed.front().v.begin(), ws.closed.front().v.end(), v.begin());
    calc_constraint_rows(m, set, ws.rows, q, v, time);
    is_finite(ws);
    return ws.report;
  }
  if (!close_positions(m, set, ws, q, v, time) || !factor_closed(m, ws, q, time)) return ws.report;
  if (ws.report.velocity_error <= kVelocityRounding * std::max(1.0, largest_error({v.data(), v.size()}))) {
    calc_motion_map(set, ws, q, v);
    return ws.report;
  }
  for (std::size_t r = 0; r < ws.rhs.size(); ++r) ws.rhs[r] = -ws.rows.velocity[r];
  std::fill(ws.x.begin(), ws.x.end(), 0.0);
  double left = 0;
  int row = -1;
  solve_loops(ws.loops, ws.rhs, ws.x, left, row);
  for (std::size_t k = 0; k < ws.x.size(); ++k) v[k] += ws.x[k];
  calc_constraint_rows(m, set, ws.rows, q, v, time);
  if (is_finite(ws)) calc_motion_map(set, ws, q, v);
  return ws.report;
}

bool renew_coordinates(const Model& m, const ConstraintSet& set, EmbeddingWorkspace& ws, In<double> q, In<double> v,
                       double time) {
  check_rows("renew_coordinates", m, set, ws.rows);
  check_state("renew_coordinates", m, ws.rows.motion.kinematics.made_for, q.size(), v.size());
  if (ws.options.closure || !ws.chosen) return false;
  if (!is_factored(ws, q, time)) prepare_embedding(m, set, ws, q, v, time);
  if (ws.report.status != EmbeddingStatus::ready) return false;
  if (ws.report.least_pivot >= ws.options.change_below * ws.chosen_pivot) return false;
  const std::size_t before = ws.report.changes.size();
  choose(m, ws, 0, time);
  prepare_embedding(m, set, ws, q, v, time);
  return ws.report.changes.size() > before;
}

void expand_velocities(const Model& m, const EmbeddingWorkspace& ws, In<double> y, Out<double> x) {
  ws.rows.motion.kinematics.made_for.check("expand_velocities", m);
  check_size("expand_velocities", "y", y.size(), ws.independent.size());
  check_size("expand_velocities", "x", x.size(), at(m.nv()));
  for (std::size_t j = 0; j < y.size(); ++j) x[at(ws.independent[j])] = y[j];
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    const EmbeddedMap& map = ws.maps[g];
    const double* X = map.X.data();
    for (const int k : ws.loops.groups[g].coordinates) {
      double sum = 0;
      for (const int i : map.independent) sum += *X++ * y[at(ws.place_in_y[at(i)])];
      x[at(k)] = sum;
    }
  }
}

void reduce_forces(const Model& m, const EmbeddingWorkspace& ws, In<double> f, Out<double> y) {
  ws.rows.motion.kinematics.made_for.check("reduce_forces", m);
  check_size("reduce_forces", "f", f.size(), at(m.nv()));
  check_size("reduce_forces", "y", y.size(), ws.independent.size());
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = f[at(ws.independent[j])];
  for (std::size_t g = 0; g < ws.maps.size(); ++g) {
    const EmbeddedMap& map = ws.maps[g];
    const double* X = map.X.data();
    for (const int i : map.independent) y[at(ws.place_in_y[at(i)])] = 0;
    for (const int k : ws.loops.groups[g].coordinates)
      for (const int i : map.independent) y[at(ws.place_in_y[at(i)])] += *X++ * f[at(k)];
  }
}

std::string describe(const EmbeddingReport& r, const Model& m, const ConstraintSet& set) {
  switch (r.status) {
    case EmbeddingStatus::ready: return {};
    case EmbeddingStatus::singular:
      return fmt::format(
          "singular: at {} the constraints change their rank ({} independent rows elsewhere), so the independent "
          "coordinates do not determine the motion; start from another position, or take rows with multipliers "
          "(constraint/solve, --loops rows)",
          r.constraint < 0 ? "this position" : set.constraint_name(r.constraint), r.rank);
    case EmbeddingStatus::contradiction:
      return fmt::format("contradiction: no acceleration obeys {} and the rows that imply it; remove one of them",
                         set.row_name(r.row));
    case EmbeddingStatus::not_closed:
      return fmt::format(
          "not_closed: {} is off by {:.3g} m or rad after {} iterations; start closer to a closed position (assemble "
          "finds one), or take smaller steps",
          r.row < 0 ? "a row" : set.row_name(r.row), r.position_error, r.iterations);
    case EmbeddingStatus::no_inertia:
      return fmt::format("no_inertia: {} moves no inertia; give what it carries mass and inertia, or armature",
                         r.coordinate < 0 ? "a joint" : name_joint_coordinate(m, r.coordinate));
    case EmbeddingStatus::non_finite: return "non_finite: a number of the state or of a row is not finite";
  }
  return {};
}

std::string describe(const CoordinateChange& c, const Model& m) {
  return fmt::format("at t = {:g} s {} takes over from {}", c.time, name_joints(m, c.joined), name_joints(m, c.left));
}

}  // namespace sinew
