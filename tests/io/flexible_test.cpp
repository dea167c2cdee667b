// tests/io/flexible_test.cpp - flexible bodies from JSON, matrices from Matrix Market files
#include "sinew/io/flexible.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sinew/io/matrix_market.hpp"
#include "support/beam_elements.hpp"
#include "support/flexible_case.hpp"

namespace sinew::test {
namespace {

std::string first_error(const Diagnostics& d) { return d.empty() ? "" : to_string(d.list().back()); }
void expect_refusal(const std::string& json, const std::string& word) {
  const Model m = beam_model(JointKind::revolute, 0.2);
  const auto r = parse_flexible(json, "a.json", m);
  EXPECT_FALSE(r.ok());
  EXPECT_NE(first_error(r.diagnostics()).find(word), std::string::npos) << first_error(r.diagnostics());
}

constexpr const char* kBeam = R"({"bodies": [
  {"body": "beam",
   "beam": {"length": 1, "mass": 1, "bending_y": 1, "bending_z": 1,
            "modes_y": 2, "modes_z": 2, "damping_ratio": 0.01}}
]})";

TEST(FlexibleFile, BeamIsTheGeneratedOne) {
  const Model m = beam_model(JointKind::revolute, 0.2);
  const auto r = parse_flexible(kBeam, "a.json", m);
  ASSERT_TRUE(r.ok()) << first_error(r.diagnostics());
  sko::BeamSpec o = unit_beam(2);
  o.damping_ratio = 0.01;
  const sko::FlexibleBody want = sko::make_beam(o);
  ASSERT_EQ(r->bodies.size(), 1U);
  EXPECT_EQ(r->bodies[0].stiffness, want.stiffness);
  EXPECT_EQ(r->bodies[0].damping, want.damping);
  EXPECT_EQ(r->bodies[0].nodes[0].name, "at joint 'weld'");
  EXPECT_TRUE(near(r->bodies[0].nodes[0].shift, want.nodes[0].shift, 10));
}

// The same beam as points, as integrals and as finite elements: the same mass and stiffness.
TEST(FlexibleFile, FiniteElementsComeFromMatrixFiles) {
  const auto folder = std::filesystem::temp_directory_path() / ("sinew_flexible_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  sko::BeamSpec o = unit_beam(2);
  o.axial = 1e5, o.torsion = 1e3, o.section_y = o.section_z = 1e-4;
  const sko::FiniteElements e = beam_elements(o, 8);
  const auto write = [&](const char* name, const std::vector<linear::SparseEntry>& list, const char* symmetry) {
    std::ofstream out(folder / name);
    out.precision(17);
    std::vector<std::vector<double>> dense(at(e.rows), std::vector<double>(at(e.rows), 0.0));
    for (const auto& x : list) dense[at(x.row)][at(x.col)] += x.value;
    std::string text;
    int count = 0;
    const bool half = std::string(symmetry) == "symmetric";
    std::ostringstream body;
    body.precision(17);
    for (int i = 0; i < e.rows; ++i)
      for (int j = 0; j < (half ? i + 1 : e.rows); ++j)
        if (dense[at(i)][at(j)] != 0) body << i + 1 << " " << j + 1 << " " << dense[at(i)][at(j)] << "\n", ++count;
    out << "%%MatrixMarket matrix coordinate real " << symmetry << "\n% of a test\n"
        << e.rows << " " << e.rows << " " << count << "\n"
        << body.str();
  };
  write("M.mtx", e.mass, "symmetric"), write("K.mtx", e.stiffness, "general");
  std::string nodes, line;
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    nodes += (i ? ", " : "") + std::string("[") + std::to_string(e.nodes[i].x) + ", 0, 0]";
    line += (i ? ", " : "") + std::to_string(i);
  }
  const auto file = [&](const std::string& root, const std::string& tip) {
    return R"({"bodies": [{"body": "beam", "replaces_inertia": true, "finite_elements": {
      "mass": "M.mtx", "stiffness": "K.mtx", "nodes": [)" +
           nodes + R"(], "root": [)" + root + R"(],
      "interfaces": [{"name": "tip", "nodes": [)" +
           tip + R"(]}],
      "lines": [[)" +
           line + R"(]], "modes": 4, "inner_modes": 8}}]})";
  };
  const Model m = beam_model(JointKind::revolute, 0.2);
  const auto r = parse_flexible(file("0", "8"), folder / "a.json", m);
  ASSERT_TRUE(r.ok()) << first_error(r.diagnostics());
  sko::FiniteElements direct = e;
  direct.modes = 4, direct.inner_modes = 8;
  const sko::FlexibleBody want = sko::make_flexible_body(direct);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_NEAR(r->bodies[0].stiffness[i], want.stiffness[i], 6e-13 * (1 + want.stiffness[15]));
  const auto bad = parse_flexible(file("0", "88"), folder / "a.json", m);
  EXPECT_NE(first_error(bad.diagnostics()).find("interface 'tip' names node 88"), std::string::npos);
  std::filesystem::remove(folder / "K.mtx");
  const auto missing = parse_flexible(file("0", "8"), folder / "a.json", m);
  EXPECT_NE(to_string(missing.diagnostics().list().front()).find("does not exist"), std::string::npos);
  EXPECT_NE(first_error(missing.diagnostics()).find("a.json:2: error S111"), std::string::npos)
      << first_error(missing.diagnostics());
  std::filesystem::remove_all(folder);
}

TEST(FlexibleFile, ModalDataByPoints) {
  const Model m = beam_model(JointKind::revolute);
  const auto r = parse_flexible(R"({"bodies": [{"body": "beam", "replaces_inertia": true, "modal": {
      "stiffness": [[3]], "damping_ratio": 0.1,
      "points": [{"mass": 0.5, "position": [0.5, 0, 0], "shift": [[0, 0.3, 0]]},
                 {"mass": 0.5, "position": [1, 0, 0], "shift": [[0, 1, 0]], "second": [[[-1.2, 0, 0]]]}],
      "nodes": [{"name": "tip", "position": [1, 0, 0], "shift": [[0, 1, 0]], "turn": [[0, 0, 1.4]]}]}}]})",
                                "a.json", m);
  ASSERT_TRUE(r.ok()) << first_error(r.diagnostics());
  const sko::FlexibleBody& b = r->bodies[0];
  EXPECT_NEAR(b.mass[0], 0.5 * (1 + 0.09), 1e-15);
  EXPECT_NEAR(b.stiffening[0].xx, -0.6, 1e-15);
  EXPECT_NEAR(b.damping[0], 0.2 * std::sqrt(3 * b.mass[0]), 1e-14);
}

