// src/generate/generate.cpp
#include "sinew/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "generate/body.hpp"
#include "generate/helpers.hpp"
#include "sinew/generate/schedule.hpp"
#include "sinew/generate/simplify.hpp"
#include "sinew/generate/trace.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew::generate {
namespace {

constexpr int kTestStates = 4;

std::string to_identifier(const std::string& text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "robot_" + out;
  return out;
}
std::string to_upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}
// Names of joints come from files: nothing in them may end a comment.
std::string in_comment(std::string text) {
  for (char& c : text)
    if (c == '*' || c == '/' || c == '\\' || !std::isprint(static_cast<unsigned char>(c))) c = '_';
  return text;
}

// "q[0..6]: 7 positions".
std::string describe_argument(const Argument& a) {
  if (a.cols == 1) return fmt::format("{}[{}] {}", a.name, a.rows, a.meaning);
  return fmt::format("{}[{} * {}] {}", a.name, a.rows, a.cols, a.meaning);
}

// Whether the text has an element of the array.
bool mentions(const std::string& text, const std::string& array) {
  const std::string element = array + "[";
  for (std::size_t k = 0; (k = text.find(element, k)) != std::string::npos; ++k)
    if (k == 0 || (!std::isalnum(static_cast<unsigned char>(text[k - 1])) && text[k - 1] != '_')) return true;
  return false;
}

// One algorithm, as text.
class FunctionWriter {
 public:
  FunctionWriter(const Model& m, std::string prefix, const std::string& algorithm, const Options& o)
      : m_(m), prefix_(std::move(prefix)), algorithm_(algorithm), o_(o) {
    how_.prefix = prefix_;
    how_.single = o.single;
    how_.lanes = o.lanes > 1;
    how_.strided = o.language == Language::cuda;
    const Graph recorded = trace(m, algorithm);
    check_length(recorded);
    graph_ = schedule(simplify(recorded));
    body_ = make_body(graph_, how_);
    parts_ = find_parts(body_, o.statements);
    row_ = {algorithm,
            declaration(),
            graph_.inputs,
            graph_.outputs,
            count_operations(recorded),
            count_operations(graph_),
            count_live_values(graph_),
            static_cast<int>(parts_.size()) - 1};
  }

  const Graph& graph() const { return graph_; }
  const Body& body() const { return body_; }
  const GeneratedAlgorithm& row() const { return row_; }

  std::string comment() const {
    const OperationCount &a = row_.recorded, &b = row_.written;
    std::string out = fmt::format("/* {}\n", describe_algorithm(algorithm_));
    for (const auto* list : {&graph_.inputs, &graph_.outputs})
      for (const Argument& x : *list)
        out += fmt::format(" *   {} {}\n", list == &graph_.inputs ? "in: " : "out:", describe_argument(x));
    return out + fmt::format(
                     " * {} multiplications, {} additions, {} divisions, {} sines and cosines; before simplification "
                     "{}, {}, {}, {}.\n * At most {} values are needed later at once. */\n",
                     b.mul, b.add, b.div + b.sqrt, b.trig, a.mul, a.add, a.div + a.sqrt, a.trig, row_.live_values);
  }

  std::string declaration() const {
    std::string out = fmt::format("void {}_{}(", prefix_, algorithm_);
    if (how_.strided) out += "long n, ";
    return out + parameters() + ")";
  }
  // "const double *q, ..., double *tau"; `words` follow the asterisks.
  std::string parameters(const std::string& words = "") const {
    std::string out;
    for (const Argument& x : graph_.inputs) out += fmt::format("const {} *{}{}, ", type(), words, x.name);
    for (const Argument& x : graph_.outputs) out += fmt::format("{} *{}{}, ", type(), words, x.name);
    out.resize(out.size() - 2);
    return out;
  }

