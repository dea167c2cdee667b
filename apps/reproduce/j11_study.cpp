// apps/reproduce/j11_study.cpp - J11: patterns, theorems, orders, recipes and misprints in numbers
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/dense.hpp"
#include "reproduce/operator_costs.hpp"
#include "reproduce/operators_study.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/operators/refinement.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/operators/transformation.hpp"

namespace sinew::app {
namespace {

using Algebra = sko::OperatorAlgebra<double>;
constexpr int kModels = 200;  // random models behind each residual

// Patterns of blocks as J11 prints them, row by row: X a block, . zeros.
constexpr const char* kSevenBodies =
    "X.X..XX\n"
    ".X.X.XX\n"
    "X.X..XX\n"
    ".X.X.XX\n"
    "....XXX\n"
    "XXXXXXX\n"
    "XXXXXXX\n";
constexpr const char* kBranchesMass =
    "X..XX\n"
    ".X.XX\n"
    "..X.X\n"
    "XX.XX\n"
    "XXXXX\n";

Dense block_diagonal(const sko::Shape& s, const sko::Blocks<double>& X) {
  Dense out(s.size(), s.size());
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < X.rows(k); ++i)
      for (int j = 0; j < X.cols(k); ++j) out(s.begin(k) + i, s.begin(k) + j) = X[k][i * X.cols(k) + j];
  return out;
}

void add_patterns(OperatorsStudy& study) {
  Random rng(1);
  {
    const sko::SkoModel<double> m = make_sample(rng, seven_bodies(), {3, 4, 2, 5, 3, 4, 6}, {1, 2, 1, 2, 1, 1, 3});
    const Algebra o(m);
    const std::vector<int> f = freedom_offsets(m.shape());
    const std::string found = find_pattern(dense_of(o, o.mass()), f, f);
    study.patterns.push_back(
        {"section 4.2", "mass matrix of seven bodies, velocities of 2 to 6 numbers", kSevenBodies, found, found, {}});
  }
  const sko::SkoModel<double> m = make_mixed_sample(rng, five_branches(3));
  const Algebra o(m);
  const sko::Shape& s = m.shape();
  const std::vector<int> nodes = node_offsets(s), freedoms = freedom_offsets(s), borders = branch_borders(s);
  study.draw("61, Fig. 4", "E_A of five branches", kBranchesWeight, dense_of(o, o.E_A), nodes, borders);
  study.draw("63, Fig. 5", "A of five branches", kBranchesSum, dense_of(o, o.A), nodes, borders);
  study.draw("section 7.4, Fig. 6", "mass matrix of five branches", kBranchesMass, dense_of(o, o.mass()), freedoms,
             borders);
}

void add_remarks(OperatorsStudy& study) {
  Random rng(2);
  const sko::SkoModel<double> m = make_sample(rng, seven_bodies(), 6, 1);
  const sko::Shape& s = m.shape();
  std::string gather, scatter;
  for (const int k : s.outward()) {
    scatter += " " + s.name(k);
    gather.insert(0, " " + s.name(k));
  }
  study.remarks.push_back("Fig. 1: of the seven bodies the gather visits" + gather + ", the scatter" + scatter);
  study.remarks.push_back(
      "Fig. 2: Z(6,6) = Y(6); Z(3,6) = A*(6,3) Y(6), Z(1,6) = A*(3,1) Z(3,6); Z(1,4) = Z(1,6) B(6,4), Z(1,2) = Z(1,4) "
      "B(4,2)");
  const auto message = [](const std::vector<sko::Edge>& edges) -> std::string {
    try {
      sko::Shape({{"1", 6, 1}, {"2", 6, 1}, {"3", 6, 1}}, edges);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  study.remarks.push_back("section 8.2: " + message({{1, 0}, {2, 1}, {0, 2}}));
  study.remarks.push_back("section 8.2: " + message({{1, 0}, {sko::kInertial, 1}, {sko::kInertial, 2}, {2, 0}}));
}

void add_theorems(OperatorsStudy& list, const sko::SkoModel<double>& m, Random& rng) {
  const sko::Shape& s = m.shape();
  const Algebra o(m);
  for (const sko::CheckedIdentity& x : sko::check_identities(o, rng))
    if (x.equation.starts_with("J11")) list.note(x.equation.substr(4), x.formula, x.residual);
  // A x and A* x by recursion against (1 - E_A)^-1, which is 1 + E_A + E_A^2 + ...
  const Dense one = identity_matrix(s.size()), E = dense_of(o, o.E_A);
  Dense power = one, A = one;
  for (int i = 1; i <= s.nodes(); ++i) power = power * E, A = A + power;
  list.note("section 2.1", "E_A^n = 0", largest(power));
  list.note("5", "A x by a gather = (1 + E_A + E_A^2 ...) x", relative(dense_of(o, o.A), A));
  list.note("8", "A* x by a scatter", relative(dense_of(o, ~o.A), ~A));
  const Dense M = block_diagonal(s, m.M()), HA = dense_of(o, o.H) * A, mass = HA * M * ~HA;
  list.note("3", "mass matrix by the recursions = dense H A M A* H*", relative(dense_of(o, o.mass()), mass));
  // Blocks of A X B* and A* X B, with A and B unlike.
  sko::Blocks<double> B = m.A(), Y = m.M();
  for (int k = 0; k < s.nodes(); ++k)
    for (int i = 0; i < B.rows(k) * B.cols(k); ++i) B[k][i] = 0.4 * rng.normal();
  sko::SkoModel<double> other = m;
  for (int k = 0; k < s.nodes(); ++k) std::copy_n(B[k], B.rows(k) * B.cols(k), other.A(k));
  const Algebra of_other(other);
  const Dense B_dense = dense_of(of_other, of_other.A);
  for (const bool forward : {true, false}) {
    const Dense Z = forward ? A * M * ~B_dense : ~A * M * B_dense;
    (forward ? sko::solve_forward_lyapunov<double> : sko::solve_backward_lyapunov<double>)(s, m.A(), B, m.M(), Y);
    double worst = 0;
    for (int i = 0; i < s.nodes(); ++i)
      for (int j = 0; j < s.nodes(); ++j) {
        const std::vector<double> block =
            forward ? calc_forward_block(s, m.A(), B, Y, i, j) : calc_backward_block(s, m.A(), B, Y, i, j);
        for (int r = 0; r < s.size(i); ++r)
          for (int c = 0; c < s.size(j); ++c)
            worst = std::max(worst, std::abs(block[at(r * s.size(j) + c)] - Z(s.begin(i) + r, s.begin(j) + c)));
      }
    list.note(forward ? "15" : "25", forward ? "blocks of A X B* from Y" : "blocks of A* X B from Y, four cases",
              worst / largest(Z));
  }
  // Forward dynamics and determinant.
  const int n = s.freedoms();
  sko::SkoDynamics<double> ws(m);
  std::vector<double> tau(at(n)), qdd(tau), C(tau);
  for (double& x : tau) x = rng.normal();
  inverse_dynamics<double>(m, ws, std::vector<double>(at(n), 0.0), C);
  forward_dynamics<double>(m, ws, tau, qdd);
  const double size = std::max({largest(tau), largest(C), largest(mass) * largest(qdd)});
  list.note("54, Alg. 6.1", "mass matrix times theta'' + C = T", largest(plus(plus(mass * qdd, 1, C), -1, tau)) / size);
  const Dense L = cholesky(mass);
  double log_det = 0;
  for (int i = 0; i < n; ++i) log_det += 2 * std::log(L(i, i));
  list.note("53", "log det of the mass matrix = sum of log det D(k)",
            std::abs(log_det - calc_log_determinant(m, ws.riccati)) / std::max(1.0, std::abs(log_det)));
}

void add_statements(OperatorsStudy& study) {
  Random rng(3);
  for (int i = 0; i < kModels; ++i) {
    const int n = 1 + i % 12;
    add_theorems(study, make_mixed_sample(rng, i % 3 == 0 ? chain(n) : random_tree(rng, n)), rng);
  }
  // Blocks of A between branches.
  const sko::SkoModel<double> m = make_mixed_sample(rng, five_branches(3));
  const Algebra o(m);
  const sko::Shape& s = m.shape();
  const Dense A = dense_of(o, o.A), E = dense_of(o, o.E_A);
  const auto block = [&](const Dense& x, int i, int j) {  // of branches, from 1
    const int r0 = s.begin(3 * i - 3), c0 = s.begin(3 * j - 3);
    const int r1 = i == 5 ? s.size() : s.begin(3 * i), c1 = j == 5 ? s.size() : s.begin(3 * j);
    Dense out(r1 - r0, c1 - c0);
    for (int r = r0; r < r1; ++r)
      for (int c = c0; c < c1; ++c) out(r - r0, c - c0) = x(r, c);
    return out;
  };
  study.note("section 7.3", "A_{5,1} = A_5 E_{5,4} A_{4,1}",
             relative(block(A, 5, 5) * block(E, 5, 4) * block(A, 4, 1), block(A, 5, 1)));
}

void add_costs(OperatorsStudy& study) {
  using Model = sko::SkoModel<Counted>;
  const auto vector_of = [](int n) { return std::vector<Counted>(at(n), Counted(0.7)); };
  const std::vector<CountedAlgorithm> algorithms = {
      {"5", "A x, gather", "O(N)",
       [&](const Model& m) {
         const sko::OperatorAlgebra<Counted> o(m);
         sko::Application<Counted> a(o, o.A);
         const std::vector<Counted> x = vector_of(a.cols());
         std::vector<Counted> y(x.size());
         return count_operations_of([&] { a.apply(x, y); });
       }},
      {"6", "A x, all blocks of A", "O(N^2)",
       [](const Model& m) {
         long pairs = 0;
         for (int k = 0; k < m.shape().nodes(); ++k) pairs += m.shape().depth(k) - 1;
         return pairs * 2 * 36;
       }},
      {"10, Alg. 3.1", "inverse dynamics", "O(N)",
       [&](const Model& m) {
         sko::SkoDynamics<Counted> ws(m);
         const std::vector<Counted> qdd = vector_of(m.shape().freedoms());
         std::vector<Counted> tau(qdd.size());
         return count_operations_of([&] { sko::inverse_dynamics<Counted>(m, ws, qdd, tau); });
       }},
      {"Alg. 4.2", "mass matrix", "O(N^2)",
       [](const Model& m) {
         sko::SkoDynamics<Counted> ws(m);
         const std::size_t n = at(m.shape().freedoms());
         std::vector<Counted> mass(n * n);
         return count_operations_of(
             [&] { sko::calc_mass_matrix<Counted>(m, ws, MatrixView<Counted>(mass.data(), n, n)); });
       }},
      {"33", "Riccati equation", "O(N)", count_riccati},
      {"Alg. 6.1", "forward dynamics, with 33", "O(N)", count_forward_dynamics},
      {"24, 60", "the block diagonal of Omega", "O(N)",
       [](const Model& m) {
         sko::SkoDynamics<Counted> ws(m);
         solve_riccati(m, ws.riccati);
         calc_propagators(m, ws.riccati);
         return count_operations_of([&] { calc_upsilon(m, ws); });
       }},
      {"51", "M^-1 times a vector", "O(N)",
       [&](const Model& m) {
         const sko::OperatorAlgebra<Counted> o(m);
         sko::Application<Counted> a(o, sko::inverse(o.mass()));
         const std::vector<Counted> x = vector_of(a.cols());
         std::vector<Counted> y(x.size());
         return count_operations_of([&] { a.apply(x, y); });
       }},
  };
  study.costs.push_back(make_cost_table("chain", chain, {7, 15, 31, 63, 127}, algorithms));
  study.costs.push_back(make_cost_table("binary tree", binary_tree, {7, 15, 31, 63, 127}, algorithms));
}

// Section 8.1: one system, several SKO models.
void add_models(OperatorsStudy& study) {
  const Model model = compile(mechanisms::humanoid()).value();
  Random rng(5);
  const std::vector<double> q = random_configuration(model, rng);
  std::vector<double> v(at(model.nv())), tau(v), a(v), want, want_tau;
  for (double& x : v) x = rng.normal();
  for (double& x : tau) x = 10 * rng.normal();
  for (double& x : a) x = rng.normal();
  sko::RigidSko rigid(model);
  rigid.update(q, v);
  const auto add = [&](const std::string& what, const sko::SkoModel<double>& m, const sko::Reorder* order) {
    const auto to_new = [&](const std::vector<double>& x) { return order ? order->to_new(x) : x; };
    const auto to_old = [&](const std::vector<double>& x) { return order ? order->to_old(x) : x; };
    sko::SkoDynamics<double> ws(m);
    std::vector<double> qdd(v.size()), forces(v.size());
    sko::forward_dynamics<double>(m, ws, to_new(rigid.stack(tau)), qdd);
    sko::inverse_dynamics<double>(m, ws, to_new(rigid.stack(a)), forces);
    qdd = to_old(qdd), forces = to_old(forces);
    if (want.empty()) want = qdd, want_tau = forces;
    int most = 0;
    for (int k = 0; k < m.shape().nodes(); ++k) most = std::max(most, m.shape().size(k));
    study.models.push_back({what, m.shape().nodes(), most, count_forward_dynamics(to_counted(m)),
                            std::max(relative(qdd, want), relative(forces, want_tau))});
  };
  add("a node per body, its own axes", rigid.sko, nullptr);
  sko::Transformation axes(rigid.sko);
  sko::set_inertial_axes(axes, rigid, q, v);
  axes.update(rigid.stack(v));
  add("the axes and accelerations of R92", axes.sko, nullptr);
  // Each limb, a serial piece of the tree, as one node.
  std::vector<sko::NodeGroup> limbs;
  for (const std::vector<int>& branch : sko::Branches(rigid.sko.shape()).nodes)
    limbs.push_back({"limb " + std::to_string(limbs.size() + 1), branch});
  const sko::Aggregation<double> by_limb(rigid.sko, limbs);
  add("a node per limb", by_limb.sko, &by_limb.freedoms);
  std::vector<int> all(at(rigid.sko.shape().nodes()));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  const sko::Aggregation<double> whole(rigid.sko, {{"robot", all}});
  add("one node for the whole robot", whole.sko, &whole.freedoms);
  sko::RefinementPlan plan;
  for (int k = 0; k < rigid.sko.shape().nodes(); ++k)
    if (const int freedoms = rigid.sko.shape().freedoms(k); freedoms > 1)
      plan.hinges.push_back({k, std::vector<int>(at(freedoms), 1)});
  const sko::Refinement<double> single(rigid.sko, plan);
  add("a node per freedom, five without inertia", single.sko, &single.freedoms);
}

void add_errata(OperatorsStudy& study) {
  Random rng(6);
  const auto add = [&](const char* where, const char* printed, const char* right, double error_printed,
                       double error_right, const std::string& note = "") {
    study.errata.push_back({where, printed, right, error_printed, error_right, note});
  };
  const sko::SkoModel<double> m = make_sample(rng, seven_bodies(), {3, 4, 2, 5, 3, 4, 6}, {1, 2, 1, 2, 1, 1, 3});
  const Algebra o(m);
  const sko::Shape& s = m.shape();
  const Dense one_n = identity_matrix(s.size()), one_f = identity_matrix(s.freedoms());
  const Dense E = dense_of(o, o.E_A), A = dense_of(o, o.A), H = dense_of(o, o.H), M = dense_of(o, o.M);
  const Dense P = dense_of(o, o.P), G = dense_of(o, o.G), D = dense_of(o, o.D), K = dense_of(o, o.K);
  const Dense psi = dense_of(o, o.psi), E_psi = dense_of(o, o.E_psi), mass = H * A * M * ~A * ~H;

  {  // Eq 29 on a chain: k = 1..n finds Y(k + 1) still zero.
    const sko::SkoModel<double> c = make_mixed_sample(rng, chain(6));
    const Algebra of_chain(c);
    const Dense Z = dense_of(of_chain, ~of_chain.A * of_chain.M * of_chain.A);
    sko::Blocks<double> Y = c.M();
    const auto error = [&] {
      double worst = 0, size = 0;
      for (int k = 0; k < c.shape().nodes(); ++k)
        for (int i = 0; i < Y.rows(k); ++i)
          for (int j = 0; j < Y.cols(k); ++j) {
            const double want = Z(c.shape().begin(k) + i, c.shape().begin(k) + j);
            worst = std::max(worst, std::abs(want - Y[k][i * Y.cols(k) + j])), size = std::max(size, std::abs(want));
          }
      return worst / size;
    };
    const double printed = error();  // Y = X
    solve_backward_lyapunov(c.shape(), c.A(), c.A(), c.M(), Y);
    add("29", "for k = 1..n", "for k = n..1: Y(k + 1) must be known", printed, error());
  }
  add("36", "M = P - E_A P E_A*", "M = P - E_A P+ E_A*", relative(P - E * P * ~E, M),
      relative(P - E * dense_of(o, o.P_plus) * ~E, M));
  const Dense difference = inverse_matrix(psi) - inverse_matrix(A);
  add("37", "K = E_psi G", "K = E_A G", relative(E_psi * G * H, difference), relative(E * G * H, difference),
      fmt::format("errors are those of 43; |E_psi G| = {:.0e}, |E_A G| = {:.2f}", largest(E_psi * G), largest(E * G)));
  {  // section 4.2 / 58: phi for A
    int weights = 0, rigid = 0;
    for (int k = 0; k < s.nodes(); ++k)
      if (s.parent(k) != sko::kInertial) ++weights, rigid += m.A().rows(k) == 6 && m.A().cols(k) == 6;
    const std::string note = fmt::format("{} of {} weights of this model are 6 x 6, as a phi is", rigid, weights);
    sko::SkoDynamics<double> ws(m);
    Dense by_recursion(s.freedoms(), s.freedoms());
    calc_mass_matrix<double>(m, ws,
                             MatrixView<double>(by_recursion.numbers.data(), at(s.freedoms()), at(s.freedoms())));
    add("Alg. 4.2", "X(l) = phi(l, j) X(j), while j", "X(l) = A(l, j) X(j), until l is the inertial frame", kNoNumber,
        relative(by_recursion, mass), note);
    std::vector<double> tau(at(s.freedoms()), 1.0), qdd(tau), C(tau);
    inverse_dynamics<double>(m, ws, std::vector<double>(tau.size(), 0.0), C);
    forward_dynamics<double>(m, ws, tau, qdd);
    add("58a, 58e", "E_phi", "E_A", kNoNumber, relative(plus(mass * qdd, 1, C), tau), note);
  }
  {  // Alg. 4.3
    sko::SkoModel<double> other = m;
    for (int k = 0; k < s.nodes(); ++k)
      for (int i = 0; i < m.A().rows(k) * m.A().cols(k); ++i) other.A(k)[i] += 0.5 * rng.normal();
    const Algebra b(other);
    const Dense Z = ~A * M * dense_of(b, b.A);
    sko::Blocks<double> Y = m.M();
    solve_backward_lyapunov(s, m.A(), other.A(), m.M(), Y);
    const auto block = [&](int i, int j) {
      Dense out(s.size(i), s.size(j));
      out.numbers = calc_backward_block(s, m.A(), other.A(), Y, i, j);
      return out;
    };
    Dense want(s.size(6), s.size(0));
    for (int i = 0; i < want.rows; ++i)
      for (int j = 0; j < want.cols; ++j) want(i, j) = Z(s.begin(6) + i, s.begin(0) + j);
    add("Alg. 4.3", "steps 2 and 3 are one sentence: if k is an ancestor of j",
        "step 2 is Z(j, k), step 3 is Z(k, j); with A unlike B both are needed", relative(~block(0, 6), want),
        relative(block(6, 0), want), "Z(7, 1) of the seven bodies");
  }
  add("47, proof", "... + P A* + A K D K* A*", "... + P A~* + A K D K* A*",
      relative(P + (A - one_n) * P + P * ~A + A * K * D * ~K * ~A, A * M * ~A),
      relative(P + (A - one_n) * P + P * ~(A - one_n) + A * K * D * ~K * ~A, A * M * ~A));
  const Dense plus_factor = one_f + H * A * K, minus_factor = one_f - H * A * K, whitening = one_f - H * psi * K;
  double diagonal = 0;
  for (int i = 0; i < s.freedoms(); ++i) diagonal = std::max(diagonal, std::abs(plus_factor(i, i) - 1));
  add("Corollary 6.1", "strictly lower triangular", "unit lower triangular", 1, diagonal,
      "errors of the diagonal, as 0 and as 1");
  add("Corollary 6.1, proof", "1 - H A K", "1 + H A K", relative(minus_factor * D * ~minus_factor, mass),
      relative(plus_factor * D * ~plus_factor, mass), "errors of 49");
  const Dense mass_inverse = inverse_matrix(mass), D_inverse = inverse_matrix(D);
  add("51, proof", "(1 - H psi K)* D^-1 (1 - H psi K)^-1", "(1 - H psi K)* D^-1 (1 - H psi K)",
      relative(~whitening * D_inverse * inverse_matrix(whitening), mass_inverse),
      relative(~whitening * D_inverse * whitening, mass_inverse));
  const Dense Omega = ~A * ~H * mass_inverse * H * A;
  add("section 6.2", "phi is the SPO operator of Omega", "psi is", relative(~A * ~H * D_inverse * H * A, Omega),
      relative(~psi * ~H * D_inverse * H * psi, Omega));
  {  // Lemma 5: fully populated?
    const sko::SkoModel<double> two = make_sample(rng, {1, sko::kInertial, 3, sko::kInertial}, 3, 1);
    const Algebra of_two(two);
    const Dense Z = dense_of(of_two, ~of_two.A * of_two.M * of_two.A);
    double across = 0;
    for (int i = 0; i < 6; ++i)
      for (int j = 6; j < 12; ++j) across = std::max(across, std::abs(Z(i, j)));
    add("Lemma 5", "A* X B is fully populated", "but for trees that do not hang together", 1, across,
        "blocks between two trees, as full and as zero");
  }
  {  // section 8.2: powers of a cycle
    Dense cycle(9, 9), power = identity_matrix(9);
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) cycle(3 * ((k + 1) % 3) + i, 3 * k + (i + 1) % 3) = 1;  // a turn of the axes
    double smallest = 1;
    for (int i = 1; i <= 30; ++i) power = power * cycle, smallest = std::min(smallest, largest(power));
    Dense of_tree = E;
    for (int i = 1; i < s.nodes(); ++i) of_tree = of_tree * E;
    add("section 8.2", "none of the powers are nonzero", "none of the powers is zero", smallest, 0,
        fmt::format("least |E^k| of a cycle of three, k = 1..30: {:.0f}; |E_A^7| of the seven bodies: {:.0f}", smallest,
                    largest(of_tree)));
  }
}

}  // namespace

OperatorsStudy run_j11(const std::function<void()>& tick) {
  OperatorsStudy study;
  study.key = "J11";
  add_patterns(study), add_remarks(study), tick();
  add_statements(study), tick();
  add_costs(study), tick();
  add_models(study), tick();
  add_errata(study), tick();
  return study;
}

}  // namespace sinew::app
