// tests/support/contact_case.cpp
#include "support/contact_case.hpp"
#include "support/dense_algebra.hpp"

#include <cmath>

#include "sinew/contact/contact_rows.hpp"

namespace sinew::test {
namespace {

// Node Jacobians by the definition: X J_parent + S.
std::vector<Eigen::MatrixXd> node_jacobians(const Model& m, const NaiveMotions& n) {
  std::vector<Eigen::MatrixXd> J(m.nodes().size(), Eigen::MatrixXd::Zero(6, m.nv()));
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& node = m.nodes()[i];
    J[i] = n.X[i] * J[node.parent];
    J[i].middleCols(node.v, node.nv) += n.S[i];
  }
  return J;
}

}  // namespace

ContactPoint random_contact(const Model& m, Random& rng, const std::vector<double>& q, double time) {
  const int nodes = static_cast<int>(m.nodes().size());
  ContactPoint c;
  c.node_a = 1 + rng.below(nodes - 1);
  c.node_b = rng.below(2) == 0 ? 0 : rng.below(nodes);
  if (c.node_b == c.node_a) c.node_b = 0;
  if (rng.below(4) == 0) std::swap(c.node_a, c.node_b);
  // Somewhere near the body.
  const NaiveMotions n = naive_motions(m, q, std::vector<double>(static_cast<std::size_t>(m.nv())),
                                       std::vector<double>(static_cast<std::size_t>(m.nv())), time);
  const Matrix6d X = n.X0[c.node_a != 0 ? c.node_a : c.node_b];
  const Eigen::Matrix3d E = X.topLeftCorner<3, 3>(), Er = -E.transpose() * X.bottomLeftCorner<3, 3>();
  const Vec3<double> off = random_vec(rng, 0.3);
  c.point = Vec3<double>{Er(2, 1), Er(0, 2), Er(1, 0)} + off;
  c.normal = random_unit(rng);
  c.friction = rng.uniform(0, 0.8);
  c.restitution = rng.uniform();
  c.id = static_cast<std::uint64_t>(rng.below(1 << 20));
  return c;
}

ContactCase random_contact_case(std::uint64_t seed) {
  Random rng(seed + 77);
  RandomTreeOptions options;
  options.bodies = 2 + rng.below(6);
  ModelSpec spec = random_tree(seed, options);
  for (JointSpec& j : spec.joints)
    if (j.dofs.empty() && j.kind == JointKind::revolute && rng.below(3) == 0)
      j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
  Model m = compile(spec).value();
  ConstraintSet set(m);
  ContactCase c{std::move(m), std::move(set), {}, {}, {}, {}};
  c.s = random_state(c.model, rng);
  c.tau = random_numbers(rng, c.model.nv());
  c.time = rng.uniform(0, 2);
  const int contacts = 1 + rng.below(4);
  for (int k = 0; k < contacts && c.model.nodes().size() > 1; ++k) {
    c.contacts.push_back(random_contact(c.model, rng, c.s.q, c.time));
    c.bias.push_back(rng.uniform(0, 0.1));
  }
  return c;
}

Eigen::MatrixXd naive_contact_jacobian(const ContactCase& c) {
  const NaiveMotions n = naive_motions(c.model, c.s.q, c.s.v, std::vector<double>(c.s.v.size()), c.time);
  const std::vector<Eigen::MatrixXd> nodes = node_jacobians(c.model, n);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(c.contacts.size()), c.model.nv());
  for (std::size_t k = 0; k < c.contacts.size(); ++k) {
    const ContactPoint& p = c.contacts[k];
    const auto [t1, t2] = contact_tangents(p.normal);
    const Vec3<double> axes[] = {p.normal, t1, t2};
    for (int axis = 0; axis < 3; ++axis) {
      const Vector6d world = to_eigen(Force<double>{cross(p.point, axes[axis]), axes[axis]});
      const auto row = 3 * static_cast<Eigen::Index>(k) + axis;
      for (const int node : {p.node_a, p.node_b}) {
        if (node == 0) continue;
        const auto i = static_cast<std::size_t>(node);
        const Vector6d f = dense_solve(n.X0[i].transpose(), world);  // in the node's coordinates
        J.row(row) += (node == p.node_a ? 1.0 : -1.0) * f.transpose() * nodes[i];
      }
    }
  }
  return J;
}

Eigen::MatrixXd naive_contact_matrix(const ContactCase& c) {
  const Eigen::MatrixXd J = naive_contact_jacobian(c);
  return dense_product(J, dense_product(dense_inverse(naive_mass_matrix(c.model, c.s.q, c.time)), J.transpose()));
}

namespace {
// With a unit diagonal.
bool is_regular(Eigen::MatrixXd A, double least) {
  Eigen::VectorXd scale = A.diagonal();
  for (Eigen::Index i = 0; i < scale.size(); ++i) {
    if (!(scale[i] > 1e-6)) return false;
    scale[i] = 1 / std::sqrt(scale[i]);
  }
  A = scale.asDiagonal() * A * scale.asDiagonal();
  return dense_rank(A, least) == A.rows();
}
}  // namespace

bool is_well_conditioned(const ContactCase& c, double least) {
  if (c.contacts.empty() || c.model.nv() == 0) return false;
  return is_regular(naive_mass_matrix(c.model, c.s.q, c.time), least) && is_regular(naive_contact_matrix(c), least);
}

bool takes(Formulation f, const Model& m) {
  if (f != Formulation::nmc_os && f != Formulation::hinge_pairs) return true;
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    if (m.nodes()[i].inertia.m <= 0) return false;
  return true;
}

std::vector<double> expect_agreement(const ContactCase& c, const lcp::SolverOptions& options, const Allowed& tolerance,
                                     int* unsolved, const std::source_location& where) {
  std::vector<double> first;
  for (const Formulation f : kFormulations) {
    SCOPED_TRACE(to_string(f));
    if (!takes(f, c.model)) {
      EXPECT_THROW(ContactSolver(c.model, c.set, f, options), std::invalid_argument);
      continue;
    }
    ContactSolver solver(c.model, c.set, f, options);
    const ContactAnswer& a = solver.solve(c.step());
    if (f == Formulation::hinge_pairs && unsolved && a.certificate.status != lcp::Status::solved) {
      ++*unsolved;
      continue;
    }
    EXPECT_EQ(a.certificate.status, lcp::Status::solved)
        << to_string(a.certificate.status) << " " << a.certificate.residual << " by " << a.certificate.solver;
    if (first.empty()) first = a.v;
    EXPECT_TRUE(near(a.v, first, {1, tolerance.reason}, std::max(1.0, largest(first)), tolerance.value, where));
    if (f != Formulation::os || options.directions > 0) continue;
    // and os without its matrix
    lcp::SolverOptions sparse = options;
    sparse.sparse_rows = 0;
    ContactSolver other(c.model, c.set, f, sparse);
    const ContactAnswer& b = other.solve(c.step());
    EXPECT_EQ(b.certificate.status, lcp::Status::solved) << b.certificate.residual << " by " << b.certificate.solver;
    EXPECT_TRUE(near(b.v, first, slack(30, "loops hold to the tolerance of the solver"), std::max(1.0, largest(first)),
                     tolerance.value, where))
        << "without W";
  }
  return first;
}

std::vector<double> velocities_of(const ContactCase& c, const std::vector<double>& v) {
  VelocityWorkspace<double> motion(c.model);
  calc_velocities(c.model, motion, c.s.q, v, c.time);
  std::vector<double> u(3 * c.contacts.size());
  calc_contact_velocities(c.contacts, motion, u);
  return u;
}

}  // namespace sinew::test
