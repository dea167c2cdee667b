// src/sim/embedded_mechanism.cpp - loops in minimal coordinates, for steps with hard contact
// v+ = v + dt dv/dt + X y(r): rows act on the independent coordinates only, and dependent ones follow. After the move
// dependent positions and velocities are closed to rounding, by O(dt^2), and the independent ones stay as they are.
#include <stdexcept>

#include "embedded_step.hpp"
#include "refuse_embedding.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/contact/formulation.hpp"
#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/stepper.hpp"
#include "tree/columns.hpp"

namespace sinew {

void refuse_unless_ready(const EmbeddingReport& r, const Model& m, const ConstraintSet& set, double time) {
  if (r.status == EmbeddingStatus::ready) return;
  throw StepRefused("at t = " + std::to_string(time) + " s the loops cannot be embedded; " + describe(r, m, set));
}

namespace {

class EmbeddedMechanism final : public Mechanism {
 public:
  EmbeddedMechanism(const Model& m, const ConstraintSet& set, const EmbeddingOptions& o)
      : model_(m),
        set_(set),
        twin_(&m),
        work_(m, set, o),
        energies_(m),
        momenta_(m),
        qdd_(at(m.nv())),
        change_(qdd_),
        v_(qdd_) {
    y_.reserve(qdd_.size()), moved_q_.reserve(at(m.nq())), moved_v_.reserve(qdd_.size()), kept_q_.reserve(qdd_.size()),
        kept_v_.reserve(qdd_.size());
  }

  const Model& model() const override { return model_; }
  const EmbeddingReport& report() const { return work_.embedding.report; }
  void set_step(double, const Model& twin) override { twin_ = &twin; }

  void settle(Out<double> q, Out<double> v, double time) override {
    moved_q_.assign(q.begin(), q.end()), moved_v_.assign(v.begin(), v.end());
    check(close_loops(model_, set_, work_.embedding, q, v, time), time);
    position_error_ = report().position_error;
    kept_v_ = work_.embedding.independent;
    kept_q_ = work_.embedding.closed_by.empty() ? kept_v_ : work_.embedding.closed_by;
  }
  EmbeddedStep last_step() const { return {set_, kept_q_, kept_v_, moved_q_, moved_v_}; }
  void end_step(In<double> q, In<double> v, double time) override {
    renew_coordinates(model_, set_, work_.embedding, q, v, time);
    check(report(), time);
  }
  double position_error() const override { return position_error_; }

  void calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& out) override {
    calc_velocities(model_, out, q, v, time);
  }

  void factor(const ContactStep& s) override {
    const bool step = s.dt > 0;
    const In<double> none = work_.embedding.rows.zeros;
    check(prepare_embedding(model_, set_, work_.embedding, s.q, s.v, s.time), s.time);
    std::copy(s.v.begin(), s.v.end(), v_.begin());
    if (s.middle.size() != 0) move_velocity(s);
    check(embedded_forward_dynamics_prepared(step ? *twin_ : model_, work_, v_, step ? s.tau : none, qdd_,
                                             {step ? s.external : VectorView<const Force<double>>(), s.time}),
          s.time);
    for (std::size_t k = 0; k < qdd_.size(); ++k)
      change_[k] = s.dt * (s.turning.size() == 0 ? qdd_[k] : qdd_[k] + s.turning[k]);
  }
  void get_free_change(Out<double> x) const override { std::copy(change_.begin(), change_.end(), x.begin()); }

  void add_node_force(int node, const Force<double>& f, Out<double> row) override {
    const auto& X = work_.embedding.rows.motion.kinematics.X;
    Force<double> up{apply_inverse(X[at(node)].E, f.ang), apply_inverse(X[at(node)].E, f.lin)};  // axes of the world
    for (int i = node; i != 0; i = model_.nodes()[at(i)].parent) {
      const Node& n = model_.nodes()[at(i)];
      for (std::size_t k = at(n.v); k < at(n.v + n.nv); ++k) row[k] += dot(work_.embedding.rows.S[k], up);
      up.ang += cross(X[at(i)].r - X[at(n.parent)].r, up.lin);
    }
  }
  void add_joint_force(int node, const Force<double>& f, Out<double> row) override {
    const Node& n = model_.nodes()[at(node)];
    const Transform<double>& X = work_.embedding.rows.motion.kinematics.X[at(node)];
    for (std::size_t k = at(n.v); k < at(n.v + n.nv); ++k) row[k] += dot(f, in_node_axes(work_.embedding.rows.S[k], X));
  }
  void solve_mass(In<double> f, Out<double> x) override { solve_embedded_mass(model_, work_, f, x); }

  double kinetic_energy(In<double> q, In<double> v, double time) override {
    return calc_kinetic_energy(model_, energies_, q, v, time);
  }
  double potential_energy(In<double> q, double time) override {
    return calc_potential_energy(model_, energies_, q, time);
  }
  Force<double> momentum(In<double> q, In<double> v, double time) override {
    return calc_momentum<double>(model_, momenta_, q, v, time);
  }

 private:
  // Inertial forces are those at the velocity half way through the step, of which the independent part is taken: the
  // rest follows, so that the loops allow it.
  void move_velocity(const ContactStep& s) {
    EmbeddingWorkspace& e = work_.embedding;
    y_.resize(e.independent.size());
    for (std::size_t j = 0; j < y_.size(); ++j) {
      const std::size_t k = at(e.independent[j]);
      y_[j] = s.middle[k] - s.v[k];
    }
    expand_velocities(model_, e, y_, change_);
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += change_[k];
    check(prepare_embedding(model_, set_, e, s.q, v_, s.time), s.time);
  }
  void check(const EmbeddingReport& r, double time) const { refuse_unless_ready(r, model_, set_, time); }

  const Model& model_;
  const ConstraintSet& set_;
  const Model* twin_;
  EmbeddedWorkspace work_;
  EnergyWorkspace<double> energies_;
  MomentumWorkspace<double> momenta_;
  std::vector<double> qdd_, change_;  // (nv) dv/dt without rows; v+ - v likewise
  std::vector<double> v_, y_;         // (nv), (freedoms) velocity of the inertial forces; what it has more than v
  double position_error_ = 0;
  std::vector<double> moved_q_, moved_v_;  // before the last settle
  std::vector<int> kept_q_, kept_v_;       // the independent coordinates of it
};

}  // namespace

std::unique_ptr<Mechanism> make_embedded_mechanism(const Model& m, const ConstraintSet& set,
                                                   const EmbeddingOptions& options) {
  return std::make_unique<EmbeddedMechanism>(m, set, options);
}
const EmbeddingReport* get_embedding(const Mechanism* m) {
  const auto* embedded = dynamic_cast<const EmbeddedMechanism*>(m);
  return embedded ? &embedded->report() : nullptr;
}
EmbeddedStep get_embedded_step(const Mechanism& m) {
  const auto* embedded = dynamic_cast<const EmbeddedMechanism*>(&m);
  if (!embedded) throw std::logic_error("get_embedded_step: the mechanism has no embedded loops");
  return embedded->last_step();
}

}  // namespace sinew
