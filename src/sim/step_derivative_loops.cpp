// src/sim/step_derivative_loops.cpp - loops and couplings in the system of a step
#include "sinew/contact/mechanism.hpp"
#include "step_derivatives_impl.hpp"

namespace sinew {

// A step closes a state that it has not left behind itself, and leaves one that is closed as it is. So does this,
// beforehand.
void StepDerivatives::Impl::close_start(Mechanism& embedding) {
  embedding.settle(sim.state.q, sim.state.v, time);
  q = sim.state.q, v = sim.state.v;
  if (loops) at_start = loops->find_closing(get_embedded_step(embedding), q, v, time);
}

// After all rows that press.
void StepDerivatives::Impl::add_loops() {
  if (!loops) return;
  if (embedded) {
    find_acceleration();
    loops->place_rates(q, v, acceleration, time);
  } else {
    loops->place_rows(q, u, time, sim.options().recovery / dt);
  }
  first_loop = pressed.rows();
  const double by = embedded ? dt : 1;
  std::vector<int> coordinates;
  for (const stepping::LoopSlopes::Block& b : loops->blocks()) {
    coordinates.clear();
    for (int k = 0; k < nv; ++k) {
      bool any = false;
      for (int r = b.first; r < b.first + b.count; ++r) {
        pressed.J(first_loop + r, k) = loops->K(r, k), pressed.Uq(first_loop + r, k) = by * loops->by_q(r, k);
        any = any || loops->K(r, k) != 0;
      }
      if (any) coordinates.push_back(k);
    }
    pressed.add_rows(b.count, coordinates);
  }
  pressed.laws.resize(at(pressed.rows()));
  if (!embedded) add_loop_forces();
}

void StepDerivatives::Impl::add_loop_forces() {
  loops->add_forces(loop_impulses, dt, external, force, {contact_q.data(), at(nv), at(nv), at(contact_q.cols())});
}

// Of embedded loops: what (1) lacks without them.
void StepDerivatives::Impl::find_loop_impulses() {
  std::vector<double> lacking(at(nv));
  for (std::size_t k = 0; k < lacking.size(); ++k) lacking[k] = dt * (expected[k] - force[k]);
  loops->find_impulses(lacking, loop_impulses);
  add_loop_forces();
}

// After the system is solved: rows of embedded loops depend on v too,  K (u - v - dt turning) = dt k(q, v).
void StepDerivatives::Impl::add_loop_rates() {
  Matrix offsets(pressed.rows(), pressed.width());
  for (int r = 0; r < loops->rows(); ++r) {
    double* out = offsets.row(first_loop + r);
    for (int k = 0; k < nv; ++k) {
      out[k] += dt * loops->by_v(r, k) - loops->K(r, k);
      for (int l = 0; l < nv; ++l) out[l] -= dt * loops->K(r, k) * turning_by_v(k, l);
    }
  }
  pressed.add_by_offsets(offsets, pressed.u_by_v);
}

// The response of relaxed laws where loops hold: r follows their impulses p by  W_rr dr = -W_rp dp.
linear::Matrix StepDerivatives::Impl::hold_loops() {
  const int n = relaxed_laws.rows(), m = response.rows() - n;
  Matrix among(m, m), by_laws(m, n), held(n, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) among(i, j) = response(n + i, n + j);
    for (int j = 0; j < n; ++j) by_laws(i, j) = -response(n + i, j);
  }
  loops_by_laws = stepping::solve_semidefinite(std::move(among), std::move(by_laws));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      held(i, j) = response(i, j);
      for (int k = 0; k < m; ++k) held(i, j) += response(i, n + k) * loops_by_laws(k, j);
    }
  return held;
}

}  // namespace sinew
