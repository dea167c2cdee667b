// src/sim/step_derivatives.cpp
#include "sinew/sim/step_derivatives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "contact_row_slopes.hpp"
#include "impact_chain.hpp"
#include "impulse_slopes.hpp"
#include "movement_slopes.hpp"
#include "simulation_phases.hpp"
#include "sinew/contact/cone.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/tree/regressor.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

using Matrix = linear::Matrix;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kConsistent = 1e-6;      // relative: what rows that depend on each other may disagree
constexpr double kSolvedEquation = 1e-6;  // relative residual of (1): more, and something unknown acts
constexpr double kSameBias = 1e-9;        // relative

// Without the zeros at the end of its rows.
MatrixView<double> square_of(Matrix& m) { return {m.data(), at(m.rows()), at(m.rows()), at(m.cols())}; }

[[noreturn]] void refuse_setup(const std::string& what) { throw std::invalid_argument("StepDerivatives: " + what); }
[[noreturn]] void refuse_step(const std::string& what) { throw StepRefused("StepDerivatives: " + what); }

}  // namespace

std::string_view to_string(StepMode m) {
  switch (m) {
    case StepMode::open: return "open";
    case StepMode::presses: return "presses";
    case StepMode::sticks: return "sticks";
    case StepMode::slides: return "slides";
    case StepMode::drives: return "drives";
    case StepMode::limited: return "limited";
  }
  return "";
}
std::string_view to_string(StepRowKind k) {
  switch (k) {
    case StepRowKind::contact: return "contact";
    case StepRowKind::stop: return "stop";
    case StepRowKind::joint_friction: return "joint friction";
    case StepRowKind::actuator: return "actuator";
    case StepRowKind::impact: return "impact";
  }
  return "";
}

struct StepDerivatives::Impl {
  explicit Impl(Simulation& s);

  // into: where the simulation writes its impacts down, for the time of the step.
  void step(stepping::ImpactLog*& into, In<double> tau, const StepDerivativeOptions&);
  void find_impacts(In<double> tau, const StepDerivativeOptions&);
  bool bounces(int node) const { return node > 0 && !bounced.empty() && bounced[at(node)] != 0; }
  void check_step() const;
  void find_motion();
  void find_rows(const StepDerivativeOptions&);
  void add_contact(std::size_t c, const StepDerivativeOptions&);
  void add_joint_row(std::size_t r, const StepDerivativeOptions&);
  void add_actuators(const StepDerivativeOptions&);
  void find_forces(In<double> tau);
  void find_residual(In<double> tau);
  void start_from_impacts();
  void move();
  void move_by_impacts();
  void move_controls();
  // Sets column c: where a change du of the velocity at the end leads; dw of that after impacts, dback of the way back.
  void set_column(const double* du, const double* dw, const double* dback, MatrixView<double> out, std::size_t c) const;
  void move_row(const stepping::MovementSlopes::Joint&, const std::array<double, 6>& by_u,
                const std::array<double, 6>& by_q, const std::array<double, 6>& by_v, int row);
  double slope_of_gap(double gap, double bias, double lowest, double rounding, const StepDerivativeOptions&, StepRow&);
  void note(StepRow row, bool at_switch);

  Simulation& sim;
  const Model& model;
  const double dt;
  const int nv;
  RneaDerivativesWorkspace<double> rnea;
  stepping::ContactRowSlopes touching;
  stepping::MovementSlopes moving;
  DriveSlopes drives;
  StepDerivativesReport report;
  // The step: from q and v to the state of the simulation, with u.
  std::vector<double> q, v, u, middle, turning, acceleration, force, expected;
  double time = 0;
  std::vector<char> touches;
  std::vector<Force<double>> external;
  std::vector<double> velocities;   // (3 contacts) J u
  Matrix Fq, Fv, M, mass;           // dt times the derivatives of (1); mass: by u
  Matrix contact_q;                 // of contacts, but for what stays on its body
  std::vector<double> gap_by_q;     // (nv) of one contact
  stepping::ImpulseSlopes pressed;  // the rows that press
  // A contact that slides: its normal is this row of `pressed`.
  struct Sliding {
    std::size_t contact = 0;
    int row = 0;
    double normal = 0, s1 = 0, s2 = 0;  // impulse, direction
  };
  std::vector<Sliding> sliding;
  // A contact that presses: its rows of `pressed`, and d(bias)/d(gap).
  struct Pressing {
    std::size_t contact = 0;
    int row = 0, count = 0;
    double slope = 0;
    Vec3<double> impulse{};
  };
  std::vector<Pressing> pressing;
  RegressorWorkspace<double> regressor;
  // Impacts.
  stepping::ImpactLog log;
  stepping::ImpactChain chain;
  std::vector<int> body_of;    // (nodes)
  std::vector<char> bounced;   // (nodes) their tree did
  std::vector<char> of_other;  // (nv) equation (1) is not asked of it: what does not bounce is not on the path
  Matrix end_by_q, end_by_v, end_by_impulse, scratch;
  Matrix by_state, by_control, by_applied;
  double impulse_scale = 0, speed_scale = 0;
};

