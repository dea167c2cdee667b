// src/sim/impact_chain.cpp
#include "impact_chain.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sinew::stepping {
namespace {

constexpr double kClosedGap = 2e-9;  // [m] Collisions goes on to 1e-10, in at most five steps

void add_scaled(double by, const double* from, double* to, int n) {
  if (by == 0) return;
  for (int k = 0; k < n; ++k) to[k] += by * from[k];
}
// to += block from, of the rows of one joint.
void add_block(const MovementSlopes::Block& block, int first, int count, const linear::Matrix& from,
               linear::Matrix& to) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k)
      add_scaled(block[at(i)][at(k)], from.row(first + k), to.row(first + i), from.cols());
}
// to += block, at the columns of dq.
void add_block_of_q(const MovementSlopes::Block& block, int first, int count, linear::Matrix& to) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) to(first + i, first + k) += block[at(i)][at(k)];
}

}  // namespace

ImpactChain::ImpactChain(const Model& m, const MovementSlopes& moving)
    : model_(m), moving_(moving), nv_(m.nv()), impact_(m), way_(at(m.nv())), speed_(at(m.nv())) {}

// s and a of the path without impacts.
void ImpactChain::begin(const Step& x) {
  columns_ = 3 * nv_;
  for (const ImpactLog::Round& r : x.log.rounds) columns_ += static_cast<int>(r.contacts.size());
  for (Matrix* m : {&gained_by, &passed_by, &start_by_, &rate_by_, &time_by_}) m->resize(nv_, columns_);
  for (auto* n : {&gained, &passed, &now_}) n->assign(at(nv_), 0.0);
  exact = true;
  const double dt = x.options.dt;
  for (int i = 0; i < nv_; ++i)
    for (int k = 0; k < nv_; ++k) {
      rate_by_(i, k) = x.end_by_q(i, k) / dt, rate_by_(i, nv_ + k) = (x.end_by_v(i, k) - (i == k ? 1 : 0)) / dt;
      rate_by_(i, 2 * nv_ + k) = x.end_by_impulse(i, k) / dt;
    }
  // v is behind its time by half the change in a step, but for bodies that fall on their parabola. What stays at rest
  // against its weight does not fall.
  std::vector<char> falls(at(nv_), 0);
  for (const MovementSlopes::Joint& j : moving_.joints()) {
    bool same = j.single, rests = norm(j.gravity) > 0;
    for (int k = j.v; k < j.v + j.nv; ++k) {
      same = same && x.log.rounds[0].start[at(k)] == x.v[at(k)];
      rests = rests && x.log.path.end[at(k)] == x.v[at(k)];
    }
    if (same && !rests) std::fill_n(falls.begin() + j.v, j.nv, 1);
  }
  for (int i = 0; i < nv_; ++i) {
    start_by_(i, nv_ + i) = 1;
    if (!falls[at(i)]) add_scaled(dt / 2, rate_by_.row(i), start_by_.row(i), columns_);
  }
}

// Place and velocity of the round, at the times that are known: way_by_, v_by_ and what they give there.
void ImpactChain::go_to(const Step& x, const ImpactLog::Round& r) {
  for (Matrix* m : {&way_by_, &v_by_, &place_by_, &there_by_}) m->resize(nv_, columns_);
  for (int i = 0; i < nv_; ++i) {
    const std::size_t k = at(i);
    const double t = r.time[k];
    way_[k] = t * (r.start[k] + 0.5 * t * r.rate[k]) - r.passed[k], speed_[k] = r.start[k] + t * r.rate[k];
    add_scaled(t, start_by_.row(i), way_by_.row(i), columns_);
    add_scaled(0.5 * t * t, rate_by_.row(i), way_by_.row(i), columns_);
    add_scaled(-1, passed_by.row(i), way_by_.row(i), columns_);
    add_scaled(speed_[k], time_by_.row(i), way_by_.row(i), columns_);
    add_scaled(1, start_by_.row(i), v_by_.row(i), columns_);
    add_scaled(t, rate_by_.row(i), v_by_.row(i), columns_);
    add_scaled(r.rate[k], time_by_.row(i), v_by_.row(i), columns_);
  }
  place_by_ = way_by_, there_by_ = v_by_;
  for (int i = 0; i < nv_; ++i) place_by_(i, i) += 1;
  std::vector<double> jump(at(nv_));
  for (std::size_t k = 0; k < jump.size(); ++k) jump[k] = r.after[k] - r.v[k];
  shifts_.resize(moving_.joints().size());
  for (std::size_t s = 0; s < shifts_.size(); ++s) {
    const MovementSlopes::Joint& j = moving_.joints()[s];
    MovementSlopes::Shift& shift = shifts_[s];
    moving_.calc_shift(j, x.q, way_, speed_, jump, shift);
    for (Matrix* m : {&place_by_, &there_by_}) std::fill_n(m->row(j.v), j.nv * m->cols(), 0.0);
    add_block(shift.q_by_way, j.v, j.nv, way_by_, place_by_), add_block_of_q(shift.q_by_q, j.v, j.nv, place_by_);
    add_block(shift.there_by_v, j.v, j.nv, v_by_, there_by_),
        add_block(shift.there_by_way, j.v, j.nv, way_by_, there_by_);
    add_block_of_q(shift.there_by_q, j.v, j.nv, there_by_);
  }
}

