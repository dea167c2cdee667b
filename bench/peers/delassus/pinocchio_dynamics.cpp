// bench/peers/delassus/pinocchio_dynamics.cpp
#include <pinocchio/algorithm/constrained-dynamics.hpp>

#include "pinocchio_contacts.hpp"

namespace peers {
namespace {

class Dynamics final : public ContactWay {
 public:
  Dynamics(const pinocchio::Model& m, const std::vector<Contact>& c) : ContactWay(m, c) {
    pinocchio::initConstraintDynamics(model, data, models, datas);
  }
  void run(const EigenState& s) override {
    pinocchio::constraintDynamics(model, data, s.q, s.v, s.tau, models, datas, settings_);
  }

 private:
  pinocchio::ProximalSettingsTpl<double> settings_;  // no damping, one iteration
};

}  // namespace

WayPtr make_constraint_dynamics(const pinocchio::Model& m, const std::vector<Contact>& c) {
  return std::make_unique<Dynamics>(m, c);
}

}  // namespace peers
