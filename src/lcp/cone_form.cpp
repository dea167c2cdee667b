// src/lcp/cone_form.cpp
#include "sinew/lcp/cone_form.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/infinity.hpp"
#include "lcp/sparse_cone.hpp"
#include "linear/rows.hpp"

namespace sinew::lcp {
namespace {

constexpr std::size_t kTile = 16;
constexpr int kLeastOrdered = 12;  // with fewer contacts ordering does not pay
double lower_of(const FrictionProblem& p, int i) { return p.lower.size() ? p.lower[i] : 0; }
double upper_of(const FrictionProblem& p, int i) { return p.upper.size() ? p.upper[i] : kInfinity; }

// Impulses scaled so that the mean diagonal of every block is one, and the largest velocity is one; made symmetric too.
void equilibrate(ConeForm& f) {
  const std::size_t m = at(f.size);
  for (int k = 0; k < f.blocks(); ++k) {
    double trace = 0;
    for (int i = f.start(k); i < f.start(k) + f.width(k); ++i) trace += std::abs(f.row(i)[i]);
    const double mean = trace / f.width(k);
    for (int i = f.start(k); i < f.start(k) + f.width(k); ++i) f.scale[i] = mean > 0 ? 1 / std::sqrt(mean) : 1;
  }
  double largest = 0;
  for (std::size_t i = 0; i < m; ++i) largest = std::max(largest, std::abs(f.b[i] *= f.scale[i]));
  // tile by tile with its mirror image, so that both stay in the cache
  double* const G = f.G.data();
  const double* const scale = f.scale.data();
  for (std::size_t top = 0; top < m; top += kTile)
    for (std::size_t left = 0; left <= top; left += kTile)
      for (std::size_t i = top; i < std::min(top + kTile, m); ++i) {
        const double own = scale[i];
        const std::size_t end = std::min(left + kTile, i + 1);
        double *row = G + i * m + left, *mirror = G + left * m + i;
        for (std::size_t j = left; j < end; ++j, ++row, mirror += m)
          *row = *mirror = 0.5 * (*row + *mirror) * (own * scale[j]);
      }
  const double unit = f.unit = largest > 0 ? largest : 1;
  for (std::size_t i = 0; i < m; ++i) f.b[i] /= unit, f.scale[i] *= unit;
}

}  // namespace

void ConeForm::calc_velocity(const double* r, double* u) const {
  if (sparse) {
    sparse->multiply(r, u);
    for (int i = 0; i < size; ++i) u[i] += b[i];
    return;
  }
  std::copy_n(b.data(), size, u);
  linear::add_symmetric_product(G.data(), r, u, size);
}

double calc_natural(const ConeForm& f, const double* r, const double* u) {
  double worst = 0;
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    if (f.width(k) == 1) {
      worst = std::max(worst, std::abs(r[n] - f.clamp(k, r[n] - u[n])));
      continue;
    }
    worst = std::max(worst, std::abs(r[n] - std::max(0.0, r[n] - u[n])));
    const std::size_t c = at(k - f.unilateral);
    const double radius = f.mu[c] * (std::max(0.0, r[n]) + f.preload[c]);
    double x = r[n + 1] - u[n + 1], y = r[n + 2] - u[n + 2];
    const double length = std::sqrt(x * x + y * y);
    if (length > radius) x *= radius / length, y *= radius / length;
    worst = std::max({worst, std::abs(r[n + 1] - x), std::abs(r[n + 2] - y)});
  }
  return worst;
}

void BlockRows::reserve(int blocks) {
  const std::size_t pairs = at(blocks) * at(blocks);
  first.reserve(at(blocks) + 1), neighbour.reserve(pairs), values.reserve(12 * pairs);
}

void BlockRows::build(const ConeForm& f) {
  const int blocks = f.blocks();
  first.resize(at(blocks) + 1);
  neighbour.resize(at(blocks) * at(blocks)), values.resize(12 * at(blocks) * at(blocks));
  int count = 0;
  for (int k = 0; k < blocks; ++k) {
    first[k] = count;
    for (int j = 0; j < blocks; ++j) {
      if (j == k) continue;
      double* out = values.data() + 12 * at(count);
      double any = 0;
      std::fill_n(out, 12, 0.0);
      for (int row = 0; row < f.width(k); ++row)
        for (int col = 0; col < f.width(j); ++col) {
          const double g = f.row(f.start(k) + row)[f.start(j) + col];
          out[4 * col + row] = g, any = std::max(any, std::abs(g));
        }
      if (any > 0) neighbour[count++] = j;
    }
  }
  first[blocks] = count;
}