StepDerivatives::Impl::Impl(Simulation& s)
    : sim(s),
      model(s.model()),
      dt(s.options().dt),
      nv(model.nv()),
      rnea(model),
      touching(model),
      moving(model, dt),
      pressed(model.dof_tree(), {rnea.first_run.data(), rnea.runs.data()}),
      regressor(model),
      chain(model, moving) {
  const SimulationOptions& o = s.options();
  if (s.mechanism()) refuse_setup("embedded loops and other mechanisms have no derivatives of a step; use a tree");
  if (s.constraints().rows() > 0)
    refuse_setup("the model has loops or couplings, which have no derivatives of a step yet");
  if (o.middle_forces)
    refuse_setup("forces half way through a step depend on the steps before it; set middle_forces = false");
  if (o.refinements != 0)
    refuse_setup("corrections of overlap at the end of a step have no derivatives; set refinements = 0");
  if (o.solver.directions != 0) refuse_setup("friction pyramids have no derivatives; set solver.directions = 0");
  if (s.mocap.any()) refuse_setup("mocap bodies have no derivatives of a step");
  const MediumSpec& medium = model.spec().medium;
  if (medium.density != 0 || medium.viscosity != 0) refuse_setup("forces of a medium have no derivatives yet");
  if (const std::string spin = s.shapes().find_spin_friction(); !spin.empty())
    refuse_setup(spin + " resists spinning or rolling, which has no derivatives yet; use the law of sliding");
  if (s.shapes().revision() > 0) refuse_setup("rounded meshes have no derivatives");
  std::vector<double> still(at(nv));
  s.drives().calc_slopes(model.neutral(), still, still, s.control, drives);
  const std::size_t n = at(nv);
  for (auto* x : {&u, &middle, &turning, &acceleration, &force, &expected, &gap_by_q}) x->resize(n);
  for (auto* x : {&Fq, &Fv, &contact_q, &M, &mass}) x->resize(nv, pressed.width());
  by_state.resize(2 * nv, 2 * nv), by_control.resize(2 * nv, s.drives().controls()), by_applied.resize(2 * nv, nv);
}

void StepDerivatives::Impl::step(stepping::ImpactLog*& into, In<double> tau, const StepDerivativeOptions& o) {
  q = sim.state.q, v = sim.state.v, time = sim.state.time;
  log.rounds.clear(), into = &log;
  try {
    sim.step(tau);
  } catch (...) {
    into = nullptr;
    throw;
  }
  into = nullptr;
  report = {};
  check_step();
  bounced.clear(), of_other.clear();
  if (!log.rounds.empty()) find_impacts(tau, o);
  find_motion();
  find_rows(o);
  find_forces(tau);
  if (!pressed.solve(mass, Fq, Fv)) refuse_step("the mass matrix with its drives is not positive definite");
  report.size = pressed.rows(), report.rank = pressed.rank;
  report.unique = report.unique && pressed.unique;
  report.inconsistency = std::max(report.inconsistency, pressed.inconsistency);
  if (!log.rounds.empty()) start_from_impacts();
  move();
  if (!log.rounds.empty()) move_by_impacts();
  move_controls();
  report.differentiable = report.at_switch == 0 && report.unique && report.inconsistency <= kConsistent &&
                          report.remembered == 0 && report.falling == 0;
}

void StepDerivatives::Impl::check_step() const {
  const StepReport& r = sim.report();
  if (r.collisions > 0 && log.rounds.empty())
    refuse_step("impacts at the start of a step have no derivatives; set look_ahead = true");
  if (r.cut_short > 0) refuse_step("the step has more impacts than it may have, so it has no derivatives");
  if (r.stuck > 0) refuse_step("overlaps were left as they are in this step, so it has no derivatives");
  if (r.unsolved > 0) refuse_step("the contact problem of the step was not solved, so it has no derivatives");
}

