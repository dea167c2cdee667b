// src/sim/flexible_mechanism.cpp - bodies that bend, for steps with hard contact
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau - D v - K (eta + dt v) - C) + J^T r
#include <algorithm>
#include <optional>
#include <stdexcept>

#include "flexible_view.hpp"
#include "sinew/contact/formulation.hpp"
#include "sinew/operators/mass_solve.hpp"
#include "sinew/sim/fluid.hpp"
#include "sinew/sim/mechanisms.hpp"

namespace sinew {
namespace {

class FlexibleMechanism final : public Mechanism {
 public:
  explicit FlexibleMechanism(const sko::FlexibleModel& m)
      : flexible_(m), view_(m), plain_(m), plain_dynamics_(plain_.sko), part_of_node_(m.model().nodes().size(), -1) {
    const ModelSpec& spec = m.model().spec();
    const auto refuse = [](const std::string& why) { throw std::invalid_argument("make_flexible_mechanism: " + why); };
    for (const ActuatorSpec& a : spec.actuators) {
      if (a.transmission != Transmission::joint && a.transmission != Transmission::joint_in_parent)
        refuse("actuator '" + a.name + "' acts on '" + a.target +
               "', which is no joint; with flexible bodies actuators act on joints");
      if (a.activation != Activation::none)
        refuse("actuator '" + a.name + "' has an activation, which is not supported beside flexible bodies");
    }
    if (!spec.tendons.empty())
      refuse("tendon '" + spec.tendons[0].name + "': tendons are not supported beside flexible bodies");
    if (FluidForces(m.model()).any())
      refuse(
          "the model has a medium (density or viscosity), whose forces on flexible bodies are not modelled; set "
          "both to zero");
    for (std::size_t k = 0; k < m.parts().size(); ++k)
      if (m.parts()[k].jointed) part_of_node_[at(m.parts()[k].node)] = static_cast<int>(k);
    for (auto* x : {&stacked_, &solved_, &change_, &zeros_}) x->resize(at(m.nv()));
  }

  const Model& model() const override { return flexible_.model(); }
  const Model& view() const override { return view_.model; }
  std::vector<int> bodies_of_nodes() const override { return view_.bodies; }
  std::vector<std::string> extra_names() const override {
    std::vector<std::string> out;
    for (const sko::FlexibleBody& b : flexible_.bodies())
      for (int i = 1; i <= b.modes; ++i) out.push_back(b.body + " mode " + std::to_string(i));
    return out;
  }

  void set_step(double dt, const Model& twin) override {
    dt_ = dt;
    if (&twin != &model()) twin_.emplace(twin, flexible_.bodies(), flexible_.attachments());
    stepped_.emplace(twin_ ? *twin_ : flexible_);
    stepped_dynamics_.emplace(stepped_->sko);
  }
  void change_twin(int v, double armature) override { stepped_->set_armature(v, armature); }
  void move_extra(In<double> q, In<double> v, double dt, Out<double> q_after, Out<double> v_after) const override {
    const std::size_t nq = at(model().nq()), nv = at(model().nv());
    for (std::size_t i = 0; i < at(flexible_.modes()); ++i) {
      v_after[nv + i] = v[nv + i];
      q_after[nq + i] = q[nq + i] + dt * v[nv + i];
    }
  }

  void calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& out) override {
    plain_.update(q, v, {{}, time});
    for (std::size_t i = 1; i < view_.places.size(); ++i) {
      if (view_.places[i].part < 0) continue;
      out.kinematics.X[i] = plain_.get_pose(view_.places[i]);
      out.v[i] = plain_.get_velocity(view_.places[i]);
    }
  }