// Finds unilateral rows i and j, without bounds of their own, that are exact opposites, rows and columns.
void ConeReduction::find_pairs(const FrictionProblem& p) {
  partner_.assign(at(p.unilateral), -1);
  const auto bounded = [&](int i) { return lower_of(p, i) != 0 || upper_of(p, i) != kInfinity; };
  const auto are_opposite = [&](std::size_t i, std::size_t j) {
    if (p.q[i] != -p.q[j]) return false;
    for (std::size_t k = 0; k < p.q.size(); ++k)
      if (p.W(i, k) != -p.W(j, k) || p.W(k, i) != -p.W(k, j)) return false;
    return true;
  };
  for (int i = 0; i < p.unilateral; ++i)
    for (int j = i + 1; j < p.unilateral && partner_[i] < 0; ++j)
      if (partner_[j] < 0 && !bounded(i) && !bounded(j) && are_opposite(at(p.free + i), at(p.free + j)))
        partner_[i] = j, partner_[j] = i;
}

// Orders contacts by Cuthill and McKee: starts from one with few neighbours and adds neighbours, those with few
// neighbours first. Coupled contacts are then close together, and elimination makes little fill.
void ConeReduction::order_contacts(const FrictionProblem& p) {
  const int n = p.contacts();
  const RowLayout layout = p.layout();
  contacts_.clear(), degree_.assign(at(n), 0);
  const auto touch = [&](int a, int b) {
    const double* row = p.W.data() + at(layout.row_of_contact(a)) * p.W.stride() + layout.row_of_contact(b);
    for (int i = 0; i < 3; ++i, row += p.W.stride())
      if (row[0] != 0 || row[1] != 0 || row[2] != 0) return true;
    return false;
  };
  if (n < kLeastOrdered) {
    for (int c = 0; c < n; ++c) contacts_.push_back(c);
    return;
  }
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b)
      if (touch(a, b)) ++degree_[a], ++degree_[b];
  std::size_t looked = 0;
  while (static_cast<int>(contacts_.size()) < n) {
    if (looked == contacts_.size()) {  // another island
      int least = -1;
      for (int c = 0; c < n; ++c)
        if (degree_[c] >= 0 && (least < 0 || degree_[c] < degree_[least])) least = c;
      contacts_.push_back(least), degree_[least] = -1;
    }
    const int from = contacts_[looked++];
    const auto begin = static_cast<std::ptrdiff_t>(contacts_.size());
    for (int c = 0; c < n; ++c)
      if (degree_[c] >= 0 && touch(from, c)) contacts_.push_back(c);
    std::sort(contacts_.begin() + begin, contacts_.end(),
              [&](int a, int b) { return degree_[a] != degree_[b] ? degree_[a] < degree_[b] : a < b; });
    for (std::size_t k = static_cast<std::size_t>(begin); k < contacts_.size(); ++k) degree_[contacts_[k]] = -1;
  }
}

void ConeReduction::reserve(const RowLayout& most, ConeForm& f) {
  const std::size_t n = at(most.rows());
  for (auto* x : {&free_, &rest_, &contacts_, &degree_, &partner_}) x->reserve(n);
  for (auto* x : {&f.b, &f.scale, &f.mu, &f.preload, &f.lower, &f.upper}) x->reserve(n);
  f.G.reserve(n * n), skew_b_.reserve(n);
  if (most.free > 0) free_rows_.reserve(n);
}