// The path without impacts, then impact by impact. v becomes the velocity that the rest of the step starts from.
void StepDerivatives::Impl::find_impacts(In<double> tau, const StepDerivativeOptions& o) {
  const std::span<const Node> nodes = model.nodes();
  std::vector<char> root(nodes.size(), 0);
  std::vector<int> root_of(nodes.size(), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i)
    root_of[i] = nodes[i].parent <= 0 ? static_cast<int>(i) : root_of[at(nodes[i].parent)];
  for (const stepping::ImpactLog::Round& r : log.rounds)
    for (const ContactPoint& c : r.contacts) root[at(root_of[at(c.node_a)])] = root[at(root_of[at(c.node_b)])] = 1;
  bounced.assign(nodes.size(), 0), of_other.assign(at(nv), 1);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    bounced[i] = root[at(root_of[i])];
    if (bounced[i]) std::fill_n(of_other.begin() + nodes[i].v, nodes[i].nv, 0);
  }
  std::copy(log.end.begin(), log.end.end(), u.begin());
  touches.assign(nodes.size(), 0);
  moving.calc(q, v, u, q, touches);
  sim.drives().calc_slopes(q, v, u, sim.control, drives);
  external.assign(model.bodies().size(), {});
  std::copy(sim.external.begin(), sim.external.end(), external.begin());
  std::fill_n(contact_q.data(), contact_q.size(), 0.0), std::fill(force.begin(), force.end(), 0.0);
  pressed.clear(0), impulse_scale = 0;
  find_forces(tau);
  of_other.clear();
  if (!pressed.solve(mass, Fq, Fv)) refuse_step("the mass matrix with its drives is not positive definite");
  end_by_q = pressed.u_by_q, end_by_v = pressed.u_by_v, end_by_impulse = pressed.u_by_force;
  body_of.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) body_of[i] = sim.contact_body(static_cast<int>(i));
  chain.calc({sim.shapes(), log, q, v, end_by_q, end_by_v, end_by_impulse, body_of, sim.options(), o, time}, report);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += chain.gained[k];
}

// u, from the velocity at the end along the axes at the end.
void StepDerivatives::Impl::find_motion() {
  std::copy(sim.state.v.begin(), sim.state.v.end(), u.begin());
  moving.flight().turn(sim.state.q, q, u);
  touches.assign(model.nodes().size(), 0);
  for (const ContactPoint& c : sim.contacts()) touches[at(c.node_a)] = touches[at(c.node_b)] = 1;
  moving.calc(q, v, u, sim.state.q, touches, log.rounds.empty() ? In<double>() : In<double>(chain.passed));
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) report.falling += j.falls ? 1 : 0;
  touching.place(q, u, time);
  sim.drives().calc_slopes(q, v, u, sim.control, drives);
}

void StepDerivatives::Impl::note(StepRow row, bool at_switch) {
  row.at_switch = at_switch;
  report.at_switch += row.at_switch || row.tie ? 1 : 0;
  report.rows.push_back(row);
}

// d(bias)/d(gap). lowest: the bias of an overlap that comes back as fast as it may.
double StepDerivatives::Impl::slope_of_gap(double gap, double bias, double lowest, double rounding,
                                           const StepDerivativeOptions& o, StepRow& row) {
  const double recovery = sim.options().recovery;
  if (!sim.options().look_ahead) return 0;
  if (gap < 0 && bias <= lowest) return 0;
  if (recovery != 1) row.gap = std::abs(gap);
  if (std::abs(gap) <= rounding) return (o.side == StepSide::hold ? recovery : 1) / dt;
  return (gap > 0 ? 1 : recovery) / dt;
}

void StepDerivatives::Impl::find_rows(const StepDerivativeOptions& o) {
  const std::size_t contacts = sim.contacts().size(), joint_rows = sim.joint_rows().size();
  sliding.clear(), pressing.clear();
  pressed.clear(static_cast<int>(3 * contacts + joint_rows));
  external.assign(model.bodies().size(), {});
  std::copy(sim.external.begin(), sim.external.end(), external.begin());
  impulse_scale = 0, speed_scale = norm(model.gravity()) * dt;
  for (const double p : sim.contact_impulses()) impulse_scale = std::max(impulse_scale, std::abs(p));
  for (const double p : sim.joint_impulses()) impulse_scale = std::max(impulse_scale, std::abs(p));
  touching.find_velocities(sim.contacts(), velocities);
  for (const double x : velocities) speed_scale = std::max(speed_scale, std::abs(x));
  std::fill_n(contact_q.data(), contact_q.size(), 0.0), std::fill(force.begin(), force.end(), 0.0);
  for (std::size_t c = 0; c < contacts; ++c) add_contact(c, o);
  for (std::size_t r = 0; r < joint_rows; ++r) add_joint_row(r, o);
  add_actuators(o);
}

