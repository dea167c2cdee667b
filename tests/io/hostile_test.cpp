// tests/io/hostile_test.cpp - files made to hurt: each is refused with an error, quickly, by both loaders
#include <chrono>

#include "io/remarks.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew {
namespace {

using namespace sinew::test;
using namespace std::string_literals;

std::string huge(char c) {
  std::string s;
  s.resize(10'000'000, c);
  return s;
}

struct Format {
  const char* name;
  Result<ModelSpec> (*parse)(std::string_view);
  std::string small;         // a small good file
  std::string open, close;   // around a body whose mass is to be given
  std::string number_after;  // the text before a number in `small`
};

const Format kUrdf{"urdf",
                   [](std::string_view text) { return parse_urdf(text); },
                   "<?xml version='1.0'?>\n<!-- arm --><robot name='r'>\n<link name='a'><inertial><mass value='1.5'/>"
                   "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\n<link name='b'/>"
                   "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
                   "<robot name='r'>",
                   "</robot>",
                   "<mass value='"};
const Format kMjcf{
    "mjcf",
    [](std::string_view text) { return parse_mjcf(text); },
    "<?xml version='1.0'?>\n<!-- arm --><mujoco model='m'>\n<worldbody><body name='a'><inertial mass='1.5' "
    "pos='0 0 0' diaginertia='1 1 1'/><joint name='j'/></body></worldbody></mujoco>",
    "<mujoco><worldbody>",
    "</worldbody></mujoco>",
    "mass='"};

class Hostile : public ::testing::TestWithParam<const Format*> {
 protected:
  const Format& format() const { return *GetParam(); }

