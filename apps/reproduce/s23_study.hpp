// apps/reproduce/s23_study.hpp - S23 section IV again: operations of the Delassus algorithms
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sinew/delassus/cost.hpp"

namespace sinew::app {

using Operations23 = std::map<delassus::Algorithm, long>;

// A robot under constraints, and what the paper says of it. Its figure is empty where it is only in the text.
struct RobotCase {
  std::string name, constraints, paper, figure;
  int freedoms = 0, rows = 0;
  Operations23 operations;
};
// Stems of several lengths with `branches` arms at each end, a weld at each tip.
struct StemStudy {
  int branches = 0;
  std::vector<int> lengths;
  std::vector<Operations23> operations;     // one per length
  double slope(delassus::Algorithm) const;  // operations per stem link
};
// Table I: how operations grow where one number is doubled, as an exponent of it.
struct Growth {
  std::string what;  // is doubled, and where
  std::map<delassus::Algorithm, double> exponent;
};
struct S23Study {
  std::vector<Growth> growth;
  std::vector<StemStudy> stems;
  std::vector<RobotCase> robots;
};

// `tick` is called once per case; there are count_cases() of them.
int count_cases();
S23Study run_s23(const std::function<void()>& tick);

}  // namespace sinew::app
