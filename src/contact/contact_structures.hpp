// src/contact/contact_structures.hpp - what a step needs that depends on the pairs of nodes alone, kept for the next
// Rows of the loops, of joints, then of the contacts: a Delassus problem, its plan and its workspace. Contacts that
// stay cost nothing; the lists of pairs that were met last are kept, so those that come and go soon cost nothing
// either.
#pragma once
#include <list>
#include <utility>
#include <vector>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/delassus/pv_dynamics.hpp"

namespace sinew::contact {

using Pairs = std::vector<std::pair<int, int>>;

struct ContactStructure {
  ContactStructure(const Model&, const delassus::Problem&, Pairs, std::size_t joint_rows);
  Pairs pairs;  // of the joint rows, then of the contacts
  std::size_t joint_rows;
  delassus::PvDynamicsWorkspace pv;
  std::vector<Force<double>> K;  // (entries) those of the loops come first
  std::vector<double> lambda;    // (rows)
};

class ContactStructures {
 public:
  // Three rows a contact, or one: the normal.
  ContactStructures(const Model& m, std::span<const delassus::Entry> loops, int loop_rows, int rows_each)
      : model_(m), loops_(loops.begin(), loops.end()), loop_rows_(loop_rows), rows_each_(rows_each) {}
  ContactStructure& find(const StepRows&);
  ContactStructure& last() { return kept_.front(); }

 private:
  const Model& model_;
  std::vector<delassus::Entry> loops_;
  int loop_rows_, rows_each_;
  std::list<ContactStructure> kept_;  // most recent first
};

}  // namespace sinew::contact
