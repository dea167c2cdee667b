// src/generate/function_writer.hpp - one algorithm of one robot as the text of a function, in parts where it is long
#pragma once
#include <string>
#include <vector>

#include "generate/body.hpp"
#include "sinew/generate/generate.hpp"

namespace sinew::generate {

// Names of joints come from files: nothing in them may end a comment.
std::string in_comment(std::string text);

class FunctionWriter {
 public:
  // Model and options must outlive it. Throws TraceError where the function would be too long.
  FunctionWriter(const Model&, std::string prefix, const std::string& algorithm, const Options&);

  const std::string& algorithm() const { return algorithm_; }
  const Graph& graph() const { return graph_; }
  const Body& body() const { return body_; }
  const GeneratedAlgorithm& row() const { return row_; }

  std::string comment() const;
  std::string declaration() const;
  // "const double *q, ..., double *tau"; `words` follow the asterisks.
  std::string parameters(const std::string& words = "") const;
  std::string definition() const;
  // Of lanes: the function for any number of samples, one after the other.
  std::string batch_declaration() const;
  std::string batch_definition() const;

 private:
  void check_length(const Graph&) const;

  std::string scalar() const { return o_.single ? "float" : "double"; }
  std::string type() const { return how_.lanes ? prefix_ + "_lanes" : scalar(); }
  std::string device_words() const { return how_.strided ? "__host__ __device__ " : ""; }
  std::string restricted() const { return how_.strided ? "__restrict__ " : "restrict "; }
  std::string declaration_with_restrict() const;

  // Of a part: the arrays that its lines mention.
  std::string part_parameters(const std::string& lines) const;
  std::string part_arguments(const std::string& lines) const;
  // "; joints hip .. knee": those whose coordinates the statements read.
  std::string describe_part(int begin, int end) const;
  int find_joint(int input) const;
  // slots[i]: where statement i leaves its value for later parts, -1: nowhere. Returns how many slots there are.
  int find_slots(std::vector<int>& slots) const;
  std::string sines(bool whole, int room) const;
  std::string statements(int begin, int end, const std::vector<int>& slots) const;

  const Model& m_;
  std::string prefix_, algorithm_, name_;  // delassus:foot has the name delassus
  const Options& o_;
  Spelling how_;
  Graph graph_;
  Body body_;
  std::vector<int> parts_;
  std::vector<int> statement_of_;  // (steps) which statement gives it; -1: none
  GeneratedAlgorithm row_;
};

}  // namespace sinew::generate