TEST(FlexibleFile, WhatIsWrongIsNamedWithItsLine) {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  expect_refusal("{\"bodies\": [\n}", "a.json:2: error");
  expect_refusal(replaced(kBeam, "\"body\": \"beam\"", "\"body\": \"bean\""),
                 "a.json:2: error S302: flexible bodies: bodies[0].body: the model has no moving body 'bean'");
  expect_refusal(replaced(kBeam, "\"length\": 1,", "\"length\": -1,"),
                 "a.json:3: error S110: flexible bodies: bodies[0].beam.length: the length is -1");
  expect_refusal(replaced(kBeam, "\"modes_z\": 2", "\"modes_z\": 2.5"),
                 "a.json:4: error S107: flexible bodies: bodies[0].beam.modes_z: it must be a whole number");
  expect_refusal(replaced(kBeam, "\"modes_z\"", "\"mode_z\""),
                 "a.json:4: error S110: flexible bodies: "
                 "bodies[0].beam.mode_z: there is no such key");
  expect_refusal(replaced(kBeam, "\"mass\": 1, ", ""), "the key 'mass' is missing");
  expect_refusal(replaced(kBeam, "\"mass\": 1,", "\"mass\": 2,"), "has the mass 1.000000 in the model and 2.0");
  expect_refusal(R"({"bodies": [{"body": "beam", "modal": {"stiffness": [[1, 0], [0, 1]],
    "mass": [[1, 2], [2, 1]], "rigid": {"mass": 1, "centre": [0.5, 0, 0], "inertia": [0, 0.1, 0.1, 0, 0, 0]},
    "momentum": [[0, 0, 0], [0, 0, 0]], "angular_momentum": [[0, 0, 0], [0, 0, 0]],
    "first_moments": [[[0,0,0],[0,0,0],[0,0,0]], [[0,0,0],[0,0,0],[0,0,0]]],
    "second_moments": [[[[0,0,0],[0,0,0],[0,0,0]], [[0,0,0],[0,0,0],[0,0,0]]],
                       [[[0,0,0],[0,0,0],[0,0,0]], [[0,0,0],[0,0,0],[0,0,0]]]]}}]})",
                 "the modal mass is not positive definite");
  expect_refusal(R"({"bodies": [{"body": "beam", "modal": {"stiffness": [[1]],
    "points": [{"mass": 1, "position": [0, 0, 0], "shift": [[1, 0, 0], [0, 1, 0]]}]}}]})",
                 "bodies[0].modal.points[0].shift: it has 2 entries, and must have 1");
}

TEST(MatrixMarket, BadFilesAreRefusedWithTheirLine) {
  const auto error = [](const std::string& text) {
    const auto r = parse_matrix_market(text, "m.mtx");
    return r.ok() ? "" : first_error(r.diagnostics());
  };
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n";
  EXPECT_EQ(error(head + "2 2 2\n1 1 3\n2 1 -1e0\n"), "");
  EXPECT_NE(error("2 2 1\n1 1 3\n").find("m.mtx:1: error"), std::string::npos);
  EXPECT_NE(error("%%MatrixMarket matrix array real general\n").find("m.mtx:1"), std::string::npos);
  EXPECT_NE(error(head + "2 2 2\n1 1 3\n").find("it ends after 1 of 2"), std::string::npos);
  EXPECT_NE(error(head + "2 2 1\n3 1 3\n").find("m.mtx:3: error S110: matrix: entry (3, 1)"), std::string::npos);
  EXPECT_NE(error(head + "2 2 1\n1 1 x\n").find("m.mtx:3: error S107"), std::string::npos);
  EXPECT_NE(error(head + "2 2 1\n1 1 nan\n").find("m.mtx:3"), std::string::npos);
  EXPECT_NE(error(head + "2 2 1\n1 1 1\n1 2 1\n").find("more entries"), std::string::npos);
  EXPECT_NE(error(head + "2 2 -1\n").find("m.mtx:2"), std::string::npos);
  EXPECT_NE(error(head + "3 2 1\n3 1 1\n").find("a symmetric matrix is not square, 3 x 2"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
