// tests/support/contact_case.hpp - random mechanisms with contacts
#pragma once
#include "sinew/contact/formulation.hpp"
#include "support/naive_dynamics.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

// A mechanism at a state, with contacts that it approaches or leaves.
struct ContactCase {
  Model model;
  ConstraintSet set;
  TreeState s;
  std::vector<double> tau, bias;
  std::vector<ContactPoint> contacts;
  double dt = 1e-3, time = 0;
  std::vector<JointRow> joints{};
  ContactStep step() const { return {s.q, s.v, tau, dt, time, contacts, joints, bias}; }
};

// A contact at a random place of random nodes; none where the model has no node.
ContactPoint random_contact(const Model&, Random&, const std::vector<double>& q, double time);
ContactCase random_contact_case(std::uint64_t seed);
// J, and W = J H^-1 J^T, from dense matrices of the naive dynamics alone.
Eigen::MatrixXd naive_contact_jacobian(const ContactCase&);
Eigen::MatrixXd naive_contact_matrix(const ContactCase&);
// So that the answer is unique and all six forms can find it to 1e-8.
bool is_well_conditioned(const ContactCase&, double least = 1e-3);

// Composite joints have parts without mass: not every formulation takes them.
bool takes(Formulation, const Model&);
// All that take the model give the velocities of the first; returns them. Every answer must be solved, but for one
// case: pairs of inequalities whose rows depend on each other contradict each other by rounding, so with loops
// hinge_pairs may fail if it says so. Give `unsolved` to count such answers, and bound the count.
std::vector<double> expect_agreement(const ContactCase&, const lcp::SolverOptions&, const Allowed& tolerance,
                                     int* unsolved = nullptr,
                                     const std::source_location& where = std::source_location::current());
// Of the contacts, for joint velocities v.
std::vector<double> velocities_of(const ContactCase&, const std::vector<double>& v);

}  // namespace sinew::test
