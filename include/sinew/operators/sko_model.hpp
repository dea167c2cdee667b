// sinew/operators/sko_model.hpp - an SKO model: weights A, hinge maps H and inertias M on a tree of nodes [J11
// section 2.1]
//   V = A^* H^* theta',  alpha = A^* (H^* theta'' + a),  f = A (M alpha + b),  T = H f                       [J11 1]
// A(p(k), k) carries forces of node k to its parent, its transpose carries velocities outwards; it may be non-square
// and singular. H(k), freedoms x size, has full row rank; M(k) is symmetric, and positive definite on what moves. a and
// b are the stacked bias accelerations and forces. Blocks are given as dense matrices, row by row.
//   SkoModel<double> m(shape);  m.set_weight(1, A);  m.set_hinge(1, H);  m.set_inertia(1, M);
// Errors: a block of the wrong shape, or an M that is not symmetric, throws std::invalid_argument with the node's name.
#pragma once
#include <memory>

#include "sinew/model/made_for.hpp"
#include "sinew/operators/blocks.hpp"
#include "sinew/operators/shape.hpp"

namespace sinew::sko {

template <class T>
class SkoModel {
 public:
  explicit SkoModel(Shape);
  const Shape& shape() const { return *shape_; }
  const Identity& identity() const { return identity_; }

  void set_weight(int node, MatrixView<const T>);   // A(p(k), k): size of the parent x size of the node
  void set_hinge(int node, MatrixView<const T>);    // H(k): freedoms x size
  void set_inertia(int node, MatrixView<const T>);  // M(k): size x size
  // Velocity-dependent acceleration a and force b of a node.
  void set_bias(int node, In<T> a, In<T> b);

  // What algorithms read. Block k belongs to node k.
  const Blocks<T>& A() const { return A_; }
  const Blocks<T>& H() const { return H_; }
  const Blocks<T>& M() const { return M_; }
  In<T> a() const { return a_; }  // (size)
  In<T> b() const { return b_; }  // (size)
  // The numbers of one block, to be filled in place, row by row.
  T* A(int node) { return A_[check(node)]; }
  T* H(int node) { return H_[check(node)]; }
  T* M(int node) { return M_[check(node)]; }
  T* a(int node) { return a_.data() + shape().begin(node); }
  T* b(int node) { return b_.data() + shape().begin(node); }

 private:
  int check(int node) const {
    check_index("SkoModel", "node", node, at(shape().nodes()));
    return node;
  }
  Blocks<T> A_, H_, M_;
  std::vector<T> a_, b_;
  std::shared_ptr<const Shape> shape_;
  Identity identity_;
};

// Which SkoModel a workspace was made for. A workspace of another one is refused even where all sizes agree.
class MadeForSko {
 public:
  template <class T>
  explicit MadeForSko(const SkoModel<T>& m)
      : identity_(m.identity()), nodes_(m.shape().nodes()), freedoms_(m.shape().freedoms()) {}
  // Throws std::invalid_argument with the sizes of both.
  template <class T>
  void check(const char* call, const SkoModel<T>& m) const {
    if (!identity_.is_same(m.identity())) refuse(call, m.shape());
  }

 private:
  [[noreturn]] void refuse(const char* call, const Shape&) const;
  Identity identity_;
  int nodes_, freedoms_;
};

}  // namespace sinew::sko
