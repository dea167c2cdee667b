// src/constraint/solve/sparse_matrix.hpp - the system of constraint/solve/sparse.hpp: six unknowns per node but the
// world, then the constraint forces of the tree's joints, then those of the rows
#pragma once
#include <vector>

#include "linear/sparse_ldl.hpp"
#include "sinew/constraint/solve/sparse.hpp"

namespace sinew {

struct SparseWorkspace::Matrix {
  struct NodeState {
    Transform<double> X;  // node <- parent node
    JointMotion<double> joint;
    JointComplements<double> forces;
    Motion<double> v, bias;  // bias: what T^T (a - X a_parent) must be, before T^T
    int first_row = 0;       // of its constraint forces
  };
  std::vector<NodeState> nodes;
  std::vector<Motion<double>> node_bias;  // accelerations where dv/dt = 0, in the node's frame
  // (entries) The first entry of the same row on the same node, and the sum of all of those.
  std::vector<int> first_entry;
  std::vector<Force<double>> force;
  std::vector<linear::SparseSymmetric::Entry> entries;
  linear::SparseSymmetric M, regular;  // lower triangles: true, and with -mu
  linear::SparseLdl ldl;
  std::vector<double> rhs, x, r, old, size, terms;
  int first_loop_row = 0;

  // Lower triangle only: the caller ensures i > j.
  void add(int i, int j, double value) { entries.push_back({i, j, value}); }
};

// x = M^-1 rhs by factors of the matrix with -mu on its lower diagonal, refined in rounds against M itself.
void solve_rounds(const Model&, SparseWorkspace::Matrix&, const RankOptions&, const ProximalOptions&,
                  SolveCertificate&);

}  // namespace sinew
