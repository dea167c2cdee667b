// apps/reproduce/f08_study.hpp - F08 again: costs of spatial arithmetic and of the tree algorithms, accuracy
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "count/operations.hpp"
#include "reproduce/spatial_costs.hpp"

namespace sinew::app {

// Table 6.6 on one tree: a matrix with its sparsity, and no other zero.
struct FactorCosts {
  std::string name;
  OperationCount ltl_book, ltl, ltdl_book, ltdl;
};
struct FactorStudy {
  std::string tree;
  long n = 0, D1 = 0, D2 = 0;
  std::vector<FactorCosts> rows;
};

// A row of Table 10.1: multiplications (with divisions) and additions for n joints.
struct PublishedCount {
  const char *algorithm, *cost, *source;
  long (*mul)(long n);
  long (*add)(long n);
  long total(long n) const { return mul(n) + add(n); }
};
const std::vector<PublishedCount>& published_counts();
// The best row of an algorithm.
const PublishedCount& best_published(const std::string& algorithm);

// What the algorithms take here, without sines and cosines, as in the table. `cubic` is calc_bias + crba + factor and
// solve, with L^T D L; the book takes all of RNEA for the bias.
struct TreeCounts {
  long n = 0, rnea = 0, bias = 0, crba = 0, factor_and_solve = 0, aba = 0;
  long cubic() const { return bias + crba + factor_and_solve; }
};
TreeCounts get_tree_counts(const Operations&);

// A tree of revolute joints with general geometry: Eq 10.12 and what `crba` takes.
struct TreeCase {
  std::string name;
  TreeNumbers tree;
  OperationCount book, counted;
};
// Figure 10.5: the binary tree of n bodies, body i on body i / 2.
struct BinaryTreeCase {
  TreeCounts counted;
  long book = 0;  // Eq 10.12, the best RNEA and Table 6.6
};

// Figures 10.1 and 10.2: a body of unit mass and unit inertia about its centre, at c from the origin.
struct FarBody {
  std::array<double, 2> c{};
  std::array<double, 9> I{};  // by rows
  std::array<double, 3> rhs{}, exact{}, solved{};
  double condition = 0, error = 0;  // of the acceleration at the centre
};
struct FarBodies {
  FarBody example;
  std::vector<double> distance, error, mean_distance, mean_error;
  double slope_near = 0, slope_far = 0;  // of log error over log distance, below and above 1
};

// Section 10.2: six rods in a zigzag, and the condition of straight chains.
struct Sensitivity {
  std::vector<double> q, force, applied, answer;  // tau_d, tau_a, qdd_a
  double condition = 0, force_error = 0, answer_error = 0;
  struct Straight {
    int n = 0;
    double condition = 0;
  };
  std::vector<Straight> straight;
};

// Section 10.4: what an algorithm's record costs, and what is left of it.
struct SymbolicStudy {
  // Table 10.3: the record, and what simplification makes of it.
  struct Stage {
    std::string name;
    long operations = 0;
    std::vector<std::string> assignments;
  };
  // Figure 10.6 on a robot: recorded, simplified by the book's rules and by all, and put in order.
  struct Robot {
    std::string name, algorithm;
    long recorded = 0, book = 0, all = 0;
    int live = 0, live_scheduled = 0;  // most values that are needed later at once
  };
  std::vector<Stage> table;
  std::vector<Robot> robots;
};

struct F08Study {
  std::vector<SpatialCost> table_a4, table_a5, tricks;
  std::vector<FactorStudy> factors;
  std::vector<TreeCounts> chains;  // GU(1) ..
  std::vector<TreeCase> trees;
  std::vector<BinaryTreeCase> binary;
  FarBodies far;
  Sensitivity sensitivity;
  SymbolicStudy symbolic;
  std::vector<std::pair<std::string, Operations>> mechanisms;
};

// `tick` is called once per part; there are count_f08_parts() of them.
int count_f08_parts();
F08Study run_f08(const std::function<void()>& tick);

// The parts.
std::vector<FactorStudy> study_factors();
std::vector<TreeCase> study_trees();
std::vector<BinaryTreeCase> study_binary_trees(int most);
FarBodies study_far_bodies();
Sensitivity study_sensitivity();
SymbolicStudy study_symbolic();

}  // namespace sinew::app
