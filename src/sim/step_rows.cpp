// src/sim/step_rows.cpp
#include "step_rows.hpp"

#include <algorithm>
#include <cmath>

#include "contact/find_id.hpp"
#include "sinew/contact/contact_rows.hpp"

namespace sinew::stepping {

Rows::Rows(const Setting& s, Detection& seen, Drives& drives)
    : set_(s), seen_(seen), drives_(drives), limits_(s.model) {}

void Rows::reserve(std::size_t contacts) {
  for (auto* x : {&bias_, &kept_, &recovery_}) x->reserve(contacts);
  found_.reserve(contacts), corrections_.reserve(contacts);
  for (auto* x : {&u_, &moved_}) x->reserve(std::max(3 * contacts, at(most())));
  v_.reserve(set_.extra.size() + at(set_.model.nv()));
  rows.reserve(at(most())), stuck.contacts.reserve(contacts), stuck.stops.reserve(at(most()));
  bends.contacts.reserve(contacts), bends.by.reserve(contacts);
}

void Rows::find_stops(const Step& step) {
  const In<double> q = set_.q_of_joints(step.state.q), v = set_.v_of_joints(step.state.v);
  const SimulationOptions& o = set_.options;
  limits_.find(q, v, o.dt, o.recovery, step.state.time, rows);
  drives_.add_stops(q, v, seen_.joint_motion(), o.recovery, rows);
  limit_recovery(0, step.report);
}
bool Rows::add_passed(const Step& step, In<double> q_after, In<double> v_after) {
  const SimulationOptions& o = set_.options;
  const std::size_t known = rows.size();
  limits_.add_passed(set_.q_of_joints(step.state.q), q_after, o.dt, o.recovery, step.state.time, rows);
  drives_.add_passed(v_after, o.recovery, rows);
  limit_recovery(known, step.report);
  return rows.size() > known;
}
void Rows::limit_recovery(std::size_t first, StepReport& report) {
  for (std::size_t r = first; r < rows.size(); ++r) {
    if (rows[r].bias >= -set_.options.recovery_speed || rows[r].softness > 0) continue;
    rows[r].bias = -set_.options.recovery_speed;
    ++report.slowed;
  }
}
double Rows::calc_violation(In<double> q) const {
  int coordinate = 0;
  return std::max(limits_.calc_violation(q, coordinate),
                  drives_.calc_violation(seen_.end_joint_motion().kinematics, q));
}

double Rows::calc_gap(const ContactPoint& c) const {
  const auto origin_of = [&](int node) { return seen_.motion().kinematics.X[node].r; };
  const double lengths = norm(c.point) + norm(c.point - origin_of(c.node_a)) + norm(c.point - origin_of(c.node_b));
  return std::abs(c.gap) > kRounding * lengths ? c.gap : 0;
}

// [m/s] at which one step takes back the share options.recovery of an overlap.
double Rows::calc_recovery(const ContactPoint& c) const {
  const SimulationOptions& o = set_.options;
  return o.look_ahead ? o.recovery * std::max(0.0, -calc_gap(c)) / o.dt : 0;
}

void Rows::find_bias(const Step& step) {
  const SimulationOptions& o = set_.options;
  std::size_t bend = 0;
  bias_.clear(), kept_.clear(), recovery_.clear(), found_.clear(), displaced_ = false;
  corrections_.assign(step.contacts.size(), {});
  for (const ContactPoint& c : step.contacts) {
    const double back = calc_recovery(c);
    step.report.slowed += back > o.recovery_speed;
    recovery_.push_back(std::min(back, o.recovery_speed)), found_.push_back(0);
    bias_.push_back(o.look_ahead && c.gap > 0 ? calc_gap(c) / o.dt : -recovery_.back());
    if (bends.contacts.empty() || !contact::find_id(bends.contacts, c.id, bend)) continue;
    bias_.back() += bends.by[bend] / o.dt;
    if (c.gap < 0) bias_.back() = std::max(bias_.back(), -o.recovery_speed);
  }
}

void Rows::learn_bends(const ContactAnswer& answer, std::span<const ContactPoint> at_end, const Step& step) {
  bends.clear();
  if (displaced_) return;
  std::size_t k = 0;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const ContactPoint& start = step.contacts[c];
    if (!(answer.contact[3 * c] > 0) || found_[c] != 0 || !contact::find_id(at_end, start.id, k)) continue;
    const double by = at_end[k].gap - start.gap - set_.options.dt * answer.velocity[3 * c];
    if (by < -set_.options.overlap) bends.contacts.push_back(start.id), bends.by.push_back(by);
  }
}

void Rows::displace(const Step& step, In<double> back) {
  const State& s = step.state;
  displaced_ = true;
  v_.assign(s.v.begin(), s.v.end());
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += back[i] / set_.options.dt;
  VelocityWorkspace<double>& moved = seen_.end_motion();
  set_.calc_motion(s.q, v_, s.time, moved);
  for (auto* x : {&u_, &moved_}) x->resize(3 * step.contacts.size());
  calc_contact_velocities(step.contacts, seen_.motion(), u_);
  calc_contact_velocities(step.contacts, moved, moved_);
  for (std::size_t c = 0; c < bias_.size(); ++c) bias_[c] -= moved_[3 * c] - u_[3 * c];
  if (set_.has_other_view()) return;
  for (auto* x : {&u_, &moved_}) x->resize(rows.size());
  calc_joint_row_velocities(rows, seen_.motion(), u_);
  calc_joint_row_velocities(rows, moved, moved_);
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (std::isinf(rows[r].upper) && rows[r].softness == 0) rows[r].bias -= moved_[r] - u_[r];
}

