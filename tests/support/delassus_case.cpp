// tests/support/delassus_case.cpp
#include "support/delassus_case.hpp"

#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

Model random_delassus_tree(int seed, Random& rng) {
  RandomTreeOptions options;
  options.bodies = 1 + seed % 17;
  ModelSpec spec = frozen(random_tree(static_cast<std::uint64_t>(seed), options));
  for (JointSpec& j : spec.joints)
    if (j.dofs.empty() && j.kind == JointKind::revolute && rng.uniform(0, 1) < 0.3)
      j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
  return compile(spec).value();
}

}  // namespace

DelassusCase random_delassus_case(int seed) {
  Random rng(static_cast<std::uint64_t>(seed) + 77);
  Model m = random_delassus_tree(seed, rng);
  const auto pick = [&](int n) { return std::min(n - 1, static_cast<int>(rng.uniform(0, double(n)))); };
  const int nodes = static_cast<int>(m.nodes().size());
  std::vector<delassus::Entry> entries;
  int rows = 0;
  const int sets = seed % 11 == 0 ? 0 : 1 + pick(5);
  for (int s = 0; s < sets; ++s) {
    const int a = pick(nodes), b = pick(nodes), kind = pick(6);
    const int count = kind == 0 ? 7 + pick(8) : kind == 1 ? 6 : 1 + pick(4);
    for (int r = 0; r < count; ++r, ++rows) {
      entries.push_back({rows, a});
      if (kind >= 3) entries.push_back({rows, b});  // a loop, perhaps on the same body
      if (kind == 5) entries.push_back({rows, pick(nodes)});
    }
  }
  if (seed % 5 == 0) std::reverse(entries.begin(), entries.end());
  if (seed % 13 == 0) ++rows;  // one without entries
  const delassus::Problem problem(m, rows, entries);
  DelassusCase out{std::move(m), problem, {}, {}};
  out.q = random_configuration(out.model, rng);
  for (std::size_t e = 0; e < entries.size(); ++e) out.K.push_back(random_force(rng));
  return out;
}

Eigen::MatrixXd naive_constraint_jacobian(const DelassusCase& c) {
  const Model& m = c.model;
  const std::vector<double> zero(at(m.nv()));
  const NaiveMotions motions = naive_motions(m, c.q, zero, zero);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(c.problem.rows(), m.nv());
  if (m.nv() == 0) return J;
  for (std::size_t e = 0; e < c.K.size(); ++e) {
    Vector6d f = to_eigen(c.K[e]);
    for (std::size_t i = at(c.problem.entries()[e].node); i != 0; i = at(m.nodes()[i].parent)) {
      J.row(c.problem.entries()[e].row).segment(m.nodes()[i].v, m.nodes()[i].nv) += f.transpose() * motions.S[i];
      f = motions.X[i].transpose() * f;
    }
  }
  return J;
}

Eigen::MatrixXd naive_delassus(const DelassusCase& c) {
  const Eigen::MatrixXd J = naive_constraint_jacobian(c);
  if (c.model.nv() == 0) return Eigen::MatrixXd::Zero(J.rows(), J.rows());
  return J * dense_inverse(naive_mass_matrix(c.model, c.q)) * J.transpose();
}

double conditioning(const DelassusCase& c) {
  const Eigen::MatrixXd M = naive_mass_matrix(c.model, c.q);
  return 1 + M.norm() * dense_inverse(M).norm();
}

}  // namespace sinew::test
