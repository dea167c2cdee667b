// sinew/generate/generate.hpp - code for one robot: C or CUDA text that needs nothing of this library
//   trace -> simplify -> schedule -> a header, a source and a test that compares with numbers of the library
// The code has no loops over links and no data: constants of the robot stand in the formulas, and what they make zero
// is gone. It allocates nothing and calls nothing but libm. Long functions are cut into parts, because compilers take
// more than twice the time for twice the length. docs/generate.md shows it.
// Left out: constrained dynamics and contacts, which branch on the state; external forces.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/generate/graph.hpp"
#include "sinew/model/model.hpp"

namespace sinew::generate {

// Of the text that is written.
enum class Language { c, cuda };

// How the text is written.
struct Options {
  Language language = Language::c;
  int lanes = 1;                 // C: samples per call, side by side in vector registers; a power of two
  bool single = false;           // float instead of double
  std::string name;              // prefix of functions and files; empty: that of the model
  int statements = 300;          // of one function
  int most_operations = 500000;  // of one algorithm, written; more is refused
};

struct GeneratedFile {
  std::string name, text;
};
struct GeneratedAlgorithm {
  std::string name;         // "rnea"
  std::string declaration;  // of its function
  std::vector<Argument> inputs, outputs;
  OperationCount recorded;  // before anything is simplified; rnea and crba on the EquivalentModel, which has fewer
  OperationCount written;
  int live_values = 0;                // most that are needed later at once
  int parts = 1;                      // functions
  std::vector<std::string> left_out;  // of the model, in words
};
struct Generated {
  std::string name;
  std::uint64_t model_hash = 0;
  std::vector<GeneratedFile> files;  // header, source, test
  std::vector<GeneratedAlgorithm> algorithms;
};

// Algorithms: those of generate/trace.hpp, one by one or as lists with commas. Throws std::invalid_argument for options
// or names that do not fit, TraceError where the model cannot be traced or an algorithm is too long; the message says
// what to do.
Generated generate(const Model&, std::span<const std::string> algorithms, const Options& = {});

}  // namespace sinew::generate
