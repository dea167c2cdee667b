// src/lcp/wedge.hpp - rows of a contact problem that contradict each other, with a proof
// Impulses d within their laws (pushing, inside the cones) that change no velocity, G d = 0, although the rows ask for
// more of them, b . d < 0: a limb wedged between others that close in on it. By Farkas' lemma no impulses r give
// velocities u = G r + b at which none of these rows is violated and none of their contacts slips: d . u >= 0 would
// hold there, but d . u = d . b. With G d known to rounding, such r are larger than `least_impulse`.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"

namespace sinew::lcp {

class Wedge {
 public:
  void reserve(std::size_t rows);
  // From impulses near such d; true where the proof holds. G must be built.
  bool find(const ConeForm&, const double* near);
  const std::vector<double>& impulses() const { return d_; }  // (size) the largest is 1; 0 for all other rows
  double least_impulse() const { return least_impulse_; }     // of answers without slip, in the units of the form

 private:
  void project(const ConeForm&, double share);
  bool keep_largest(const ConeForm&);
  bool factor(const ConeForm&);
  bool settle();
  bool proves(const ConeForm&);
  std::vector<double> d_, x_, A_, work_;
  std::vector<int> rows_, order_;
  double least_impulse_ = 0;
};

}  // namespace sinew::lcp
