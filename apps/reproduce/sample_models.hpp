// apps/reproduce/sample_models.hpp - the trees of J11 and R92 as SKO models with random blocks
#pragma once
#include "sinew/base/counted.hpp"
#include "sinew/base/random.hpp"
#include "sinew/operators/sko_model.hpp"

namespace sinew::app {

// Parents of nodes 0, 1, ...; kInertial where there is none. Nodes are numbered from the tips, as in the papers.
using Parents = std::vector<int>;
Parents seven_bodies();                       // J11 section 4.2: p(1) = 3, p(2) = 4, p(3) = p(4) = p(5) = 6, p(6) = 7
Parents five_branches(int nodes_per_branch);  // J11 Fig. 3, R92 Fig. 2: branches 1, 2 on 4; 3, 4 on 5
Parents chain(int nodes);
Parents binary_tree(int nodes);
Parents random_tree(Random&, int nodes);

// Velocities of sizes[k] numbers and hinges of freedoms[k]. Blocks are dense and random; M is positive definite.
sko::SkoModel<double> make_sample(Random&, const Parents&, const std::vector<int>& sizes,
                                  const std::vector<int>& freedoms);
sko::SkoModel<double> make_sample(Random&, const Parents&, int size, int freedoms);  // the same for all
sko::SkoModel<double> make_mixed_sample(Random&, const Parents&);                    // 1 to 6 numbers, 1 to 3 freedoms
sko::SkoModel<Counted> to_counted(const sko::SkoModel<double>&);

std::vector<int> node_offsets(const sko::Shape&);  // of stacked vectors, with the end
std::vector<int> freedom_offsets(const sko::Shape&);
// The branches of the tree by their nodes, in order of their first node; nodes of a branch follow each other.
std::vector<int> branch_borders(const sko::Shape&);

}  // namespace sinew::app
