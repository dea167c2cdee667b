// src/generate/generate.cpp
#include "sinew/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "generate/function_writer.hpp"
#include "generate/helpers.hpp"
#include "sinew/generate/trace.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew::generate {
namespace {

constexpr int kTestStates = 4;
// Measured on derivatives of a quadruped: a third less time to compile, a tenth less per call.
constexpr const char* kNoPairs =
    "/* GCC puts numbers of straight lines together in vectors; shuffling them costs more than it saves. */\n"
    "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"no-tree-slp-vectorize\")\n#endif\n\n";

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
    text += fmt::format(
        " * Every number is {} samples side by side: q[i][k] is coordinate i of sample k. The functions _batch take n\n"
        " * samples one after the other, any number: q[k * {} + i] is coordinate i of sample k.\n",
        o.lanes, m.nq());
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
  for (const FunctionWriter& f : functions) {
    text += f.comment() + f.declaration() + ";\n";
    if (o.lanes > 1) text += f.batch_declaration() + ";\n";
    text += '\n';
  }
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
  text += kNoPairs;
  text += write_helpers_of(functions, out.name, o);
  for (const FunctionWriter& f : functions) {
    text += f.definition();
    if (o.lanes > 1) text += f.batch_definition();
  }
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
  const bool solves =
      algorithm == "aba" || algorithm == "mass_inverse" || algorithm == "daba" || algorithm == "delassus";
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
      want.push_back(run_library(m, f.algorithm(), in.back()));
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

// Lists taken apart; each algorithm once, for its name is that of the function.
std::vector<std::string> list_algorithms(std::span<const std::string> lists) {
  std::vector<std::string> out, names;
  for (const std::string& list : lists)
    for (std::string& a : split_algorithms(list)) {
      const std::string name = a.substr(0, a.find(':'));
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw std::invalid_argument("generate: '" + name + "' is asked for twice");
      names.push_back(name), out.push_back(std::move(a));
    }
  if (out.empty()) throw std::invalid_argument("generate: no algorithm is asked for");
  return out;
}

void check_options(const Options& o) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("generate: " + why); };
  if (o.lanes < 1 || o.lanes > 64 || (o.lanes & (o.lanes - 1)) != 0)
    refuse(fmt::format("{} lanes; it is 1, 2, 4, 8, 16, 32 or 64", o.lanes));
  if (o.language == Language::cuda && o.lanes != 1) refuse("CUDA has one sample per thread: leave lanes at 1");
  if (o.statements < 10) refuse(fmt::format("{} statements per function are too few", o.statements));
}

}  // namespace

Generated generate(const Model& m, std::span<const std::string> algorithms, const Options& o) {
  check_options(o);
  const std::vector<std::string> names = list_algorithms(algorithms);
  Generated out;
  out.name = to_identifier(o.name.empty() ? m.name() : o.name);
  out.model_hash = calc_model_hash(m);
  std::vector<FunctionWriter> functions;
  functions.reserve(names.size());
  for (const std::string& a : names) {
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