  // Parses within a few seconds, even under a sanitizer.
  Result<ModelSpec> parse(std::string_view text) const {
    const auto start = std::chrono::steady_clock::now();
    auto result = format().parse(text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    std::size_t length = 0;
    for (const Diagnostic& d : result.diagnostics()) length += to_string(d).size();
    EXPECT_LT(length, 1'000'000u) << "the remarks are too long to read";
    return result;
  }
  std::string with_number(const std::string& number) const {
    std::string s = format().small;
    return s.replace(s.find(format().number_after) + format().number_after.size(), 3, number);
  }
};

TEST_P(Hostile, TheGoodFileIsGood) { EXPECT_TRUE(accepted(parse(format().small))); }

TEST_P(Hostile, EmptyAndCutShort) {
  EXPECT_TRUE(refused(parse(""), Code::bad_xml));
  const std::string& text = format().small;
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_TRUE(refused(parse(text.substr(0, n)), Code::bad_xml)) << n;
}

TEST_P(Hostile, EveryByteTurned) {
  const std::string& text = format().small;
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const char c : {'\0', '<', '>', '"', '\'', '&', '/', ' ', '9', '\x80', '\xFF'}) {
      std::string turned = text;
      turned[i] = c;
      const auto r = parse(turned);
      EXPECT_TRUE(r.ok() || r.diagnostics().has_errors());
    }
}

TEST_P(Hostile, AMillionNestedElements) {
  std::string text = format().open;
  for (int i = 0; i < 1'000'000; ++i) text += "<body>";
  EXPECT_TRUE(refused(parse(text), Code::xml_too_deep, 1));
  for (int i = 0; i < 1'000'000; ++i) text += "</body>";
  EXPECT_TRUE(refused(parse(text + format().close), Code::xml_too_deep, 1));
}

TEST_P(Hostile, AMillionElementsSideBySide) {
  std::string text = format().open;
  for (int i = 0; i < 1'000'000; ++i) text += "<x/>";
  const auto r = parse(text + format().close);
  EXPECT_FALSE(r.ok());
}

TEST_P(Hostile, ABillionLaughs) {
  std::string text = "<!DOCTYPE lolz [<!ENTITY l0 'lol'>";
  for (int i = 1; i < 10; ++i) {
    text += "<!ENTITY l" + std::to_string(i) + " '";
    for (int k = 0; k < 10; ++k) text += "&l" + std::to_string(i - 1) + ";";
    text += "'>";
  }
  EXPECT_TRUE(
      refused(parse(text + "]>\n" + format().open + "&l9;" + format().close), Code::bad_xml, 1, "document type"));
  EXPECT_TRUE(refused(parse("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>" + format().small), Code::bad_xml));
}

TEST_P(Hostile, NumbersThatAreNone) {
  for (const char* n : {"nan", "NaN", "inf", "-inf", "1e999", "-1e999"})
    EXPECT_TRUE(refused(parse(with_number(n)), Code::not_finite)) << n;
  for (const char* n : {"one", "0x1p3", "1,5", "1e", "."})
    EXPECT_TRUE(refused(parse(with_number(n)), Code::bad_number)) << n;
  EXPECT_FALSE(parse(with_number(huge('1'))).ok());
  EXPECT_FALSE(parse(with_number(huge('x'))).ok());
  std::string many;
  for (int i = 0; i < 5'000'000; ++i) many += "1 ";
  EXPECT_FALSE(parse(with_number(many)).ok());
}

TEST_P(Hostile, OtherEncodings) {
  std::string wide = "\xFF\xFE"s, bare;
  for (const char c : format().small) wide += c, wide += '\0', bare += '\0', bare += c;
  EXPECT_TRUE(refused(parse(wide), Code::bad_encoding, 1));
  EXPECT_TRUE(refused(parse(bare), Code::bad_encoding, 1));
  EXPECT_TRUE(refused(parse(format().open + "\n<!-- \xE9 -->" + format().close), Code::bad_encoding, 2, "Latin-1"));
  EXPECT_TRUE(refused(parse(format().open + "\n\x1B[2J" + format().close), Code::bad_encoding, 2));
}

TEST_P(Hostile, AttributesGivenTwiceOrAThousandfold) {
  std::string text = format().open + "<x a='1' a='2'/>" + format().close;
  EXPECT_TRUE(refused(parse(text), Code::bad_xml, 1, "twice"));
  text = format().open + "<x";
  for (int i = 0; i < 100'000; ++i) text += " a" + std::to_string(i) + "=''";
  EXPECT_TRUE(refused(parse(text + "/>" + format().close), Code::bad_xml, 1, "attributes"));
}

TEST_P(Hostile, LongNamesAndManyLines) {
  const std::string name = huge('n');
  EXPECT_FALSE(parse("<" + name + "/>").ok());
  EXPECT_FALSE(parse(format().open + "<" + name + ">" + format().close).ok());
  EXPECT_FALSE(parse(huge('\n')).ok());
  EXPECT_FALSE(parse(huge('<')).ok());
  EXPECT_FALSE(parse(huge('&')).ok());
}

INSTANTIATE_TEST_SUITE_P(Loaders, Hostile, ::testing::Values(&kUrdf, &kMjcf),
                         [](const auto& tested) { return std::string(tested.param->name); });

std::string chain(int n, bool closed) {
  std::string s = "<robot name='r'>\n";
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i), next = std::to_string((i + 1) % n);
    s += "<link name='l" + k + "'/>";
    if (closed || i + 1 < n)
      s += "<joint name='j" + k + "' type='continuous'><parent link='l" + k + "'/><child link='l" + next +
           "'/></joint>\n";
  }
  return s + "</robot>";
}

TEST(HostileUrdf, LongChainsAndRings) {
  EXPECT_TRUE(accepted(parse_urdf(chain(50'000, false))));
  const auto ring = parse_urdf(chain(50'000, true));
  EXPECT_TRUE(refused(ring, Code::cycle));
  EXPECT_LT(all_remarks(ring.diagnostics()).size(), 2000u);
}

TEST(HostileUrdf, ALinkWithManyParents) {
  std::string s = "<robot name='r'><link name='a'/><link name='b'/>";
  for (int i = 0; i < 500; ++i)
    s += "<joint name='j" + std::to_string(i) + "' type='fixed'><parent link='a'/><child link='b'/></joint>";
  EXPECT_TRUE(refused(parse_urdf(s + "</robot>"), Code::several_parents));
}

TEST(HostileUrdf, MimicRings) {
  std::string s = "<robot name='r'><link name='a'/>";
  for (int i = 0; i < 20'000; ++i) {
    const std::string k = std::to_string(i);
    s += "<link name='l" + k + "'/><joint name='j" + k + "' type='continuous'><parent link='a'/><child link='l" + k +
         "'/><mimic joint='j" + std::to_string((i + 1) % 20'000) + "'/></joint>";
  }
  EXPECT_TRUE(refused(parse_urdf(s + "</robot>"), Code::cycle));
}

}  // namespace
}  // namespace sinew
