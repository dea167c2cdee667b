// src/sim/rough_contacts.cpp
#include "rough_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constants.hpp"

namespace sinew {

using namespace events;

void RoughContacts::solve(const StatePoint& x, std::span<const std::uint64_t> ids, std::span<const ContactGrip> grips,
                          std::span<const std::array<double, 2>> slips) {
  held_.calc(x, ids, 3);
  const lcp::RowLayout& layout = held_.layout();
  const int loops = layout.free, all = layout.rows();
  const auto first = [&](std::size_t c) { return layout.row_of_contact(c); };
  z_.assign(at(all), 0.0), a_ = held_.d();
  if (all == 0) {
    velocities_.clear();
    return;
  }
  held_.get_errors(positions_, velocities_);

  // Loops, normals of sliding contacts, and all three rows of the others.
  rows_.clear(), mu_.clear();
  for (int r = 0; r < loops; ++r) rows_.push_back(r);
  int sliding = 0;
  for (std::size_t c = 0; c < ids.size(); ++c)
    if (grips[c] == ContactGrip::slides) rows_.push_back(first(c)), ++sliding;
  for (std::size_t c = 0; c < ids.size(); ++c)
    if (grips[c] == ContactGrip::cone) {
      for (int k = 0; k < 3; ++k) rows_.push_back(first(c) + k);
      mu_.push_back(held_.chosen()[c].friction);
    }
  const std::size_t n = rows_.size();
  M_.resize(n * n), q_.resize(n), x_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) M_[i * n + j] = held_.get_response(rows_[i], rows_[j]);

  for (int repetition = 0; n > 0; ++repetition) {
    if (repetition == kMostRepetitions)
      throw std::runtime_error("EventDriven: at " + std::to_string(x.time) +
                               " s friction and normal forces of sliding contacts feed each other (Painleve); step in "
                               "time with Simulation instead");
    for (std::size_t i = 0; i < n; ++i) {
      q_[i] = held_.d()[rows_[i]];
      for (std::size_t c = 0; c < ids.size(); ++c)
        if (grips[c] == ContactGrip::slides)
          for (int k = 1; k < 3; ++k) q_[i] += held_.get_response(rows_[i], first(c) + k) * z_[first(c) + k];
    }
    certificate_ = solver_.solve(lcp::FrictionProblem{{M_.data(), n, n}, q_, mu_, {}, loops, sliding}, x_);
    if (certificate_.status != lcp::Status::solved)
      throw std::runtime_error("EventDriven: at " + std::to_string(x.time) + " s no acceleration obeys the " +
                               std::to_string(ids.size()) + " contacts (" +
                               std::string(to_string(certificate_.status)) + "); step in time with Simulation instead");
    for (std::size_t i = 0; i < n; ++i) z_[rows_[i]] = x_[i];
    double change = 0, largest = 0;
    for (const double z : z_) largest = std::max(largest, std::abs(z));
    for (std::size_t c = 0; c < ids.size(); ++c) {
      if (grips[c] != ContactGrip::slides) continue;
      for (std::size_t k = 1; k < 3; ++k) {
        double& z = z_[at(first(c)) + k];
        const double now = -held_.chosen()[c].friction * z_[first(c)] * slips[c][k - 1];
        change = std::max(change, std::abs(now - z));
        z = repetition < kUndamped ? now : (z + now) / 2;  // later ones are damped
      }
    }
    if (change <= kRepeated * largest) break;
  }
  for (int r = 0; r < all; ++r)
    for (int s = 0; s < all; ++s) a_[r] += held_.get_response(r, s) * z_[s];
}

}  // namespace sinew
