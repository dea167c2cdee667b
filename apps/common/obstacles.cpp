// apps/common/obstacles.cpp
#include "common/obstacles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/contradiction.hpp"
#include "sinew/contact/contact_shapes.hpp"
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
int find_singular_coordinate(std::vector<double> M, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double diagonal = M[k * n + k];
    double pivot = diagonal;
    for (std::size_t j = 0; j < k; ++j) pivot -= M[k * n + j] * M[k * n + j] * M[j * n + j];
    if (!(pivot > 1e-13 * diagonal)) return static_cast<int>(k);
    M[k * n + k] = pivot;
    for (std::size_t i = k + 1; i < n; ++i) {
      double x = M[i * n + k];
      for (std::size_t j = 0; j < k; ++j) x -= M[i * n + j] * M[k * n + j] * M[j * n + j];
      M[i * n + k] = x / pivot;
    }
  }
  return -1;
}

std::vector<double> calc_mass_matrix(const Model& m, In<double> q, double time) {
  const std::size_t n = at(m.nv());
  std::vector<double> M(n * n);
  CrbaWorkspace<double> ws(m);
  crba<double>(m, ws, q, {M.data(), n, n}, time);
  return M;
}

class Search {
 public:
  explicit Search(const Model& m) : m_(m), start_(make_state(m)), nv_(at(m.nv())) {
    if (!m.spec().keyframes.empty() && !m.spec().keyframes[0].q.empty()) start_.q = m.spec().keyframes[0].q;
    find_inertia(), find_shapes(), find_constraints(), find_stiffness();
  }
  std::vector<Obstacle> take() { return std::move(out_); }

 private:
  void add(bool stops, std::string what, std::string repair) {
    out_.push_back({stops, std::move(what), std::move(repair)});
  }

  void find_inertia() {
    M_ = calc_mass_matrix(m_, start_.q, start_.time);
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
        const double inertia = M_[(at(j->v) + k) * (nv_ + 1)], g = a.gear[k] * a.gear[k];
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
      const double inertia = M_[k * (nv_ + 1)];
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
  std::vector<double> M_;
  std::vector<Obstacle> out_;
};

}  // namespace

std::string find_missing_inertia(const Model& m, In<double> q, double time) {
  const int singular = find_singular_coordinate(calc_mass_matrix(m, q, time), at(m.nv()));
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