void StepDerivatives::Impl::add_contact(std::size_t c, const StepDerivativeOptions& o) {
  const ContactPoint& point = sim.contacts()[c];
  const double* p = sim.contact_impulses().data() + 3 * c;
  const double* w = velocities.data() + 3 * c;
  const double bias = sim.contact_bias()[c], most_p = o.near * impulse_scale, most_u = o.near * speed_scale;
  StepRow row{.kind = StepRowKind::contact, .index = static_cast<int>(c)};
  const double parting = w[0] + bias;
  const bool weak = p[0] <= most_p && parting <= most_u;
  const bool bounced_here = bounces(point.node_a) || bounces(point.node_b);
  const bool closed = weak ? o.side == StepSide::hold && !bounced_here : p[0] > most_p;
  if (closed && bounced_here)
    refuse_step(sim.shapes().pair_name(point) +
                " press in a step in which one of them bounces, so it has no derivatives");
  if (!closed) {
    row.distance = std::abs(parting);
    return note(row, weak);
  }
  const double slip = std::hypot(w[1], w[2]), friction = std::hypot(p[1], p[2]);
  const double most = point.friction * p[0], spare = most - friction;
  bool at_switch = weak;
  row.mode = StepMode::presses, row.distance = p[0];
  if (point.friction > 0) {
    const bool neither = spare <= most_p && slip <= most_u;
    const bool slides = neither ? o.side == StepSide::release && most > 0 : spare / impulse_scale < slip / speed_scale;
    row.mode = slides ? StepMode::slides : StepMode::sticks;
    row.distance = slides ? slip : std::min(p[0], spare);
    at_switch = at_switch || neither || (slides && p[0] <= most_p);
  }
  // The gap, and what the step added to it.
  const double lowest = -sim.options().recovery_speed;
  const double rounding = std::max(1e-14 * norm(point.point), o.near * dt * speed_scale);
  const double slope = slope_of_gap(point.gap, bias, lowest, rounding, o, row);
  const double law = !sim.options().look_ahead ? 0
                     : point.gap > 0           ? point.gap / dt
                                               : std::max(lowest, sim.options().recovery * point.gap / dt);
  if (std::abs(bias - law) > kSameBias * std::abs(law) + 1e-14 * norm(point.point) / dt + 1e-12) ++report.remembered;
  const int first = pressed.rows();
  const int count = row.mode == StepMode::presses ? 1 : 3;
  stepping::ContactRowSlopes::Result out{pressed.J.row(first), pressed.Uq.row(first), gap_by_q.data(),
                                         contact_q.data(),     pressed.width(),       count};
  const Vec3<double> impulse = to_world(point.normal, p[0], p[1], p[2]);
  bool tie = false;
  if (!touching.add(sim.shapes(), point, impulse, out, tie))
    refuse_step("the contact of " + sim.shapes().pair_name(point) + " has no derivatives");
  row.tie = tie;
  for (const int k : touching.coordinates()) pressed.Uq(first, k) += slope * gap_by_q[at(k)];
  pressed.add_rows(count, touching.coordinates());
  pressing.push_back({c, first, count, slope, impulse});
  pressed.laws.emplace_back();
  if (count == 3) {
    stepping::ImpulseSlopes::Row tangent;
    if (row.mode == StepMode::slides) {
      tangent.law = stepping::ImpulseSlopes::Row::Law::slides, tangent.mu = point.friction;
      const bool slips = slip > most_u;
      tangent.s1 = slips ? w[1] / slip : -p[1] / friction, tangent.s2 = slips ? w[2] / slip : -p[2] / friction;
      tangent.gain = slips ? most / slip : kNever;
      sliding.push_back({c, first, p[0], tangent.s1, tangent.s2});
    }
    pressed.laws.insert(pressed.laws.end(), 2, tangent);
  }
  // On the bodies, for (1).
  const Vec3<double> f = (1 / dt) * impulse;
  for (const bool on_a : {true, false}) {
    const int node = on_a ? point.node_a : point.node_b;
    if (node == 0) continue;
    const int body = sim.contact_body(node);
    const Transform<double> X = model.bodies()[at(body)].in_node * touching.pose(node);
    const Vec3<double> lin = apply(X.E, on_a ? f : -f);
    external[at(body)] += Force<double>{cross(apply_to_point(X, point.point), lin), lin};
  }
  note(row, at_switch || row.gap <= rounding);
}