int ImpactChain::group_of(const ImpactLog::Round& r, const ContactPoint& c) const {
  for (int node : {c.node_a, c.node_b})
    for (; node > 0; node = model_.nodes()[at(node)].parent)
      if (model_.nodes()[at(node)].nv > 0) return r.group[at(model_.nodes()[at(node)].v)];
  return -1;
}

// Of groups that have moved on: the gap that closes there gives the change of its time.
void ImpactChain::find_times(const Step& x, const ImpactLog::Round& r, StepDerivativesReport& report) {
  // A group whose time is not that of all its coordinates before has moved on, if only in part.
  std::vector<int> moved;
  for (std::size_t k = 0; k < r.time.size(); ++k)
    if (r.time[k] != now_[k] && std::find(moved.begin(), moved.end(), r.group[k]) == moved.end())
      moved.push_back(r.group[k]);
  Matrix times = time_by_;
  for (const int group : moved) {
    // Those that join a group which is at that time already take it from there.
    int closes = -1, closing = 0, known = -1;
    double least = INFINITY;
    for (std::size_t k = 0; k < r.time.size(); ++k)
      if (r.group[k] == group && r.time[k] == now_[k]) known = static_cast<int>(k);
    for (std::size_t c = 0; c < r.contacts.size(); ++c) {
      const ContactPoint& p = r.contacts[c];
      if (p.restitution <= 0 || impact_.approach[c] >= -x.options.rest_speed || group_of(r, p) != group) continue;
      closing += std::abs(p.gap) <= kClosedGap ? 1 : 0;
      if (std::abs(p.gap) < least) least = std::abs(p.gap), closes = static_cast<int>(c);
    }
    if (closing > 1) exact = false, ++report.at_switch;  // two at once: which is first changes with the state
    std::vector<double> by(at(columns_));
    if (known < 0) {
      if (closing == 0)
        throw StepRefused(
            "StepDerivatives: the time of an impact is not that at which a gap closes, so it has no derivatives");
      // The time is not yet part of place_by_ : it is what keeps the gap at zero.
      double rate = 0;
      std::vector<double> speed(at(nv_));
      for (int k = 0; k < nv_; ++k)
        if (r.group[at(k)] == group) speed[at(k)] = speed_[at(k)];
      std::vector<double> moves = speed;
      for (std::size_t s = 0; s < shifts_.size(); ++s) {
        const MovementSlopes::Joint& j = moving_.joints()[s];
        for (int i = 0; i < j.nv; ++i) {
          moves[at(j.v + i)] = 0;
          for (int k = 0; k < j.nv; ++k) moves[at(j.v + i)] += shifts_[s].q_by_way[at(i)][at(k)] * speed[at(j.v + k)];
        }
      }
      const double* gap = impact_.gap_by_q.row(closes);
      for (int k = 0; k < nv_; ++k) {
        rate += gap[k] * moves[at(k)];
        add_scaled(gap[k], place_by_.row(k), by.data(), columns_);
      }
      if (!(rate < 0))
        throw StepRefused("StepDerivatives: the gap of an impact does not close, so it has no derivatives");
      for (double& y : by) y /= -rate;
    } else {
      by.assign(times.row(known), times.row(known) + columns_);
    }
    for (int k = 0; k < nv_; ++k)
      if (r.group[at(k)] == group) std::copy(by.begin(), by.end(), times.row(k));
  }
  time_by_ = times, now_ = r.time;
}

