// src/contact/row_structures.hpp - what a step needs that depends on where rows push alone, kept for the next
// A Delassus problem, its plan and its workspace. Rows that stay cost nothing; the patterns that were met last are
// kept, so those that come and go soon cost nothing either.
#pragma once
#include <list>
#include <span>
#include <vector>

#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::contact {

struct RowStructure {
  RowStructure(const Model&, const delassus::Problem&);
  delassus::PvDynamicsWorkspace pv;
  std::vector<Force<double>> K;  // (entries)
  std::vector<double> lambda;    // (rows)
};

class RowStructures {
 public:
  explicit RowStructures(const Model& m) : model_(&m) {}
  RowStructure& find(std::span<const delassus::Entry>, int rows);
  RowStructure& last() { return kept_.front(); }

 private:
  const Model* model_;
  std::list<RowStructure> kept_;  // most recent first
};

}  // namespace sinew::contact
