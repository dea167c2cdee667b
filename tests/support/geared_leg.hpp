// tests/support/geared_leg.hpp - a leg on a floating trunk, each joint driven by a rotor through gears
#pragma once
#include "sinew/model/builder.hpp"

namespace sinew::test {

// Trunk, thigh, shank, foot; rotors for the hip, and two on the thigh for knee and ankle, whose differential makes the
// ankle turn by what both turn: rotor_hip = 9 hip, rotor_knee = 7 knee, rotor_ankle = 6 ankle + 2 knee. 12 freedoms
// of the tree less 3 gears. The gear of the hip is a cluster, and the other two are one.
inline ModelSpec geared_leg() {
  ModelBuilder b("geared_leg");
  const auto rod = [&](const char* name, double mass, double length) {
    const double across = mass * length * length / 10;
    b.body(name).mass(mass, {0.01, 0.02, -length / 2}, {across, 0, 0, 0.9 * across, 0, 0.3 * across});
  };
  rod("trunk", 12, 0.5), rod("thigh", 3, 0.4), rod("shank", 2, 0.4), rod("foot", 0.8, 0.15);
  rod("rotor_hip", 0.3, 0.05), rod("rotor_knee", 0.25, 0.05), rod("rotor_ankle", 0.2, 0.05);
  b.free("float", "world", "trunk");
  b.revolute("hip", "trunk", "thigh").at({0, 0.1, -0.2}).axis({0, 1, 0});
  b.revolute("spin_hip", "trunk", "rotor_hip").at({0.05, 0.1, -0.2}).axis({0, 1, 0});
  b.revolute("knee", "thigh", "shank").at({0, 0, -0.4}).axis({0, 1, 0});
  b.revolute("spin_knee", "thigh", "rotor_knee").at({0.03, 0.02, -0.1}).axis({0, 1, 0});
  b.revolute("spin_ankle", "thigh", "rotor_ankle").at({-0.03, 0.02, -0.1}).axis({1, 0, 0});
  b.revolute("ankle", "shank", "foot").at({0, 0, -0.4}).axis({0, 1, 0});
  const auto gear = [&](const char* name, const char* rotor, std::vector<CouplingTerm> terms) {
    CouplingSpec c;
    c.name = name, c.dependent = rotor, c.terms = std::move(terms);
    b.spec().couplings.push_back(c);
  };
  gear("hip_gear", "spin_hip", {{"hip", {9}, 0}});
  gear("knee_gear", "spin_knee", {{"knee", {7}, 0}});
  gear("ankle_gear", "spin_ankle", {{"ankle", {6}, 0}, {"knee", {2}, 0}});
  return std::move(b.spec());
}

}  // namespace sinew::test
