// apps/count/operations.cpp
#include "count/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/centre_of_mass.hpp"
#include "sinew/tree/coriolis.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/momentum.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew::app {
namespace {

using Vector = std::vector<Counted>;
TreeNumbers find_tree_numbers(const DofTree& tree) {
  TreeNumbers t;
  t.n = tree.size();
  t.D2 = tree.d2();
  std::vector<int> largest(at(tree.size()), -1);  // child of each freedom
  const auto carried = [&](int k) { return tree.end(k) - k; };
  for (int k = 0; k < tree.size(); ++k)
    if (const int p = tree.parent(k); p >= 0 && (largest[p] < 0 || carried(k) > carried(largest[p]))) largest[p] = k;
  for (int k = 0; k < tree.size(); ++k) {
    const int p = tree.parent(k);
    if (p < 0) continue;
    const bool dh = largest[p] == k;
    (dh ? t.D0_dh : t.D0_general) += 1;
    (dh ? t.D1_dh : t.D1_general) += carried(k);
  }
  return t;
}

// am + bn and so on, as the tables of F08 are written.
class Book {
 public:
  explicit Book(const Operations& o) : o_(o), n_(o.tree.n), D1_(o.tree.D1_dh + o.tree.D1_general), D2_(o.tree.D2) {}

  std::optional<BookCount> find(const std::string& name) const {
    const TreeNumbers& t = o_.tree;
    const bool chain = o_.revolute && !o_.branched && n_ > 0;
    if (name == "rnea" && chain)
      return BookCount{"Table 10.1", "(93n-108)m + (81n-100)a", {93 * n_ - 108, 81 * n_ - 100}};
    if (name == "aba" && chain)
      return BookCount{"Table 10.1", "(224n-259)m + (205n-248)a", {224 * n_ - 259, 205 * n_ - 248}};
    if (name == "crba" && chain)
      return BookCount{
          "Table 10.1", "(10n^2+22n-32)m + (6n^2+37n-43)a", {10 * n_ * n_ + 22 * n_ - 32, 6 * n_ * n_ + 37 * n_ - 43}};
    if (name == "crba" && o_.revolute)
      return BookCount{"Eq 10.12",
                       "D0dh(32m+43a) + D0g(47m+58a) + D1dh(20m+12a) + D1g(24m+18a)",
                       {32 * t.D0_dh + 47 * t.D0_general + 20 * t.D1_dh + 24 * t.D1_general,
                        43 * t.D0_dh + 58 * t.D0_general + 12 * t.D1_dh + 18 * t.D1_general}};
    if (name == "ltl factor") return table("n sqrt + D1 d + D2(m+a)", {D2_, D2_, D1_, n_});
    if (name == "ltdl factor") return table("D1 d + D2(m+a)", {D2_, D2_, D1_});
    if (name == "ltl solve") return table("2n d + 2 D1(m+a)", {2 * D1_, 2 * D1_, 2 * n_});
    if (name == "ltdl solve") return table("n d + 2 D1(m+a)", {2 * D1_, 2 * D1_, n_});
    return std::nullopt;
  }

 private:
  static BookCount table(const char* formula, const OperationCount& c) { return {"Table 6.6", formula, c}; }
  const Operations& o_;
  long n_, D1_, D2_;
};

class Counter {
 public:
  Counter(const Model& m, std::uint64_t seed) : m_(m), nv_(at(m.nv())), matrix_(nv_ * nv_) {
    Random random(seed);
    for (const double x : random_configuration(m, random)) q_.emplace_back(x);
    for (Vector* x : {&v_, &a_, &tau_})
      for (std::size_t i = 0; i < nv_; ++i) x->emplace_back(random.uniform(-1, 1));
    out_.resize(nv_);
  }

  template <class Call>
  void add(const char* name, Operations& o, const Call& call) const {
    const Tally tally;
    call();
    o.rows.push_back({name, tally.count(), Book(o).find(name)});
  }

