// apps/eval.cpp - `sinew eval`: algorithms at given states, in the convention of the program you come from
#include "eval.hpp"

#include <cstdio>

#include "eval_algorithms.hpp"
#include "input_error.hpp"
#include "model_input.hpp"
#include "refuse.hpp"
#include "report.hpp"

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
  if (r.diagnostics.count(Severity::warning) > 0 && !in.json)
    std::fprintf(stderr, "%s; see: sinew check %s\n", summarize(r.diagnostics).c_str(), file.c_str());
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
         "An external force acts at the body's origin, a torque is about it; along the axes of the \"body\" (unless "
         "said\n"
         "otherwise) or of the \"world\". The result is a list with one object a state. docs/eval.md says more.\n"
         "Exit codes: 0 fine, 2 the model or a state is refused, 3 wrong usage.\n"
         "Examples:\n"
         "  echo '{\"q\": [0.1, 0.2, 0.3], \"v\": [1, 0, 0], \"a\": [0, 0, 0]}' |\n"
         "    sinew eval models/pendulum3.xml --algorithm rnea,crba --state -\n"
         "  sinew eval robot.urdf --floating --convention pinocchio --algorithm jacobian --frame tool --state "
         "states.json";
}

}  // namespace

void add_eval(CLI::App& app, Action& chosen) {
  CLI::App* sub = app.add_subcommand("eval", "Compute torques, accelerations, matrices at given states");
  const auto in = add_model_input(*sub);
  const auto o = std::make_shared<EvalOptions>();
  sub->add_option("--algorithm", o->algorithms, "What to compute, see below; may be repeated, or a list with commas")
      ->required()
      ->type_name("NAME")
      ->delimiter(',')
      ->take_all()
      ->expected(1);
  sub->add_option("--state", o->state, "The states, see below")->required()->type_name("STATE.json");
  sub->add_option("--convention", o->convention,
                  "Order and form of coordinates, in and out: sinew (unless said otherwise), pinocchio or mujoco")
      ->type_name("NAME");
  sub->add_option("--frame", o->frames, "jacobian: a frame or body; may be repeated")
      ->type_name("NAME")
      ->take_all()
      ->expected(1);
  sub->add_option(
         "--reference", o->reference,
         "jacobian, velocity: world (axes and origin of the world), body (of the frame itself) or mixed (axes of "
         "the world, origin of the frame; unless said otherwise). Pinocchio's WORLD, LOCAL, LOCAL_WORLD_ALIGNED")
      ->type_name("NAME");
  sub->add_option("--output", o->output, "Write there instead of to the standard output")->type_name("FILE");
  sub->footer(footer());
  sub->callback([in, o, &chosen] { chosen = [in, o] { return run(*in, *o); }; });
}

}  // namespace sinew::app