// impacts: contacts of the rounds before.
void ImpactChain::collide(const Step& x, const ImpactLog::Round& r, int impacts) {
  const int n = columns_;
  jump_by_ = there_by_;
  for (double* y = jump_by_.data(); y != jump_by_.data() + jump_by_.size(); ++y) *y = -*y;
  for (int i = 0; i < nv_; ++i)
    for (int k = 0; k < nv_; ++k) {
      add_scaled(impact_.after_by_q(i, k), place_by_.row(k), jump_by_.row(i), n);
      add_scaled(impact_.after_by_v(i, k), there_by_.row(k), jump_by_.row(i), n);
    }
  for (int i = 0; i < nv_; ++i)
    for (int c = 0; c < static_cast<int>(r.contacts.size()); ++c)
      jump_by_(i, 3 * nv_ + impacts + c) += impact_.after_by_restitution(i, c);
  // Along the axes at q.
  Matrix here = jump_by_;
  std::vector<double> D(at(nv_));
  for (std::size_t k = 0; k < D.size(); ++k) D[k] = r.after[k] - r.v[k];
  moving_.flight().turn(r.q, x.q, D);
  for (std::size_t s = 0; s < shifts_.size(); ++s) {
    const MovementSlopes::Joint& j = moving_.joints()[s];
    std::fill_n(here.row(j.v), j.nv * n, 0.0);
    add_block(shifts_[s].back_by_v, j.v, j.nv, jump_by_, here);
    add_block(shifts_[s].back_by_there, j.v, j.nv, place_by_, here);
    add_block_of_q(shifts_[s].back_by_q, j.v, j.nv, here);
  }
  for (int i = 0; i < nv_; ++i) {
    const std::size_t k = at(i);
    const double t = r.time[k];
    add_scaled(1, here.row(i), start_by_.row(i), n), add_scaled(1, here.row(i), gained_by.row(i), n);
    add_scaled(t, here.row(i), passed_by.row(i), n), add_scaled(D[k], time_by_.row(i), passed_by.row(i), n);
    gained[k] += D[k], passed[k] += t * D[k];
  }
}

void ImpactChain::note(const Step& x, const ImpactLog::Round& r, StepDerivativesReport& report) {
  for (std::size_t c = 0; c < r.contacts.size(); ++c) {
    StepRow row{.kind = StepRowKind::impact, .index = report.impacts, .mode = impact_.modes[c]};
    row.distance = impact_.distances[c];
    const double speed = -impact_.approach[c];
    row.at_switch = impact_.at_switch[c] != 0;
    if (r.contacts[c].restitution > 0 && speed > x.options.rest_speed) {
      // Slower than rest_speed it does not bounce.
      row.distance = std::min(row.distance, speed - x.options.rest_speed);
      row.at_switch = row.at_switch || speed - x.options.rest_speed <= x.asked.near * speed;
    }
    if (row.at_switch) exact = false, ++report.at_switch;
    report.rows.push_back(row), ++report.impacts;
  }
  report.unique = report.unique && impact_.unique;
  report.inconsistency = std::max(report.inconsistency, impact_.inconsistency);
}

void ImpactChain::calc(const Step& x, StepDerivativesReport& report) {
  begin(x);
  for (const ImpactLog::Round& r : x.log.rounds) {
    if (r.stops)
      throw StepRefused(
          "StepDerivatives: a stop of a joint took part in an impact with restitution, which has no derivatives");
    if (!impact_.calc(x.shapes, r, x.body_of, x.options.restitution_friction, x.asked, x.time))
      throw StepRefused("StepDerivatives: the impact of " + x.shapes.pair_name(r.contacts[at(impact_.refused)]) +
                        " has no derivatives");
    // Without the changes of the times that are not known yet, then with all.
    for (int k = 0; k < nv_; ++k)
      if (r.time[at(k)] != now_[at(k)]) std::fill_n(time_by_.row(k), columns_, 0.0);
    go_to(x, r);
    find_times(x, r, report);
    go_to(x, r);
    collide(x, r, report.impacts);
    note(x, r, report);
  }
}

}  // namespace sinew::stepping
