// apps/eval/eval.cpp - `sinew eval`: algorithms at given states, in the convention of the program you come from
#include "eval/eval.hpp"

#include <cstdio>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/model_input.hpp"
#include "common/refuse.hpp"
#include "common/terminal.hpp"
#include "eval/algorithms.hpp"

namespace sinew::app {
namespace {

void write_output(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::FILE* out = std::fopen(file.c_str(), "wb");
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!out || std::fclose(out) != 0 || !written) throw InputError("--output: cannot write '" + file + "'", kUsage);
}

int run(const ModelInput& in, const EvalOptions& options) {
  const std::string file = in.file.string();
  check_one_standard_input({{"FILE", file}, {"--state", options.state}});
  const ReadModel r = read_model(in);
  if (!r.model) return refuse(r.diagnostics, file, in.json);
  try {
    write_output(evaluate(*r.model, options), options.output);
  } catch (const InputError& e) {
    if (in.json)
      std::fputs(describe_error(file, e.what(), e.state).c_str(), stdout);
    else
      std::fprintf(stderr, "sinew eval: %s\n", clean(e.what()).c_str());
    return e.code;
  }
  say_remarks(r.diagnostics, r.model->spec(), in);
  return kOk;
}

std::string footer() {
  std::string out = "Algorithms, what they need of the state, and the names of what they give:\n";
  for (const EvalAlgorithm& a : eval_algorithms())
    out += "  " + fit(a.name, 13) + " " + fit(a.needs, 10) + " " + a.gives + "\n";
  return out +
         "\nSTATE.json is one state or a list of states; '-' is the standard input:\n"
         "  {\"q\": [..], \"v\": [..], \"a\": [..], \"tau\": [..], \"time\": 0, \"frame\": \"tool\", \"reference\": "
         "\"mixed\",\n"
         "   \"external\": {\"forearm\": {\"force\": [0, 0, 1], \"torque\": [0, 0, 0], \"frame\": \"world\"}}}\n"
         "An external force acts at the body's origin, a torque is about it; along the axes of the \"body\" "
         "(default)\n"
         "or of the \"world\". The result is a list with one object per state. docs/eval.md says more.\n"
         "Exit codes: 0 fine, 2 the model or a state is refused, 3 wrong usage.\n"
         "Examples:\n"
         "  echo '{\"q\": [0.1, 0.2, 0.3], \"v\": [1, 0, 0], \"a\": [0, 0, 0]}' |\n"
         "    sinew eval models/pendulum3.xml --algorithm rnea,crba --state -\n"
         "  sinew eval robot.urdf --floating --convention pinocchio --algorithm jacobian --frame tool --state "
         "states.json";
}

}  // namespace

void add_eval(Command& sinew) {
  Command c = sinew.add("eval", "Compute torques, accelerations, matrices at given states");
  const auto in = add_model_input(c);
  const auto o = std::make_shared<EvalOptions>();
  c.list("--algorithm", o->algorithms, "What to compute, see below; may be repeated, or a list with commas",
         {.type = "NAME", .required = true, .separator = ','});
  c.option("--state", o->state, "The states, see below", {.type = "STATE.json", .required = true});
  c.option("--convention", o->convention,
           "Order and form of coordinates, in and out: sinew (default), pinocchio or mujoco", {.type = "NAME"});
  c.list("--frame", o->frames, "jacobian: a frame or body; may be repeated", {.type = "NAME"});
  c.option("--reference", o->reference,
           "jacobian, velocity: world (axes and origin of the world), body (of the frame itself) or mixed (axes of "
           "the world, origin of the frame; the default). Pinocchio's WORLD, LOCAL, LOCAL_WORLD_ALIGNED",
           {.type = "NAME"});
  c.option("--output", o->output, "Write there instead of to the standard output", {.type = "FILE"});
  c.footer(footer());
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
