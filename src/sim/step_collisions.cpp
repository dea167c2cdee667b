// src/sim/step_collisions.cpp
#include "step_collisions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/contact/contact_rows.hpp"

namespace sinew::stepping {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

CollisionSolver make_collision_solver(const Setting& s) {
  const CollisionOptions o{s.options.solver, s.options.restitution_friction};
  if (s.mechanism) return {*s.mechanism, o};
  return {s.model, s.set, s.options.formulation, o};
}

// When  gap + u t + a t^2 / 2  first comes to zero from above; at once where it is not above.
double find_closing(double gap, double u, double a) {
  if (gap <= 0) return 0;
  const double root = u * u - 2 * a * gap;
  if (root < 0) return kNever;
  const double last = -u + std::sqrt(root);  // 2 gap over it: the smaller positive root
  return last > 0 ? 2 * gap / last : kNever;
}

}  // namespace

Collisions::Collisions(const Setting& s, Detection& seen, Rows& rows, Forces& forces, Movement& movement,
                       Solution& solution)
    : solver(make_collision_solver(s)),
      set_(s),
      seen_(seen),
      rows_(rows),
      forces_(forces),
      movement_(movement),
      solution_(solution),
      motion_(s.view) {
  for (const Node& n : s.view.nodes())
    tree_of_.push_back(n.parent <= 0 ? static_cast<int>(tree_of_.size()) : tree_of_[n.parent]);
  groups_.resize(tree_of_.size());
  // Loops, other mechanisms and joints that move by the clock: one time for all.
  const std::span<const Node> nodes = s.model.nodes();
  together_ = s.mechanism || s.set.rows() > 0 ||
              std::any_of(nodes.begin() + 1, nodes.end(), [](const Node& n) { return n.nv == 0; });
  tree_of_v_.assign(at(s.model.nv()) + s.extra.size(), 0);
  for (std::size_t i = 1; i < nodes.size() && !together_; ++i)
    std::fill_n(tree_of_v_.begin() + nodes[i].v, nodes[i].nv, tree_of_[i]);
}

void Collisions::reserve(const State& s, int contacts, int rows) {
  solver.reserve(contacts, rows);
  for (auto* x : {&touching_, &near_}) x->reserve(at(contacts));
  for (auto* x : {&velocities_, &later_}) x->reserve(3 * at(contacts));
  held_.reserve(at(rows_.most())), bouncing_.reserve(at(contacts)), reached_.reserve(tree_of_.size());
  stuck_.contacts.reserve(at(contacts)), stuck_.stops.reserve(at(rows_.most()));
  for (auto* x : {&start_, &rate_, &passed_, &gained_, &late_, &v_, &change_}) x->resize(s.v.size());
  reserve_memory(memory_, at(contacts), at(rows), at(set_.set.rows()));
  q_.resize(s.q.size());
}

// Keeps the touching contacts of trees that touching contacts connect with one that bounces; with loops and other
// mechanisms, all. False if none bounces.
bool Collisions::select_bouncing() {
  if (std::none_of(bouncing_.begin(), bouncing_.end(), [](bool b) { return b; })) return false;
  if (set_.set.rows() > 0 || set_.mechanism) return true;
  const auto trees_of = [&](const ContactPoint& c) { return std::array{tree_of_[c.node_a], tree_of_[c.node_b]}; };
  reached_.assign(tree_of_.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      const auto [a, b] = trees_of(touching_[c]);
      const bool joined = bouncing_[c] || (a != 0 && reached_[a]) || (b != 0 && reached_[b]);
      if (!joined) continue;
      for (const int t : {a, b})
        if (t != 0 && !reached_[t]) reached_[t] = more = true;
      bouncing_[c] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t c = 0; c < touching_.size(); ++c)
    if (bouncing_[c]) touching_[kept++] = touching_[c];
  touching_.resize(kept);
  return true;
}

