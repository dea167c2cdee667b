// src/contact/nmc.cpp - the non-minimal form: body velocities, hinge and loop impulses, contacts [J14 17-27]
//   [ M  -G^T ] [ V+ ]   [ -M V - F dt ]        V+ and bilateral impulses are free
//   [ G   0   ] [ p  ] + [ error - G V ]
// Bodies without mass are allowed: the hinges hold them.
#include <algorithm>

#include "maximal.hpp"

namespace sinew::contact {
namespace {

class Nmc : public Method {
 public:
  Nmc(const Model& m, const ConstraintSet& set) : s_(m, set), U_(m.nodes().size()) {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  MaximalSystem s_;
  std::vector<Motion<double>> U_;
  std::vector<double> GV_;
  std::vector<Force<double>> momentum_;
};

int first_of(int node) { return 6 * (node - 1); }

template <class V>
std::array<double, 6> six(const V& f) {
  return {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
}

// M of the bodies: their inertias, and the armature of joints [J14 27]
void write_inertias(const StepData& d, const MaximalSystem& s, MatrixView<double> W) {
  for (int i = 1; i <= s.bodies; ++i) {
    for (std::size_t c = 0; c < 6; ++c) {
      Motion<double> unit;
      (&(c < 3 ? unit.ang : unit.lin).x)[c % 3] = 1;
      const auto column = six(d.model.nodes()[i].inertia * unit);
      for (std::size_t r = 0; r < 6; ++r) W(at(first_of(i)) + r, at(first_of(i)) + c) = column[r];
    }
  }
  for (int i = 1; i <= s.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const double a = d.model.armature()[k];
      if (a == 0) continue;
      const std::array<std::pair<int, std::array<double, 6>>, 2> sides{
          {{i, six(s.active[k])}, {n.parent, six(s.reaction[k])}}};
      for (const auto& [p, f] : sides)
        for (const auto& [q, g] : sides)
          for (std::size_t r = 0; r < 6 && p != 0 && q != 0; ++r)
            for (std::size_t c = 0; c < 6; ++c) W(at(first_of(p)) + r, at(first_of(q)) + c) += a * f[r] * g[c];
    }
  }
}

// M V
void add_momentum(const StepData& d, const MaximalSystem& s, std::vector<Force<double>>& out) {
  for (int i = 1; i <= s.bodies; ++i) {
    const Node& n = d.model.nodes()[i];
    out[i] += n.inertia * s.V[i];
    for (int k = n.v; k < n.v + n.nv; ++k) {
      const double a = d.model.armature()[k];
      const double p = a * (dot(s.active[k], s.V[i]) + dot(s.reaction[k], s.V[n.parent]));
      out[i] += p * s.active[k], out[n.parent] += p * s.reaction[k];
    }
  }
}

void Nmc::assemble(StepData& d, Islands& islands) {
  contact::assemble(d, s_);
  const int n = 6 * s_.bodies;
  lcp::RowLayout layout = s_.layout;
  layout.free += n;
  ProblemData& out = islands.single(layout);
  std::fill(out.W.begin(), out.W.end(), 0.0);
  const MatrixView<double> W = out.matrix();
  write_inertias(d, s_, W);
  for (std::size_t e = 0; e < s_.entries.size(); ++e) {
    if (s_.entries[e].node == 0) continue;
    const auto row = at(n + s_.entries[e].row), body = at(first_of(s_.entries[e].node));
    const auto f = six(s_.K[e]);
    for (std::size_t k = 0; k < 6; ++k) W(row, body + k) += f[k], W(body + k, row) -= f[k];
  }
  momentum_ = s_.impulse;
  add_momentum(d, s_, momentum_);
  for (int i = 1; i <= s_.bodies; ++i) {
    const auto f = six(-momentum_[i]);
    std::copy(f.begin(), f.end(), out.q.begin() + first_of(i));
  }
  GV_.resize(at(s_.rows()));
  multiply_by_rows(s_, s_.V, GV_.data());
  for (int r = 0; r < s_.rows(); ++r) out.q[n + r] = s_.error[r] - GV_[r];
}

void Nmc::recover(StepData& d, In<double> z, ContactAnswer& out) {
  for (int i = 1; i <= s_.bodies; ++i) {
    const double* V = z.data() + first_of(i);
    U_[i] = {{V[0], V[1], V[2]}, {V[3], V[4], V[5]}};
  }
  to_joint_velocities(d, s_, U_, out.v);
  std::copy_n(z.data() + 6 * s_.bodies + s_.hinge_rows, out.loops.size(), out.loops.data());
}

}  // namespace

std::unique_ptr<Method> make_nmc(const Model& m, const ConstraintSet& set) { return std::make_unique<Nmc>(m, set); }

}  // namespace sinew::contact
