// apps/eval/exchange.cpp
#include "eval/exchange.hpp"

namespace sinew::app {
namespace {

Numbers transposed(const Numbers& a, std::size_t rows) {
  if (rows == 0) return {};
  const std::size_t cols = a.size() / rows;
  Numbers t(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) t[j * rows + i] = a[i * cols + j];
  return t;
}

}  // namespace

Exchange::Exchange(const Model& m, Convention c) : convention_(c), map_(m, c), nv_(static_cast<std::size_t>(m.nv())) {
  for (const JointEntry& j : m.joints()) find_free(j);
}

void Exchange::find_free(const JointEntry& j) {
  if (j.kind == JointKind::free) free_.push_back(static_cast<std::size_t>(j.v));
  for (const JointEntry& part : j.parts) find_free(part);
}

Numbers Exchange::force(const Numbers& q, const Numbers& tau) const {
  Numbers other(nv_);
  map_.to_other_tau(q, tau, other);
  return other;
}

Numbers Exchange::acceleration(const Numbers& q, const Numbers& v, const Numbers& a) const {
  Numbers other(nv_);
  map_.to_other_a(q, v, a, other);
  return other;
}

Numbers Exchange::acceleration_at_zero(const Numbers& q, const Numbers& v) const {
  Numbers ours(nv_);
  map_.from_other_a(q, v, Numbers(nv_), ours);
  return ours;
}

Numbers Exchange::columns(const Numbers& q, const Numbers& J) const {
  Numbers out(J.size());
  for (std::size_t i = 0; nv_ > 0 && i < J.size(); i += nv_)
    map_.to_other_tau(q, {J.data() + i, nv_}, {out.data() + i, nv_});
  return out;
}

Numbers Exchange::rows(const Numbers& q, const Numbers& Y) const {
  return nv_ == 0 ? Numbers() : transposed(columns(q, transposed(Y, nv_)), Y.size() / nv_);
}

Numbers Exchange::square(const Numbers& q, const Numbers& M) const { return rows(q, columns(q, M)); }

Numbers Exchange::coriolis(const Numbers& q, const Numbers& v, const Numbers& C, const Numbers& M) const {
  if (convention_ != Convention::mujoco) return square(q, C);
  // Column k of d(R^T)/dt R: where the linear velocity x of a free joint is kept in the world, -w x (x in the body).
  Numbers sum = C;
  for (const std::size_t f : free_)
    for (std::size_t i = 0; i < nv_; ++i) {
      const double* row = M.data() + i * nv_ + f + 3;
      const double* w = v.data() + f;
      // row . (-w x e_k) = (w x row)_k
      sum[i * nv_ + f + 3] += w[1] * row[2] - w[2] * row[1];
      sum[i * nv_ + f + 4] += w[2] * row[0] - w[0] * row[2];
      sum[i * nv_ + f + 5] += w[0] * row[1] - w[1] * row[0];
    }
  return square(q, sum);
}

}  // namespace sinew::app