// Of the contacts in touching_; stops that are reached hold too.
const CollisionAnswer& Collisions::solve(In<double> q, In<double> v, double time, const Step& step) {
  StepReport& report = step.report;
  held_.clear();
  for (const JointRow& r : rows_.rows)
    if (std::isinf(r.upper) && r.bias <= 0) held_.push_back(r), held_.back().bias = 0;
  const CollisionAnswer& a = solver.solve(q, v, touching_, time, held_);
  step.note(a.compression_certificate, a.costs);
  if (a.restituted) step.note(a.restitution_certificate, {});
  rows_.name_wedge(touching_, held_, a.contradiction, step);
  const double gain = a.energy.after - a.energy.before;
  report.collision_gain = report.collisions == 0 ? gain : std::max(report.collision_gain, gain);
  report.work.collisions += gain;
  report.impulse.contacts += calc_world_impulse(touching_, a.compression);
  if (a.restituted) report.impulse.contacts += calc_world_impulse(touching_, a.restitution);
  ++report.collisions;
  return a;
}

// [m] Bodies closer than this touch in a collision: rounding must not separate them.
double Collisions::touch() const { return std::max(set_.options.dt * set_.options.rest_speed, set_.options.overlap); }

void Collisions::run(const Step& step) {
  movement_.clear_displacement();
  if (!may_bounce(step)) return;
  if (!set_.options.look_ahead) return collide_at_start(step);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const double solving = step.totals.assembly + step.totals.solution + step.totals.recovery;
  find_path(step);
  bool any = false;
  for (int rounds = 0; rounds < kMostRounds * kMostCollisions && find_next(step); ++rounds) {
    go_on(step);
    any = collide(step) || any;
  }
  finish(step, any);
  step.totals.detection += std::chrono::duration<double>(Clock::now() - begin).count() + solving -
                           (step.totals.assembly + step.totals.solution + step.totals.recovery);
}

// Whether a contact with restitution may close within the step, fast enough.
bool Collisions::may_bounce(const Step& step) {
  const std::vector<ContactPoint>& contacts = step.contacts;
  if (contacts.empty()) return false;
  velocities_.resize(3 * contacts.size());
  calc_contact_velocities(contacts, seen_.motion(), velocities_);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (contacts[c].restitution > 0 && closes_fast(contacts[c], velocities_[3 * c])) return true;
  return false;
}
// At this normal velocity a contact may close within the step and be faster than rest_speed then.
bool Collisions::closes_fast(const ContactPoint& c, double u) const {
  const SimulationOptions& o = set_.options;
  const double fall = norm(set_.model.gravity()) * o.dt;  // [m/s] in one step; v may be behind by half a step
  if (u >= -std::max(o.rest_speed - 1.5 * fall, 0.25 * o.rest_speed)) return false;
  return o.look_ahead ? c.gap + o.dt * (u - kFalls * fall) <= 0 : c.gap <= 0;
}

// The way of J14: contacts act from overlap on, at the start of a step.
void Collisions::collide_at_start(const Step& step) {
  const SimulationOptions& o = set_.options;
  for (int round = 0; round < kMostCollisions; ++round) {
    calc_contact_velocities(step.contacts, seen_.motion(), velocities_);
    touching_.clear(), bouncing_.clear();
    for (std::size_t c = 0; c < step.contacts.size(); ++c) {
      const ContactPoint& p = step.contacts[c];
      if (p.gap > touch()) continue;
      touching_.push_back(p);
      bouncing_.push_back(p.gap <= 0 && velocities_[3 * c] < -o.rest_speed && p.restitution > 0);
    }
    if (!select_bouncing()) return;
    const CollisionAnswer& a = solve(step.state.q, step.state.v, step.state.time, step);
    std::copy(a.v.begin(), a.v.end(), step.state.v.begin());
    seen_.move_to(step.state.q, step.state.v, step.state.time);
    step.report.slowed = 0;
    rows_.find_stops(step);
  }
  ++step.report.cut_short;
}

