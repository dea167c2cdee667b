// tests/operators/finite_elements_test.cpp - imported finite elements against the generated beam
#include "sinew/operators/finite_elements.hpp"

#include <gtest/gtest.h>

#include "support/beam_elements.hpp"
#include "support/flexible_frequencies.hpp"

namespace sinew::test {
namespace {

sko::BeamSpec stiff_axially(int modes) {
  sko::BeamSpec o = unit_beam(modes);
  o.bending_z = 1.7;
  o.axial = 1e5, o.torsion = 1e3, o.section_y = o.section_z = 1e-4;
  return o;
}
std::vector<double> lowest(std::vector<double> x, std::size_t count) {
  x.resize(count);
  return x;
}

// 20 elements, 8 modes: those of bending. The generated beam has 4 in each plane. At rest and spinning, with and
// without a load at the tip.
TEST(FiniteElements, ImportedBodyIsTheGeneratedBeam) {
  const sko::BeamSpec o = stiff_axially(4);
  sko::FiniteElements e = beam_elements(o, 20);
  e.modes = 8, e.inner_modes = 16;
  sko::FlexibleBody imported = sko::make_flexible_body(e), generated = sko::make_beam(o);
  ASSERT_EQ(imported.modes, 8);
  EXPECT_NEAR(imported.rigid.m, generated.rigid.m, 1e-14);
  EXPECT_TRUE(near(imported.rigid.h, generated.rigid.h, 100));
  EXPECT_NEAR(imported.rigid.I.zz, 1. / 3, 1e-14);
  imported.replaces_inertia = generated.replaces_inertia = true;
  for (const double load : {0.0, 0.3})
    for (const double speed : {0.0, 3.0, 6.0}) {
      const Model m = beam_model(JointKind::revolute, load);
      const std::vector<double> a = lowest(frequencies(m, imported, speed), 4),
                                b = lowest(frequencies(m, generated, speed), 4);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(a[i] / b[i], 1, load == 0 ? 1e-3 : 5e-3) << "mode " << i << " at " << speed << ", load " << load;
    }
}

// Frequencies converge with the fourth power of the element length to those of the beam.
TEST(FiniteElements, FrequenciesConverge) {
  const double exact = 3.51601526850015;
  const auto error = [&](int elements) {
    sko::FiniteElements e = beam_elements(stiff_axially(1), elements);
    e.modes = 1, e.inner_modes = 6;
    return std::sqrt(sko::make_flexible_body(e).stiffness[0]) / exact - 1;
  };
  const double coarse = error(2), fine = error(4);
  EXPECT_GT(coarse, 0);
  EXPECT_GT(coarse / fine, 12);
  EXPECT_LT(coarse / fine, 20);
}

// Nodes without turns: an interface of three takes the turn from where they go. A bar of two layers of points.
TEST(FiniteElements, InterfaceOfShiftsTellsTurns) {
  sko::FiniteElements e;
  e.body = "beam", e.freedoms = 3;
  const int sections = 5;
  for (int i = 0; i < sections; ++i)
    for (const Vec3<double>& d : {Vec3<double>{0, 0.1, 0}, {0, -0.1, 0.1}, {0, -0.1, -0.1}})
      e.nodes.push_back({0.25 * i, d.y, d.z});
  e.rows = 3 * static_cast<int>(e.nodes.size());
  // Springs between all points of neighbouring sections, along their lines.
  for (int a = 0; a < 3 * sections; ++a) {
    for (int k = 0; k < 3; ++k) e.mass.push_back({3 * a + k, 3 * a + k, 1.0 / (3 * sections)});
    for (int b = 0; b < a; ++b) {
      if (a / 3 - b / 3 > 1) continue;
      const Vec3<double> d = e.nodes[at(a)] - e.nodes[at(b)];
      const double u[] = {d.x / norm(d), d.y / norm(d), d.z / norm(d)};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double k = 1000 * u[i] * u[j];
          e.stiffness.push_back({3 * a + i, 3 * a + j, k}), e.stiffness.push_back({3 * b + i, 3 * b + j, k});
          e.stiffness.push_back({3 * a + i, 3 * b + j, -k}), e.stiffness.push_back({3 * b + i, 3 * a + j, -k});
        }
    }
  }
  e.root = {0, 1, 2};
  e.interfaces = {{"tip", {12, 13, 14}}};
  e.modes = 2, e.inner_modes = 6;
  const sko::FlexibleBody b = sko::make_flexible_body(e);
  sko::check_flexible_body(b);
  const sko::FlexibleNode& tip = b.nodes[0];
  for (std::size_t i = 0; i < 2; ++i) {  // bending: the tip goes across, and turns about d x shift
    EXPECT_GT(norm(tip.shift[i]), 0.5);
    const Vec3<double> expected = cross(Vec3<double>{1, 0, 0}, tip.shift[i]);
    EXPECT_GT(dot(tip.turn[i], expected), 0.9 * norm(expected) * norm(expected));
  }
}

TEST(FiniteElements, BadInputIsRefusedByName) {
  const auto has = [](const std::function<void(sko::FiniteElements&)>& change, const std::string& word) {
    sko::FiniteElements e = beam_elements(stiff_axially(1), 4);
    change(e);
    try {
      sko::make_flexible_body(e);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& x) {
      EXPECT_NE(std::string(x.what()).find(word), std::string::npos) << x.what();
    }
  };
  has(
      [](auto& e) {
        e.stiffness.push_back({1, 7, 5});
      },
      "body 'beam': the stiffness is not symmetric: the entries between node 0 y and node 1 y differ by 5");
  has([](auto& e) { e.mass.push_back({8, 2, 1}); }, "the mass is not symmetric");
  has([](auto& e) { e.interfaces[0].nodes = {9}; }, "interface 'tip' names node 9; there are 5");
  has([](auto& e) { e.root = {-1}; }, "the root names node -1");
  has([](auto& e) { e.root.clear(); }, "no root nodes");
  has([](auto& e) { e.nodes.pop_back(); }, "have 30 rows; 4 nodes of 6 freedoms need 24");
  has([](auto& e) { e.lines = {{0, 1, 2}}; }, "node 3 has mass but is on no line");
  has([](auto& e) { e.lines = {{2, 3}}; }, "a line begins at node 2");
  has([](auto& e) { e.stiffness.clear(); }, "not positive definite");
  has([](auto& e) { e.mass.clear(); }, "is not positive");
  has([](auto& e) { e.freedoms = 4; }, "3 or 6 are known");
}

}  // namespace
}  // namespace sinew::test
