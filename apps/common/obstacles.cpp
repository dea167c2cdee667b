// apps/common/obstacles.cpp
#include "common/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/contradiction.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/model/parts.hpp"
#include "sinew/sim/scene.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew::app {
namespace {

std::string joint_of(const Model& m, int v) {
  for (const JointEntry& j : m.joints())
    if (v >= j.v && v < j.v + j.nv) return j.name;
  return "?";
}

// The first coordinate whose pivot of M = L D L^T vanishes beside its diagonal; -1: M is positive definite.
int find_singular_coordinate(MatrixView<double> M) {
  const std::size_t n = M.rows();
  std::vector<double> pivots(n), scaled(n);
  for (std::size_t k = 0; k < n; ++k) {
    double* row = &M(k, 0);
    for (std::size_t j = 0; j < k; ++j) {
      scaled[j] = row[j];
      for (std::size_t i = 0; i < j; ++i) scaled[j] -= scaled[i] * M(j, i);
    }
    pivots[k] = row[k];
    for (std::size_t j = 0; j < k; ++j) row[j] = scaled[j] / pivots[j], pivots[k] -= row[j] * scaled[j];
    if (!(pivots[k] > 1e-13 * row[k])) return static_cast<int>(k);
  }
  return -1;
}

// work(mass matrix, velocity coordinates of its rows in the whole) for each tree: trees do not feel each other.
template <class Work>
void for_each_mass_matrix(const Model& m, In<double> q, double time, Work work) {
  const auto do_tree = [&](const Model& tree, In<double> own_q, const std::vector<int>& vs) {
    const std::size_t n = at(tree.nv());
    std::vector<double> M(n * n);
    CrbaWorkspace<double> ws(tree);
    crba<double>(tree, ws, own_q, {M.data(), n, n}, time);
    work(MatrixView<double>{M.data(), n, n}, vs);
  };
  const std::vector<ModelPart> parts = split_trees(m);
  for (const ModelPart& p : parts) {
    std::vector<double> own_q(p.q.size());
    for (std::size_t k = 0; k < own_q.size(); ++k) own_q[k] = q[at(p.q[k])];
    do_tree(p.model, own_q, p.v);
  }
  if (!parts.empty()) return;
  std::vector<int> all(at(m.nv()));
  std::iota(all.begin(), all.end(), 0);
  do_tree(m, q, all);
}

class Search {
 public:
  explicit Search(const Model& m) : m_(m), start_(make_state(m)), nv_(at(m.nv())), inertia_(nv_) {
    if (!m.spec().keyframes.empty() && !m.spec().keyframes[0].q.empty()) start_.q = m.spec().keyframes[0].q;
    find_inertia(), find_shapes(), find_constraints(), find_stiffness();
  }
  std::vector<Obstacle> take() { return std::move(out_); }

 private:
  void add(bool stops, std::string what, std::string repair) {
    out_.push_back({stops, std::move(what), std::move(repair)});
  }

  void find_inertia() {
    for_each_mass_matrix(m_, start_.q, start_.time, [&](MatrixView<double> M, const std::vector<int>& vs) {
      for (std::size_t i = 0; i < vs.size(); ++i) inertia_[at(vs[i])] = M(i, i);
    });
    if (std::string text = find_missing_inertia(m_, start_.q, start_.time); !text.empty())
      add(true, std::move(text), "give its body mass and inertia, or add armature");
  }
  void find_shapes() {
    try {
      const ContactShapes shapes(m_);
      for (const std::string& remark : shapes.remarks()) add(false, remark, "");
      const std::vector<Overlap> overlaps = find_self_overlaps(m_, start_.q);
      for (std::size_t i = 0; i < std::min<std::size_t>(overlaps.size(), 5); ++i)
        add(false,
            fmt::format("bodies '{}' and '{}' overlap by {:.3g} mm at the start", overlaps[i].body_a,
                        overlaps[i].body_b, 1000 * overlaps[i].depth),
            "");
      if (!overlaps.empty())
        add(false, fmt::format("{} pairs of bodies overlap at the start", overlaps.size()),
            "sinew sim --self-collision start lets these pairs pass through each other");
    } catch (const std::invalid_argument& e) {
      add(true, e.what(), "sinew sim refuses it");
    }
  }
  void find_constraints() {
    const ConstraintSet set(m_);
    if (const std::string text = find_contradiction(m_, set, start_); !text.empty())
      add(true, text, "remove one of them, or correct the places at which they act");
  }
  // Springs and servos on joints of one coordinate are taken at the end of a step; nothing is too stiff for that.
  void find_stiffness() {
    const double dt = m_.spec().timestep > 0 ? m_.spec().timestep : kUsualStep;
    for (const ActuatorSpec& a : m_.spec().actuators) {
      const JointEntry* j = a.transmission == Transmission::joint ? m_.find_joint(a.target) : nullptr;
      if (!j || j->kind != JointKind::spherical) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const double inertia = inertia_[at(j->v) + k], g = a.gear[k] * a.gear[k];
        if (-a.bias[1] * g * dt * dt > inertia || -a.bias[2] * g * dt > inertia) {
          add(true,
              fmt::format("actuator '{}' on the ball joint '{}' is too stiff for a step of {:g} ms", a.name, a.target,
                          1000 * dt),
              "take a shorter step, or make it softer: forces on ball joints act at the beginning of a step");
          break;
        }
      }
    }
    double fastest = 0;
    std::string name;
    for (std::size_t k = 0; k < nv_; ++k) {
      const DofSpec& d = m_.dofs()[k];
      const double inertia = inertia_[k];
      const double rate =
          inertia > 0 ? std::max(std::sqrt(std::max(0.0, d.stiffness) / inertia), d.damping / inertia) : 0;
      if (rate > fastest) fastest = rate, name = joint_of(m_, static_cast<int>(k));
    }
    if (fastest * dt > 2)
      add(false,
          fmt::format("the spring or damper of joint '{}' is too stiff for explicit integrators at {:g} ms", name,
                      1000 * dt),
          fmt::format("--integrator step takes it as it is; others need steps below {:.2g} ms", 2000 / fastest));
  }

  const Model& m_;
  State start_;
  std::size_t nv_;
  std::vector<double> inertia_;  // (nv) diagonal of the mass matrix
  std::vector<Obstacle> out_;
};

}  // namespace

std::string find_missing_inertia(const Model& m, In<double> q, double time) {
  int singular = -1;  // the first one
  for_each_mass_matrix(m, q, time, [&](MatrixView<double> M, const std::vector<int>& vs) {
    const int found = find_singular_coordinate(M);
    if (found >= 0 && (singular < 0 || vs[at(found)] < singular)) singular = vs[at(found)];
  });
  if (singular < 0) return "";
  const std::string name = joint_of(m, singular);
  const JointEntry* j = m.find_joint(name);
  if (j && j->parent == 0 && j->kind == JointKind::free)
    return fmt::format("joint '{}': the floating base has too little mass or inertia of its own for its six freedoms",
                       name);
  // A joint may have inertia of its own and none that is independent of those before it.
  const JointEntry* base = m.joints().empty() ? nullptr : &m.joints().front();
  return fmt::format(
      "joint '{}' moves no inertia{}", name,
      base && base->parent == 0 && base->kind == JointKind::free
          ? fmt::format(" that '{}' does not move already: the floating base has too little of its own", base->name)
          : "");
}

std::vector<Obstacle> find_obstacles(const Model& m) { return Search(m).take(); }

}  // namespace sinew::app