bool ConeReduction::reduce(const FrictionProblem& p, ConeForm& f, bool& contradiction, double shift,
                           const double* centre) {
  reserve(p.layout(), f);
  find_pairs(p);
  free_.clear(), rest_.clear(), f.lower.clear(), f.upper.clear();
  for (int i = 0; i < p.free; ++i) free_.push_back(i);
  for (int i = 0; i < p.unilateral; ++i) {
    if (partner_[i] < 0)
      rest_.push_back(p.free + i), f.lower.push_back(lower_of(p, i)), f.upper.push_back(upper_of(p, i));
    if (partner_[i] > i) free_.push_back(p.free + i);
  }
  f.unilateral = static_cast<int>(rest_.size()), f.contacts = p.contacts(), f.sparse = nullptr;
  order_contacts(p);
  for (const int c : contacts_)
    for (int i = 0; i < 3; ++i) rest_.push_back(p.layout().row_of_contact(c) + i);
  const int m = f.size = static_cast<int>(rest_.size());
  if (!free_.empty()) free_rows_.reserve(p.q.size());
  f.G.resize(at(m) * at(m)), f.b.resize(at(m)), f.scale.resize(at(m));
  f.mu.resize(at(f.contacts)), f.preload.assign(at(f.contacts), 0.0);
  for (int c = 0; c < f.contacts; ++c) f.mu[c] = p.mu[contacts_[c]];
  contradiction = false;
  if (!free_.empty()) {
    free_rows_.interrupt = f.interrupt;
    const FreeRows::Outcome outcome = free_rows_.eliminate(p.W, p.q, free_, rest_, shift, centre);
    contradiction = outcome == FreeRows::Outcome::contradictory;
    if (contradiction || outcome == FreeRows::Outcome::not_eliminated) return false;
  }
  calc_matrix(p, f.G.data(), f.b.data());
  equilibrate(f);
  for (int k = 0; k < f.unilateral; ++k) f.lower[k] /= f.scale[k], f.upper[k] /= f.scale[k];
  for (int c = 0; c < f.contacts && p.preload.size(); ++c)
    f.preload[c] = p.preload[contacts_[c]] / f.scale[f.layout().row_of_contact(c)];
  return true;
}

// Matrix and vector of the rows that are not free, as they stand. After the elimination.
void ConeReduction::calc_matrix(const FrictionProblem& p, double* G, double* b) {
  if (!free_.empty()) return free_rows_.calc_rest(p.W, p.q, G, b);
  const std::size_t m = rest_.size();
  bool in_order = true;
  for (std::size_t i = 1; i < m; ++i) in_order = in_order && rest_[i] == rest_[i - 1] + 1;
  for (std::size_t i = 0; i < m; ++i) {
    const double* row = p.W.data() + at(rest_[i]) * p.W.stride();
    if (in_order)
      std::copy_n(row + rest_[0], m, G + i * m);
    else
      for (std::size_t j = 0; j < m; ++j) G[i * m + j] = row[rest_[j]];
    b[i] = p.q[rest_[i]];
  }
}

ConeReduction::Asymmetry ConeReduction::calc_skew(const FrictionProblem& p, const ConeForm& f,
                                                  std::vector<double>& skew) {
  const std::size_t m = rest_.size();
  skew_b_.resize(m), skew.resize(m * m);
  calc_matrix(p, skew.data(), skew_b_.data());
  Asymmetry out;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double half = 0.5 * (skew[i * m + j] - skew[j * m + i]) * (f.scale[i] / f.unit) * (f.scale[j] / f.unit);
      if (std::abs(2 * half) > out.largest) out = {std::abs(2 * half), rest_[i], rest_[j]};
      skew[i * m + j] = half, skew[j * m + i] = -half;
    }
    skew[i * m + i] = 0;
  }
  return out;
}

ConeReduction::Asymmetry find_asymmetry(const FrictionProblem& p) {
  ConeReduction reduction;
  ConeForm form;
  std::vector<double> skew;
  bool contradiction = false;
  if (!reduction.reduce(p, form, contradiction)) return {};
  return reduction.calc_skew(p, form, skew);
}

void ConeReduction::scale_start(const ConeForm& f, VectorView<const double> z, double* r) const {
  for (int i = 0; i < f.size; ++i) r[i] = z[rest_[i]] / f.scale[i];
}

void ConeReduction::recover(const FrictionProblem& p, const ConeForm& f, const double* r, VectorView<double> z) {
  for (int i = 0; i < f.size; ++i) z[rest_[i]] = r[i] * f.scale[i];
  for (int i = 0; i < p.unilateral; ++i)
    if (partner_[i] >= 0) z[p.free + i] = 0;
  if (!free_.empty()) free_rows_.recover(p.W, p.q, z);
  // a negative impulse belongs to the opposite row of the pair
  for (int i = 0; i < p.unilateral; ++i) {
    double& one = z[p.free + i];
    if (partner_[i] > i && one < 0) z[p.free + partner_[i]] = -one, one = 0;
  }
}

}  // namespace sinew::lcp
