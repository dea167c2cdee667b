// src/operators/mass_solve.cpp
#include "sinew/operators/mass_solve.hpp"

#include <algorithm>

#include "sinew/operators/kernel/small_matrix.hpp"

namespace sinew::sko {

void solve_mass(const SkoModel<double>& model, SkoDynamics<double>& ws, In<double> forces, Out<double> accelerations) {
  const Shape& s = model.shape();
  check_size("solve_mass", "the forces", forces.size(), at(s.freedoms()));
  check_size("solve_mass", "the accelerations", accelerations.size(), at(s.freedoms()));
  ws.riccati.made_for.check("solve_mass", model);
  const Riccati<double>& r = ws.riccati;
  std::fill(ws.z.begin(), ws.z.end(), 0.0);
  for (std::size_t i = s.sweep().size(); i-- > 0;) {
    const SweepNode& x = s.sweep()[i];
    double *z = ws.z.data() + x.begin, *epsilon = ws.epsilon.data() + x.freedom_begin;
    multiply<false>(x.freedoms, x.size, 1, model.H()[x.node], z, epsilon);
    for (int c = 0; c < x.freedoms; ++c) epsilon[c] = forces[at(x.freedom_begin + c)] - epsilon[c];
    multiply<false>(x.freedoms, x.freedoms, 1, r.D_inverse[x.node], epsilon, ws.nu.data() + x.freedom_begin);
    if (x.parent == kInertial) continue;
    multiply<true>(x.size, x.freedoms, 1, r.G[x.node], epsilon, z);
    multiply<true>(x.parent_size, x.size, 1, model.A()[x.node], z, ws.z.data() + x.parent_begin);
  }
  for (const SweepNode& x : s.sweep()) {
    double *alpha = ws.alpha.data() + x.begin, *out = accelerations.data() + x.freedom_begin;
    if (x.parent == kInertial)
      std::fill_n(alpha, x.size, 0.0);
    else
      multiply_transposed<false>(x.size, x.parent_size, 1, model.A()[x.node], ws.alpha.data() + x.parent_begin, alpha);
    multiply_transposed<false>(x.freedoms, x.size, 1, r.G[x.node], alpha, out);
    for (int c = 0; c < x.freedoms; ++c) out[c] = ws.nu[at(x.freedom_begin + c)] - out[c];
    multiply_transposed<true>(x.size, x.freedoms, 1, model.H()[x.node], out, alpha);
  }
}

}  // namespace sinew::sko
