// apps/generate/generate.cpp - `sinew generate`: C or CUDA code for one robot
#include "sinew/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/model_input.hpp"
#include "common/refuse.hpp"
#include "common/terminal.hpp"
#include "count/operations.hpp"
#include "sinew/generate/trace.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateInput {
  std::vector<std::string> what;
  std::filesystem::path folder;
  std::string language = "c", scalar = "double";
  generate::Options options;
};

void write_files(const generate::Generated& g, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw InputError(fmt::format("--out: cannot make the folder '{}': {}", folder.string(), failed.message()), kUsage);
  for (const generate::GeneratedFile& f : g.files) {
    const std::filesystem::path file = folder / f.name;
    std::ofstream out(file, std::ios::binary);
    out << f.text;
    out.close();
    if (!out) throw InputError(fmt::format("--out: cannot write '{}'", file.string()), kNotSaved);
  }
}

// Operations of the library's own kernels on this robot, by the names of their code; fk is what kinematics does.
class Kernels {
 public:
  explicit Kernels(const Model& m) : rows_(count_operations(m, 1).rows) {}
  const OperationCount* find(const std::string& algorithm) const {
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const OperationRow& r) {
      return r.name == (algorithm == "fk" ? "kinematics" : algorithm);
    });
    return row == rows_.end() ? nullptr : &row->count;
  }

 private:
  std::vector<OperationRow> rows_;
};

Json count_to_json(const OperationCount& c) {
  return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}, {"trig", c.trig}};
}
std::string to_json_text(const generate::Generated& g, const Kernels& kernels, const std::string& file,
                         const GenerateInput& in) {
  Json out = {{"file", file},
              {"name", g.name},
              {"model_hash", fmt::format("{:016x}", g.model_hash)},
              {"language", in.language},
              {"scalar", in.scalar},
              {"lanes", in.options.lanes}};
  for (const generate::GeneratedFile& f : g.files) out["files"].push_back((in.folder / f.name).string());
  for (const generate::GeneratedAlgorithm& a : g.algorithms) {
    const OperationCount* kernel = kernels.find(a.name);
    out["algorithms"][a.name] = {{"declaration", a.declaration},
                                 {"kernel", kernel ? count_to_json(*kernel) : Json()},
                                 {"general", count_to_json(a.recorded)},
                                 {"written", count_to_json(a.written)},
                                 {"live_values", a.live_values},
                                 {"functions", a.parts},
                                 {"left_out", a.left_out}};
  }
  return write_short(out);
}

std::string to_text(const generate::Generated& g, const Kernels& kernels, const GenerateInput& in) {
  const Paint paint(stdout);
  const auto total = [](const OperationCount& c) { return c.mul + c.add + c.div + c.sqrt; };
  std::string out = fmt::format("{:<14}{:>9}{:>9}{:>6}{:>7}{:>9}{:>9}{:>9}{:>11}\n", "algorithm", "mul", "add", "div",
                                "trig", "total", "general", "kernel", "functions");
  for (const generate::GeneratedAlgorithm& a : g.algorithms) {
    const OperationCount* kernel = kernels.find(a.name);
    out += fmt::format("{:<14}{:>9}{:>9}{:>6}{:>7}{:>9}{:>9}{:>9}{:>11}\n", a.name, a.written.mul, a.written.add,
                       a.written.div + a.written.sqrt, a.written.trig, total(a.written), total(a.recorded),
                       kernel ? std::to_string(total(*kernel)) : "", a.parts);
  }
  for (const generate::GeneratedAlgorithm& a : g.algorithms)
    for (const std::string& what : a.left_out) out += fmt::format("{} leaves out: {}\n", a.name, clean(what));
  for (const generate::GeneratedFile& f : g.files)
    out += fmt::format("wrote {}\n", paint.bold(clean((in.folder / f.name).string())));
  return out;
}

int run(const ModelInput& model_input, GenerateInput in) {
  const std::string file = model_input.file.string();
  try {
    const ReadModel r = read_model(model_input);
    if (!r.model) return refuse(r.diagnostics, file, model_input.json);
    say_remarks(r.diagnostics, r.model->spec(), model_input);
    in.options.language = in.language == "cuda" ? generate::Language::cuda : generate::Language::c;
    in.options.single = in.scalar == "float";
    const generate::Generated g = generate::generate(*r.model, in.what, in.options);
    write_files(g, in.folder);
    const Kernels kernels(*r.model);
    fmt::print("{}", model_input.json ? to_json_text(g, kernels, file, in) : to_text(g, kernels, in));
    return kOk;
  } catch (const InputError& e) {
    fmt::print(stderr, "sinew generate: {}\n", clean(e.what()));
    return e.code;
  } catch (const std::invalid_argument& e) {
    fmt::print(stderr, "sinew {}\n", clean(e.what()));
    return kUsage;
  } catch (const TraceError& e) {
    fmt::print(stderr, "sinew generate: {}\n", clean(e.what()));
    return kRefused;
  }
}

std::string footer() {
  std::string out = "Algorithms:\n";
  for (const std::string& name : generate::algorithm_names())
    out += "  " + fit(name, 13) + " " + generate::describe_algorithm(name) + "\n";
  return out +
         "delassus needs the names of frames or bodies: delassus:left_foot,right_foot.\n"
         "The test compares with numbers of the library:\n"
         "  cc -O2 -march=native DIR/NAME.c DIR/NAME_test.c -lm -o test && ./test\n"
         "\"general\" in the table: operations before anything was simplified; \"kernel\": those of the library's own\n"
         "kernel, by the rules of `sinew count`. docs/generate.md says more.\n"
         "Exit codes: 0 fine, 2 the model is refused, 3 wrong usage, 7 not written.\n"
         "Examples:\n"
         "  sinew generate models/gu6.xml --what rnea,aba,crba -o code\n"
         "  sinew generate models/humanoid.xml --what delassus:left_foot,right_foot -o code\n"
         "  sinew generate robot.urdf --floating --what aba --lang cuda --scalar float -o code";
}

}  // namespace

void add_generate(Command& sinew) {
  Command c = sinew.add("generate", "Write C or CUDA code for one robot");
  const auto model = add_model_input(c);
  const auto in = std::make_shared<GenerateInput>();
  c.list("--what", in->what, "Algorithms, see below; may be repeated, or a list with commas",
         {.type = "NAME", .required = true});
  c.option("-o,--out", in->folder, "Folder for the files; made where it is not there",
           {.type = "DIR", .required = true});
  c.option("--lang", in->language, "c (default) or cuda", {.type = "NAME", .one_of = {"c", "cuda"}});
  c.option("--scalar", in->scalar, "double (default) or float", {.type = "NAME", .one_of = {"double", "float"}});
  c.option("--lanes", in->options.lanes,
           "C: samples per call, side by side in vector registers (GCC or Clang); 1 (default), 2, 4, 8, ...",
           {.type = "N", .range = {1, 64}});
  c.option("--name", in->options.name, "Prefix of functions and files; default: the name of the model",
           {.type = "NAME"});
  c.option("--statements", in->options.statements, "Longest function, in statements; default: 300",
           {.type = "N", .range = {10, 1000000}});
  c.footer(footer());
  c.run([model, in] { return run(*model, *in); });
}

}  // namespace sinew::app