// Where the step would lead without the contacts that close fast.
void Collisions::find_path(const Step& step) {
  const SimulationOptions& o = set_.options;
  State& s = step.state;
  near_.assign(step.contacts.begin(), step.contacts.end());
  std::size_t kept = 0;
  for (std::size_t c = 0; c < near_.size(); ++c)
    if (!closes_fast(near_[c], velocities_[3 * c])) step.contacts[kept++] = near_[c];
  const StepReport before = step.report;
  stuck_.contacts = rows_.stuck.contacts, stuck_.stops = rows_.stuck.stops;
  step.contacts.resize(kept);
  forces_.find(step);
  rows_.find_bias(step);
  rows_.skip_stuck(step);
  solution_.solver.get_memory(memory_);
  solution_.solve(step);
  if (log) write_down_path(step);
  step.contacts.assign(near_.begin(), near_.end());
  step.report.slowed = before.slowed, step.report.stuck = before.stuck;
  rows_.stuck.contacts = stuck_.contacts, rows_.stuck.stops = stuck_.stops;

  const std::vector<double>& end = solution_.answer().v;
  for (std::size_t i = 0; i < rate_.size(); ++i) rate_[i] = (end[i] - s.v[i]) / o.dt, start_[i] = (end[i] - s.v[i]) / 2;
  forces_.flight.find_lag(set_.q_of_joints(s.q), set_.v_of_joints(s.v), set_.v_of_joints(end),
                          set_.v_of_joints(start_));
  for (std::size_t i = 0; i < start_.size(); ++i) start_[i] += s.v[i];
  solution_.solver.set_memory(memory_);
  for (auto* x : {&passed_, &gained_, &late_}) std::fill(x->begin(), x->end(), 0.0);
  std::copy(s.q.begin(), s.q.end(), q_.begin()), std::copy(start_.begin(), start_.end(), v_.begin());
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i] = {}, groups_[i].joined = static_cast<int>(i);
  set_.calc_motion(q_, v_, s.time, motion_);
  for (std::size_t c = 0; c < near_.size(); ++c)
    if (near_[c].restitution > 0 && closes_fast(near_[c], velocities_[3 * c]))
      groups_[at(group_of(near_[c]))].bounces = true;
  join_groups();
}

int Collisions::find_group(int tree) {
  while (groups_[at(tree)].joined != tree)
    tree = groups_[at(tree)].joined = groups_[at(groups_[at(tree)].joined)].joined;
  return tree;
}
// Those that contacts of near_ connect go on together, from the later time. True where one had to move for that.
bool Collisions::join_groups() {
  bool moved = false;
  for (const ContactPoint& c : near_) {
    if (c.node_a == 0 || c.node_b == 0) continue;
    const int a = find_group(root_of(c.node_a)), b = find_group(root_of(c.node_b));
    if (a == b) continue;
    Group &to = groups_[at(std::min(a, b))], &from = groups_[at(std::max(a, b))];
    moved = moved || to.time != from.time;
    to.time = std::max(to.time, from.time), to.from = std::max(to.from, from.from);
    to.goes = to.goes || from.goes, to.bounces = to.bounces || from.bounces,
    to.impacts = std::max(to.impacts, from.impacts);
    from.goes = false, from.joined = std::min(a, b);
  }
  return moved;
}

