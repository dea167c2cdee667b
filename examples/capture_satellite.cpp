// examples/capture_satellite.cpp - an arm on a free-floating spacecraft captures a tumbling satellite, hands it over to
// the other arm, and that releases it: two trees and a coupling that changes four times [R92 0.19-0.36]
//   example_capture_satellite [timeline]   audits; with the motion in between, which tools/plot_capture.py draws
#include <fmt/format.h>

#include "sinew/constraint/two_trees/change_coupling.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/integrate.hpp"
#include "sinew/tree/jacobian.hpp"

using namespace sinew;

int main(int argc, char**) {
  const Model p = compile(mechanisms::servicer()).value(), s = compile(mechanisms::satellite()).value();
  const Model both = compile(mechanisms::servicer_and_satellite()).value();  // to integrate, and to measure the whole
  const FrameEntry hand[] = {*both.find_frame("left_hand"), *both.find_frame("right_hand")};
  const FrameEntry fixture[] = {*both.find_frame("left_fixture"), *both.find_frame("right_fixture")};
  CoupledTree tree_p(p, {*p.find_frame("left_hand"), *p.find_frame("right_hand")});
  CoupledTree tree_s(s, {*s.find_frame("left_fixture"), *s.find_frame("right_fixture")});
  ChangeWorkspace ws(p, tree_p, s, tree_s, 12);
  JacobianWorkspace<double> motion(both);
  MomentumWorkspace<double> momentum(both);
  std::vector<double> A_P(144), A_S(144), U(12), f(12), tau(24), pull(24), v(24);
  const MatrixView<const double> left(A_P.data(), 12, 12), right(A_S.data(), 12, 12);
  std::size_t reaching = 0;  // the hand that reaches for its fixture; 2: none
  double worst = 0;          // change of the whole's momentum, as a part of it
  const auto& X = momentum.motion.kinematics.X;
  const auto where = [&](const Place& x) { return (x.in_node * X[at(x.node)]).r; };
  const auto speed = [&](const Place& x) { return get_velocity(momentum.motion, x, ReferenceFrame::mixed); };
  const auto prepare_both = [&](In<double> q, In<double> nu) {
    prepare(p, tree_p, {q.data(), 19}, {nu.data(), 18}, {tau.data(), 18});
    prepare(s, tree_s, {q.data() + 19, 7}, {nu.data() + 18, 6}, {tau.data() + 18, 6});
  };
  const auto accelerate = [&](const StatePoint& x, const StateRate& rate) {
    calc_jacobian(both, motion, x.q), calc_velocities(both, momentum.motion, x.q, x.v);
    if (reaching < 2) {  // a spring and a damper between hand and fixture, by torques of joints alone
      const FrameEntry &from = hand[reaching], &to = fixture[reaching];
      const Motion<double> gap = speed(to) - speed(from);
      const Force<double> wanted{5.0 * gap.ang, 40.0 * (where(to) - where(from)) + 40.0 * gap.lin};
      multiply_by_jacobian_transpose(both, motion, from, ReferenceFrame::mixed, wanted, pull);
    }
    for (std::size_t i = 6; i < 18; ++i) tau[i] = i / 6 == reaching + 1 ? pull[i] - 3 * x.v[i] : -20 * x.v[i];
    prepare_both(x.q, x.v);
    for (std::size_t i = 0; i < 12; ++i) U[i] = A_P[13 * i] * (tree_s.bias[i] - tree_p.bias[i]);
    couple(p, tree_p, s, tree_s, ws.coupling, left, right, U, {rate.v.data(), 18}, {rate.v.data() + 18, 6}, f);
  };
  Integrator run(both, accelerate, {.relative = 1e-12, .absolute = 1e-14});
  const KeyframeSpec& tumbling = both.spec().keyframes[0];
  State state{tumbling.q, tumbling.v, 0};
  run.set_state(state);
  const Force<double> whole = calc_momentum(both, momentum, state.q, state.v);

  using Event = std::tuple<double, const char*, std::array<bool, 2>, std::size_t>;
  for (const auto& [time, what, holds, reach] :
       {Event{8, "the left hand captures", {true, false}, 1}, Event{16, "the right hand captures too", {true, true}, 2},
        Event{18, "the left hand releases: handed over", {false, true}, 2},
        Event{22, "the right hand releases", {false, false}, 2}, Event{24, "the end", {false, false}, 2}}) {
    while (state.time < time - 0.05) {
      run.advance(state.time + 0.1);
      state = run.state();
      const Force<double> lost = calc_momentum(both, momentum, state.q, state.v) - whole;
      worst = std::max({worst, norm(lost.ang) / norm(whole.ang), norm(lost.lin) / norm(whole.lin)});
      if (argc > 1)
        fmt::print("{:.1f} {:.5f} {:.5f} {:.5f} {:.5f} {:.5f} {:.2e}\n", state.time,
                   norm(where(fixture[0]) - where(hand[0])), norm(where(fixture[1]) - where(hand[1])),
                   norm(speed(p.bodies()[1]).ang), norm(speed(fixture[0]).ang), run.calc_energy(), worst);
    }
    for (std::size_t k = 0; k < 2; ++k)  // a hand holds what is in it
      tree_s.places[k].in_node = hand[k].in_node * X[at(hand[k].node)] * inverse(X[at(fixture[k].node)]);
    for (std::size_t i = 0; i < 12; ++i) U[i] = 0, A_P[13 * i] = holds[i / 6], A_S[13 * i] = -A_P[13 * i];
    prepare_both(state.q, state.v);
    change_coupling(p, tree_p, s, tree_s, ws, left, right, U, {v.data(), 18}, {v.data() + 18, 6}, f);
    run.jump(state.q, v);
    reaching = reach;
    fmt::print("t = {:.0f} s: {}\n{}", time, what, describe(ws.audit));
  }
  fmt::print("over all of it the momentum of the whole changed by {:.1e}\n", worst);
  return worst < 1e-12 ? 0 : 1;
}