void StepDerivatives::Impl::add_joint_row(std::size_t r, const StepDerivativeOptions& o) {
  const JointRow& row = sim.joint_rows()[r];
  const double z = sim.joint_impulses()[r], w = sim.joint_velocities()[r] + row.bias;
  if (row.softness > 0 || row.of_contact || !row.forces.nodes.empty())
    refuse_step("tendons and couples of contacts have no derivatives");
  const Node& n = model.nodes()[at(row.node)];
  const bool stop = std::isinf(row.upper);
  StepRow out{.kind = stop ? StepRowKind::stop : StepRowKind::joint_friction, .index = static_cast<int>(r)};
  const double most_p = o.near * std::max(impulse_scale, 1e-300), most_u = o.near * std::max(speed_scale, std::abs(w));
  bool at_switch = false, holds = false;
  if (stop) {
    const bool weak = z <= most_p && w <= most_u;
    holds = weak ? o.side == StepSide::hold : z > most_p;
    out.mode = holds ? StepMode::presses : StepMode::open, out.distance = holds ? z : std::abs(w);
    at_switch = weak;
  } else {
    const double spare = row.upper - std::abs(z);
    const bool neither = spare <= o.near * row.upper && std::abs(w) <= most_u;
    holds = neither ? o.side == StepSide::hold : spare > o.near * row.upper;
    out.mode = holds ? StepMode::sticks : StepMode::slides, out.distance = holds ? spare : std::abs(w);
    at_switch = neither;
  }
  if (stop && holds && bounces(row.node))
    refuse_step("a joint reaches its stop in a step in which it bounces, so it has no derivatives");
  // The velocity of one coordinate, or its opposite.
  for (int k = 0; k < n.nv; ++k) force[at(n.v + k)] += z / dt * touching.project(row.node, k, row.direction);
  if (!holds) return note(out, at_switch);
  if (stop && n.joint.kind == JointKind::spherical) {
    std::string name;
    for (const JointEntry& j : model.joints())
      if (std::find(j.nodes.begin(), j.nodes.end(), row.node) != j.nodes.end()) name = j.name;
    refuse_step("the stop of the ball joint '" + name + "' has no derivatives yet");
  }
  const int last = pressed.rows();
  for (int k = 0; k < n.nv; ++k) pressed.J(last, n.v + k) = touching.project(row.node, k, row.direction);
  if (stop) {
    const double gap = row.bias > 0 ? row.bias * dt : row.bias * dt / std::max(sim.options().recovery, 1e-300);
    const double rounding = o.near * dt * std::max(speed_scale, 1e-300);
    const double slope = slope_of_gap(gap, row.bias, -sim.options().recovery_speed, rounding, o, out);
    for (int k = n.v; k < n.v + n.nv; ++k) pressed.Uq(last, k) = slope * pressed.J(last, k);
    at_switch = at_switch || out.gap <= rounding;
  }
  std::array<int, 6> coordinates{};
  std::iota(coordinates.begin(), coordinates.end(), n.v);
  pressed.add_rows(1, std::span(coordinates).first(at(n.nv))), pressed.laws.emplace_back();
  note(out, at_switch);
}

void StepDerivatives::Impl::add_actuators(const StepDerivativeOptions& o) {
  for (std::size_t i = 0; i < drives.control.size(); ++i) {
    const ActuatorSpec& a = model.spec().actuators[i];
    const auto k = at(drives.coordinate[i]);
    const double room = std::min({drives.force_room[i], drives.control_room[i], drives.effort_room[k]});
    const double scale =
        std::min({std::max(std::abs(a.force_lower), std::abs(a.force_upper)), model.dofs()[k].max_effort,
                  std::max(std::abs(a.control_lower), std::abs(a.control_upper))});
    StepRow row{.kind = StepRowKind::actuator, .index = static_cast<int>(i)};
    row.mode = drives.limited[i] ? StepMode::limited : StepMode::drives, row.distance = room;
    note(row, std::isfinite(scale) && room <= o.near * scale);
  }
}

// The derivatives of (1), times dt.
void StepDerivatives::Impl::find_forces(In<double> tau) {
  const std::size_t n = at(nv);
  for (std::size_t k = 0; k < n; ++k) middle[k] = v[k];
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    if (j.single) std::fill_n(middle.begin() + j.v, j.nv, 0.0);
  std::fill(turning.begin(), turning.end(), 0.0);
  moving.flight().add_turning(middle, turning);
  for (std::size_t k = 0; k < n; ++k) acceleration[k] = (u[k] - v[k]) / dt - turning[k];
  calc_rnea_derivatives<double>(model, rnea, q, middle, acceleration, expected, square_of(Fq), square_of(Fv),
                                square_of(M), {.external = external, .time = time});
  find_residual(tau);
  for (std::size_t i = 0; i < Fq.size(); ++i) Fq.data()[i] = dt * Fq.data()[i] - contact_q.data()[i];
  for (std::size_t i = 0; i < Fv.size(); ++i) Fv.data()[i] = dt * Fv.data()[i] - M.data()[i];
  // Of bodies that fly alone, inertial forces are the torque of their free spin. Axes of roots turn.
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    const JointKind kind = model.nodes()[at(j.node)].joint.kind;
    if (j.single) {
      for (int i = 0; i < nv; ++i)
        for (int k = j.v; k < j.v + j.nv; ++k) Fv(i, k) = -M(i, k);
      if (kind == JointKind::planar) continue;
      const Mat3<double>& t = j.torque_by_v;
      const double by[3][3] = {{t.xx, t.xy, t.xz}, {t.yx, t.yy, t.yz}, {t.zx, t.zy, t.zz}};
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) Fv(j.v + i, j.v + k) -= dt * by[i][k];
    } else if (!model.nodes()[at(j.node)].joint.reversed && (kind == JointKind::free || kind == JointKind::planar)) {
      double by[6][6] = {};  // of the turning, by v
      const double* x = v.data() + j.v;
      if (kind == JointKind::free) {  // w x l
        const auto put = [&](int row, int col, double a, double b, double c, double sign) {
          by[row][col + 1] = -sign * c, by[row][col + 2] = sign * b, by[row + 1][col] = sign * c;
          by[row + 1][col + 2] = -sign * a, by[row + 2][col] = -sign * b, by[row + 2][col + 1] = sign * a;
        };
        put(3, 3, x[0], x[1], x[2], 1), put(3, 0, x[3], x[4], x[5], -1);
      } else {
        by[1][0] = -x[2], by[1][2] = -x[0], by[2][0] = x[1], by[2][1] = x[0];
      }
      for (int i = 0; i < nv; ++i)
        for (int l = 0; l < j.nv; ++l) {
          if (const double m = dt * M(i, j.v + l); m != 0)
            for (int k = 0; k < j.nv; ++k) Fv(i, j.v + k) -= m * by[l][k];
        }
    }
  }
  mass = M;
  for (int k = 0; k < nv; ++k) {
    Fq(k, k) -= dt * drives.q[at(k)], Fv(k, k) -= dt * drives.v[at(k)], mass(k, k) -= dt * drives.after[at(k)];
  }
}