// When the next contact of each group that has restitution closes fast; false if none does within the step.
bool Collisions::find_next(const Step& step) {
  const SimulationOptions& o = set_.options;
  for (auto* x : {&velocities_, &later_}) x->resize(3 * near_.size());
  calc_contact_velocities(near_, motion_, velocities_);
  // The same after the acceleration of a whole step.
  std::copy(rate_.begin(), rate_.end(), change_.begin());
  turn(step.state.q, q_, change_);
  for (std::size_t i = 0; i < v_.size(); ++i) change_[i] = v_[i] + o.dt * change_[i];
  set_.calc_motion(q_, change_, step.state.time + groups_[0].time, seen_.end_motion());
  calc_contact_velocities(near_, seen_.end_motion(), later_);
  for (Group& g : groups_) g.next = kNever;
  bool any = false;
  for (std::size_t c = 0; c < near_.size(); ++c) {
    if (near_[c].restitution <= 0) continue;
    Group& g = groups_[at(group_of(near_[c]))];
    const double u = velocities_[3 * c], a = (later_[3 * c] - u) / o.dt;
    const double closes = find_closing(near_[c].gap, u, a), next = g.time + closes;
    if (log && next <= o.dt && u + closes * a >= -o.rest_speed)
      log->slow.push_back({near_[c].id, o.rest_speed + u + closes * a});
    if (!(next <= o.dt && next < g.next && u + closes * a < -o.rest_speed)) continue;
    if (g.impacts == kMostCollisions) {
      step.report.cut_short = 1;  // the step itself stops what else would bounce
      continue;
    }
    g.next = next, any = true;
  }
  return any;
}

// Places and velocities of all groups, each at its time, and contacts there.
void Collisions::place(const Step& step) {
  const State& s = step.state;
  const double time = groups_[0].time;  // where all have the same
  for (std::size_t k = 0; k < change_.size(); ++k) {
    const double t = groups_[at(find_group(tree_of_v_[k]))].time;
    change_[k] = t * (start_[k] + 0.5 * t * rate_[k]) - passed_[k], v_[k] = start_[k] + t * rate_[k];
  }
  forces_.flight.shift(set_.q_of_joints(s.q), set_.v_of_joints(change_), set_.q_of_joints(q_));
  for (std::size_t k = at(set_.model.nq()), e = at(set_.model.nv()); k < q_.size(); ++k, ++e)
    q_[k] = s.q[k] + change_[e];
  if (step.mocap.any()) step.mocap.end_step(set_.q_of_joints(s.q), time, set_.q_of_joints(q_));
  turn(s.q, q_, v_);
  if (set_.mechanism) set_.mechanism->settle(q_, v_, s.time + time);
  look(step);
}
void Collisions::look(const Step& step) {
  set_.calc_motion(q_, v_, step.state.time + groups_[0].time, motion_);
  step.shapes.find_within(motion_, set_.options.dt, near_);
}

// Groups go to their next impacts. Their times are corrected by Newton's method until the first contact of each that
// has restitution and closes fast has closed: surfaces curve, and bodies turn.
void Collisions::go_on(const Step& step) {
  const double dt = set_.options.dt, slow = set_.options.rest_speed;
  constexpr int kMost = 5;
  constexpr double kClosed = 1e-10;  // [m]
  for (Group& g : groups_) {
    g.goes = g.next != kNever;
    if (g.goes) g.from = g.time, g.time = g.next, ++g.impacts;
  }
  for (int i = 0;; ++i) {
    place(step);
    if (join_groups()) place(step);
    velocities_.resize(3 * near_.size());
    calc_contact_velocities(near_, motion_, velocities_);
    if (i == kMost) return;
    for (Group& g : groups_) g.next = kNever;
    for (std::size_t c = 0; c < near_.size(); ++c) {
      const double u = velocities_[3 * c], gap = near_[c].gap;
      Group& g = groups_[at(group_of(near_[c]))];
      if (near_[c].restitution > 0 && u < -slow && gap / -u < g.next) g.next = gap / -u, g.gap = gap;
    }
    bool moved = false;
    for (Group& g : groups_) {
      if (!g.goes || g.next == kNever || std::abs(g.gap) <= kClosed) continue;
      const double better = std::clamp(g.time + g.next, g.from, dt);
      moved = moved || better != g.time;
      g.time = better;
    }
    if (!moved) return;
  }
}

void Collisions::turn(const std::vector<double>& from, const std::vector<double>& to, std::vector<double>& v) const {
  forces_.flight.turn(set_.q_of_joints(from), set_.q_of_joints(to), set_.v_of_joints(v));
}

