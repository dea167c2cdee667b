// src/generate/body.hpp - a graph as statements: which steps get a name, which stand inside others, and the parts
#pragma once
#include <string>
#include <vector>

#include "sinew/generate/graph.hpp"

namespace sinew::generate {

// How numbers, inputs, outputs and functions are spelled.
struct Spelling {
  std::string prefix;    // of helper functions
  bool single = false;   // float
  bool lanes = false;    // every number is a vector
  bool strided = false;  // element i of an argument is x[i * n]
};

// One statement, as text, and what it gives and takes.
struct Statement {
  std::string text;          // the right-hand side
  int step = -1;             // whose value it is
  std::vector<int> reads;    // steps with names
  std::vector<int> results;  // outputs that it fills
  bool named = false;        // other statements read it
  std::vector<int> inputs;   // that it reads
};

struct Body {
  std::vector<std::string> angles;  // whose sines and cosines are calculated first, all at once
  std::vector<Statement> statements;
  std::vector<std::pair<int, std::string>> direct;  // outputs that are constants, inputs, or a sine of the first
  std::vector<std::string> helpers;                 // functions used beside + - * /, by name of operation
};
Body make_body(const Graph&, const Spelling&);

// Where to cut: begin of each part, and the end. Cuts are where few values cross.
std::vector<int> find_parts(const Body&, int most_statements);

std::string spell_number(double, const Spelling&);
std::string spell_output(const Graph&, int result, const Spelling&);

}  // namespace sinew::generate
