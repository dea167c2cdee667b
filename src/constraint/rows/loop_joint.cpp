// src/constraint/rows/loop_joint.cpp
#include "sinew/constraint/rows/loop_joint.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "constraint/rows/pair_rows.hpp"
#include "model/canonical.hpp"
#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/spatial/xtov.hpp"

namespace sinew {
namespace {

constexpr int kMostPositions = 12;  // numbers of q; six freedoms need eight at most
constexpr int kMoreStarts = 12;
using Positions = std::array<double, kMostPositions>;

// (S^T S)^-1 S^T x: the coordinates of a motion along S, the rest as short as it can be.
template <class T>
void project(const JointMotion<T>& m, int nv, const Motion<T>& x, T* out) {
  linear::SmallLdl<T> ldl{nv, {}};
  const auto in_numbers = to_array(x);
  for (int i = 0; i < nv; ++i) {
    const auto s = to_array(m.S[i]);
    out[i] = lit<T>(0);
    for (std::size_t k = 0; k < 6; ++k) out[i] += s[k] * in_numbers[k];
    for (int j = 0; j <= i; ++j) {
      const auto t = to_array(m.S[j]);
      for (std::size_t k = 0; k < 6; ++k) ldl.a[i][j] += s[k] * t[k];
    }
  }
  ldl.factor();
  ldl.solve(out);
}
double length_of(const Motion<double>& d) { return std::sqrt(dot(d.ang, d.ang) + dot(d.lin, d.lin)); }

// F: 6 - nv orthonormal forces that do no work on S. False where the columns of S depend on each other.
template <class T>
bool find_constraint_forces(const JointMotion<T>& m, int nv, std::array<Force<T>, 6>& F) {
  using std::sqrt;
  using Six = std::array<T, 6>;
  std::array<Six, 6> basis{};  // S made orthonormal, then F
  const auto remove = [&](Six& x, int count) {
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < count; ++i) {
        T along = lit<T>(0);
        for (std::size_t k = 0; k < 6; ++k) along += basis[at(i)][k] * x[k];
        for (std::size_t k = 0; k < 6; ++k) x[k] -= along * basis[at(i)][k];
      }
    T square = lit<T>(0);
    for (const T& y : x) square += y * y;
    return sqrt(square);
  };
  const auto keep = [&](Six x, const T& length, int place) {
    for (T& y : x) y /= length;
    basis[at(place)] = x;
  };
  for (int i = 0; i < nv; ++i) {
    Six x = to_array(m.S[i]);
    const T before = remove(x, 0), after = remove(x, i);
    if (!(after > lit<T>(linear::kDependent) * before)) return false;
    keep(x, after, i);
  }
  for (int r = nv; r < 6; ++r) {
    Six best{};
    T longest = lit<T>(0);
    for (std::size_t k = 0; k < 6; ++k) {
      Six x{};
      x[k] = lit<T>(1);
      // Among axes of about equal length take the first: otherwise rounding would decide.
      if (const T length = remove(x, r); length > lit<T>(1.01) * longest) longest = length, best = x;
    }
    keep(best, longest, r);
    F[at(r - nv)] = {{basis[at(r)][0], basis[at(r)][1], basis[at(r)][2]},
                     {basis[at(r)][3], basis[at(r)][4], basis[at(r)][5]}};
  }
  return true;
}

class LoopJoint final : public PairConstraint {
 public:
  LoopJoint(const Model& m, const JointSpec& spec) : made_for_(m), name_(spec.name) {
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument("loop joint '" + spec.name + "': " + why);
    };
    Diagnostics remarks;
    JointPart part = make_canonical(spec, remarks);
    for (const Diagnostic& d : remarks)
      if (d.severity == Severity::error) refuse(d.message + (d.repair.empty() ? "" : "; " + d.repair));
    joint_ = std::move(part.joint);
    if (joint_.nv() > kMaxJointDofs || joint_.nq() > kMostPositions)
      refuse("has " + std::to_string(joint_.nv()) + " freedoms; a loop joint has at most 6");
    const auto body = [&](const std::string& name) -> const BodyEntry& {
      const auto b = m.find_body(name);
      if (!b) refuse("there is no body '" + name + "'");
      return m.bodies()[at(*b)];
    };
    const BodyEntry &a = body(spec.parent), &b = body(spec.child);
    if (a.node == b.node) refuse("its bodies '" + a.name + "' and '" + b.name + "' do not move relative to each other");
    frames_ = {a.node, b.node, part.before * a.in_node, inverse(part.after) * b.in_node};
    neutral(joint_, starts_[0].data());
    if (std::size_t(joint_.nq()) == spec.neutral.size())
      std::copy(spec.neutral.begin(), spec.neutral.end(), starts_[0].begin());
    Random rng(1);
    double lower[kMaxJointDofs], upper[kMaxJointDofs];
    std::fill(lower, lower + kMaxJointDofs, -std::numbers::pi);
    std::fill(upper, upper + kMaxJointDofs, std::numbers::pi);
    for (std::size_t s = 1; s < starts_.size(); ++s) random(joint_, rng, lower, upper, starts_[s].data());
  }

