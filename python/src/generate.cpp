// python/src/generate.cpp - code for one robot, as text; sinew/code.py compiles and loads it
#include "sinew/generate/generate.hpp"

#include "common.hpp"
#include "sinew/generate/trace.hpp"

namespace sinew::py {
namespace {

using generate::Argument;
using generate::Generated;
using generate::GeneratedAlgorithm;

long count_all(const OperationCount& c) { return c.mul + c.add + c.div + c.sqrt; }

std::vector<std::tuple<std::string, int, int>> list_arguments(const std::vector<Argument>& arguments) {
  std::vector<std::tuple<std::string, int, int>> out;
  for (const Argument& x : arguments) out.emplace_back(x.name, x.rows, x.cols);
  return out;
}

}  // namespace

void bind_generate(nb::module_& m) {
  nb::class_<GeneratedAlgorithm>(m, "GeneratedAlgorithm", "One function of the code for a robot.")
      .def_ro("name", &GeneratedAlgorithm::name, "Of the algorithm: 'rnea'.")
      .def_ro("declaration", &GeneratedAlgorithm::declaration, "Of the C function.")
      .def_prop_ro(
          "inputs", [](const GeneratedAlgorithm& a) { return list_arguments(a.inputs); },
          "Name, rows and columns of each argument; vectors have one column, matrices lie by rows.")
      .def_prop_ro(
          "outputs", [](const GeneratedAlgorithm& a) { return list_arguments(a.outputs); },
          "Name, rows and columns of each result.")
      .def_prop_ro(
          "operations", [](const GeneratedAlgorithm& a) { return count_all(a.written); },
          "Additions, multiplications, divisions and square roots in the code.")
      .def_prop_ro(
          "recorded_operations", [](const GeneratedAlgorithm& a) { return count_all(a.recorded); },
          "Likewise before anything was simplified.")
      .def_ro("live_values", &GeneratedAlgorithm::live_values, "Most that are needed later at once.")
      .def_ro("parts", &GeneratedAlgorithm::parts, "Functions that it is cut into.")
      .def_ro("left_out", &GeneratedAlgorithm::left_out, "What the code leaves out of the model, in words.")
      .def("__repr__", [](const GeneratedAlgorithm& a) { return "<" + a.declaration + ">"; });
  nb::class_<Generated>(m, "Generated", "Code for one robot.")
      .def_ro("name", &Generated::name, "Prefix of functions and files.")
      .def_ro("model_hash", &Generated::model_hash, "Model.hash of the robot.")
      .def_prop_ro(
          "files",
          [](const Generated& g) {
            nb::typed<nb::dict, nb::str, nb::str> out;
            for (const generate::GeneratedFile& f : g.files) out[f.name.c_str()] = nb::str(f.text.c_str());
            return out;
          },
          "Names and texts: header, source and a test.")
      .def_ro("algorithms", &Generated::algorithms, "One for each function.")
      .def("__repr__", [](const Generated& g) { return "<code '" + g.name + "'>"; });
  m.def(
      "generate",
      [](const PyModel& model, const std::vector<std::string>& what, const std::string& language, int lanes,
         bool single, const std::string& name, int statements) {
        if (language != "c" && language != "cuda")
          throw nb::value_error(("generate: language is '" + language + "'; it is c or cuda").c_str());
        generate::Options o;
        o.language = language == "c" ? generate::Language::c : generate::Language::cuda;
        o.lanes = lanes, o.single = single, o.name = name, o.statements = statements;
        return generate::generate(model, what, o);
      },
      "model"_a, "what"_a, nb::kw_only(), "language"_a = "c", "lanes"_a = 1, "single"_a = false, "name"_a = "",
      "statements"_a = 300,
      R"(C or CUDA text of algorithms for one robot, as `sinew generate` writes it: Generated.

what: some of generated_algorithms. RuntimeError where a joint cannot be traced or the code is too long.)");
  m.def(
      "generated_algorithms",
      [] {
        nb::typed<nb::dict, nb::str, nb::str> out;
        for (const std::string& name : generate::algorithm_names())
          out[name.c_str()] = nb::str(generate::describe_algorithm(name).c_str());
        return out;
      },
      "Algorithms that code is written for, with their arguments.");
}

}  // namespace sinew::py
