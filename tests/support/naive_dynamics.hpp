// tests/support/naive_dynamics.hpp - dynamics straight from F08 Table 5.1 with 6x6 matrices: slow, obvious, independent
// Every quantity is a dense matrix or vector of Eigen, in the node's own frame; nothing of the library's sweeps and
// compact forms is used, only model.nodes(), calc_joint and the dense forms of spatial/dense.hpp.
#pragma once
#include <Eigen/Dense>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/surroundings.hpp"
#include "support/dense_algebra.hpp"

namespace sinew::test {

using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

// One a node; entry 0 is the world.
struct NaiveMotions {
  std::vector<Matrix6d> X;         // node <- parent node, for motions
  std::vector<Matrix6d> X0;        // node <- world
  std::vector<Eigen::MatrixXd> S;  // 6 x nv of the node
  std::vector<Vector6d> v, a;      // true velocity and spatial acceleration: no gravity in them
  std::vector<Vector6d> joint_v, joint_c;
};
NaiveMotions naive_motions(const Model&, In<double> q, In<double> v, In<double> a, double time = 0);

// tau = M a + h - sum of J^T f; external: one per body, in the body's frame, or none. Armature counts, gravity acts.
std::vector<double> naive_rnea(const Model&, In<double> q, In<double> v, In<double> a,
                               VectorView<const Force<double>> external = {}, double time = 0);
// Column by column: the force that a unit acceleration asks for when nothing moves and nothing weighs.
Eigen::MatrixXd naive_mass_matrix(const Model&, In<double> q, double time = 0);
// Solves M a = tau - h.
std::vector<double> naive_forward_dynamics(const Model&, In<double> q, In<double> v, In<double> tau,
                                           VectorView<const Force<double>> external = {}, double time = 0);

// What near() can compare: the entries of a matrix row by row.
std::vector<double> numbers_of(const Eigen::MatrixXd&);
Vector6d to_eigen(const Motion<double>&);
Vector6d to_eigen(const Force<double>&);
Matrix6d to_eigen(const Mat6<double>&);
using sinew::to_force;
using sinew::to_motion;
Motion<double> to_motion(const Vector6d&);
Force<double> to_force(const Vector6d&);

}  // namespace sinew::test
