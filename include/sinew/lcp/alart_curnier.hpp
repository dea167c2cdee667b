// sinew/lcp/alart_curnier.hpp - Newton's method on the projection form of Coulomb's law, within a proximal-point loop
//   r_n = max(0, r_n - u_n),   r_t = projection of r_t - u_t onto the disc of radius mu (max(0, r_n - u_n) + preload)
// Linearized where it is smooth, contact by contact:
//   open      r_n = 0, or its bound                                     (and r_t = 0, or the disc of the preload)
//   sticking  u = 0
//   sliding   u_n = 0,  r_t = mu (r_n + preload) d + a e,  (1 - k) a + k e . u_t = 0,   d = the direction of r_t - u_t,
//             e across it,  k = radius / |r_t - u_t|
// so that a step solves for three, two or no unknowns per contact. The proximal term  shift (r - centre)  is added to
// u: the matrix is regular for any rank of W, and at the fixed point the term vanishes.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

class AlartCurnier {
 public:
  // Ends when the natural map of the scaled problem is within `tolerance`, or after `limit` steps; r is the best point.
  // Returns the steps; `natural` is the map's largest entry there.
  // `weight` multiplies u in the map: this changes the path to a solution, not the solutions. A contact slips in the
  // map where mu r_n - |r_t| < weight |u_t|.
  int solve(const ConeForm&, double* r, int limit, double tolerance, double& natural, double weight = 1);
  // Full steps, at least one, with a very small shift, from a point whose contact states are right. r changes only if
  // it improves. Where the states stay, the factors of an earlier step serve again as long as the map falls to a
  // hundredth: near a solution the matrix hardly changes, and such a step costs a fraction. Ends when `natural` is
  // within `goal`, or a step does not halve it.
  int polish(const ConeForm&, double* r, int limit, double& natural, double goal = 0, double weight = 1);

  void reserve(std::size_t n);         // room for problems of n unknowns
  void reserve_sparse(std::size_t n);  // where G is not built

 private:
  template <class Do>
  void for_each_array(std::size_t n, Do apply, bool dense = true);
  struct Map {
    int first = 0, count = 0;  // its unknowns in the step
    bool normal = false;       // r_n is among them
    bool tangents = false;     // both tangents are
    bool across = false;       // the entry along e is
    double d[2] = {}, e[2] = {}, k = 0, offset = 0;
    double fixed = 0;  // r_n where it is not an unknown: the bound that it is at
    bool sticks() const { return normal && tangents; }
  };
  // A column of the step's matrix: this combination of up to three columns of G.
  struct Column {
    int start = 0;
    double share[3] = {};
  };
  int classify(const ConeForm&, const double* r, const double* u);
  void settle(const ConeForm&, const double* r, double* next) const;
  void find_columns(const ConeForm&);
  void build_matrix(const ConeForm&, double shift, int n);
  void find_envelope(const ConeForm&, int n);
  enum class Factor { none, symmetric, envelope, plain, pivoted };
  Factor factor(const ConeForm&, double shift, int n);
  void solve_factored(int n);
  bool step(const ConeForm&, const double* r, const double* u, double shift, const double* centre, double* next,
            bool again = false);
  bool step_sparse(const ConeForm&, const double* r, const double* u, double shift, double* next);
  double calc_merit(const ConeForm&, const double* r, const double* u, double shift, const double* centre) const;
  int solve_shifted(const ConeForm&, double* r, double* u, double shift, double goal, int limit);

  double weight_ = 1;
  std::vector<Map> maps_;
  std::vector<Column> columns_;  // (unknowns of the step)
  std::vector<double> A_, B_, mapped_, rhs_, work_, u_, next_, u_next_, trial_, u_trial_, centre_, best_;
  std::vector<int> first_;        // where the rows of the matrix begin; or the order of pivots
  std::vector<double> D_;         // (9 per block) where G is not built
  std::vector<int> states_;       // (blocks) the pieces of the last step
  Factor factor_ = Factor::none;  // of the last step
  bool same_states_ = false;      // as in the step before
  bool again_ = false;            // the last step took the factors of an earlier one
  bool sliding_ = false;          // some contact slides, which makes the matrix unsymmetric
};

}  // namespace sinew::lcp
