// apps/reproduce/operators_study.hpp - what J11 and R92 state about spatial operators, computed again
#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reproduce/dense.hpp"

namespace sinew::app {

// Which blocks of a matrix differ from zero, as drawn in a paper and as found in the numbers.
struct Pattern {
  std::string where, what;
  std::string printed;       // rows of X and ., with line breaks; empty where the figure is lost
  std::string found;         // of the materialised matrix
  std::string nodes;         // the same, a character per pair of nodes
  std::vector<int> borders;  // the first node of each branch
};
// The five branches that both papers draw [J11 Fig. 4, 5] [R92 0.10, 0.13]: blocks of E_A, and of A.
inline constexpr const char* kBranchesWeight =
    "X....\n"
    ".X...\n"
    "..X..\n"
    "XX.X.\n"
    "..XXX\n";
inline constexpr const char* kBranchesSum =
    "X....\n"
    ".X...\n"
    "..X..\n"
    "XX.X.\n"
    "XXXXX\n";
// An equation, and the largest relative residual of many models.
struct Statement {
  std::string equation, text;
  double residual = 0;
};
// Operations of an algorithm on trees of growing size.
struct CostRow {
  std::string equation, what, paper;  // paper: the order that it states
  std::vector<long> operations;       // multiplications, additions and divisions, one per size
  double exponent = 0;                // between the last two sizes
};
struct CostTable {
  std::string tree;
  std::vector<int> nodes;
  std::vector<CostRow> rows;
};
// A model of one system among others.
struct ModelRow {
  std::string what;
  int nodes = 0, largest = 0;  // the most numbers in a node's velocity
  long operations = 0;         // of one forward dynamics
  double difference = 0;       // of the forward and inverse dynamics from the first row, relative
};
// A misprint: relative errors of what is printed and of what is right.
inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();  // the note says why there is none
struct Erratum {
  std::string where, printed, right;
  double error_printed = 0, error_right = 0;
  std::string note;
};
struct OperatorsStudy {
  std::string key;  // "J11"
  std::vector<Pattern> patterns;
  std::vector<std::string> remarks;  // figures in words, messages
  std::vector<Statement> statements;
  std::vector<CostTable> costs;
  std::vector<ModelRow> models;
  std::vector<Erratum> errata;

  // The worst residual of a statement is kept.
  void note(const std::string& equation, const std::string& text, double residual);
  // The blocks of x that differ from zero, by branches; `offsets` are those of the nodes.
  void draw(const char* where, const char* what, const char* printed, const Dense& x, const std::vector<int>& offsets,
            const std::vector<int>& borders);
};

// `tick` is called once per part; there are kOperatorParts of them.
inline constexpr int kOperatorParts = 5;
OperatorsStudy run_j11(const std::function<void()>& tick);
OperatorsStudy run_r92(const std::function<void()>& tick);

}  // namespace sinew::app
