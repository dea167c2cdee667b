// sinew/lcp/cone_form.hpp - a friction problem as the cone solvers see it
// Free rows are eliminated, the matrix is made symmetric (ConePath solves again for the rest), every row or contact is
// scaled so that its diagonal is about one, and q so that its largest entry is one. A unilateral row and its exact
// opposite are one equation, and are eliminated as such [J14 5]. Blocks: unilateral rows (one wide), then contacts
// (three wide); contacts that share a body are near each other.
#pragma once
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/lcp/free_rows.hpp"
#include "sinew/lcp/problem.hpp"

namespace sinew::lcp {

class SparseCone;  // src/lcp/sparse_cone.hpp

struct ConeForm {
  int size = 0, unilateral = 0, contacts = 0;
  std::vector<double> G;             // size x size, row-major
  SparseCone* sparse = nullptr;      // in its place, where G is not built
  std::vector<double> b;             // (size)
  std::vector<double> lower, upper;  // (unilateral)
  std::vector<double> mu, preload;   // (contacts)
  std::vector<double> scale;         // (size) impulse = scale * unknown
  double unit = 1;                   // velocity = unit^2 / scale * scaled velocity
  Interrupt interrupt;               // that solvers look at once an iteration

  int blocks() const { return unilateral + contacts; }
  RowLayout layout() const { return {0, unilateral, contacts}; }
  // First row of block k, and its number of rows.
  int start(int k) const { return k < unilateral ? k : layout().row_of_contact(k - unilateral); }
  int width(int k) const { return k < unilateral ? 1 : 3; }
  // The impulse nearest to x that row k, one wide, may have.
  double clamp(int k, double x) const {
    const auto i = static_cast<std::size_t>(k);
    return x < lower[i] ? lower[i] : x > upper[i] ? upper[i] : x;
  }
  const double* row(int i) const { return G.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(size); }
  // u = G r + b
  void calc_velocity(const double* r, double* u) const;
};

// The natural map of the scaled problem at r with velocity u, its largest entry.
double calc_natural(const ConeForm&, const double* r, const double* u);

// Blocks that touch each other, packed for sweeps: 3 x 3 by columns, columns four apart.
struct BlockRows {
  std::vector<int> first;      // (blocks + 1) into the following
  std::vector<int> neighbour;  // block
  std::vector<double> values;  // 12 each; the block itself is left out
  // Room for so many blocks; then the blocks of a form.
  void reserve(int blocks);
  void build(const ConeForm&);
};

// From a friction problem to its cone form and back: free rows eliminated, scaled.
class ConeReduction {
 public:
  // Room for problems of that size, and their forms.
  void reserve(const RowLayout&, ConeForm&);
  // False: free rows cannot be eliminated without a shift. `contradiction`: equations contradict each other.
  bool reduce(const FrictionProblem&, ConeForm&, bool& contradiction, double shift = 0, const double* centre = nullptr);
  void scale_start(const ConeForm&, VectorView<const double> z, double* r) const;
  void recover(const FrictionProblem&, const ConeForm&, const double* r, VectorView<double> z);
  // skew: (size^2) what the form left out, half of G - G^T. Returns the largest difference of an entry and its mirror
  // image, in the units of the form, and the rows of the problem that it belongs to.
  struct Asymmetry {
    double largest = 0;
    int row = 0, column = 0;
  };
  Asymmetry calc_skew(const FrictionProblem&, const ConeForm&, std::vector<double>& skew);

 private:
  void calc_matrix(const FrictionProblem&, double* G, double* b);
  FreeRows free_rows_;
  void find_pairs(const FrictionProblem&);
  void order_contacts(const FrictionProblem&);

  std::vector<int> free_, rest_;
  std::vector<int> contacts_, degree_;  // in the order of the form; how many others each couples with
  std::vector<int> partner_;            // (unilateral) of a pair of opposite rows; -1: none
  std::vector<double> skew_b_;          // scratch of calc_skew
};

// Of the problem's matrix once its free rows are eliminated, relative to its diagonal; zero where they cannot be.
ConeReduction::Asymmetry find_asymmetry(const FrictionProblem&);

}  // namespace sinew::lcp
