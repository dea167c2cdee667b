// tests/io/report_test.cpp - a record becomes a page, with the same bytes each time; what cannot be one is refused by
// name
#include "sinew/io/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/report_columns.hpp"
#include "sinew/io/drawing.hpp"
#include "sinew/io/record.hpp"
#include "sinew/model/builder.hpp"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct ReportFolder {
  ReportFolder() {
    char name[] = "/tmp/sinew_report_XXXXXX";
    path = mkdtemp(name);
  }
  ~ReportFolder() { fs::remove_all(path); }
  fs::path path;
};

Model make_ball_on_floor() {
  ModelBuilder b("ball");
  b.body("ball").mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
  b.free("flies", "world", "ball");
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  return compile(b.spec()).value();
}

// A ball that falls 0.2 m, with steps of 1 ms.
void record_fall(const fs::path& file, int steps) {
  const Model m = make_ball_on_floor();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  s.state.q[6] = 0.3;
  Recorder record(file, m, s);
  for (int i = 0; i < steps; ++i) record.add(s.step());
  record.finish();
}

std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned word = 0, bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    word = word << 6U | static_cast<unsigned>(digit), bits += 6;
    if (bits >= 8) bits -= 8, out += static_cast<char>(word >> bits & 255U);
  }
  return out;
}

// The header of the first run of a page.
Json read_header(const Report& report) {
  const std::size_t at = report.html.find('>', report.html.find("<script type=\"application/x-sinew-run\"")) + 1;
  const std::string packed = from_base64(report.html.substr(at, report.html.find("</script>", at) - at));
  std::string raw(report.runs[0].raw_bytes, '\0');
  uLongf size = raw.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  EXPECT_EQ(raw.substr(0, 8), "SINEWRUN");
  std::uint32_t length = 0;
  for (unsigned i = 0; i < 4; ++i)
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(raw[12 + i])) << 8 * i;
  Json header = Json::parse(raw.substr(16, length));
  std::size_t columns = 0;
  for (const Json& c : header["columns"]) columns += 4 * c["length"].get<std::size_t>();
  EXPECT_EQ(raw.size(), 16 + length + columns);
  return header;
}

TEST(Report, HoldsTheRunOnce) {
  const ReportFolder folder;
  record_fall(folder.path / "fall.h5", 500);
  const Report report = make_report({folder.path / "fall.h5"});
  ASSERT_EQ(report.runs.size(), 1U);
  EXPECT_EQ(report.runs[0].title, "fall");
  EXPECT_EQ(report.runs[0].rows, 501U);
  // 200 rows per second of half a second, the ends, and events and extremes besides.
  EXPECT_GE(report.runs[0].kept, 101U);
  EXPECT_LE(report.runs[0].kept, 120U);
  EXPECT_TRUE(report.left_out.empty());
  EXPECT_EQ(report.html.find("<!--SINEW-DATA-->"), report.html.rfind("<!--SINEW-DATA-->"));
  EXPECT_EQ(report.html, make_report({folder.path / "fall.h5"}).html);  // the same bytes
}

TEST(Report, SaysWhatHappened) {
  const ReportFolder folder;
  record_fall(folder.path / "fall.h5", 500);
  const Json header = read_header(make_report({folder.path / "fall.h5"}));
  ASSERT_EQ(header["events"].size(), 1U) << header["events"];
  EXPECT_EQ(header["events"][0]["kind"], "touch");
  EXPECT_EQ(header["events"][0]["text"], "ball touches the world");
  std::string said;
  for (const Json& f : header["certificate"])
    said += f["word"].get<std::string>() + ": " + f["text"].get<std::string>() + "\n";
  EXPECT_NE(said.find("problems: all solved"), std::string::npos) << said;
  EXPECT_NE(said.find("500 of 1 ms"), std::string::npos) << said;
  EXPECT_EQ(header["scene"]["bodies"].size(), 2U);
  EXPECT_EQ(header["moving"], Json::array({1}));
}

