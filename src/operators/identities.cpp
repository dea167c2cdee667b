// src/operators/identities.cpp
#include "sinew/operators/identities.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::sko {
namespace {

double largest(const std::vector<double>& x) {
  double out = 0;
  for (const double v : x) out = std::isnan(v) ? v : std::max(out, std::abs(v));
  return out;
}

struct Checker {
  const OperatorAlgebra<double>& o;
  Random& rng;
  std::vector<CheckedIdentity> out;

  template <class R, class C>
  std::vector<double> apply(const Operator<R, C>& x, const std::vector<double>& v) const {
    Application<double> a(o, x);
    std::vector<double> y(at(a.rows()));
    a.apply(v, y);
    return y;
  }
  // The largest number among the terms of x v.
  template <class R, class C>
  double find_scale(const Operator<R, C>& x, const std::vector<double>& v) const {
    double most = largest(apply(x, v));
    if (x.expression()->kind == Expression::Kind::sum)
      for (const ExpressionPtr& part : x.expression()->parts)
        most = std::max(most, largest(apply(Operator<R, C>(part), v)));
    return most;
  }
  // |x v| / |v| of a random v.
  template <class S>
  double find_growth(const Operator<S, S>& x) const {
    std::vector<double> v(at(Application<double>(o, x).cols()));
    for (double& number : v) number = rng.normal();
    return v.empty() ? 1 : largest(apply(x, v)) / largest(v);
  }
  template <class R, class C>
  void equal(const char* equation, const Operator<R, C>& left, const Operator<R, C>& right) {
    equal(equation, left, right, left);
  }
  // `like` is as large as the terms that cancel.
  template <class R, class C>
  void equal(const char* equation, const Operator<R, C>& left, const Operator<R, C>& right,
             const Operator<R, C>& like) {
    std::vector<double> v(at(Application<double>(o, left).cols()));
    for (double& x : v) x = rng.normal();
    const std::vector<double> l = apply(left, v), r = apply(right, v);
    std::vector<double> d(l);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= r[i];
    const double scale = std::max({find_scale(left, v), find_scale(right, v), find_scale(like, v)});
    out.push_back({equation, to_string(left) + " = " + to_string(right), scale > 0 ? largest(d) / scale : largest(d)});
  }
};

}  // namespace

std::vector<CheckedIdentity> check_identities(const OperatorAlgebra<double>& o, Random& rng) {
  Checker c{o, rng, {}};
  const auto& [H, A, M, P] = std::tie(o.H, o.A, o.M, o.P);
  const auto& [psi, K, G, D] = std::tie(o.psi, o.K, o.G, o.D);
  const auto n = identity<Nodes>();
  const auto f = identity<Freedoms>();
  // Resolvents [J11 section 2.1, 35]
  c.equal("J11 section 2.1", A * (n - o.E_A), n);
  c.equal("J11 section 2.1", A, n + o.A_tilde);
  c.equal("J11 35", psi * (n - o.E_psi), n);
  c.equal("R92 .46", o.psi_tilde, psi * o.E_psi, o.A_tilde);
  c.equal("R92 .46", o.psi_tilde, o.E_psi * psi, o.A_tilde);
  c.equal("J11 34", o.E_psi, o.E_A * o.tau_bar, o.E_A);  // zero where hinges leave every motion free
  c.equal("J11 37", K, o.E_A * G);
  // Forward Lyapunov [J11 12, 17, 19]
  c.equal("J11 18", M, o.R - o.E_A * o.R * ~o.E_A);
  c.equal("J11 19", A * M * ~A, o.R + o.A_tilde * o.R + o.R * ~o.A_tilde);
  c.equal("J11 17", o.mass(), H * o.R * ~H + H * o.A_tilde * o.R * ~H + H * o.R * ~o.A_tilde * ~H);
  // Riccati [J11 31, 32, 36]
  c.equal("J11 31", M, P - o.E_A * (P - P * ~H * o.D_inverse * H * P) * ~o.E_A);
  c.equal("J11 36", M, P - o.E_psi * P * ~o.E_psi);
  c.equal("J11 36", M, P - o.E_A * o.P_plus * ~o.E_A);
  c.equal("J11 32", D, H * P * ~H);
  c.equal("J11 32", o.P_plus, o.tau_bar * P * ~o.tau_bar, P);
  // [J11 38-41]
  c.equal("J11 38", H * G, f);
  c.equal("J11 38", H * o.tau, H);
  c.equal("J11 38", H * o.tau_bar, 0 * H, H);
  c.equal("J11 38", f + H * A * K, H * A * G);
  c.equal("J11 39", H * A * o.tau_bar, H * A * o.E_psi, H * A);
  c.equal("J11 40", H * A * o.tau, H * A * (n - o.E_psi));
  c.equal("J11 41", A * M * ~psi, P + o.A_tilde * P + P * ~o.psi_tilde);
  // [J11 42-48]
  c.equal("J11 42", psi * M * ~psi, P + o.psi_tilde * P + P * ~o.psi_tilde);
  c.equal("J11 43", inverse(psi) - inverse(A), K * H);
  c.equal("J11 44", inverse(psi) * A, n + K * H * A);
  c.equal("J11 44", A * inverse(psi), n + A * K * H);
  c.equal("J11 44", inverse(A) * psi, n - K * H * psi);
  c.equal("J11 44", psi * inverse(A), n - psi * K * H);
  c.equal("J11 45", (f - H * psi * K) * H * A, H * psi);
  c.equal("J11 45", A * K * (f - H * psi * K), psi * K);
  c.equal("J11 45", (f + H * A * K) * H * psi, H * A);
  c.equal("J11 45", psi * K * (f + H * A * K), A * K);
  c.equal("J11 46", H * psi * M * ~psi * ~H, D);
  c.equal("J11 47", A * M * ~A, P + o.A_tilde * P + P * ~o.A_tilde + A * K * D * ~K * ~A);
  c.equal("J11 48", A * M * ~A * ~H, (n + A * K * H) * P * ~A * ~H);
  // Factorization and inverse [J11 49-51] [R92 0.28-0.33]
  c.equal("J11 49", o.mass(), (f + H * A * K) * D * ~(f + H * A * K));
  const auto innovations = c.find_growth(f - H * psi * K) * (f + H * A * K);  // as large as what cancels
  c.equal("J11 50", (f + H * A * K) * (f - H * psi * K), f, innovations);
  const auto scaled = c.find_growth(inverse(o.mass())) * o.mass();  // terms of the products are as large as |M| |M^-1|
  c.equal("J11 51", o.mass() * inverse(o.mass()), f, scaled);
  c.equal("J11 51", inverse(o.mass()) * o.mass(), f, scaled);
  c.equal("R92 0.33", (f - H * psi * K) * H * A, H * psi);
  c.equal("J11 60", ~A * ~H * inverse(o.mass()) * H * A, o.Omega());
  return c.out;
}

}  // namespace sinew::sko
