// apps/count/operations.hpp - operations of the tree algorithms on one model, compared with the book
// Counted by the rules of F08 (base/counted.hpp) at one random state: operations with a constant 0 or 1 cost nothing,
// so a robot with axis-aligned placements needs fewer than the formulas, which are for general geometry.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

struct BookCount {
  std::string source, formula;
  OperationCount count;
};
struct OperationRow {
  std::string name;
  OperationCount count;
  std::optional<BookCount> book;
};
// D0: freedoms that hang on another one; D1, D2 as in model/dof_tree.hpp. Where a freedom has several children, one of
// them (here the one that carries most) can have DH frames; "dh" and "general" are the parts of D0 and D1 that belong
// to children of the two kinds. D1 counts each crossing of a joint by each freedom it carries.
struct TreeNumbers {
  long n = 0, D0_dh = 0, D0_general = 0, D1_dh = 0, D1_general = 0, D2 = 0;
};

struct Operations {
  TreeNumbers tree;
  bool revolute = false, branched = false;  // every moving node on a revolute joint; more than one child somewhere
  std::vector<OperationRow> rows;
};

Operations count_operations(const Model&, std::uint64_t seed);

// report.cpp
std::string in_short(const OperationCount&);  // "558m 500a 12d"
std::string to_text(const Operations&, const std::string& name);
std::string to_json_text(const Operations&, const std::string& file, const std::string& name, std::uint64_t seed);

}  // namespace sinew::app
