// src/contact/body_space.cpp
#include "body_space.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "constants.hpp"

namespace sinew::contact {
namespace {

// A name for a node in messages: its body, or the joint that it is a part of.
std::string name_of(const Model& m, int node) {
  for (const BodyEntry& b : m.bodies())
    if (b.node == node && b.inertia.m > 0) return "body '" + b.name + "'";
  for (const JointEntry& j : m.joints())
    if (std::find(j.nodes.begin(), j.nodes.end(), node) != j.nodes.end()) return "a part of joint '" + j.name + "'";
  return "node " + std::to_string(node);
}

bool is_invertible(const RigidInertia<double>& I) {
  if (!(I.m > 0)) return false;
  const Sym3<double> c = inertia_about_centre(I);
  const double size = std::max({c.xx, c.yy, c.zz});
  const double det =
      c.xx * (c.yy * c.zz - c.yz * c.yz) - c.xy * (c.xy * c.zz - c.yz * c.xz) + c.xz * (c.xy * c.yz - c.yy * c.xz);
  return det > kFlatInertia * size * size * size && size > 0;
}

}  // namespace

BodySpace::BodySpace(const Model& m, const ConstraintSet& set, const char* formulation)
    : s_(m, set),
      Phi_(m.nodes().size()),
      entries_on_(m.nodes().size()),
      core_(m.nv()),
      f_(m.nodes().size()),
      U_(m.nodes().size()) {
  for (int i = 1; i <= s_.bodies; ++i) {
    const RigidInertia<double>& I = m.nodes()[i].inertia;
    if (!is_invertible(I))
      throw std::invalid_argument(std::string("ContactSolver: ") + name_of(m, i) + " has no inverse inertia, which " +
                                  formulation + " needs for every body; use nmc, mc, rmc or os");
    Phi_[i] = inverse(I);
  }
}

void BodySpace::find_armature(const Model& m) {
  coordinates_.clear(), armature_.clear();
  for (int k = 0; k < m.nv(); ++k)
    if (m.armature()[k] != 0) coordinates_.push_back(k), armature_.push_back(m.armature()[k]);
}

void BodySpace::add_armature_entries(const StepData& d) {
  entries_ = s_.entries;
  K_ = s_.K;
  for (int i = 1; i <= s_.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const auto place = std::find(coordinates_.begin(), coordinates_.end(), k);
      if (place == coordinates_.end()) continue;
      const int row = s_.rows() + static_cast<int>(place - coordinates_.begin());
      entries_.push_back({row, i}), K_.push_back(s_.active[k]);
      if (n.parent != 0) entries_.push_back({row, n.parent}), K_.push_back(s_.reaction[k]);
    }
  }
}

void BodySpace::assemble(StepData& d) {
  contact::assemble(d, s_);
  find_armature(d.model);
  add_armature_entries(d);
  for (auto& list : entries_on_) list.clear();
  for (std::size_t e = 0; e < entries_.size(); ++e) entries_on_[entries_[e].node].push_back(static_cast<int>(e));

  // Body by body: rows that push the same one are coupled. [J14 section 8]
  const auto n = at(all_rows());
  Lambda_.assign(n * n, 0.0);
  w_.assign(n, 0.0);
  std::copy(s_.error.begin(), s_.error.end(), w_.begin());
  for (int i = 1; i <= s_.bodies; ++i) {
    const Motion<double> free = Phi_[i] * s_.impulse[i];
    for (const int e : entries_on_[i]) {
      const Motion<double> u = Phi_[i] * K_[e];
      double* row = Lambda_.data() + at(entries_[e].row) * n;
      for (const int g : entries_on_[i]) row[entries_[g].row] += dot(u, K_[g]);
      w_[entries_[e].row] += dot(free, K_[e]);
    }
  }
  eliminate_armature();
}

void BodySpace::eliminate_armature() {
  const int c = static_cast<int>(coordinates_.size()), rows = s_.rows();
  const auto n = at(all_rows());
  if (c == 0) return;
  core_.resize(c);
  for (int i = 0; i < c; ++i)
    for (int j = i; j < c; ++j)
      core_(i, j) = Lambda_[at(rows + i) * n + at(rows + j)] + (i == j ? 1 / armature_[i] : 0.0);
  factor(core_);
  column_.resize(at(c));
  y_.assign(w_.begin() + rows, w_.end());
  solve(core_, y_.data());
  for (int r = 0; r < rows; ++r) {
    const double* coupling = Lambda_.data() + at(r) * n + rows;
    for (int i = 0; i < c; ++i) w_[r] -= coupling[i] * y_[i];
    std::copy_n(coupling, c, column_.data());
    solve(core_, column_.data());
    for (int s = 0; s < rows; ++s)
      for (int i = 0; i < c; ++i) Lambda_[at(r) * n + at(s)] -= column_[i] * Lambda_[at(s) * n + at(rows + i)];
  }
}

void BodySpace::recover(const StepData& d, const double* p, ContactAnswer& out) {
  f_ = s_.impulse;
  add_row_impulses(s_, p, f_);
  for (int i = 1; i <= s_.bodies; ++i) U_[i] = Phi_[i] * f_[i];
  if (!coordinates_.empty()) {
    // Impulses that the armature takes.
    std::fill(y_.begin(), y_.end(), 0.0);
    for (std::size_t e = s_.entries.size(); e < entries_.size(); ++e)
      y_[entries_[e].row - s_.rows()] += dot(K_[e], U_[entries_[e].node]);
    solve(core_, y_.data());
    for (std::size_t e = s_.entries.size(); e < entries_.size(); ++e)
      f_[entries_[e].node] -= y_[entries_[e].row - s_.rows()] * K_[e];
    for (int i = 1; i <= s_.bodies; ++i) U_[i] = Phi_[i] * f_[i];
  }
  for (int i = 1; i <= s_.bodies; ++i) U_[i] += s_.V[i];
  to_joint_velocities(d, s_, U_, out.v);
  std::copy_n(p + s_.hinge_rows, out.loops.size(), out.loops.data());
}

}  // namespace sinew::contact