bool Rows::correct(std::size_t k, double gap_at_end, double u, const Step& step) {
  const SimulationOptions& o = set_.options;
  const double before = step.contacts[k].gap, whole = calc_recovery(step.contacts[k]);
  const double allowed = std::min(0.0, recovery_[k] < whole ? before + o.dt * recovery_[k] : (1 - o.recovery) * before);
  const double missing = allowed - gap_at_end;
  if (missing < o.overlap) return false;
  // Bodies that turn answer by less than they are asked for: by how much less, the last correction tells.
  Correction& last = corrections_[k];
  const double gain = last.asked > 0 ? std::clamp((last.missing - missing) / last.asked, kLeastGain, 1.0) : 1;
  last = {missing, missing / gain};
  bias_[k] = std::min(bias_[k], -u) - last.asked / o.dt;
  if (before < 0 && !displaced_) bias_[k] = std::max(bias_[k], -o.recovery_speed);
  return true;
}

// Leaves the overlap as it is in this step.
void Rows::skip_contact(std::size_t c, const Step& step) {
  step.report.slowed -= calc_recovery(step.contacts[c]) > set_.options.recovery_speed;
  ++step.report.stuck;
  bias_[c] = recovery_[c] = 0;
}
void Rows::skip_stop(std::size_t r, const Step& step) {
  step.report.slowed -= rows[r].bias == -set_.options.recovery_speed;
  ++step.report.stuck;
  rows[r].bias = 0;
}

void Rows::skip_stuck(const Step& step) {
  const bool again = step.totals.steps % kStuckSteps == 0;
  const auto find = [&](std::vector<std::uint64_t>& ids, std::size_t count, auto id_of, auto comes_back, auto leave) {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < count && !again && kept < ids.size(); ++r) {
      const auto found = std::find(ids.begin() + static_cast<std::ptrdiff_t>(kept), ids.end(), id_of(r));
      if (found == ids.end() || !comes_back(r)) continue;
      std::swap(ids[kept++], *found);
      leave(r);
    }
    ids.resize(kept);
  };
  find(
      stuck.stops, rows.size(), [&](std::size_t r) { return rows[r].id; },
      [&](std::size_t r) { return rows[r].bias < 0 && rows[r].softness == 0; },
      [&](std::size_t r) { skip_stop(r, step); });
  find(
      stuck.contacts, step.contacts.size(), [&](std::size_t c) { return step.contacts[c].id; },
      [&](std::size_t c) { return bias_[c] < 0; }, [&](std::size_t c) { skip_contact(c, step); });
}

bool Rows::skip_deep(const ContactAnswer& answer, const Step& step) {
  const double deep = kDeep * set_.options.recovery_speed;
  const std::vector<ContactPoint>& contacts = step.contacts;
  bool any = false;
  for (std::size_t r = 0; r < rows.size(); ++r)
    any = any || (answer.unsolved_joints[r] && rows[r].bias < -deep && rows[r].softness == 0);
  for (std::size_t c = 0; c < contacts.size(); ++c) any = any || (answer.unsolved_contacts[c] && recovery_[c] > deep);
  if (!any) return false;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (answer.unsolved_joints[r] && rows[r].bias < 0 && rows[r].softness == 0)
      skip_stop(r, step), stuck.stops.push_back(rows[r].id);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (answer.unsolved_contacts[c] && recovery_[c] > 0)
      skip_contact(c, step), stuck.contacts.push_back(contacts[c].id);
  return true;
}

std::string Rows::name_row(const JointRow& r) const {
  if (r.of_contact) return "friction against spinning or rolling";
  if (!r.forces.empty()) return drives_.name_row(r);
  for (const JointEntry& j : set_.model.joints())
    if (std::find(j.nodes.begin(), j.nodes.end(), r.node) != j.nodes.end()) return "joint '" + j.name + "'";
  return "a joint";
}

void Rows::name_wedge(std::span<const ContactPoint> contacts, std::span<const JointRow> joints,
                      In<double> contradiction, const Step& step) const {
  if (contradiction.size() == 0) return;
  const auto add = [&](double share, auto name) {
    if (share == 0) return;
    std::string text = name();
    const auto known = std::find_if(step.wedged.begin(), step.wedged.end(), [&](auto& p) { return p.name == text; });
    if (known == step.wedged.end())
      step.wedged.push_back({std::move(text), share});
    else
      known->share = std::max(known->share, share);
  };
  for (std::size_t r = 0; r < joints.size(); ++r) add(std::abs(contradiction[r]), [&] { return name_row(joints[r]); });
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double* d = contradiction.data() + joints.size() + 3 * c;
    add(std::hypot(d[0], d[1], d[2]), [&] { return step.shapes.pair_name(contacts[c]); });
  }
  std::stable_sort(step.wedged.begin(), step.wedged.end(), [](auto& a, auto& b) { return a.share > b.share; });
}

}  // namespace sinew::stepping
