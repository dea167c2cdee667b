// apps/reproduce/s23_study.cpp
#include "reproduce/s23_study.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sinew/base/random.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::app {
namespace {

using delassus::Algorithm;

constexpr int kBranches[] = {1, 2, 4, 7, 10};
constexpr int kLengths[] = {2, 5, 10, 15, 20, 25, 30, 35, 40};
constexpr int kGrowths = 3;
constexpr const char* kFingers[] = {"thumb", "first", "middle", "ring", "little"};

// Rows that hold frames of a model: all six axes, or the point only.
struct Held {
  const Model& model;
  std::vector<delassus::Entry> entries;
  std::vector<Force<double>> K;
  int rows = 0;

  void hold(const std::string& frame, bool weld) {
    const FrameEntry f = model.find_frame(frame).value();
    for (int axis = weld ? 0 : 3; axis < 6; ++axis) {
      entries.push_back({rows++, f.node});
      K.push_back(apply_inverse(f.in_node, detail::unit_force<double>(axis)));
    }
  }
  void hold_fingers(const std::string& hand) {
    for (const char* finger : kFingers) hold(hand + finger + "_tip", false);
  }
  void hold_soles() { hold("left_sole", true), hold("right_sole", true); }
  Operations23 count() const {
    Operations23 out;
    for (const delassus::Cost& c : calc_costs(model, delassus::Problem(model, rows, entries), K))
      out[c.algorithm] = c.total();
    return out;
  }
};

StemStudy study_stem(int branches, const std::function<void()>& tick) {
  StemStudy out{branches, {std::begin(kLengths), std::end(kLengths)}, {}};
  for (const int length : kLengths) {
    const Model m = compile(mechanisms::stem_with_branches(length, branches)).value();
    Held held{m};
    for (int tip = 1; tip <= 2 * branches; ++tip) held.hold("tip" + std::to_string(tip), true);
    out.operations.push_back(held.count());
    tick();
  }
  return out;
}

// The rates of Table I apart from each other: n and d together on a chain, n alone where the depth stays, and m where
// only the part of the operations counts that each link of a stem adds, which is the part with d.
Growth study_growth(const std::string& what, const Operations23& once, const Operations23& doubled) {
  Growth out{what, {}};
  for (const auto& [a, n] : once)
    out.exponent[a] = std::log2(static_cast<double>(doubled.at(a)) / static_cast<double>(n));
  return out;
}
Operations23 count_chain(int n) {
  const Model m = compile(mechanisms::chain(n)).value();
  Held held{m};
  held.hold("tip", true);
  return held.count();
}
// Legs of six joints on the world, two of them with a weld at the foot.
Operations23 count_legs(int legs) {
  constexpr int kJoints = 6;
  ModelBuilder b("legs");
  Random random(3);
  for (int leg = 0; leg < legs; ++leg)
    for (int i = 0; i < kJoints; ++i) {
      const auto name = [&](int k) { return fmt::format("leg{}_{}", leg, k); };
      const auto turn = [&] { return random.uniform(0.2, 1.2); };
      const double roll = turn(), pitch = turn();
      BodyBuilder link = b.body(name(i)).mass(solid_box(1, {0.05, 0.08, 0.12}),
                                              make_placement({0.02, 0.03, -0.1}, {roll, pitch, turn()}));
      b.revolute("joint_" + name(i), i == 0 ? "world" : name(i - 1), name(i)).at({0.1, 0.05, -0.2}, {pitch, roll, 0.3});
      if (i + 1 == kJoints) link.frame(fmt::format("foot{}", leg), make_placement({0, 0, -0.2}));
    }
  const Model m = b.build().value();
  Held held{m};
  held.hold("foot0", true), held.hold("foot1", true);
  return held.count();
}
// What a link of the stem adds.
Operations23 count_stem_link(int branches) {
  constexpr int kShort = 10, kLong = 40;
  const auto count = [&](int length) {
    const Model m = compile(mechanisms::stem_with_branches(length, branches)).value();
    Held held{m};
    for (int tip = 1; tip <= 2 * branches; ++tip) held.hold("tip" + std::to_string(tip), true);
    return held.count();
  };
  Operations23 out = count(kLong);
  for (const auto& [a, n] : count(kShort)) out[a] = (out[a] - n) / (kLong - kShort);
  return out;
}

struct RobotScene {
  const char *name, *constraints, *paper, *figure;
  ModelSpec (*make)();
  void (*hold)(Held&);
};
const RobotScene kRobots[] = {
    {"humanoid", "6D on each foot", "PV-OSIM and PV-OSIMr equal, EFPA and LTL clearly above (Fig. 4a)", "4a",
     [] { return mechanisms::humanoid(); }, [](Held& h) { h.hold_soles(); }},
    {"humanoid", "four 3D points on each foot", "PV-OSIM needs 19.9 % more than PV-OSIMr (Fig. 4b)", "4b",
     [] { return mechanisms::humanoid(); },
     [](Held& h) {
       for (const char* side : {"left", "right"})
         for (const char* corner : {"front_inner", "front_outer", "back_inner", "back_outer"})
           h.hold(std::string(side) + "_sole_" + corner, false);
     }},
    {"humanoid", "6D on feet and hands", "PV-OSIM needs 1.5 % less than PV-OSIMr (section IV-E)", "",
     [] { return mechanisms::humanoid(); },
     [](Held& h) { h.hold_soles(), h.hold("left_palm", true), h.hold("right_palm", true); }},
    {"hand", "3D on five fingertips", "LTL below EFPA (Fig. 5a)", "5a", [] { return mechanisms::hand(); },
     [](Held& h) { h.hold_fingers(""); }},
    {"humanoid with a hand", "3D on its fingertips", "PV-OSIMr lowest (Fig. 5b)", "5b",
     [] { return mechanisms::humanoid_with_hands(1); }, [](Held& h) { h.hold_fingers("left_hand_"); }},
    {"humanoid with two hands", "3D on ten fingertips", "PV-OSIMr lowest, up to 34 % below PV-OSIM (Fig. 5c)", "5c",
     [] { return mechanisms::humanoid_with_hands(2); },
     [](Held& h) { h.hold_fingers("left_hand_"), h.hold_fingers("right_hand_"); }},
    {"humanoid with two hands", "3D on ten fingertips, 6D on each foot", "PV-OSIMr lowest (Fig. 5d)", "5d",
     [] { return mechanisms::humanoid_with_hands(2); },
     [](Held& h) { h.hold_fingers("left_hand_"), h.hold_fingers("right_hand_"), h.hold_soles(); }},
};

}  // namespace

// The line of least squares through the stems of ten links and more.
double StemStudy::slope(Algorithm a) const {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 10) continue;
    const double x = lengths[i], y = static_cast<double>(operations[i].at(a));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

int count_cases() {
  return static_cast<int>(std::size(kBranches) * std::size(kLengths) + std::size(kRobots) + kGrowths);
}

S23Study run_s23(const std::function<void()>& tick) {
  S23Study out;
  out.growth.push_back(study_growth("n and d, on a chain", count_chain(150), count_chain(300)));
  tick();
  out.growth.push_back(study_growth("n, at a depth of 6", count_legs(25), count_legs(50)));
  tick();
  out.growth.push_back(study_growth("m, per link of a stem", count_stem_link(10), count_stem_link(20)));
  tick();
  for (const int branches : kBranches) out.stems.push_back(study_stem(branches, tick));
  for (const RobotScene& scene : kRobots) {
    const Model m = compile(scene.make()).value();
    Held held{m};
    scene.hold(held);
    out.robots.push_back({scene.name, scene.constraints, scene.paper, scene.figure, m.nv(), held.rows, held.count()});
    tick();
  }
  return out;
}

}  // namespace sinew::app
