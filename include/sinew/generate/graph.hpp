// sinew/generate/graph.hpp - the operations of one algorithm on one model, as a list
// Each step comes after its operands. Inputs and outputs are vectors and matrices with names, one after the other:
// step {input, a} is number a of all inputs, results[i] the step of number i of all outputs.
#pragma once
#include <string>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/base/traced.hpp"
#include "sinew/base/view.hpp"

namespace sinew::generate {

// A vector (one column) or a matrix by rows.
struct Argument {
  std::string name;
  int rows = 0, cols = 1;
  std::string meaning;
  int size() const { return rows * cols; }
};

struct Graph {
  std::vector<TracedStep> steps;
  std::vector<Argument> inputs, outputs;
  std::vector<int> results;  // (all outputs) steps

  int input_size() const;
  int output_size() const;
};

// By the rules of base/counted.hpp: subtractions are additions, negations and comparisons free. `Counted` also leaves
// out what is multiplied by 0 and 1, which a graph that was not simplified still has.
OperationCount count_operations(const Graph&);
// How often each step is an operand or a result.
std::vector<int> count_uses(const Graph&);
// Most values that are needed later at once, when the steps are done in their order; constants and inputs apart.
int count_live_values(const Graph&);

// The numbers that come out. Throws std::invalid_argument where `inputs` has another size than the graph's inputs.
std::vector<double> evaluate(const Graph&, VectorView<const double> inputs);

// The same steps in another order: order[k] is the step that comes k-th. Steps that are not in it are left out.
Graph reorder(const Graph&, const std::vector<int>& order);

}  // namespace sinew::generate
