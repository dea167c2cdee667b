// sinew/lcp/cone_interior.hpp - Coulomb's law from inside its cones
// With  x = (mu (r_n + preload), r_t)  and  y = (s, u_t)  the law reads
//   r_n >= 0,  u_n >= 0,  r_n u_n = 0;      x and y in the cone  x_0 >= |(x_1, x_2)|,  x . y = 0
// and s comes out as the slip speed |u_t|. With  r_n u_n = gap  and  x o y = gap (1, 0, 0)  (Jordan's product) in place
// of 0 the equations are smooth, and their solutions form a path to the law as gap goes to 0. Each step is Newton's in
// the scaling of Nesterov and Todd, towards gap 0 and with second-order terms [Mehrotra], but only part of the way to
// the boundary:
//   (W + H) dr = h + (residual of the velocities);      dy = h - H dx,  and likewise u_n
// H couples r_t to r_n but not r_n to r_t: W + H is not symmetric, and no theorem says that the path ends at a
// solution. It does for nearly all problems, and is the best method where many solutions exist and others converge
// slowly. It ends near a solution, where the contact states are right; AlartCurnier::polish makes it exact.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

// How far its steps go, and where they start.
struct InteriorOptions {
  double share = 0.7;     // part of the way to the boundary that a step goes: with more the method may stall there
  bool centring = false;  // aims at the middle by as much as the first-order step falls short [Mehrotra]
  double warm = 0;        // 0: starts in the middle of the cones; more: near r, with products of about warm^2
};

class ConeInterior {
 public:
  void reserve(std::size_t n);         // room for problems of n unknowns
  void reserve_sparse(std::size_t n);  // where G is not built
  // r, u: impulses to start near, and their velocities, where options.warm > 0. False where there is nothing to solve.
  bool start(const ConeForm&, const InteriorOptions& = {}, const double* r = nullptr, const double* u = nullptr);
  // One step; writes the impulses r. False: no further step is possible, and r is unchanged.
  bool step(const ConeForm&, double* r);

 private:
  template <class Do>
  void for_each_array(std::size_t n, Do apply, bool dense = true);
  enum class Part { fixed, interval, cone };
  struct Block {
    // How many of its entries, the first ones, are unknowns.
    int moving() const { return part == Part::cone ? 3 : part == Part::interval ? 1 : 0; }

    Part part = Part::fixed;
    double lower = 0, upper = 0;                 // of its first entry
    double push[2] = {}, d_push[2] = {};         // multipliers of the two bounds: u_n = push[0] - push[1]; their change
    double offset = 0;                           // x_0 of the cone less that entry
    double root[3][3] = {}, inverse[3][3] = {};  // of H
    double middle[3] = {};                       // the common value of the scaled x and y
    double target = 0;                           // h of s
  };
  bool calc_scalings(const ConeForm&);
  void calc_excess(const ConeForm&);
  void build_matrix(const ConeForm&);
  bool factor(const ConeForm&);
  bool factor_sparse(const ConeForm&);
  void move_near(const ConeForm&, const double* r, const double* u);
  void calc_target(const ConeForm&, bool second, double aim);
  void solve_sparse(const ConeForm&);
  void solve_step(const ConeForm&);
  double calc_longest(const ConeForm&) const;
  double calc_gap(const ConeForm&) const;

  std::vector<Block> blocks_;
  std::vector<double> x_, y_, dx_, dy_;  // y: of cones
  std::vector<double> h_, excess_, velocity_, work_;
  std::vector<double> unit_;   // r = unit x
  std::vector<double> A_, B_;  // the matrix of the step, and its columns as rows
  std::vector<double> D_;      // (9 per block) H^-1 in the units of the form, where G is not built
  std::vector<int> first_;     // (size) where its rows begin
  std::vector<int> order_;     // of pivots
  enum class Factor { envelope, plain, pivoted };
  Factor factor_ = Factor::plain;  // of the matrix of the step
  InteriorOptions options_;
  double gap_ = 0;
  int degree_ = 0;  // number of complementary pairs
};

}  // namespace sinew::lcp