// Impulses between what touches here and now, if something bounces.
bool Collisions::collide(const Step& step) {
  touching_.clear(), bouncing_.clear();
  for (std::size_t c = 0; c < near_.size(); ++c) {
    if (near_[c].gap > touch()) continue;
    touching_.push_back(near_[c]);
    bouncing_.push_back(near_[c].gap <= set_.options.overlap && velocities_[3 * c] < -set_.options.rest_speed &&
                        near_[c].restitution > 0);
  }
  if (!select_bouncing()) return false;
  const CollisionAnswer& a = solve(q_, v_, step.state.time + groups_[0].time, step);
  if (log) write_down(a);
  for (std::size_t i = 0; i < v_.size(); ++i) change_[i] = a.v[i] - v_[i], v_[i] = a.v[i];
  turn(q_, step.state.q, change_);
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const double t = groups_[at(find_group(tree_of_v_[i]))].time;
    start_[i] += change_[i], gained_[i] += change_[i], passed_[i] += t * change_[i];
    late_[i] += t * (set_.options.dt - t) / 2 * change_[i];
  }
  look(step);
  if (join_groups()) place(step);
  return true;
}

void Collisions::write_down_path(const Step& step) {
  const ContactAnswer& a = solution_.answer();
  ImpactLog::Path& p = log->path;
  p.end = a.v, p.contacts = step.contacts, p.bias = rows_.bias(), p.impulses = a.contact, p.joints = rows_.rows;
  p.joint_impulses = a.joints, p.joint_velocities = a.joint_velocity;
  forces_.drives().calc_slopes(step.state.q, step.state.v, p.end, step.control, p.drives);
}
void Collisions::write_down(const CollisionAnswer& a) {
  ImpactLog::Round r;
  for (const int tree : tree_of_v_)
    r.group.push_back(find_group(tree)), r.time.push_back(groups_[at(r.group.back())].time);
  r.start = start_, r.rate = rate_, r.passed = passed_, r.q = q_, r.v = v_;
  r.compressed = a.compressed, r.after = a.v, r.contacts = touching_;
  r.compression = a.compression, r.restitution = a.restitution;
  r.stops = std::any_of(a.joints.begin(), a.joints.end(), [](double x) { return x != 0; });
  log->rounds.push_back(std::move(r));
}

// Leaves out contacts with restitution that have bounced, or will in a later step: on its path the step does not close
// them. The problem looks along straight lines only, and would stop what falls a little too early.
void Collisions::leave_out_bouncing(const Step& step) {
  const double slow = set_.options.rest_speed, fall = kFalls * norm(set_.model.gravity()) * set_.options.dt;
  velocities_.resize(3 * step.contacts.size());
  calc_contact_velocities(step.contacts, seen_.motion(), velocities_);
  std::size_t kept = 0;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const double u = velocities_[3 * c];
    const bool bounces = step.contacts[c].restitution > 0 && groups_[at(group_of(step.contacts[c]))].bounces &&
                         (u > fall || (u < -slow && step.contacts[c].gap > 0));
    if (!bounces) step.contacts[kept++] = step.contacts[c];
  }
  step.contacts.resize(kept);
}

// The step goes on with the velocity after all impacts, contacts and stops that this velocity reaches.
void Collisions::finish(const Step& step, bool any) {
  State& s = step.state;
  if (any) {
    for (std::size_t i = 0; i < gained_.size(); ++i) s.v[i] += gained_[i];
    seen_.move_to(s.q, s.v, s.time);
    step.shapes.find_within(seen_.motion(), set_.options.dt, step.contacts);
    movement_.displace(passed_, late_);
  }
  if (step.report.cut_short == 0) leave_out_bouncing(step);
  step.report.slowed = 0;
  rows_.find_stops(step);
  solution_.begin_step();
}

}  // namespace sinew::stepping