  std::string definition() const {
    const bool whole = parts_.size() == 2;
    std::string out, calls;
    std::vector<int> slots;
    const int room = whole ? 0 : find_slots(slots);
    for (std::size_t k = 0; !whole && k + 1 < parts_.size(); ++k) {
      out += fmt::format("/* {} of {}{} */\n", k + 1, parts_.size() - 1, describe_part(parts_[k], parts_[k + 1]));
      const std::string lines = statements(parts_[k], parts_[k + 1], slots);
      out += fmt::format("static {}void {}_{}_{}({}) {{\n{}}}\n\n", device_words(), prefix_, algorithm_, k + 1,
                         part_parameters(lines), lines);
      calls += fmt::format("  {}_{}_{}({});\n", prefix_, algorithm_, k + 1, part_arguments(lines));
    }
    const std::string parts = std::move(out);
    out.clear();
    const std::size_t angles = body_.angles.size();
    if (angles > 0) {
      const std::size_t padded = how_.strided || how_.lanes ? angles : (angles + 3) / 4 * 4;
      out += fmt::format("  {} angle[{}], sine[{}], cosine[{}];\n", type(), padded, padded, padded);
      if (!whole && room > 0) out += fmt::format("  {} w[{}];\n", type(), room);
      for (std::size_t i = 0; i < padded; ++i) {
        const std::string text = i < angles ? body_.angles[i] : spell_number(0, how_);
        out += fmt::format("  angle[{}] = {};\n", i, text);
      }
      out += how_.lanes ? fmt::format("  {}_sincos({}, (const {} *)angle, ({} *)sine, ({} *)cosine);\n", prefix_,
                                      angles * at(o_.lanes), scalar(), scalar(), scalar())
                        : fmt::format("  {}_sincos({}, angle, sine, cosine);\n", prefix_, padded);
    } else if (!whole && room > 0) {
      out += fmt::format("  {} w[{}];\n", type(), room);
    }
    out += whole ? statements(0, parts_[1], slots) : calls;
    for (const auto& [result, text] : body_.direct) {
      const bool number = text.find('[') == std::string::npos;
      out += fmt::format("  {} = {};\n", spell_output(graph_, result, how_),
                         how_.lanes && number ? fmt::format("{}_all({})", prefix_, text) : text);
    }
    return parts + device_words() + declaration_with_restrict() + " {\n" + out + excuse_unused(out, graph_.inputs) +
           "}\n\n";
  }

 private:
  void check_length(const Graph& g) const {
    const OperationCount n = count_operations(g);
    if (n.mul + n.add + n.div <= o_.most_operations) return;
    throw TraceError(
        fmt::format("{} of '{}' takes {} operations, more than {} make code that no compiler likes; ask for rnea, "
                    "crba, aba or drnea, "
                    "whose length grows with the number of joints, or leave out parts of the robot",
                    algorithm_, m_.name(), n.mul + n.add + n.div, o_.most_operations));
  }

  std::string scalar() const { return o_.single ? "float" : "double"; }
  std::string type() const { return how_.lanes ? prefix_ + "_lanes" : scalar(); }
  std::string device_words() const { return how_.strided ? "__host__ __device__ " : ""; }
  std::string restricted() const { return how_.strided ? "__restrict__ " : "restrict "; }
  std::string declaration_with_restrict() const {
    return fmt::format("{}void {}_{}({}{})", how_.strided ? "static inline " : "", prefix_, algorithm_,
                       how_.strided ? "long n, " : "", parameters(restricted()));
  }
  // Those that the lines of a part mention.
  std::string part_parameters(const std::string& lines) const {
    std::string out;
    const auto add = [&](const char* constant, const std::string& name) {
      if (mentions(lines, name)) out += fmt::format(", {}{} *{}{}", constant, type(), restricted(), name);
    };
    for (const Argument& x : graph_.inputs) add("const ", x.name);
    for (const Argument& x : graph_.outputs) add("", x.name);
    add("const ", "sine"), add("const ", "cosine"), add("", "w");
    return (how_.strided ? "long n" : "") + out.substr(how_.strided || out.empty() ? 0 : 2);
  }
  std::string part_arguments(const std::string& lines) const {
    std::string out;
    const auto add = [&](const std::string& name) {
      if (mentions(lines, name)) out += ", " + name;
    };
    for (const auto* list : {&graph_.inputs, &graph_.outputs})
      for (const Argument& x : *list) add(x.name);
    add("sine"), add("cosine"), add("w");
    return (how_.strided ? "n" : "") + out.substr(how_.strided || out.empty() ? 0 : 2);
  }
  // Compilers warn of parameters that nothing reads.
  static std::string excuse_unused(const std::string& text, const std::vector<Argument>& inputs) {
    std::string out;
    for (const Argument& x : inputs)
      if (!mentions(text, x.name) && text.find("(" + x.name) == std::string::npos &&
          text.find(", " + x.name) == std::string::npos)
        out += fmt::format("  (void){};\n", x.name);
    return out;
  }