  void run(Operations& o) {
    const MatrixView<Counted> M(matrix_.data(), nv_, nv_);
    RneaWorkspace<Counted> rnea_ws(m_);
    add("rnea", o, [&] { rnea(m_, rnea_ws, q_, v_, a_, out_); });
    const EquivalentModel equivalent(m_);
    add("rnea equivalent", o, [&] { rnea(equivalent, rnea_ws, q_, v_, a_, out_); });
    add("bias", o, [&] { calc_bias(m_, rnea_ws, q_, v_, out_); });
    add("gravity", o, [&] { calc_gravity(m_, rnea_ws, q_, out_); });
    CrbaWorkspace<Counted> crba_ws(m_);
    add("crba", o, [&] { crba(m_, crba_ws, q_, M); });
    factors(o, crba_ws);
    AbaWorkspace<Counted> aba_ws(m_);
    add("aba", o, [&] { aba(m_, aba_ws, q_, v_, tau_, out_); });
    MassInverseWorkspace<Counted> inverse_ws(m_);
    add("mass_inverse", o, [&] { calc_mass_inverse(m_, inverse_ws, q_, M); });
    Vector second(matrix_.size()), third(matrix_.size());
    const MatrixView<Counted> dq(second.data(), nv_, nv_), dv(third.data(), nv_, nv_);
    RneaDerivativesWorkspace<Counted> drnea_ws(m_);
    add("drnea", o, [&] { calc_rnea_derivatives(m_, drnea_ws, q_, v_, a_, out_, dq, dv, M); });
    AbaDerivativesWorkspace<Counted> daba_ws(m_);
    add("daba", o, [&] { calc_aba_derivatives(m_, daba_ws, q_, v_, tau_, out_, dq, dv, M); });
    KinematicsWorkspace<Counted> kinematics_ws(m_);
    add("kinematics", o, [&] { calc_kinematics(m_, kinematics_ws, q_); });
    VelocityWorkspace<Counted> velocity_ws(m_);
    add("velocity", o, [&] { calc_velocities(m_, velocity_ws, q_, v_); });
    JacobianWorkspace<Counted> jacobian_ws(m_);
    add("jacobian", o, [&] { calc_jacobian(m_, jacobian_ws, q_); });
    CentreOfMassWorkspace<Counted> com_ws(m_);
    add("com", o, [&] { calc_centre_of_mass(m_, com_ws, q_); });
    MomentumWorkspace<Counted> momentum_ws(m_);
    add("momentum", o, [&] { calc_centroidal_momentum(m_, momentum_ws, q_, v_); });
    EnergyWorkspace<Counted> energy_ws(m_);
    add("energy", o, [&] { calc_kinetic_energy(m_, energy_ws, q_, v_), calc_potential_energy(m_, energy_ws, q_); });
    CoriolisWorkspace<Counted> coriolis_ws(m_);
    add("coriolis", o, [&] { calc_coriolis_matrix(m_, coriolis_ws, q_, v_, M); });
  }

 private:
  void factors(Operations& o, CrbaWorkspace<Counted>& ws) {
    const DofTree& tree = m_.dof_tree();
    Vector x = tau_;
    LtlFactor<Counted> ltl(tree);
    crba_packed(m_, ws, q_, ltl.packed);
    LtdlFactor<Counted> ltdl(tree);
    ltdl.packed = ltl.packed;
    add("ltl factor", o, [&] { factor(tree, ltl); });
    add("ltl solve", o, [&] { solve(tree, ltl, x); });
    add("ltdl factor", o, [&] { factor(tree, ltdl); });
    add("ltdl solve", o, [&] { solve(tree, ltdl, x); });
  }

  const Model& m_;
  std::size_t nv_;
  Vector q_, v_, a_, tau_, out_, matrix_;
};

}  // namespace

Operations count_operations(const Model& m, std::uint64_t seed) {
  Operations o;
  o.tree = find_tree_numbers(m.dof_tree());
  o.revolute = std::all_of(m.nodes().begin() + 1, m.nodes().end(),
                           [](const Node& n) { return n.joint.kind == JointKind::revolute; });
  o.branched = !m.topology().branch_points().empty();
  Counter(m, seed).run(o);
  return o;
}

}  // namespace sinew::app
