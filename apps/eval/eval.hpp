// apps/eval/eval.hpp - `sinew eval`: the command line in eval.cpp, the work in run.cpp
#pragma once
#include <string>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew::app {

struct EvalOptions {
  std::vector<std::string> algorithms, frames;
  std::string state, convention = "sinew", reference = "mixed", output;
};

// Reads the states, computes, returns the results as JSON text. Throws InputError.
std::string evaluate(const Model&, const EvalOptions&);
// {"file": .., "error": {"state": .., "message": ..}}; state -1: none.
std::string describe_error(const std::string& file, const std::string& message, int state);

}  // namespace sinew::app