  // "; joints hip .. knee": those whose coordinates the statements read.
  std::string describe_part(int begin, int end) const {
    int first = -1, last = -1;
    const auto joint_of = [&](int input) {
      int offset = input;
      for (const Argument& x : graph_.inputs) {
        if (offset >= x.size()) {
          offset -= x.size();
          continue;
        }
        for (std::size_t j = 0; j < m_.joints().size(); ++j) {
          const JointEntry& e = m_.joints()[j];
          const int from = x.name == "q" ? e.q : e.v, count = x.name == "q" ? e.nq : e.nv;
          if (offset >= from && offset < from + count) return static_cast<int>(j);
        }
        break;
      }
      return -1;
    };
    for (int k = begin; k < end; ++k)
      for (const int input : body_.statements[at(k)].inputs) {
        const int j = joint_of(input);
        if (j < 0) continue;
        first = first < 0 ? j : std::min(first, j);
        last = std::max(last, j);
      }
    if (first < 0) return "";
    return fmt::format("; joints {} .. {}", in_comment(m_.joints()[at(first)].name),
                       in_comment(m_.joints()[at(last)].name));
  }

  // slots[i]: where statement i leaves its value for later parts, -1: nowhere. Returns how many slots there are.
  int find_slots(std::vector<int>& slots) const {
    const int n = static_cast<int>(body_.statements.size());
    std::map<int, int> place;
    for (int k = 0; k < n; ++k) place[body_.statements[at(k)].step] = k;
    std::vector<int> last(at(n), -1), part(at(n));
    for (std::size_t p = 0; p + 1 < parts_.size(); ++p)
      for (int k = parts_[p]; k < parts_[p + 1]; ++k) part[at(k)] = static_cast<int>(p);
    for (int k = 0; k < n; ++k)
      for (const int step : body_.statements[at(k)].reads) last[at(place[step])] = k;
    slots.assign(at(n), -1);
    std::vector<int> busy;  // until which part each slot is read
    for (int k = 0; k < n; ++k) {
      if (last[at(k)] < 0 || part[at(last[at(k)])] == part[at(k)]) continue;
      const int until = part[at(last[at(k)])];
      std::size_t s = 0;
      while (s < busy.size() && busy[s] >= part[at(k)]) ++s;
      if (s == busy.size()) busy.push_back(0);
      busy[s] = until;
      slots[at(k)] = static_cast<int>(s);
    }
    return static_cast<int>(busy.size());
  }

  std::string statements(int begin, int end, const std::vector<int>& slots) const {
    std::map<int, std::string> names;  // of values of earlier parts
    for (int k = 0; k < begin; ++k)
      if (slots[at(k)] >= 0) names[body_.statements[at(k)].step] = fmt::format("w[{}]", slots[at(k)]);
    std::string out;
    std::map<int, bool> loaded;
    for (int k = begin; k < end; ++k) {
      const Statement& s = body_.statements[at(k)];
      for (const int step : s.reads)
        if (const auto found = names.find(step); found != names.end() && !loaded[step]) {
          loaded[step] = true;
          out += fmt::format("  const {} t{} = {};\n", type(), step, found->second);
        }
      const bool kept = !slots.empty() && slots[at(k)] >= 0;
      const std::string line = s.named || s.results.size() != 1 ? fmt::format("const {} t{}", type(), s.step)
                                                                : spell_output(graph_, s.results[0], how_);
      out += fmt::format("  {} = {};\n", line, s.text);
      if (s.named || s.results.size() != 1)
        for (const int r : s.results) out += fmt::format("  {} = t{};\n", spell_output(graph_, r, how_), s.step);
      if (kept) out += fmt::format("  w[{}] = t{};\n", slots[at(k)], s.step);
    }
    return out;
  }

