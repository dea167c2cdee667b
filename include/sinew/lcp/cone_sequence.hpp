// sinew/lcp/cone_sequence.hpp - Coulomb's law as a sequence of convex problems, each solved in the space of motions
// With the slip speeds s in  u + mu s n  taken from the last round, the law is that of a convex problem over the cones
// [the shift of De Saxce]; a proximal term makes it strictly convex. With W = L L^T (L has rank(W) columns) it is
//   minimize  |v|^2 / 2 + shift / 2 |P(centre - (L v + b + mu s n) / shift)|^2,    r = P(..),
// smooth and convex in v: Newton with an exact line search always converges, for any rank of W. Best for tall
// stacks, very different masses and grasps. Not for preloads. Where W is not built, v are the velocities of the trees:
// |v|^2 is v^T M v, and L is J.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

class ConeSequence {
 public:
  void reserve(std::size_t n);                                 // room for problems of n unknowns
  void reserve_sparse(std::size_t n, std::size_t velocities);  // where G is not built
  void prepare(const ConeForm&);  // the factor L, O(size rank^2); nothing where W is not built
  // One round: Newton until the motion is within `goal`, from the motion `start`, or else from that of `centre`. slip:
  // one per contact. Writes r and u. Returns the number of Newton steps.
  int round(const ConeForm&, const double* centre, const double* slip, double* r, double* u, double shift, double goal,
            int limit, const double* start = nullptr);
  const double* motion() const { return v_.data(); }  // where the last round ended; a round may start there

 private:
  template <class Do>
  void for_each_array(std::size_t n, std::size_t motions, bool dense, Do apply);
  void project(const ConeForm&, const double* u, double* r);
  void build_hessian(const ConeForm&);
  bool find_step(const ConeForm&, const double* gradient, double* dv);  // of Newton; false: singular
  bool find_step_sparse(const ConeForm&, const double* gradient, double* dv);
  double calc_error(const ConeForm&, const double* r);
  double calc_slope(const ConeForm&, double t, const double* u, double* r_out);
  void calc_motion_of(const ConeForm&, const double* r, double* v) const;    // L^T r, or M^-1 J^T r
  void calc_velocity_of(const ConeForm&, const double* v, double* u) const;  // L v, or J v
  void calc_momentum_of(const ConeForm&, const double* v, double* p) const;  // v, or M v

  int rank_ = 0, stride_ = 0;  // numbers in v; columns of L_
  double shift_ = 0;
  std::vector<double> L_;  // size x rank
  std::vector<int> order_;
  std::vector<double> diagonal_, centre_, b_, v_, dv_, du_, gradient_, u_trial_, H_, work_;
  std::vector<double> error_, momentum_, dmomentum_;  // v - (that of r); of v and of dv
  std::vector<double> D_;                             // (9 blocks) of M + J^T D J
  std::vector<double> weight_;                        // (size) of the rows of `rows_` in the Hessian
  std::vector<double> turned_;                        // (9 contacts) directions of those rows among n, t, t
  std::vector<double> rows_;                          // (4 x rank) gathered
};

}  // namespace sinew::lcp
