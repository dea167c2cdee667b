// apps/reproduce/operators_study.cpp
#include "reproduce/operators_study.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::app {

void OperatorsStudy::note(const std::string& equation, const std::string& text, double residual) {
  for (Statement& s : statements)
    if (s.equation == equation && s.text == text) {
      s.residual = std::isnan(residual) ? residual : std::max(s.residual, residual);
      return;
    }
  statements.push_back({equation, text, residual});
}

void OperatorsStudy::draw(const char* where, const char* what, const char* printed, const Dense& x,
                          const std::vector<int>& offsets, const std::vector<int>& borders) {
  std::vector<int> of_branches(borders.size() + 1, offsets.back());
  for (std::size_t i = 0; i < borders.size(); ++i) of_branches[i] = offsets[at(borders[i])];
  patterns.push_back(
      {where, what, printed, find_pattern(x, of_branches, of_branches), find_pattern(x, offsets, offsets), borders});
}

}  // namespace sinew::app