  const Model& m_;
  std::string prefix_, algorithm_;
  const Options& o_;
  Spelling how_;
  Graph graph_;
  Body body_;
  std::vector<int> parts_;
  GeneratedAlgorithm row_;
};

std::string write_banner(const Model& m, const Generated& out, const Options& o, const char* what) {
  return fmt::format(
      "/* {}: {} of the robot '{}'\n"
      " * Written by sinew {}; hash of the model 0x{:016x}. Do not edit: `sinew generate` writes it again.\n"
      " * {} positions, {} velocities, in {}.\n",
      out.name, what, in_comment(m.name()), SINEW_VERSION, out.model_hash, m.nq(), m.nv(),
      o.single ? "float" : "double");
}

std::string write_coordinates(const Model& m) {
  std::string out = " * Coordinates:\n";
  for (const JointEntry& j : m.joints()) {
    if (j.nq == 0 && j.nv == 0) continue;
    const auto range = [](const char* name, int from, int count) {
      return count == 1 ? fmt::format("{}[{}]", name, from) : fmt::format("{}[{}..{}]", name, from, from + count - 1);
    };
    out += fmt::format(" *   {:<12} {:<12} {} ({})\n", j.nq > 0 ? range("q", j.q, j.nq) : "",
                       j.nv > 0 ? range("v", j.v, j.nv) : "", in_comment(j.name), to_string(j.kind));
  }
  return out;
}

