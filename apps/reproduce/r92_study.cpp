// apps/reproduce/r92_study.cpp - R92: patterns, lemmas, orders, the closed chain and misprints in numbers
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/operator_costs.hpp"
#include "reproduce/operators_study.hpp"
#include "sinew/linear/pivoted_elimination.hpp"
#include "sinew/operators/identities.hpp"

namespace sinew::app {
namespace {

using TreeAlgebra = sko::OperatorAlgebra<double>;
using Vector = std::vector<double>;

// Blocks of E_phi and phi of a chain, as R92 prints them.
constexpr const char* kChainWeight =
    ".....\n"
    "X....\n"
    ".X...\n"
    "..X..\n"
    "...X.\n";
constexpr const char* kChainSum =
    "X....\n"
    "XX...\n"
    "XXX..\n"
    "XXXX.\n"
    "XXXXX\n";

Vector random_vector(Random& rng, int n) {
  Vector out(at(n));
  for (double& x : out) x = rng.normal();
  return out;
}

void draw_operators(OperatorsStudy& study) {
  Random rng(11);
  {
    const sko::SkoModel<double> m = make_sample(rng, chain(5), 6, 1);
    const TreeAlgebra o(m);
    const std::vector<int> nodes = node_offsets(m.shape()), each = {0, 1, 2, 3, 4};
    study.draw("0.4", "E_phi of a chain of five", kChainWeight, dense_of(o, o.E_A), nodes, each);
    study.draw("0.6", "phi of a chain of five", kChainSum, dense_of(o, o.A), nodes, each);
  }
  const sko::SkoModel<double> m = make_sample(rng, five_branches(3), 6, 1);
  const TreeAlgebra o(m);
  const std::vector<int> nodes = node_offsets(m.shape()), borders = branch_borders(m.shape());
  study.draw("0.10", "E_phi of five branches", kBranchesWeight, dense_of(o, o.E_A), nodes, borders);
  study.draw("0.13", "phi of five branches", kBranchesSum, dense_of(o, o.A), nodes, borders);
}

// Points of two numbers each on two nodes.
std::vector<sko::PickOff> two_points(Random& rng, const sko::Shape& s) {
  std::vector<sko::PickOff> out;
  for (const int node : {0, std::min(1, s.nodes() - 1)}) out.push_back({node, 2, random_vector(rng, 2 * s.size(node))});
  return out;
}

// One tree of a closed chain: what steps A to F need of it.
struct Tree {
  Tree(Random& rng, const sko::SkoModel<double>& m, const std::vector<sko::PickOff>& points)
      : o(m),
        tips(m, points),
        mass(dense_of(o, o.mass())),
        J(dense_of(o, o.jacobian(tips.B))),
        Lambda(dense_of(o, o.compliance(tips.B))),                                  // step C [R92 0.34]
        to_motion(dense_of(o, ~whitening() * o.D_inverse * o.H * o.psi * tips.B)),  // [R92 0.36]
        tau(random_vector(rng, m.shape().freedoms())),
        free(dense_of(o, sko::inverse(o.mass())) * tau) {}  // step A [R92 0.31]
  sko::Operator<sko::Freedoms, sko::Freedoms> whitening() const {
    return sko::identity<sko::Freedoms>() - o.H * o.psi * o.K;
  }
  TreeAlgebra o;
  sko::TaskPoints<double> tips;
  Dense mass, J, Lambda, to_motion;
  Vector tau, free;
};

// Steps A to F, with the coupling A_P V_P + A_S V_S = U.
struct Coupled {
  Vector nu_P, nu_S, f;
};
Coupled couple(const Tree& P, const Tree& S, const Dense& A_P, const Dense& A_S, const Vector& U) {
  const Dense W = A_P * P.Lambda * ~A_P + A_S * S.Lambda * ~A_S;
  const Vector alpha = plus(A_P * (P.J * P.free), 1, A_S * (S.J * S.free));  // step B [R92 0.32]
  Coupled out;
  out.f = inverse_matrix(W) * plus(alpha, -1, U);             // step D [R92 0.35]
  out.nu_P = plus(P.free, -1, P.to_motion * (~A_P * out.f));  // steps E and F
  out.nu_S = plus(S.free, -1, S.to_motion * (~A_S * out.f));
  return out;
}
// How far the closure points accelerate apart.
double closure_error(const Tree& P, const Tree& S, const Coupled& x, const Vector& U) {
  const Vector at_P = P.J * x.nu_P, at_S = S.J * x.nu_S;
  return relative(plus(at_P, -1, at_S), U);
}

void check_closed_chain(OperatorsStudy& study, Random& rng) {
  const sko::SkoModel<double> primary = make_sample(rng, random_tree(rng, 7), 6, 2);
  const sko::SkoModel<double> secondary = make_sample(rng, {sko::kInertial}, 6, 6);  // a free body
  const Tree P(rng, primary, two_points(rng, primary.shape())), S(rng, secondary, two_points(rng, secondary.shape()));
  const int rows = 4, n_P = P.mass.rows, n_S = S.mass.rows, n = n_P + n_S;
  const Dense A_P = identity_matrix(rows), A_S = -1.0 * identity_matrix(rows);
  const Vector U = random_vector(rng, rows);
  const Coupled x = couple(P, S, A_P, A_S, U);
  // 0.22 as one system of equations.
  Dense kkt(n + rows, n + rows), both(rows, n);
  Vector rhs = P.tau;
  rhs.insert(rhs.end(), S.tau.begin(), S.tau.end());
  rhs.insert(rhs.end(), U.begin(), U.end());
  for (int i = 0; i < n_P; ++i)
    for (int j = 0; j < n_P; ++j) kkt(i, j) = P.mass(i, j);
  for (int i = 0; i < n_S; ++i)
    for (int j = 0; j < n_S; ++j) kkt(n_P + i, n_P + j) = S.mass(i, j);
  const Dense AJ_P = A_P * P.J, AJ_S = A_S * S.J;
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < n; ++j) kkt(n + r, j) = kkt(j, n + r) = both(r, j) = j < n_P ? AJ_P(r, j) : AJ_S(r, j - n_P);
  const Vector of_kkt = linear::solve({kkt.numbers.data(), at(kkt.rows), at(kkt.cols)}, rhs);
  Vector of_steps = x.nu_P;
  of_steps.insert(of_steps.end(), x.nu_S.begin(), x.nu_S.end());
  of_steps.insert(of_steps.end(), x.f.begin(), x.f.end());
  study.note("0.22, 0.23", "steps A to F = the system of equations as a whole", relative(of_steps, of_kkt));
  study.note("0.20", "the closure points accelerate together", closure_error(P, S, x, U));
  // Step D by the inverse of A_P Lambda_P A_P* alone.
  const Dense W = inverse_matrix(A_P * P.Lambda * ~A_P);
  const Vector alpha_P = A_P * (P.J * P.free);
  const Vector nu_S = inverse_matrix(S.mass + ~S.J * ~A_S * W * A_S * S.J) *
                      plus(S.tau, -1, ~S.J * (~A_S * (W * plus(alpha_P, -1, U))));
  study.note("0.35, below", "step D through (A_P Lambda_P A_P*)^-1", relative(nu_S, x.nu_S));
  // 0.37, for U = 0, with a root of D^-1: D = L L*, D^-1 = (L^-1)* L^-1
  const Coupled still = couple(P, S, A_P, A_S, Vector(at(rows)));
  Dense b(n, rows), white(n, n);
  Vector white_tau;
  for (const Tree* t : {&P, &S}) {
    const int begin = t == &P ? 0 : n_P;
    const Dense root = inverse_matrix(cholesky(dense_of(t->o, t->o.D)));
    const Dense of_tree = root * dense_of(t->o, t->o.H * t->o.psi * t->tips.B) * ~(t == &P ? A_P : A_S);
    const Dense to_white = root * dense_of(t->o, t->whitening());
    for (int i = 0; i < of_tree.rows; ++i) {
      for (int r = 0; r < rows; ++r) b(begin + i, r) = of_tree(i, r);
      for (int j = 0; j < of_tree.rows; ++j) white(begin + i, begin + j) = to_white(i, j);
    }
    const Vector part = to_white * t->tau;
    white_tau.insert(white_tau.end(), part.begin(), part.end());
  }
  const Dense admittance = A_P * P.Lambda * ~A_P + A_S * S.Lambda * ~A_S;
  study.note("0.37", "b* b = A Lambda A*", relative(~b * b, admittance));
  const Dense projector = identity_matrix(n) - b * inverse_matrix(admittance) * ~b;
  study.note("0.37", "1 - b (A Lambda A*)^-1 b* is a projector", relative(projector * projector, projector));
  Vector nu = still.nu_P;
  nu.insert(nu.end(), still.nu_S.begin(), still.nu_S.end());
  study.note("0.37", "nu' in closed form = steps A to F", relative(~white * (projector * white_tau), nu));
}

void check_equations(OperatorsStudy& study, const sko::SkoModel<double>& m, Random& rng) {
  const TreeAlgebra o(m);
  const sko::Shape& s = m.shape();
  const auto& [H, A, M, P] = std::tie(o.H, o.A, o.M, o.P);
  const auto& [psi, K, D] = std::tie(o.psi, o.K, o.D);
  const auto f = sko::identity<sko::Freedoms>();
  const auto n = sko::identity<sko::Nodes>();
  const auto same = [&](const char* equation, const auto& left, const auto& right) {
    study.note(equation, to_string(left) + " = " + to_string(right), relative(dense_of(o, left), dense_of(o, right)));
  };
  // 0.1 is what inverse_dynamics does; 0.7 and 0.14 are dense here.
  sko::SkoDynamics<double> ws(m);
  const Vector nu = random_vector(rng, s.freedoms());
  Vector tau(nu.size());
  sko::inverse_dynamics<double>(m, ws, nu, tau);
  const Vector a(m.a().begin(), m.a().end()), b(m.b().begin(), m.b().end());
  const Dense phi = dense_of(o, A), H_dense = dense_of(o, H), M_dense = dense_of(o, M);
  const Vector alpha = ~phi * plus(~H_dense * nu, 1, a), force = phi * plus(M_dense * alpha, 1, b);
  study.note("0.1", "recursions for V, alpha, f and T = 0.7, 0.14", relative(tau, H_dense * force));
  Dense power = dense_of(o, o.E_A);
  for (int i = 1; i < s.nodes(); ++i) power = power * dense_of(o, o.E_A);
  study.note("0.6, 0.12", "E_phi^n = 0", largest(power));
  // Jacobian, lemmas, admittance.
  const sko::TaskPoints<double> tips(m, two_points(rng, s));
  const Dense J = dense_of(o, o.jacobian(tips.B));
  study.note("0.18", "J = B* phi* H*", relative(J, ~dense_of(o, tips.B) * ~phi * ~H_dense));
  same("0.25", M, P - o.E_A * (P - P * ~H * o.D_inverse * H * P) * ~o.E_A);
  same("0.28", o.mass(), (f + H * A * K) * D * ~(f + H * A * K));
  same("0.29", (f + H * A * K) * (f - H * psi * K), f);
  study.note("0.30", "M^-1 = (1 - H psi K)* D^-1 (1 - H psi K)",
             relative(dense_of(o, sko::inverse(o.mass())) * dense_of(o, o.mass()), identity_matrix(s.freedoms())));
  same("0.33", (f - H * psi * K) * H * A, H * psi);
  study.note("0.34", "Lambda = B* psi* H* D^-1 H psi B = J M^-1 J*",
             relative(dense_of(o, o.compliance(tips.B)), J * inverse_matrix(dense_of(o, o.mass())) * ~J));
  const auto whitening = f - H * psi * K;
  same("0.32, .40", ~A * ~H * sko::inverse(o.mass()), ~psi * ~H * o.D_inverse * whitening);
  same(".45", M, P - o.E_psi * P * ~o.E_psi);
  same(".46", o.psi_tilde, psi * o.E_psi);
  same(".47", psi * M * ~psi, P + o.psi_tilde * P + P * ~o.psi_tilde);
  same(".48", sko::inverse(psi) * A, n + K * H * A);
  same(".48", A * sko::inverse(psi), n + A * K * H);
  same(".49", H * psi * M * ~psi * ~H, D);
  same(".50", n - o.E_psi, n - o.E_A + K * H);
  // .43 with the blocks between branches by the common ancestor.
  const Dense Omega = dense_of(o, o.Omega());
  const sko::SkoDynamics<double>& values = o.values();
  double worst = 0;
  for (int i = 0; i < s.nodes(); ++i)
    for (int j = 0; j < s.nodes(); ++j) {
      const Vector block = calc_backward_block(s, values.riccati.psi, values.riccati.psi, values.upsilon, i, j);
      for (int r = 0; r < s.size(i); ++r)
        for (int c = 0; c < s.size(j); ++c)
          worst = std::max(worst, std::abs(block[at(r * s.size(j) + c)] - Omega(s.begin(i) + r, s.begin(j) + c)));
    }
  study.note(".43, completed", "blocks of Omega along the paths = psi* H* D^-1 H psi", worst / largest(Omega));
}

// Dense M^-1 by Cholesky and J M^-1 J*, in scalars that count: step C without 0.33.
long count_dense_admittance(const sko::SkoModel<Counted>& m) {
  sko::SkoDynamics<Counted> ws(m);
  const std::size_t n = at(m.shape().freedoms());
  std::vector<Counted> L(n * n);
  return count_operations_of([&] {
    sko::calc_mass_matrix<Counted>(m, ws, MatrixView<Counted>(L.data(), n, n));
    for (std::size_t j = 0; j < n; ++j)  // L D L^T
      for (std::size_t i = j; i < n; ++i) {
        for (std::size_t k = 0; k < j; ++k) L[i * n + j] = L[i * n + j] - L[i * n + k] * L[j * n + k] * L[k * n + k];
        if (i > j) L[i * n + j] = L[i * n + j] / L[j * n + j];
      }
  });
}
long count_application(const sko::SkoModel<Counted>& m, bool of_points) {
  const sko::OperatorAlgebra<Counted> o(m);
  const auto whitening = sko::identity<sko::Freedoms>() - o.H * o.psi * o.K;
  const sko::TaskPoints<Counted> tip(m, {{0, 1, {0.3, 0.4, 0.5, 0.6, 0.7, 0.8}}});
  const auto count = [&](const auto& x) {
    sko::Application<Counted> a(o, x);
    const std::vector<Counted> in(at(a.cols()), Counted(0.7));
    std::vector<Counted> out(at(a.rows()));
    return count_operations_of([&] { a.apply(in, out); });
  };
  return of_points ? count(~whitening * o.D_inverse * o.H * o.psi * tip.B) : count(sko::inverse(o.mass()));
}

void count_steps(OperatorsStudy& study) {
  using Model = sko::SkoModel<Counted>;
  const std::vector<CountedAlgorithm> algorithms = {
      {".39", "P, D, G", "O(N)", count_riccati},
      {".40", "step A: M^-1 T", "O(N)", [](const Model& m) { return count_application(m, false); }},
      {".43", "step C: diagonal of Omega", "O(N)",
       [](const Model& m) {
         sko::SkoDynamics<Counted> ws(m);
         solve_riccati(m, ws.riccati);
         calc_propagators(m, ws.riccati);
         return count_operations_of([&] { calc_upsilon(m, ws); });
       }},
      {"0.34", "step C without 0.33: M factored", "O(N^3)", count_dense_admittance},
      {".44", "step E: force at a tip", "O(N)", [](const Model& m) { return count_application(m, true); }},
  };
  study.costs.push_back(make_cost_table("chain", chain, {16, 32, 64, 128, 256}, algorithms));
}

void add_misprints(OperatorsStudy& study) {
  Random rng(16);
  const auto add = [&](const char* where, const char* printed, const char* right, double error_printed,
                       double error_right, const std::string& note = "") {
    study.errata.push_back({where, printed, right, error_printed, error_right, note});
  };
  {  // 0.1 on a chain
    const sko::SkoModel<double> m = make_sample(rng, chain(6), 6, 1);
    const sko::Shape& s = m.shape();
    const TreeAlgebra o(m);
    const Vector nu = random_vector(rng, 6), a(m.a().begin(), m.a().end()), b(m.b().begin(), m.b().end());
    const Dense phi = dense_of(o, o.A), H = dense_of(o, o.H), M = dense_of(o, o.M);
    const Vector alpha = ~phi * plus(~H * nu, 1, a), own = plus(M * alpha, 1, b), want = H * (phi * own);
    const auto run = [&](int shift) {  // which weight carries f(k - 1) to body k
      Vector T, before(6, 0.0);
      for (int k = 0; k < 6; ++k) {
        Vector f(own.begin() + s.begin(k), own.begin() + s.begin(k) + 6);
        const int weight = k - 1 + shift;
        for (int i = 0; k > 0 && weight < 5 && i < 6; ++i)
          for (int j = 0; j < 6; ++j) f[at(i)] += m.A()[weight][6 * i + j] * before[at(j)];
        double sum = 0;
        for (int i = 0; i < 6; ++i) sum += m.H()[k][i] * f[at(i)];
        T.push_back(sum);
        before = f;
      }
      return relative(T, want);
    };
    add("0.1", "f(k) = phi(k+1, k) f(k-1) + ...", "f(k) = phi(k, k-1) f(k-1) + ...", run(1), run(0), "errors of T");
    // .40 with T where T - C belongs
    const Dense whitening = dense_of(o, sko::identity<sko::Freedoms>() - o.H * o.psi * o.K);
    const Vector T = random_vector(rng, 6), C = H * (phi * plus(M * (~phi * a), 1, b)), free = plus(T, -1, C);
    const Dense D_inverse = dense_of(o, o.D_inverse), gain_and_back = dense_of(o, o.H * o.psi * o.K);
    const Vector right = ~whitening * (D_inverse * (whitening * free));
    const Vector printed = ~whitening * (D_inverse * plus(T, -1, gain_and_back * free));
    const Vector wanted = inverse_matrix(dense_of(o, o.mass())) * free;
    add(".40", "eps(k) = T(k) - H(k) z(k)", "eps(k) = (T - C)(k) - H(k) z(k)", relative(printed, wanted),
        relative(right, wanted));
    add(".40, before", "alpha_f = psi* D^-1 (1 - H psi K) T", "alpha_f = psi* H* D^-1 (1 - H psi K) T", kNoNumber,
        relative(dense_of(o, ~o.psi * ~o.H * o.D_inverse) * (whitening * free), dense_of(o, ~o.A * ~o.H) * wanted),
        fmt::format("psi* is {0} x {0}, D^-1 is {1} x {1}", s.size(), s.freedoms()));
    const Dense P = dense_of(o, o.P), E_psi = dense_of(o, o.E_psi);
    add("Lemma .6, proof", "M = P - E_psi P E_psi", "M = P - E_psi P E_psi*", relative(P - E_psi * P * E_psi, M),
        relative(P - E_psi * P * ~E_psi, M));
  }
  for (const bool branched : {true, false}) {  // Lemma .5
    const sko::SkoModel<double> m = make_sample(rng, branched ? five_branches(2) : chain(10), 6, 1);
    const sko::Shape& s = m.shape();
    const TreeAlgebra o(m);
    const Dense Omega = dense_of(o, o.Omega()), Upsilon = dense_of(o, o.Upsilon), tilde = dense_of(o, o.psi_tilde);
    const Dense without_R = Upsilon + ~tilde * Upsilon + Upsilon * tilde;
    Dense with_R = without_R;
    const sko::Riccati<double>& r = o.values().riccati;
    double unrelated = 0;
    for (int i = 0; i < s.nodes(); ++i)
      for (int j = 0; j < s.nodes(); ++j) {
        if (s.related(i, j)) continue;
        const Vector block = calc_backward_block(s, r.psi, r.psi, o.values().upsilon, i, j);
        unrelated = std::max(unrelated, largest(block));
        for (int a = 0; a < s.size(i); ++a)
          for (int b = 0; b < s.size(j); ++b) with_R(s.begin(i) + a, s.begin(j) + b) = block[at(a * s.size(j) + b)];
      }
    if (!branched) {
      study.note("Lemma .5", "Omega = Upsilon + psi~* Upsilon + Upsilon psi~, on a chain", relative(without_R, Omega));
      continue;
    }
    add("Lemma .5, .42", "Omega = Upsilon + psi~* Upsilon + Upsilon psi~", "... + R, the blocks of unrelated nodes",
        relative(without_R, Omega), relative(with_R, Omega), "on five branches");
    const Dense E_psi = dense_of(o, o.E_psi), middle = dense_of(o, ~o.H * o.D_inverse * o.H);
    const Dense all = ~E_psi * Upsilon * E_psi;
    Dense diagonal(s.size(), s.size());
    for (int k = 0; k < s.nodes(); ++k)
      for (int i = s.begin(k); i < s.begin(k) + s.size(k); ++i)
        for (int j = s.begin(k); j < s.begin(k) + s.size(k); ++j) diagonal(i, j) = all(i, j);
    add(".41", "H* D^-1 H = Upsilon - E_psi* Upsilon E_psi", "... - diagOf(E_psi* Upsilon E_psi)",
        relative(Upsilon - all, middle), relative(Upsilon - diagonal, middle), "on five branches");
    add(".43", "the scheme for Omega_{l,j} is missing", "through the common ancestor [J11 25]",
        unrelated / largest(Omega), relative(with_R, Omega), "left as zero, and completed");
  }
  {  // .44, with as many freedoms as numbers: only then can it be evaluated
    const sko::SkoModel<double> m = make_sample(rng, chain(5), 3, 3);
    const TreeAlgebra o(m);
    const Vector x = random_vector(rng, m.shape().size());  // -B A* f
    const Dense whitening = dense_of(o, sko::identity<sko::Freedoms>() - o.H * o.psi * o.K);
    const Dense to_nu = ~whitening * dense_of(o, o.D_inverse);
    const Vector want = inverse_matrix(dense_of(o, o.mass())) * (dense_of(o, o.H * o.A) * x);
    const Vector printed = to_nu * (-1.0 * dense_of(o, o.H * o.psi * o.K) * x),
                 right = to_nu * (dense_of(o, o.H * o.psi) * x);
    add(".44", "z(k) = psi z(k-1) + K x(k-1), eps = -H z", "z(k) = psi z(k-1) + x(k), eps = H z",
        relative(printed, want), relative(right, want),
        "with as many freedoms as numbers: elsewhere K x has no meaning");
  }
  {  // the closed chain
    const sko::SkoModel<double> primary = make_sample(rng, five_branches(2), 6, 1);
    const sko::SkoModel<double> secondary = make_sample(rng, {sko::kInertial}, 6, 6);
    const Tree P(rng, primary, two_points(rng, primary.shape())), S(rng, secondary, two_points(rng, secondary.shape()));
    const int rows = 4;
    const Dense one = identity_matrix(rows), minus = -1.0 * one;
    const Vector U = random_vector(rng, rows);
    add("0.24, below", "rigid coupling: Q_P = I and Q_S = I", "Q_P = I and Q_S = -I",
        closure_error(P, S, couple(P, S, one, one, U), U), closure_error(P, S, couple(P, S, one, minus, U), U),
        "how far the closure points accelerate apart");
    const int n_P = P.mass.rows, n_S = S.mass.rows;
    Dense both(rows, n_P + n_S);
    for (int r = 0; r < rows; ++r)
      for (int j = 0; j < n_P + n_S; ++j) both(r, j) = j < n_P ? P.J(r, j) : -S.J(r, j - n_P);
    const int rank = linear::eliminate({both.numbers.data(), at(rows), at(n_P + n_S)}, 1e-10).rank;
    add("0.20, below", "N_C = N + N_S - N_E", "N_C = N_P + N_S - N_E", kNoNumber, kNoNumber,
        fmt::format("N_P = {}, N_S = {}: of {} freedoms {} are left at rank {}; with N of both trees it would be {}",
                    n_P, n_S, n_P + n_S, n_P + n_S - rank, rank, n_P + 2 * n_S - rank));
    add("0.22", "U = ... - d(A J)/dt (V_P, V_S)", "U = ... - d(A J)/dt (nu_P, nu_S)", kNoNumber, kNoNumber,
        fmt::format("d(A J)/dt has {} columns, V has {} numbers, nu has {}", n_P + n_S,
                    primary.shape().size() + secondary.shape().size(), n_P + n_S));
    add("0.35, below", "J_S A_S* (A_P Lambda_P A_P*)^-1", "J_S* A_S* (A_P Lambda_P A_P*)^-1", kNoNumber, kNoNumber,
        fmt::format("J_S is {} x {}, A_S* is {} x {}", S.J.rows, S.J.cols, rows, rows));
  }
}

}  // namespace

OperatorsStudy run_r92(const std::function<void()>& tick) {
  OperatorsStudy study;
  study.key = "R92";
  Random rng(12);
  draw_operators(study), tick();
  constexpr int kTrees = 100;
  for (int i = 0; i < kTrees; ++i) {
    const int n = 1 + i % 10;
    check_equations(study, make_mixed_sample(rng, i % 2 == 0 ? chain(n) : random_tree(rng, n)), rng);
  }
  tick();
  for (int i = 0; i < kTrees; ++i) check_closed_chain(study, rng);
  tick();
  count_steps(study), tick();
  add_misprints(study), tick();
  return study;
}

}  // namespace sinew::app