// Of (1), before anything is built on it.
void StepDerivatives::Impl::find_residual(In<double> tau) {
  const std::size_t n = at(nv);
  for (std::size_t k = 0; k < n; ++k) force[k] += sim.applied[k] + (tau.size() == 0 ? 0 : tau[k]) + drives.force[k];
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    if (!j.single || j.nv < 3 || model.nodes()[at(j.node)].joint.kind == JointKind::planar) continue;
    double* f = force.data() + j.v;
    f[0] += j.torque.x, f[1] += j.torque.y, f[2] += j.torque.z;
  }
  double worst = 0, scale = impulse_scale / dt;  // where all balance, accelerations are rounding
  for (std::size_t k = 0; k < n; ++k) {
    if (!of_other.empty() && of_other[k]) continue;
    const double* row = M.row(static_cast<int>(k));
    double inertial = 0;
    for (std::size_t h = 0; h < n; ++h) inertial += std::abs(row[h] * acceleration[h]);
    worst = std::max(worst, std::abs(expected[k] - force[k])), scale = std::max({scale, inertial, std::abs(force[k])});
  }
  report.residual = scale > 0 ? worst / scale : 0;
  if (report.residual > kSolvedEquation && !of_other.empty())
    refuse_step("what bounces in this step is pressed, held or driven to a limit before its impact");
  if (report.residual > kSolvedEquation)
    refuse_step("the forces of the step are not all known: the equation of motion has a residual of " +
                std::to_string(report.residual));
}

// From u to q+ and v+.
void StepDerivatives::Impl::move() {
  const std::size_t n = at(nv);
  const auto scale = [n](double by, const double* from, double* to) {
    for (std::size_t k = 0; k < n; ++k) to[k] = by * from[k];
  };
  for (int i = 0; i < nv; ++i) {
    scale(dt, pressed.u_by_q.row(i), by_state.row(i)), scale(dt, pressed.u_by_v.row(i), by_state.row(i) + n);
    scale(1, pressed.u_by_q.row(i), by_state.row(nv + i)), scale(1, pressed.u_by_v.row(i), by_state.row(nv + i) + n);
    scale(dt * dt, pressed.u_by_force.row(i), by_applied.row(i));
    scale(dt, pressed.u_by_force.row(i), by_applied.row(nv + i));
    by_state(i, i) += 1;
  }
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    for (int i = 0; i < j.nv; ++i) {
      const std::size_t r = at(i);
      move_row(j, j.q_by_u[r], j.q_by_q[r], j.q_by_v[r], j.v + i);
      move_row(j, j.v_by_u[r], j.v_by_q[r], j.v_by_v[r], nv + j.v + i);
    }
}
void StepDerivatives::Impl::move_controls() {
  for (int r = 0; r < 2 * nv; ++r)
    for (std::size_t i = 0; i < drives.control.size(); ++i)
      by_control(r, static_cast<int>(i)) = drives.control[i] * by_applied(r, drives.coordinate[i]);
}

// The rest of the step starts from the velocity after the impacts: du by that, times its change.
void StepDerivatives::Impl::start_from_impacts() {
  scratch = pressed.u_by_v;
  for (int i = 0; i < nv; ++i)
    for (int k = 0; k < nv; ++k) {
      const double by = scratch(i, k), *gained = chain.gained_by.row(k);
      if (by == 0) continue;
      for (int j = 0; j < nv; ++j) {
        pressed.u_by_q(i, j) += by * gained[j], pressed.u_by_v(i, j) += by * gained[nv + j];
        pressed.u_by_force(i, j) += by * gained[2 * nv + j];
      }
    }
}

