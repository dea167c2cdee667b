// apps/count/held_places.hpp - constraints by the names that a user writes on a command line
//   left_sole:weld,right_sole:point,tool:001110,model
// A place and how it is held: weld (all six axes), point (the last three), or six digits, 1 for an axis that is held:
// turns about x y z, shifts along x y z of the place. "model": the loops and couplings of the model itself. A file
// NAME.json holds the same as a list: [{"place": "left_sole", "hold": "weld"}, "model"].
#pragma once
#include <string>
#include <vector>

#include "sinew/delassus/problem.hpp"

namespace sinew::app {

struct HeldPlaces {
  int rows = 0;
  std::vector<delassus::Entry> entries;
  std::vector<Force<double>> K;  // one per entry, in the node's coordinates
};

// Throws InputError. q: where the rows of the model's own constraints are taken.
HeldPlaces read_held_places(const Model&, const std::string& text, const std::vector<double>& q);

}  // namespace sinew::app
