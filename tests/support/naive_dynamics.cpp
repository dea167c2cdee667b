// tests/support/naive_dynamics.cpp
#include "support/naive_dynamics.hpp"
#include "support/dense_algebra.hpp"

namespace sinew::test {
namespace {

// Forces go from node to parent by the transpose of X.
Eigen::VectorXd sum_of_joint_forces(const Model& model, const NaiveMotions& m, std::vector<Vector6d> f) {
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
  for (std::size_t i = model.nodes().size() - 1; i > 0; --i) {
    const Node& node = model.nodes()[i];
    tau.segment(node.v, node.nv) = m.S[i].transpose() * f[i];
    f[node.parent] += m.X[i].transpose() * f[i];
  }
  return tau;
}

}  // namespace

NaiveMotions naive_motions(const Model& model, In<double> q, In<double> v, In<double> a, double time) {
  check_size("naive_motions", "q", q.size(), at(model.nq()));
  check_size("naive_motions", "v", v.size(), at(model.nv()));
  check_size("naive_motions", "a", a.size(), at(model.nv()));
  const std::size_t n = model.nodes().size();
  NaiveMotions m;
  m.X.assign(n, Matrix6d::Identity());
  m.X0 = m.X;
  m.S.resize(n);
  m.v.assign(n, Vector6d::Zero());
  m.a = m.joint_v = m.joint_c = m.v;
  for (std::size_t i = 1; i < n; ++i) {
    const Node& node = model.nodes()[i];
    const std::size_t p = at(node.parent);
    JointMotion<double> joint;
    calc_joint(node.joint, q.data() + node.q, v.data() + node.v, time, joint);
    m.S[i].resize(6, node.nv);
    for (int k = 0; k < node.nv; ++k) m.S[i].col(k) = to_eigen(joint.S[k]);
    m.joint_v[i] = to_eigen(joint.v);
    m.joint_c[i] = to_eigen(joint.c);
    m.X[i] = to_eigen(to_dense(joint.X)) * to_eigen(to_dense(node.placement));
    m.X0[i] = m.X[i] * m.X0[p];
    m.v[i] = m.X[i] * m.v[p] + m.joint_v[i];
    const Eigen::VectorXd qdd = Eigen::Map<const Eigen::VectorXd>(a.data() + node.v, node.nv);
    m.a[i] = m.X[i] * m.a[p] + m.S[i] * qdd + m.joint_c[i] +
             to_eigen(to_dense_cross(to_motion(m.v[i]))) * m.joint_v[i];  // [F08 5.19] without gravity
  }
  return m;
}

std::vector<double> naive_rnea(const Model& model, In<double> q, In<double> v, In<double> a,
                               VectorView<const Force<double>> external, double time) {
  const NaiveMotions m = naive_motions(model, q, v, a, time);
  const Vector6d gravity = to_eigen(Motion<double>{{}, model.gravity()});
  std::vector<Vector6d> f(model.nodes().size(), Vector6d::Zero());
  for (std::size_t i = 1; i < f.size(); ++i) {
    const Matrix6d I = to_eigen(to_dense(model.nodes()[i].inertia));
    // What moves the body, less what gravity does of it. [F08 5.9]
    f[i] = I * m.a[i] + to_eigen(to_dense_cross_force(to_motion(m.v[i]))) * (I * m.v[i]) - I * (m.X0[i] * gravity);
  }
  if (external.size() != 0) check_size("naive_rnea", "external", external.size(), model.bodies().size());
  for (std::size_t b = 0; b < external.size(); ++b) {
    const BodyEntry& body = model.bodies()[b];
    f[body.node] -= to_eigen(to_dense(body.in_node)).transpose() * to_eigen(external[b]);
  }
  Eigen::VectorXd tau = sum_of_joint_forces(model, m, f);
  for (int i = 0; i < model.nv(); ++i) tau[i] += model.dofs()[i].armature * a[i];
  return {tau.begin(), tau.end()};
}

Eigen::MatrixXd naive_mass_matrix(const Model& model, In<double> q, double time) {
  const std::vector<double> rest(at(model.nv()), 0.0);
  const NaiveMotions m = naive_motions(model, q, rest, rest, time);
  Eigen::MatrixXd M(model.nv(), model.nv());
  for (std::size_t k = 1; k < model.nodes().size(); ++k)
    for (int j = 0; j < model.nodes()[k].nv; ++j) {
      // The subtree moves with this column of S, all else stands still.
      std::vector<Vector6d> a(m.X.size(), Vector6d::Zero()), f = a;
      for (std::size_t i = 1; i < a.size(); ++i) {
        a[i] = m.X[i] * a[model.nodes()[i].parent];
        if (i == k) a[i] += m.S[k].col(j);
        f[i] = to_eigen(to_dense(model.nodes()[i].inertia)) * a[i];
      }
      M.col(model.nodes()[k].v + j) = sum_of_joint_forces(model, m, f);
    }
  for (int i = 0; i < model.nv(); ++i) M(i, i) += model.dofs()[i].armature;
  return M;
}

std::vector<double> naive_forward_dynamics(const Model& model, In<double> q, In<double> v, In<double> tau,
                                           VectorView<const Force<double>> external, double time) {
  check_size("naive_forward_dynamics", "tau", tau.size(), at(model.nv()));
  if (model.nv() == 0) return {};
  const std::vector<double> rest(at(model.nv()), 0.0), h = naive_rnea(model, q, v, rest, external, time);
  const Eigen::Map<const Eigen::VectorXd> t(tau.data(), model.nv()), bias(h.data(), model.nv());
  const Eigen::VectorXd a = dense_solve(naive_mass_matrix(model, q, time), t - bias);
  return {a.begin(), a.end()};
}

std::vector<double> numbers_of(const Eigen::MatrixXd& m) {
  std::vector<double> out;
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) out.push_back(m(i, j));
  return out;
}
Vector6d to_eigen(const Motion<double>& v) { return {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z}; }
Vector6d to_eigen(const Force<double>& f) { return {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z}; }
Matrix6d to_eigen(const Mat6<double>& m) {
  Matrix6d out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = m(i, j);
  return out;
}
Motion<double> to_motion(const Vector6d& v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}; }
Force<double> to_force(const Vector6d& f) { return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}}; }

}  // namespace sinew::test
