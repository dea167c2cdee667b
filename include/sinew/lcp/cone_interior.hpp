// sinew/lcp/cone_interior.hpp - Coulomb's law from inside its cones
// In  x = (mu r_n, r_t)  and  y = (u_n / mu + |u_t|, u_t)  the law reads: x and y lie in the cone of all vectors whose
// first entry is no less than the length of the rest, and x . y = 0 [De Saxce]. The path of  x o y = gap e  (Jordan's
// product, e = (1, 0, 0)) leads from the middle of the cones to such a pair. Each step is Newton's in Nesterov and
// Todd's scaling, predictor and corrector [Mehrotra],
//   (A + slip + H) dx = h + (residual),   dy = h - H dx,
// with the derivative of |u_t| in `slip`: that makes it Newton's method for the law itself and not for a convex problem
// that follows it. No theorem says that it arrives; where it jams, |u_t| is held for some steps, and after that the
// point is pulled back inside. It is quick where many answers are possible and other methods creep among them. It ends
// near an answer, not at it: the contact states are plain by then, and AlartCurnier::polish does the rest.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

class ConeInterior {
 public:
  void reserve(std::size_t n);
  // To the middle of the cones. False for what it is not made for: preloads.
  bool start(const ConeForm&);
  // One step; r, the impulses, comes out. False: it can go no further, and r is as it was.
  bool step(const ConeForm&, double* r);
  double gap() const { return gap_; }

 private:
  enum class Part { fixed, interval, cone };
  struct Block {
    Part part = Part::fixed;
    int moving() const { return part == Part::cone ? 3 : part == Part::interval ? 1 : 0; }  // its first entries
    double lower = 0, upper = 0;                                                            // of an interval
    double push[2] = {}, d_push[2] = {};                         // at its ends, y = push[0] - push[1]; their change
    double root[3][3] = {}, inverse[3][3] = {}, middle[3] = {};  // of H, and what both x and y are in its scale
    double slip[3] = {};                                         // |u_t|, and its derivative by u_t
  };
  double calc_gap(const ConeForm&) const;
  void calc_excess(const ConeForm&);
  void build_matrix(const ConeForm&);
  bool factor(const ConeForm&);
  void calc_target(const ConeForm&, double gap, bool second);
  void solve_step(const ConeForm&);
  double calc_longest(const ConeForm&) const;
  void pull_inside(const ConeForm&);

  std::vector<Block> blocks_;
  std::vector<double> x_, y_, dx_, dy_, h_, excess_, velocity_, work_;
  std::vector<double> unit_;   // r = unit x
  std::vector<double> A_, B_;  // the matrix of the step, and its columns as rows
  std::vector<int> first_;     // (size) where its rows begin
  std::vector<int> order_;     // of pivots
  bool pivoted_ = false;
  double gap_ = 0;
  int degree_ = 0;                       // pairs whose product is to vanish
  int slow_ = 0, held_ = 0, pulls_ = 0;  // short steps of late, steps with |u_t| held, times pulled back
};

}  // namespace sinew::lcp