  void factor(const ContactStep& s) override {
    const bool step = s.dt > 0;
    here_ = step ? &*stepped_ : &plain_, dynamics_ = step ? &*stepped_dynamics_ : &plain_dynamics_;
    if (step)
      here_->update(s.q, s.v, {s.external, s.time}, dt_);
    else
      here_->update(s.q, s.v, {{}, s.time});
    to_freedoms(step ? s.tau : In<double>(zeros_), stacked_);
    sko::forward_dynamics<double>(here_->sko, *dynamics_, stacked_, solved_);
    to_coordinates(solved_, change_);
    for (std::size_t k = 0; k < change_.size(); ++k)
      change_[k] = s.dt * (s.turning.size() == 0 ? change_[k] : change_[k] + s.turning[k]);
  }
  void get_free_change(Out<double> x) const override { std::copy(change_.begin(), change_.end(), x.begin()); }
  void add_node_force(int node, const Force<double>& f, Out<double> row) override {
    const sko::FlexiblePlace& place = view_.places[at(node)];
    if (place.part >= 0) here_->add_force(place, f, row);
  }
  void add_joint_force(int node, const Force<double>& f, Out<double> row) override {
    const int part = part_of_node_[at(node)];
    here_->add_joint_force(part, apply(flexible_.parts()[at(part)].frame, f), row);
  }
  void solve_mass(In<double> f, Out<double> x) override {
    to_freedoms(f, stacked_);
    sko::solve_mass(here_->sko, *dynamics_, stacked_, solved_);
    to_coordinates(solved_, x);
  }

  double kinetic_energy(In<double> q, In<double> v, double time) override {
    return updated(q, v, time).kinetic_energy();
  }
  double potential_energy(In<double> q, double time) override {
    const sko::FlexibleSko& s = updated(q, zeros_, time);
    return s.gravity_energy() + s.elastic_energy();
  }
  Force<double> momentum(In<double> q, In<double> v, double time) override { return updated(q, v, time).momentum(); }
  Force<double> weight(In<double> q, double time) override { return updated(q, zeros_, time).weight(); }
  // Damping acts with the rates at the end of the step.
  double calc_damping_work(In<double> v, In<double> v_after) const override {
    double work = 0;
    for (std::size_t b = 0; b < flexible_.bodies().size(); ++b) {
      const sko::FlexibleBody& body = flexible_.bodies()[b];
      const std::size_t first = at(flexible_.first_mode(static_cast<int>(b))), m = at(body.modes);
      for (std::size_t i = 0; i < m && !body.damping.empty(); ++i)
        for (std::size_t j = 0; j < m; ++j)
          work -= dt_ * body.damping[i * m + j] * v_after[first + j] * (v[first + i] + v_after[first + i]) / 2;
    }
    return work;
  }

 private:
  sko::FlexibleSko& updated(In<double> q, In<double> v, double time) {
    plain_.update(q, v, {{}, time});
    return plain_;
  }
  void to_freedoms(In<double> by_coordinate, Out<double> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_coordinate[at(plain_.coordinate(static_cast<int>(i)))];
  }
  void to_coordinates(In<double> by_freedom, Out<double> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[at(plain_.coordinate(static_cast<int>(i)))] = by_freedom[i];
  }

  const sko::FlexibleModel& flexible_;
  FlexibleView view_;
  double dt_ = 0;
  sko::FlexibleSko plain_;  // as the model is: for collisions, motions and energies
  sko::SkoDynamics<double> plain_dynamics_;
  std::optional<sko::FlexibleModel> twin_;   // with the drives' armature
  std::optional<sko::FlexibleSko> stepped_;  // with everything that a step takes at its end
  std::optional<sko::SkoDynamics<double>> stepped_dynamics_;
  sko::FlexibleSko* here_ = nullptr;  // of the last factor
  sko::SkoDynamics<double>* dynamics_ = nullptr;
  std::vector<int> part_of_node_;         // (nodes of the model)
  std::vector<double> stacked_, solved_;  // (nv) by freedom
  std::vector<double> change_, zeros_;    // (nv) v+ - v without rows; zeros
};

}  // namespace

std::unique_ptr<Mechanism> make_flexible_mechanism(const sko::FlexibleModel& m) {
  return std::make_unique<FlexibleMechanism>(m);
}

}  // namespace sinew
