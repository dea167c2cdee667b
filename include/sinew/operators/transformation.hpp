// sinew/operators/transformation.hpp - another SKO model of the same tree: V' = T V, theta = N nu  [J11 section 2.3]
//   Transformation t(rigid.sko);
//   t.set_velocity_map(k, T);              // V'(k) = T V(k) for node k; other nodes keep their velocity
//   t.update();                            // the blocks of t.sko
// With S = T^-1, node by node:
//   A'(p, k) = S_p^* A(p, k) T_k^*,   H' = N^* H T^*,   M' = S^* M S,   f = T^* f'
// and, where T and N change at the rates dT and dN,
//   a' = T a + T H^* dN nu + dT V - A'^* (dT V)(p),   b' = S^* b - M' dT V
// The mass matrix becomes N^* M N. Of the hinges: theta = N nu, d theta = N d nu + dN nu, forces N^* tau.
// T need not be square. A tall one (more numbers than needed) must have full column rank; a wide one (a planar
// mechanism has 3 numbers of 6) must lose nothing: update() checks that S T leaves H^*, A^* S_p and a as they are.
// Errors: a map of the wrong shape, a singular map, one that loses part of a velocity throw std::invalid_argument with
// the node's name. The original model must outlive the transformation.
#pragma once
#include "sinew/operators/sko_model.hpp"

namespace sinew::sko {
class RigidSko;

class Transformation {
  const SkoModel<double>* original_;
  Blocks<double> T_, T_rate_;              // new size x size
  Blocks<double> S_;                       // size x new size
  Blocks<double> N_, N_inverse_, N_rate_;  // freedoms x freedoms
  std::vector<double> V_, nu_;             // (size, freedoms) of the original model; of the new one
  std::vector<double> rate_;               // (new size) dT V
  std::vector<double> work_;               // (2 x largest new size x largest size)
  bool moves_ = false;                     // some map has a rate

  void take_rate(const Shape&, const char* what, int k, MatrixView<const double> from, Blocks<double>& to);
  void check_kept(int k, const char* what, int columns, const double* X);

 public:
  // new_sizes: of the velocities; empty: as they are.
  explicit Transformation(const SkoModel<double>& original, const std::vector<int>& new_sizes = {});
  explicit Transformation(const SkoModel<double>&& original, const std::vector<int>& new_sizes = {}) = delete;

  // The rate may be left out: zero. Both allocate.
  void set_velocity_map(int node, MatrixView<const double> T, MatrixView<const double> rate = {});
  void set_hinge_map(int node, MatrixView<const double> N, MatrixView<const double> rate = {});

  // theta: hinge velocities of the original model, needed where a map has a rate. Allocates nothing.
  void update(In<double> theta = {});
  const SkoModel<double>& original() const { return *original_; }

  SkoModel<double> sko;
};

// The model of R92: V(k) holds the angular velocity of the body and the velocity of its point O(k), both in the axes of
// the inertial frame; alpha is the acceleration of that point [R92 0.1, 0.2]. Call update(r.stack(v)) after it. t must
// be a transformation of r.sko; a model with a joint that moves by a law of time is refused. Allocates.
void set_inertial_axes(Transformation& t, const RigidSko& r, In<double> q, In<double> v, double time = 0);

}  // namespace sinew::sko