// What the impacts change in the places directly: how much less far the step ends, and the spin that it starts with.
void StepDerivatives::Impl::move_by_impacts() {
  const auto add = [&](double by, const double* from, int row) {
    if (by == 0) return;
    for (int k = 0; k < 2 * nv; ++k) by_state(row, k) += by * from[k];
    for (int k = 0; k < nv; ++k) by_applied(row, k) += dt * by * from[2 * nv + k];
  };
  std::vector<char> plain(at(nv), 1);
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    std::fill_n(plain.begin() + j.v, j.nv, 0);
    for (int i = 0; i < j.nv; ++i)
      for (int k = 0; k < j.nv; ++k) {
        const std::size_t r = at(i), c = at(k);
        add(j.q_by_v[r][c], chain.gained_by.row(j.v + k), j.v + i);
        add(j.v_by_v[r][c], chain.gained_by.row(j.v + k), nv + j.v + i);
        add(j.q_by_back[r][c], chain.passed_by.row(j.v + k), j.v + i);
        add(j.v_by_back[r][c], chain.passed_by.row(j.v + k), nv + j.v + i);
      }
  }
  for (int i = 0; i < nv; ++i)
    if (plain[at(i)]) add(-1, chain.passed_by.row(i), i);
}

// A row of the results that is one of a joint.
void StepDerivatives::Impl::move_row(const stepping::MovementSlopes::Joint& j, const std::array<double, 6>& by_u,
                                     const std::array<double, 6>& by_q, const std::array<double, 6>& by_v, int row) {
  const std::size_t n = at(nv);
  double *to = by_state.row(row), *forced = by_applied.row(row);
  std::fill_n(to, 2 * n, 0.0), std::fill_n(forced, n, 0.0);
  for (int l = 0; l < j.nv; ++l) {
    const double by = by_u[at(l)];
    if (by == 0) continue;
    const double *uq = pressed.u_by_q.row(j.v + l), *uv = pressed.u_by_v.row(j.v + l),
                 *uf = pressed.u_by_force.row(j.v + l);
    for (std::size_t k = 0; k < n; ++k) to[k] += by * uq[k], to[n + k] += by * uv[k], forced[k] += dt * by * uf[k];
  }
  for (int k = 0; k < j.nv; ++k) to[j.v + k] += by_q[at(k)], to[nv + j.v + k] += by_v[at(k)];
}

void StepDerivatives::Impl::set_column(const double* du, const double* dw, const double* dback, MatrixView<double> out,
                                       std::size_t c) const {
  const std::size_t n = at(nv);
  for (std::size_t i = 0; i < n; ++i) out(i, c) = dt * du[i] - (dback ? dback[i] : 0), out(n + i, c) = du[i];
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    for (std::size_t i = 0; i < at(j.nv); ++i) {
      double to_q = 0, to_v = 0;
      for (std::size_t k = 0; k < at(j.nv); ++k) {
        const std::size_t l = at(j.v) + k;
        to_q += j.q_by_u[i][k] * du[l], to_v += j.v_by_u[i][k] * du[l];
        if (dw) to_q += j.q_by_v[i][k] * dw[l], to_v += j.v_by_v[i][k] * dw[l];
        if (dback) to_q += j.q_by_back[i][k] * dback[l], to_v += j.v_by_back[i][k] * dback[l];
      }
      out(at(j.v) + i, c) = to_q, out(n + at(j.v) + i, c) = to_v;
    }
}

StepDerivatives::StepDerivatives(Simulation& s, const StepDerivativeOptions& o)
    : options(o), impl_(std::make_unique<Impl>(s)) {}
StepDerivatives::~StepDerivatives() = default;
StepDerivatives::StepDerivatives(StepDerivatives&&) noexcept = default;

const StepDerivativesReport& StepDerivatives::step(In<double> tau) {
  impl_->step(impl_->sim.phases_->collisions.log, tau, options);
  return impl_->report;
}
const StepDerivativesReport& StepDerivatives::report() const { return impl_->report; }
MatrixView<const double> StepDerivatives::state() const { return std::as_const(impl_->by_state); }
MatrixView<const double> StepDerivatives::control() const { return std::as_const(impl_->by_control); }
MatrixView<const double> StepDerivatives::applied() const { return std::as_const(impl_->by_applied); }

// What slides has the friction -mu p_n s: a change of mu is a force -p_n s on its tangents.
void StepDerivatives::calc_by_friction(OutMatrix<double> out) const {
  const Impl& x = *impl_;
  check_shape("calc_by_friction", "the result", out, 2 * at(x.nv), x.sim.contacts().size());
  for (std::size_t i = 0; i < out.rows(); ++i) std::fill_n(&out(i, 0), out.cols(), 0.0);
  std::vector<double> du(at(x.nv));
  for (const Impl::Sliding& s : x.sliding) {
    const double *t1 = x.pressed.J.row(s.row + 1), *t2 = x.pressed.J.row(s.row + 2);
    for (int i = 0; i < x.nv; ++i) {
      double sum = 0;
      for (int k = 0; k < x.nv; ++k) sum -= x.pressed.u_by_force(i, k) * (s.s1 * t1[k] + s.s2 * t2[k]);
      du[at(i)] = s.normal * sum;
    }
    x.set_column(du.data(), nullptr, nullptr, out, s.contact);
  }
}

