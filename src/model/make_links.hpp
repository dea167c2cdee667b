// src/model/make_links.hpp - what the sweeps read, from the nodes
#pragma once
#include <vector>

#include "sinew/model/dof_tree.hpp"
#include "sinew/model/entries.hpp"
#include "sinew/model/topology.hpp"

namespace sinew {

DofTree make_dof_tree(const std::vector<Node>& nodes);
std::vector<Link<double>> make_links(const std::vector<Node>& nodes, const Topology&, const std::vector<DofSpec>& dofs,
                                     const Vec3<double>& gravity);
std::vector<Link<float>> to_float(const std::vector<Link<double>>& links);

}  // namespace sinew