  std::string name() const override { return name_; }
  int rows() const override { return 6 - joint_.nv(); }
  std::vector<delassus::Entry> entries(const Model& m) const override {
    made_for_.check("make_loop_joint", m);
    std::vector<delassus::Entry> out;
    for (int r = 0; r < rows(); ++r)
      for (const int node : {frames_.node_b, frames_.node_a})
        if (node > 0) out.push_back({r, node});
    return out;
  }
  void calc(const ConstraintState& state, const ConstraintOutput& out) const override {
    const PairState<double> m = to_pair_state(calc_relative_motion(frames_, state.motion));
    PairRow<double> found[6];
    calc_rows_of_pair(m, state.time, found);
    write_rows(frames_, m.X, found, rows(), {out.K.data(), out.k.data(), out.position.data(), out.velocity.data()});
  }
  const FramePair& frames() const override { return frames_; }
  void calc_rows_of_pair(const PairState<double>& m, double time, PairRow<double>* out) const override {
    Positions q{};
    JointMotion<double> nearest;
    find_nearest(m.X, time, q, nearest);
    write_pair(m, time, q.data(), nearest, out);
  }
  // Gauss-Newton again, for the slopes: its steps converge to those of the nearest position as it does itself.
  void calc_rows_of_pair(const PairState<Dual>& m, double time, PairRow<Dual>* out) const override {
    constexpr int kMostSteps = 200;
    constexpr double kSmall = 1e-12;  // of the slopes so far
    Positions start{};
    JointMotion<double> there;
    find_nearest(values_of(m.X), time, start, there);
    std::array<Dual, kMostPositions> q, next;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = Dual(start[i]);
    const Dual rest[kMaxJointDofs] = {};
    JointMotion<Dual> nearest;
    calc_joint(joint_, q.data(), rest, time, nearest);
    for (int iteration = 0, done = joint_.nv() == 0; !done; ++iteration) {
      if (iteration == kMostSteps)
        throw std::domain_error("loop joint '" + name_ + "': it is too far open to be differentiated");
      Dual step[kMaxJointDofs];
      project(nearest, joint_.nv(), xtov_exact(m.X * inverse(nearest.X)), step);
      double longest = 1;
      for (const Dual& x : q) longest = std::max(longest, std::abs(x.slope));
      done = 1;
      for (int k = 0; k < joint_.nv(); ++k) {
        done = done && std::abs(step[k].slope) < kSmall * longest;
        step[k].value = 0;  // the position itself is found
      }
      integrate(joint_, q.data(), step, next.data());
      q = next;
      calc_joint(joint_, q.data(), rest, time, nearest);
    }
    write_pair(m, time, q.data(), nearest, out);
  }