void StepDerivatives::calc_by_restitution(OutMatrix<double> out) const {
  const Impl& x = *impl_;
  check_shape("calc_by_restitution", "the result", out, 2 * at(x.nv), at(x.report.impacts));
  std::vector<double> du(at(x.nv)), dw(at(x.nv)), dback(at(x.nv));
  for (int c = 0; c < x.report.impacts; ++c) {
    const int column = 3 * x.nv + c;
    for (int i = 0; i < x.nv; ++i)
      dw[at(i)] = x.chain.gained_by(i, column), dback[at(i)] = x.chain.passed_by(i, column);
    for (int i = 0; i < x.nv; ++i) {
      du[at(i)] = 0;
      for (int k = 0; k < x.nv; ++k) du[at(i)] += x.scratch(i, k) * dw[at(k)];  // by the velocity after the impacts
    }
    x.set_column(du.data(), dw.data(), dback.data(), out, at(c));
  }
}

void StepDerivatives::calc_by_placement(int shape, OutMatrix<double> out) {
  Impl& x = *impl_;
  check_index("calc_by_placement", "shape", shape, x.model.spec().shapes.size());
  check_shape("calc_by_placement", "the result", out, 2 * at(x.nv), 6);
  const ShapeSpec& spec = x.model.spec().shapes[at(shape)];
  const int body = x.model.find_body(spec.body).value_or(0);
  if (x.model.bodies()[at(body)].node != 0)
    throw std::invalid_argument("calc_by_placement: shape " + std::to_string(shape) +
                                " is not one of the world, but of '" + spec.body + "'");
  const auto is_it = [&](const ContactPoint& c) {
    const auto [a, b] = x.sim.shapes().shapes_of(c);
    return a == shape || b == shape;
  };
  for (const stepping::ImpactLog::Round& r : x.log.rounds)
    if (std::any_of(r.contacts.begin(), r.contacts.end(), is_it))
      refuse_step("something bounces on shape " + std::to_string(shape) +
                  " in this step, so its place has no derivatives");
  constexpr int kColumns = 8;  // six, and zeros
  Matrix offsets(x.pressed.rows(), kColumns), force_by(x.nv, kColumns), u_by(x.nv, kColumns);
  std::array<double, 6> gap{};
  for (const Impl::Pressing& p : x.pressing) {
    const ContactPoint& c = x.sim.contacts()[p.contact];
    if (!is_it(c)) continue;
    const stepping::ContactRowSlopes::Result to{nullptr,         offsets.row(p.row), gap.data(),
                                                force_by.data(), kColumns,           p.count};
    x.touching.add_placement(x.sim.shapes(), c, p.impulse, x.sim.shapes().shapes_of(c).first == shape, to);
    for (int k = 0; k < 6; ++k) offsets(p.row, k) += p.slope * gap[at(k)];
  }
  for (int i = 0; i < x.nv; ++i)
    for (int h = 0; h < x.nv; ++h)
      for (int k = 0; k < 6; ++k) u_by(i, k) += x.pressed.u_by_force(i, h) * force_by(h, k);
  x.pressed.add_by_offsets(offsets, u_by);
  std::vector<double> du(at(x.nv));
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < x.nv; ++i) du[at(i)] = u_by(i, k);
    x.set_column(du.data(), nullptr, nullptr, out, at(k));
  }
}

// Equation (1) has the forces Y pi.
void StepDerivatives::calc_by_inertia(int body, OutMatrix<double> out) {
  Impl& x = *impl_;
  check_index("calc_by_inertia", "body", body, x.model.bodies().size());
  check_shape("calc_by_inertia", "the result", out, 2 * at(x.nv), kInertialParameters);
  const BodyEntry& entry = x.model.bodies()[at(body)];
  const bool flies = entry.node > 0 && x.moving.flight().is_single(entry.node);
  if (body == 0) throw std::invalid_argument("calc_by_inertia: the world has no inertia");
  if (flies || x.bounces(entry.node))
    refuse_step("the inertia of '" + entry.name + "' has no derivatives: it " +
                (flies ? "flies by its own spin" : "bounces in this step"));
  const std::size_t n = at(x.nv), columns = inertial_parameter_count(x.model);
  std::vector<double> Y(n * columns), du(n);
  calc_regressor<double>(x.model, x.regressor, x.q, x.middle, x.acceleration, {Y.data(), n, columns}, x.time);
  for (std::size_t c = 0; c < kInertialParameters; ++c) {
    const std::size_t column = kInertialParameters * at(body - 1) + c;
    for (std::size_t i = 0; i < n; ++i) {
      du[i] = 0;
      for (std::size_t k = 0; k < n; ++k)
        du[i] -= x.dt * x.pressed.u_by_force(static_cast<int>(i), static_cast<int>(k)) * Y[k * columns + column];
    }
    x.set_column(du.data(), nullptr, nullptr, out, c);
  }
}

}  // namespace sinew
