// apps/eval/run.cpp - `sinew eval`: states in, results out
#include <fmt/format.h>

#include <sstream>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/json_text.hpp"
#include "eval/algorithms.hpp"
#include "eval/eval.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const EvalAlgorithm*> find_algorithms(const std::vector<std::string>& names) {
  std::vector<const EvalAlgorithm*> out;
  for (const std::string& name : names) {
    out.push_back(find_eval_algorithm(name));
    if (out.back()) continue;
    std::vector<std::string> all;
    for (const EvalAlgorithm& a : eval_algorithms()) all.emplace_back(a.name);
    throw InputError(fmt::format("--algorithm: there is no '{}'; there are {}", name, fmt::join(all, ", ")), kUsage);
  }
  return out;
}

Convention find_convention(const std::string& name) {
  for (const Convention c : {Convention::sinew, Convention::pinocchio, Convention::mujoco})
    if (to_string(c) == name) return c;
  throw InputError(fmt::format("--convention: there is no '{}'; there are sinew, pinocchio, mujoco", name), kUsage);
}

StateDefaults find_defaults(const Model& m, const EvalOptions& o) {
  try {
    for (const std::string& frame : o.frames) find_place(m, frame);
  } catch (const InputError& e) {
    throw InputError(std::string("--frame: ") + e.what(), kUsage);
  }
  const auto reference = find_reference(o.reference);
  if (!reference)
    throw InputError(fmt::format("--reference: there is no '{}'; there are world, body, mixed", o.reference), kUsage);
  return {o.frames, *reference};
}

void check_needs(const EvalAlgorithm& a, const EvalState& s) {
  std::istringstream words(a.needs);
  for (std::string key; words >> key;) {
    const bool there = key[0] == '['  ? true
                       : key == "q"   ? s.q.has_value()
                       : key == "v"   ? s.v.has_value()
                       : key == "a"   ? s.a.has_value()
                       : key == "tau" ? s.tau.has_value()
                                      : !s.frames.empty();
    if (there) continue;
    const char* remedy =
        key == "frame" ? "give --frame NAME, or \"frame\": \"NAME\" in the state" : "add it to the state";
    throw InputError(fmt::format("state {}: '{}' is missing; {} needs {}: {}", s.index, key, a.name, a.needs, remedy),
                     2, s.index);
  }
}

Json run_one(const Model& m, const Exchange& x, const EvalState& s, const EvalAlgorithm& a) {
  check_needs(a, s);
  Json out = Json::object();
  a.call({m, x, s}, out);
  if (const std::string where = find_not_finite(out); !where.empty())
    throw InputError(fmt::format("state {}: {}: {} is not finite; check that every coordinate moves some mass, and "
                                 "that no number of the state is beyond 1e150",
                                 s.index, a.name, where),
                     2, s.index);
  return out;
}

}  // namespace

std::string evaluate(const Model& m, const EvalOptions& options) {
  const auto algorithms = find_algorithms(options.algorithms);
  const Exchange exchange(m, find_convention(options.convention));
  const StateDefaults defaults = find_defaults(m, options);
  Json results = Json::array();
  try {
    for (const EvalState& s : read_states(read_text_or_standard_input(options.state), m, exchange, defaults)) {
      results.push_back(Json::object());
      for (const EvalAlgorithm* a : algorithms) results.back().update(run_one(m, exchange, s, *a));
    }
  } catch (const InputError& e) {
    throw InputError((options.state == "-" ? "standard input" : options.state) + ": " + e.what(), e.code, e.state);
  }
  return write_short(results);
}

std::string describe_error(const std::string& file, const std::string& message, int state) {
  Json error = {{"message", message}};
  error["state"] = state < 0 ? Json(nullptr) : Json(state);
  return write_short({{"file", file}, {"error", error}});
}

}  // namespace sinew::app
