// src/contact/minimal_contacts.cpp
#include "sinew/contact/minimal_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sinew {
namespace {

constexpr double kDependent = 1e-9;  // of the length of a column: what is left of it is rounding

template <class Column>
double dot_columns(const Column& a, const Column& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
template <class Column>
void subtract(Column& a, double factor, const Column& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}
// Whether q may stand in for a part of p.
bool may_replace(const ContactPoint& p, const ContactPoint& q) {
  if (p.node_a != q.node_a || p.node_b != q.node_b || p.restitution != q.restitution) return false;
  return p.friction == 0 || (q.friction >= p.friction && norm(p.normal - q.normal) <= kDependent);
}

}  // namespace

MinimalContacts::MinimalContacts(int most) {
  if (most < 0) throw std::invalid_argument("MinimalContacts: most is " + std::to_string(most) + ", not a size");
  const auto n = static_cast<std::size_t>(most);
  columns_.resize(n), left_.resize(n);
  kept_.reserve(n), others_.reserve(n + 1), chosen_.reserve(kRows + 1);
}

// Moments about the middle of the points, in units of their spread, so that all rows have one scale.
void MinimalContacts::fill(std::span<const ContactPoint> contacts) {
  Vec3<double> middle;
  for (const ContactPoint& c : contacts) middle += (1 / static_cast<double>(contacts.size())) * c.point;
  double spread = 0;
  for (const ContactPoint& c : contacts) spread = std::max(spread, norm(c.point - middle));
  if (spread == 0) spread = 1;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vec3<double>& n = contacts[i].normal;
    const Vec3<double> m = (1 / spread) * cross(contacts[i].point - middle, n);
    columns_[i] = {m.x, m.y, m.z, n.x, n.y, n.z, contacts[i].gap / spread};
  }
}

std::span<const int> MinimalContacts::find(std::span<const ContactPoint> contacts) {
  if (contacts.size() > columns_.size())
    throw std::invalid_argument("MinimalContacts: " + std::to_string(contacts.size()) + " contacts, made for at most " +
                                std::to_string(columns_.size()));
  fill(contacts);
  const int count = static_cast<int>(contacts.size());
  std::fill(left_.begin(), left_.end(), 1);
  for (int i = count - 1; i >= 0; --i)
    if (follows(i, contacts)) left_[static_cast<std::size_t>(i)] = 0;
  kept_.clear();
  for (int i = 0; i < count; ++i)
    if (left_[static_cast<std::size_t>(i)]) kept_.push_back(i);
  return kept_;
}

bool MinimalContacts::follows(int contact, std::span<const ContactPoint> contacts) {
  const auto own = static_cast<std::size_t>(contact);
  others_.clear();
  others_.push_back({0, 0, 0, 0, 0, 0, 1});  // a gap may be larger than it must
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (i != own && left_[i] && may_replace(contacts[own], contacts[i])) others_.push_back(columns_[i]);
  return is_combination(columns_[own]);
}

// Lawson and Hanson: the column that points most along what is left of b joins those with a coefficient.
bool MinimalContacts::is_combination(const Column& b) {
  const double enough = kDependent * std::sqrt(dot_columns(b, b));
  chosen_.clear();
  for (std::size_t round = 0; round < 4 * kRows; ++round) {
    Column rest = b;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      subtract(rest, has_[k], others_[static_cast<std::size_t>(chosen_[k])]);
    const double length = std::sqrt(dot_columns(rest, rest));
    if (length <= enough) return true;
    int best = -1;
    double most = 1e-3 * kDependent * length;  // below that it is square to what is left
    for (std::size_t j = 0; j < others_.size(); ++j) {
      const double along = dot_columns(others_[j], rest);
      if (along > most && std::find(chosen_.begin(), chosen_.end(), static_cast<int>(j)) == chosen_.end())
        most = along, best = static_cast<int>(j);
    }
    if (best < 0 || chosen_.size() == kRows) return false;
    has_[chosen_.size()] = 0;
    chosen_.push_back(best);
    for (solve_chosen(b); std::any_of(want_.begin(), want_.begin() + static_cast<std::ptrdiff_t>(chosen_.size()),
                                      [](double x) { return x <= 0; });
         solve_chosen(b)) {
      drop_negative();
      if (chosen_.empty()) return false;
    }
    std::copy_n(want_.begin(), chosen_.size(), has_.begin());
  }
  return false;
}

// Least squares with the chosen columns alone, by Gram and Schmidt, twice for the sake of rounding.
void MinimalContacts::solve_chosen(const Column& b) {
  const std::size_t n = chosen_.size();
  std::array<Column, kRows> Q;
  std::array<std::array<double, kRows>, kRows> R{};
  Column rest = b;
  std::array<double, kRows> y{};
  for (std::size_t k = 0; k < n; ++k) {
    Q[k] = others_[static_cast<std::size_t>(chosen_[k])];
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t j = 0; j < k; ++j) {
        const double along = dot_columns(Q[j], Q[k]);
        R[j][k] += along;
        subtract(Q[k], along, Q[j]);
      }
    R[k][k] = std::sqrt(dot_columns(Q[k], Q[k]));
    for (double& q : Q[k]) q /= R[k][k];
    y[k] = dot_columns(Q[k], rest);
    subtract(rest, y[k], Q[k]);
  }
  for (std::size_t k = n; k-- > 0;) {
    want_[k] = y[k];
    for (std::size_t j = k + 1; j < n; ++j) want_[k] -= R[k][j] * want_[j];
    want_[k] /= R[k][k];
  }
}

// As far from what the coefficients are to what they should be as all stay >= 0; those that end at 0 leave.
void MinimalContacts::drop_negative() {
  double step = 1;
  std::size_t first = 0;  // to reach 0
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (want_[k] > 0) continue;
    if (const double reached = has_[k] / (has_[k] - want_[k]); reached < step || step == 1) step = reached, first = k;
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const double now = has_[k] + step * (want_[k] - has_[k]);
    if (k == first || now <= 0) continue;
    has_[next] = now, chosen_[next++] = chosen_[k];
  }
  chosen_.resize(next);
}

}  // namespace sinew
