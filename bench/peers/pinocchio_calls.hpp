// bench/peers/pinocchio_calls.hpp - Pinocchio's algorithms, each instantiated from its headers in a file of its own
// (together they take g++ four minutes and four gigabytes)
#pragma once
#include <Eigen/Core>
#include <pinocchio/multibody.hpp>

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "the algorithms would come from the packaged library"
#endif

namespace peers {

struct EigenState {
  Eigen::VectorXd q, v, a, tau;
};

void call_rnea(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_crba_local(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_crba_world(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_aba_local(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_aba_world(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_minverse(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_rnea_derivatives(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_aba_derivatives(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_jacobians(const pinocchio::Model&, pinocchio::Data&, const EigenState&);
void call_kinematics(const pinocchio::Model&, pinocchio::Data&, const EigenState&);

}  // namespace peers