// Runs of the same bodies are compared; the page tells them by this.
TEST(Report, KnowsRunsOfTheSameBodies) {
  const ReportFolder folder;
  record_fall(folder.path / "a.h5", 3), record_fall(folder.path / "b & \"c\".h5", 5);
  const std::string html = make_report({folder.path / "a.h5", folder.path / "b & \"c\".h5"}).html;
  const auto attribute = [&](const std::string& name, std::size_t from) {
    const std::size_t at = html.find(name + "=\"", from) + name.size() + 2;
    return html.substr(at, html.find('"', at) - at);
  };
  const std::size_t first = html.find("<script type=\"application/x-sinew-run\""),
                    second = html.find("<script type=\"application/x-sinew-run\"", first + 1);
  EXPECT_EQ(attribute("data-title", first), "a");
  EXPECT_EQ(attribute("data-title", second), "b &amp; &quot;c&quot;");
  EXPECT_EQ(attribute("data-bodies", first).size(), 16U);
  EXPECT_EQ(attribute("data-bodies", first), attribute("data-bodies", second));
}

TEST(Report, HasAllRowsOfAShortRun) {
  const ReportFolder folder;
  record_fall(folder.path / "short.h5", 3);
  EXPECT_EQ(make_report({folder.path / "short.h5"}, {.rows_per_second = 1e6}).runs[0].kept, 4U);
}

TEST(Report, RefusesByName) {
  const ReportFolder folder;
  std::ofstream(folder.path / "text.h5") << "no record";
  const auto complaint = [](auto call) {
    try {
      call();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(complaint([&] { make_report({folder.path / "text.h5"}); }).find("text.h5"), std::string::npos);
  EXPECT_NE(complaint([&] { make_report({folder.path / "missing.h5"}); }).find("missing.h5"), std::string::npos);
  EXPECT_NE(complaint([&] { make_report({}); }).find("no record"), std::string::npos);
  EXPECT_NE(complaint([&] { read_drawing_meshes("{}"); }).find("not a drawing"), std::string::npos);
}

TEST(Report, NamesMeshesThatAreGone) {
  const ReportFolder folder;
  ModelBuilder b("robot");
  b.body("arm").mass(solid_sphere(1, 0.1), {});
  b.revolute("hinge", "world", "arm");
  MeshSpec mesh;
  mesh.name = "shell", mesh.file = (folder.path / "shell.stl").string();
  b.spec().meshes.push_back(mesh);
  ShapeSpec shape;
  shape.body = "arm", shape.kind = ShapeKind::mesh, shape.asset = "shell", shape.collides = false;
  b.spec().shapes.push_back(shape);
  const std::string drawing = make_drawing(compile(b.spec()).value());
  EXPECT_EQ(Json::parse(read_drawing_meshes(drawing))["left_out"].size(), 1U);
  std::ofstream(folder.path / "shell.stl") << "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                              "vertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
  const Json drawn = Json::parse(read_drawing_meshes(drawing));
  EXPECT_TRUE(drawn["left_out"].empty());
  EXPECT_EQ(drawn["meshes"][0]["triangles"], "AAAAAAEAAAACAAAA");  // 0 1 2
}

TEST(ReportColumns, OrderOfNumbersIsOrderOfIntegers) {
  const float numbers[] = {-1e30F, -2, -1, -1e-40F, 0, 1e-40F, 1, 2, 1e30F};
  for (std::size_t i = 1; i < std::size(numbers); ++i)
    EXPECT_LT(report::to_ordered(numbers[i - 1]), report::to_ordered(numbers[i]));
}

TEST(ReportColumns, CoarseNumbersAreNear) {
  for (const double x : {1.0, -3.14159, 1e-20, 12345.678, 0.0})
    EXPECT_LE(std::abs(static_cast<double>(report::round_coarsely(x)) - x), 6.2e-5 * std::abs(x));
}

}  // namespace
}  // namespace sinew::test
