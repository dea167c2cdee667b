// src/contact/row_structures.hpp - what a step needs that depends on where rows push alone, kept for the next
// A Delassus problem, its plan and its workspace. Rows that stay cost nothing; the patterns that were met last are
// kept, so those that come and go soon cost nothing either. A pattern that is new is made in the room of the one that
// was not met for longest.
#pragma once
#include <list>
#include <span>
#include <vector>

#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::contact {

struct RowStructure {
  RowStructure(const Model&, const delassus::Problem&);
  void assign(const Model&, int rows, std::span<const delassus::Entry>);
  void reserve(const Model&, int rows, int entries);
  delassus::PvDynamicsWorkspace pv;
  std::vector<Force<double>> K;  // (entries)
  std::vector<double> lambda;    // (rows)
};

class RowStructures {
 public:
  explicit RowStructures(const Model& m) : model_(&m) {}
  RowStructure& find(std::span<const delassus::Entry>, int rows);
  RowStructure& last() { return kept_.front(); }
  // Patterns of at most so many are found without allocation from now on.
  void reserve(int rows, int entries);

 private:
  const Model* model_;
  std::list<RowStructure> kept_;  // most recent first
};

}  // namespace sinew::contact
