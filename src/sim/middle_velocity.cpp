// src/sim/middle_velocity.cpp
#include "sinew/sim/middle_velocity.hpp"

#include <algorithm>
#include <cmath>

namespace sinew {

MiddleVelocity::MiddleVelocity(const Model& m) : last_(at(m.nv())), before_(last_) {
  reached_.q.reserve(at(m.nq())), reached_.v.reserve(at(m.nv()));
}

bool MiddleVelocity::is_reached(const State& s) const {
  return s.time == reached_.time && s.q == reached_.q && s.v == reached_.v;
}

void MiddleVelocity::learn(const State& s, In<double> acceleration) {
  check_size("MiddleVelocity", "the acceleration", acceleration.size(), last_.size());
  std::swap(last_, before_);
  std::copy(acceleration.begin(), acceleration.end(), last_.begin());
  reached_ = s;
  steps_ = std::min(2, steps_ + 1);
}

// Where the last two accelerations are alike they are continued in a straight line. Else something happened, an impact
// or a change of control: the last one counts, but no more than the one before it.
void MiddleVelocity::find_change(const State& s, double dt, Out<double> change) {
  check_size("MiddleVelocity", "the change", change.size(), last_.size());
  constexpr double kAlike = 0.5;
  if (!is_reached(s)) forget();
  for (std::size_t i = 0; i < change.size(); ++i) {
    const double a = last_[i], b = before_[i], size = std::abs(b);
    const bool alike = std::abs(a - b) <= kAlike * std::min(std::abs(a), size);
    change[i] = steps_ < 2 ? 0 : 0.5 * dt * (alike ? 2 * a - b : std::clamp(a, -size, size));
  }
}

std::vector<double> MiddleVelocity::get_memory(const State& s) const {
  std::vector<double> out;
  if (!is_reached(s)) return out;
  if (steps_ > 0) out.insert(out.end(), last_.begin(), last_.end());
  if (steps_ > 1) out.insert(out.end(), before_.begin(), before_.end());
  return out;
}

void MiddleVelocity::set_memory(const State& s, In<double> accelerations) {
  const std::size_t n = last_.size();
  if (accelerations.size() != n && accelerations.size() != 0)
    check_size("MiddleVelocity", "the accelerations", accelerations.size(), 2 * n);
  steps_ = n == 0 ? 0 : static_cast<int>(accelerations.size() / n);
  reached_ = s;
  if (steps_ > 0) std::copy_n(accelerations.begin(), n, last_.begin());
  if (steps_ > 1) std::copy_n(accelerations.begin() + static_cast<std::ptrdiff_t>(n), n, before_.begin());
}

}  // namespace sinew