std::string write_header(const Model& m, const Generated& out, const std::vector<FunctionWriter>& functions,
                         const Options& o) {
  const std::string upper = to_upper(out.name);
  std::string text = write_banner(m, out, o, "functions") + write_coordinates(m);
  if (o.lanes > 1)
    text += fmt::format(" * Every number is {} samples side by side: q[i][k] is coordinate i of sample k.\n", o.lanes);
  text += " * Arguments must not overlap. Compile: cc -O2 -march=native -c " + out.name + ".c */\n";
  text += fmt::format("#ifndef {0}_H\n#define {0}_H\n\n", upper);
  text += fmt::format(
      "#define {0}_NQ {1}\n#define {0}_NV {2}\n#define {0}_MODEL_HASH 0x{3:016x}ULL\n#define {0}_SINEW_VERSION "
      "\"{4}\"\n",
      upper, m.nq(), m.nv(), out.model_hash, SINEW_VERSION);
  if (o.lanes > 1)
    text += fmt::format(
        "#define {0}_LANES {1}\n\ntypedef {2} {3}_lanes __attribute__((vector_size({4}), aligned({5}), may_alias));\n",
        upper, o.lanes, o.single ? "float" : "double", out.name, o.lanes * (o.single ? 4 : 8), o.single ? 4 : 8);
  text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (const FunctionWriter& f : functions) text += f.comment() + f.declaration() + ";\n\n";
  return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

// The helpers that any of the functions calls.
std::string write_helpers_of(const std::vector<FunctionWriter>& functions, const std::string& name, const Options& o) {
  bool sincos = false;
  std::vector<std::string> operations;
  for (const FunctionWriter& f : functions) {
    sincos |= !f.body().angles.empty();
    operations.insert(operations.end(), f.body().helpers.begin(), f.body().helpers.end());
  }
  return write_helpers(name, o, sincos, operations) + "\n";
}

std::string write_source(const Model& m, const Generated& out, const std::vector<FunctionWriter>& functions,
                         const Options& o) {
  std::string text = write_banner(m, out, o, "source") + " */\n";
  text += fmt::format("#include \"{}.h\"\n\n#include <math.h>\n\n", out.name);
  text += write_helpers_of(functions, out.name, o);
  for (const FunctionWriter& f : functions) text += f.definition();
  return text;
}

// Everything in one header: a kernel of somebody else calls the functions, or the batch kernels here do.
std::string write_cuda(const Model& m, const Generated& out, const std::vector<FunctionWriter>& functions,
                       const Options& o) {
  const std::string upper = to_upper(out.name);
  std::string text = write_banner(m, out, o, "functions for the host and the device") + write_coordinates(m);
  text +=
      " * One thread works on one of n samples. Coordinate i of sample k stands at [i * n + k]: give a function "
      "pointers\n"
      " * to element k, or launch its _batch kernel with at least n threads and pointers to element 0.\n"
      " * Compile: nvcc -O3 */\n#pragma once\n\n";
  text += fmt::format(
      "#define {0}_NQ {1}\n#define {0}_NV {2}\n#define {0}_MODEL_HASH 0x{3:016x}ULL\n"
      "#define {0}_SINEW_VERSION \"{4}\"\n\n",
      upper, m.nq(), m.nv(), out.model_hash, SINEW_VERSION);
  text += write_helpers_of(functions, out.name, o);
  for (const FunctionWriter& f : functions) {
    text += f.comment() + f.definition();
    std::string arguments;
    for (const auto* list : {&f.graph().inputs, &f.graph().outputs})
      for (const Argument& x : *list) arguments += ", " + x.name + " + k";
    text += fmt::format(
        "static __global__ void {0}_{1}_batch(long n, {2}) {{\n  const long k = blockIdx.x * (long)blockDim.x + "
        "threadIdx.x;\n  if (k < n) {0}_{1}(n{3});\n}}\n\n",
        out.name, f.row().name, f.parameters("__restrict__ "), arguments);
  }
  return text;
}

std::string write_table(const char* name, const std::vector<std::vector<double>>& rows) {
  std::string out =
      fmt::format("static const double {}[{}][{}] = {{\n", name, rows.size(), std::max<std::size_t>(1, rows[0].size()));
  for (const auto& row : rows) {
    out += "    {";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += (i == 0 ? "" : i % 8 == 0 ? ",\n     " : ", ") + fmt::format("{:.17g}", row[i]);
    out += row.empty() ? "0},\n" : "},\n";
  }
  return out + "};\n";
}

// What the test allows, of the largest number. Accelerations and M^-1 lose digits with the condition of M.
const char* find_tolerance(const std::string& algorithm, bool single) {
  const bool solves = algorithm == "aba" || algorithm == "mass_inverse" || algorithm == "daba";
  return single ? (solves ? "2e-3" : "2e-5") : (solves ? "1e-10" : "1e-13");
}

// Calls each function at random states and compares with what the library gave.
std::string write_test(const Model& m, const Generated& out, const std::vector<FunctionWriter>& functions,
                       const Options& o) {
  const bool cuda = o.language == Language::cuda;
  const char* scalar = o.single ? "float" : "double";
  const int lanes = cuda ? kTestStates : o.lanes, calls = cuda ? 1 : kTestStates;
  std::string text = write_banner(m, out, o, "test") + " * Ends with 0 if all numbers agree with the library's. */\n";
  text += fmt::format("#include \"{}.{}\"\n\n#include <math.h>\n#include <stdio.h>\n\n", out.name, cuda ? "cuh" : "h");
  text += fmt::format("#define STATES {}\n#define LANES {}\n\n", kTestStates, lanes);
  std::string main_text;
  for (const FunctionWriter& f : functions) {
    const Graph& g = f.graph();
    const std::string& name = f.row().name;
    Random random(17);
    std::vector<std::vector<double>> in, want;
    for (int k = 0; k < kTestStates; ++k) {
      in.push_back(random_inputs(m, g, random));
      want.push_back(run_library(m, name, in.back()));
    }
    text += write_table((name + "_in").c_str(), in) + write_table((name + "_out").c_str(), want);
    const int ni = std::max(1, g.input_size()), no = std::max(1, g.output_size());
    std::string arguments;
    int offset = 0;
    const auto add_argument = [&](const char* array, const Argument& x) {
      if (!arguments.empty()) arguments += ", ";
      arguments += o.lanes > 1 ? fmt::format("({}_lanes *)({} + {} * LANES)", out.name, array, offset)
                               : fmt::format("{} + {} * LANES", array, offset);
      offset += x.size();
    };
    for (const Argument& x : g.inputs) add_argument(cuda ? "device_in" : "in", x);
    offset = 0;
    for (const Argument& x : g.outputs) add_argument(cuda ? "device_out" : "out", x);
    const std::string call =
        cuda ? fmt::format(
                   "cudaMemcpy(device_in, in, sizeof(in), cudaMemcpyHostToDevice);\n"
                   "    {}_{}_batch<<<1, 32>>>(STATES, {});\n"
                   "    if (cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDeviceToHost) != cudaSuccess) "
                   "return NAN;",
                   out.name, name, arguments)
             : fmt::format("{}_{}({});", out.name, name, arguments);
    std::string memory = fmt::format("  static {} in[{} * LANES], out[{} * LANES];\n", scalar, ni, no);
    if (cuda)
      memory += fmt::format(
          "  {} *device_in, *device_out;\n  cudaMalloc(&device_in, sizeof(in));\n"
          "  cudaMalloc(&device_out, sizeof(out));\n",
          scalar);
    text += fmt::format(
        "static double test_{0}(void) {{\n{1}"
        "  double largest = 1, worst = 0;\n  int call, i, k;\n"
        "  for (call = 0; call < {2}; ++call) {{\n"
        "    for (k = 0; k < LANES; ++k)\n"
        "      for (i = 0; i < {3}; ++i) in[i * LANES + k] = ({4}){0}_in[(call + k) % STATES][i];\n"
        "    {5}\n"
        "    for (k = 0; k < LANES; ++k)\n"
        "      for (i = 0; i < {6}; ++i) {{\n"
        "        const double want = {0}_out[(call + k) % STATES][i], off = fabs(out[i * LANES + k] - want);\n"
        "        if (fabs(want) > largest) largest = fabs(want);\n"
        "        if (!(off <= worst)) worst = off;\n"
        "      }}\n"
        "  }}\n{7}  return worst / largest;\n}}\n\n",
        name, memory, calls, g.input_size(), scalar, call, g.output_size(),
        cuda ? "  cudaFree(device_in), cudaFree(device_out);\n" : "");
    main_text += fmt::format(
        "  error = test_{0}();\n  printf(\"%-14s largest error %.2e of the largest number\\n\", \"{0}\", error);\n"
        "  failed |= !(error <= {1});\n",
        name, find_tolerance(name, o.single));
  }
  return text + "int main(void) {\n  double error;\n  int failed = 0;\n" + main_text + "  return failed;\n}\n";
}

void check_options(const Options& o, std::span<const std::string> algorithms) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("generate: " + why); };
  if (algorithms.empty()) refuse("no algorithm is asked for");
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    if (std::find(algorithms.begin(), algorithms.begin() + static_cast<std::ptrdiff_t>(i), algorithms[i]) !=
        algorithms.begin() + static_cast<std::ptrdiff_t>(i))
      refuse("'" + algorithms[i] + "' is asked for twice");
  if (o.lanes < 1 || o.lanes > 64 || (o.lanes & (o.lanes - 1)) != 0)
    refuse(fmt::format("{} lanes; it is 1, 2, 4, 8, 16, 32 or 64", o.lanes));
  if (o.language == Language::cuda && o.lanes != 1) refuse("CUDA has one sample per thread: leave lanes at 1");
  if (o.statements < 10) refuse(fmt::format("{} statements per function are too few", o.statements));
}

}  // namespace

Generated generate(const Model& m, std::span<const std::string> algorithms, const Options& o) {
  check_options(o, algorithms);
  Generated out;
  out.name = to_identifier(o.name.empty() ? m.name() : o.name);
  out.model_hash = calc_model_hash(m);
  std::vector<FunctionWriter> functions;
  functions.reserve(algorithms.size());
  for (const std::string& a : algorithms) {
    functions.emplace_back(m, out.name, a, o);
    out.algorithms.push_back(functions.back().row());
  }
  if (o.language == Language::cuda) {
    out.files = {{out.name + ".cuh", write_cuda(m, out, functions, o)},
                 {out.name + "_test.cu", write_test(m, out, functions, o)}};
  } else {
    out.files = {{out.name + ".h", write_header(m, out, functions, o)},
                 {out.name + ".c", write_source(m, out, functions, o)},
                 {out.name + "_test.c", write_test(m, out, functions, o)}};
  }
  return out;
}

}  // namespace sinew::generate
