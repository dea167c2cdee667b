// src/contact/row_structures.hpp - data that depends only on the nodes that a step's rows act on
// A Delassus problem, its plan and its workspace. The patterns of rows used last are kept, so rows that stay, or that
// come and go, cost nothing. A new pattern replaces the least recently used one.
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
  // From now on patterns of at most this many are found without allocation.
  void reserve(int rows, int entries);

 private:
  const Model* model_;
  std::list<RowStructure> kept_;  // most recent first
};

}  // namespace sinew::contact