 private:
  static Transform<double> values_of(const Transform<Dual>& X) {
    const Mat3<Dual>& e = X.E.m;
    return {
        {{e.xx.value, e.xy.value, e.xz.value, e.yx.value, e.yy.value, e.yz.value, e.zx.value, e.zy.value, e.zz.value}},
        {X.r.x.value, X.r.y.value, X.r.z.value}};
  }
  // The rows at the nearest position q; `nearest`: the joint there, with qd = 0.
  template <class T>
  void write_pair(const PairState<T>& m, double time, const T* q, JointMotion<T>& nearest, PairRow<T>* out) const {
    std::array<Force<T>, 6> F;
    const int nv = joint_.nv();
    if (!find_constraint_forces(nearest, nv, F))
      throw std::domain_error("loop joint '" + name_ + "': its freedoms depend on each other at this position");
    // v_J = S qd + what the law prescribes; c belongs to that qd
    T qd[kMaxJointDofs] = {};
    project(nearest, nv, m.u - nearest.v, qd);
    calc_joint(joint_, q, qd, time, nearest);
    const Motion<T> rate = m.w - nearest.c, slip = m.u - nearest.v;
    const Motion<T> d = xtov_exact(m.X * inverse(nearest.X));  // [F08 8.25, 8.26]
    for (std::size_t r = 0; r < at(rows()); ++r)
      out[r] = {F[r], dot(F[r], rate), dot(F[r], d),
                dot(F[r], slip)};  // [F08 8.47, 8.27, 8.9], less the law's velocity
  }
  // The coordinates at which the joint comes closest to X, and its motion there with qd = 0.
  void find_nearest(const Transform<double>& X, double time, Positions& best, JointMotion<double>& motion) const {
    constexpr double kReached = 1e-6;  // [rad, m] one start is enough
    double least = std::numeric_limits<double>::infinity();
    for (const Positions& start : starts_) {
      Positions q = start;
      const double misfit = approach(X, time, q);
      if (misfit < least) least = misfit, best = q;
      if (least < kReached || joint_.nv() == 0) break;
    }
    misfit_at(X, time, best, motion);
  }
  double misfit_at(const Transform<double>& X, double time, const Positions& q, JointMotion<double>& motion) const {
    const double rest[kMaxJointDofs] = {};
    calc_joint(joint_, q.data(), rest, time, motion);
    return length_of(xtov_exact(X * inverse(motion.X)));
  }
  // Gauss-Newton with shorter steps where the full one leads away.
  double approach(const Transform<double>& X, double time, Positions& q) const {
    JointMotion<double> motion;
    double misfit = misfit_at(X, time, q, motion);
    for (int iteration = 0; iteration < 100; ++iteration) {
      double step[kMaxJointDofs], shorter[kMaxJointDofs];
      project(motion, joint_.nv(), xtov_exact(X * inverse(motion.X)), step);
      bool closer = false;
      for (double part = 1; part > 1e-3 && !closer; part /= 2) {
        for (int k = 0; k < joint_.nv(); ++k) shorter[k] = part * step[k];
        Positions next{};
        JointMotion<double> there;
        integrate(joint_, q.data(), shorter, next.data());
        normalize(joint_, next.data());
        const double then = misfit_at(X, time, next, there);
        if (!(then < misfit)) continue;
        closer = true;
        q = next, misfit = then, motion = there;
      }
      if (!closer) break;
    }
    return misfit;
  }

  MadeFor made_for_;
  std::string name_;
  Joint joint_;
  FramePair frames_;
  std::array<Positions, 1 + kMoreStarts> starts_{};
};

}  // namespace

std::shared_ptr<const CustomConstraint> make_loop_joint(const Model& m, const JointSpec& spec) {
  return std::make_shared<LoopJoint>(m, spec);
}

}  // namespace sinew
