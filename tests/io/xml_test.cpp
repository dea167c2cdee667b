// tests/io/xml_test.cpp - the gate: what it lets through, what it refuses and at which line; typed attributes
#include "io/xml.hpp"

#include <fstream>

#include "io/remarks.hpp"
#include "io/xml_scan.hpp"

namespace sinew::xml {
namespace {

using namespace std::string_literals;
using sinew::test::all_remarks;
using sinew::test::says;

struct Parsed {
  explicit Parsed(const std::string& text) : document(parse(text, "t.xml", remarks)) {}
  const Element& root() const { return *document->RootElement(); }
  Attributes attributes() { return {root(), file, remarks}; }

  std::string file = "t.xml";
  Diagnostics remarks;
  std::unique_ptr<Document> document;
};

TEST(Xml, LetsThroughWhatXmlAllows) {
  for (const std::string& text : {
           "<a/>"s,
           "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <b> -- ' \" --><a x='>' y=\"</a>\"/>\n<!-- after -->\n"s,
           "<a><![CDATA[ <b> & ' ]]>text &amp; &lt; &#65; &#x1F600;<b  /><b>\n</b\n></a>"s,
           "<a name='\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80'/>"s,
           "<a:b c:d=''/>\r\n"s,
           "<?xml version='1.0'?><?p > ?><a><!----></a>"s,
       }) {
    const Parsed p(text);
    EXPECT_TRUE(p.document) << text << '\n' << all_remarks(p.remarks);
    EXPECT_TRUE(p.remarks.empty());
  }
}

TEST(Xml, RefusesTheRestAndNamesTheLine) {
  struct Case {
    std::string text;
    Code code;
    int line;
    const char* part;
  };
  const Case cases[] = {
      {"", Code::bad_xml, 1, "no element"},
      {" \n\n", Code::bad_xml, 3, "no element"},
      {"hello", Code::bad_xml, 1, "outside the root"},
      {"<a/>\nhello", Code::bad_xml, 2, "outside the root"},
      {"<a/>\n<b/>", Code::bad_xml, 2, "second root element <b>"},
      {"<a>\n<b>\n</a>", Code::bad_xml, 3, "</a> closes <b>"},
      {"<a>\n<b>", Code::bad_xml, 2, "ends inside <b>"},
      {"</a>", Code::bad_xml, 1, "closes nothing"},
      {"<a>\n<b x='1></b></a>", Code::bad_xml, 2, "no closing quote"},
      {"<a\n<b/>", Code::bad_xml, 1, "no closing '>'"},
      {"<a>< b/></a>", Code::bad_xml, 1, "begins no tag"},
      {"<a>\n<!-- </a>", Code::bad_xml, 2, "a comment has no end"},
      {"<a><![CDATA[ ]></a>", Code::bad_xml, 1, "a CDATA section has no end"},
      {"<?xml", Code::bad_xml, 1, "a processing instruction has no end"},
      {"<a x='1' x='2'/>", Code::bad_xml, 1, "given twice"},
      {"<a x=1/>", Code::bad_xml, 1, "malformed"},
      {"<a>\n<?p ?></a>", Code::bad_xml, 2, "<?...?>"},
      {"<a>\n&lol;</a>", Code::bad_xml, 2, "'&lol;' refers to nothing"},
      {"<a x='a & b'/>", Code::bad_xml, 1, "refers to nothing"},
      {"<a>&#0;</a>", Code::bad_xml, 1, "refers to nothing"},
      {"<a>&#xD800;</a>", Code::bad_xml, 1, "refers to nothing"},
      {"<!DOCTYPE a>\n<a/>", Code::bad_xml, 1, "document type"},
      {"<a>\n<!ENTITY x 'y'></a>", Code::bad_xml, 2, "document type"},
      {"<a>\n\0</a>"s, Code::bad_encoding, 2, "NUL"},
      {"<a>\x1B</a>", Code::bad_encoding, 1, "control character 27"},
      {"<a>\n\n\xE9</a>", Code::bad_encoding, 3, "Latin-1"},
      {"<a>\xC0\x80</a>", Code::bad_encoding, 1, "UTF-8"},          // overlong
      {"<a>\xED\xA0\x80</a>", Code::bad_encoding, 1, "UTF-8"},      // surrogate
      {"<a>\xF4\x90\x80\x80</a>", Code::bad_encoding, 1, "UTF-8"},  // beyond Unicode
      {"<a>\xE2\x82", Code::bad_encoding, 1, "UTF-8"},              // cut short
      {"\xFF\xFE<\0a\0/\0>\0"s, Code::bad_encoding, 1, "UTF-16"},
  };
  for (const Case& c : cases) {
    const Parsed p(c.text);
    EXPECT_FALSE(p.document) << c.text;
    EXPECT_TRUE(says(p.remarks, Severity::error, c.code, c.line, c.part)) << c.text;
  }
}

TEST(Xml, CountsDepthElementsAndAttributes) {
  const auto nested = [](int n) {
    std::string s;
    for (int i = 0; i < n; ++i) s += "<a>";
    for (int i = 0; i < n; ++i) s += "</a>";
    return s;
  };
  EXPECT_TRUE(Parsed(nested(kMaxDepth)).document);
  EXPECT_TRUE(says(Parsed(nested(kMaxDepth + 1)).remarks, Severity::error, Code::xml_too_deep));

  const auto attributes = [](int n) {
    std::string s = "<a";
    for (int i = 0; i < n; ++i) s += " x" + std::to_string(i) + "=''";
    return s + "/>";
  };
  EXPECT_TRUE(Parsed(attributes(kMaxAttributes)).document);
  EXPECT_TRUE(says(Parsed(attributes(kMaxAttributes + 1)).remarks, Severity::error, Code::bad_xml, 1, "attributes"));

  std::string many = "<a>";
  for (std::size_t i = 0; i < kMaxElements; ++i) many += "<b/>";
  EXPECT_TRUE(says(Parsed(many + "</a>").remarks, Severity::error, Code::too_many_elements));
}

// Element b on every level, on the line of its depth, with short branches, a comment and text around the long branch.
std::string deep_tree(int depth, int last) {
  std::string s = "<b n='" + std::to_string(depth) + "'>\n";
  if (depth < last)
    s += "<s><t k='" + std::to_string(depth) + "'/></s><!-- c -->cut" + deep_tree(depth + 1, last) + "\n<e/>";
  return s + "</b>";
}

TEST(Xml, ParsesDeepTreesInPieces) {
  const int last = kMaxDepth - 1;
  const std::string text = "\xEF\xBB\xBF" + deep_tree(1, last);
  Parsed p(text);
  ASSERT_TRUE(p.document) << all_remarks(p.remarks);
  const Element* b = &p.root();
  for (int depth = 1; depth < last; ++depth, b = b->FirstChildElement("b")) {
    ASSERT_EQ(b->IntAttribute("n"), depth);
    EXPECT_EQ(where(*b, "").line, depth);
    const Element* s = b->FirstChildElement();
    EXPECT_EQ(where(*s->FirstChildElement("t"), "").line, depth + 1);
    EXPECT_EQ(s->FirstChildElement("t")->IntAttribute("k"), depth);
    EXPECT_TRUE(s->NextSibling()->ToComment());
    EXPECT_STREQ(s->NextSibling()->NextSibling()->Value(), "cut");
    EXPECT_STREQ(b->FirstChildElement("b")->NextSibling()->Value(), "e");
    EXPECT_STREQ(b->LastChild()->Value(), "e");
  }
  EXPECT_EQ(b->IntAttribute("n"), last);

  for (const int depth : {50, 95, 150, 350}) {
    std::string bad = text;
    const std::string t = "<t k='" + std::to_string(depth) + "'";
    bad.insert(bad.find(t) + t.size(), " k='0'");
    EXPECT_TRUE(says(Parsed(bad).remarks, Severity::error, Code::bad_xml, depth + 1, "twice"));
  }
}

TEST(Xml, FindsTheRootsName) {
  EXPECT_EQ(find_root_name("\xEF\xBB\xBF<?xml?>\n<!-- <x> --> <robot name='a'/>"), "robot");
  EXPECT_EQ(find_root_name("<!----><mujoco>"), "mujoco");
  for (const char* text : {"", "  ", "robot", "<!-- ", "<?xml", "<"}) EXPECT_EQ(find_root_name(text), "") << text;
}

TEST(Xml, ReadsFilesOrSaysWhyNot) {
  const auto folder = std::filesystem::temp_directory_path();
  Diagnostics d;
  EXPECT_FALSE(read_file(folder, d));
  EXPECT_TRUE(says(d, Severity::error, Code::file_unreadable, 0, "not a regular file"));
  EXPECT_FALSE(read_file(folder / "sinew_no_such_file", d, {"asker.xml", 7}));
  EXPECT_TRUE(says(d, Severity::error, Code::file_unreadable, 7, "asker.xml"));
  EXPECT_FALSE(read_file("/dev/zero", d, {"asker.xml", 8}));  // it has no end
  EXPECT_TRUE(says(d, Severity::error, Code::file_unreadable, 8));

  const auto file = folder / ("sinew_xml_test_" + std::to_string(::getpid()));
  std::string bytes(100'000, 'x');
  bytes[70'000] = '\0';
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_EQ(read_file(file, d).value_or(""), bytes);
  std::filesystem::remove(file);
}

TEST(Xml, QuotesAndLabels) {
  EXPECT_EQ(quote("knee"), "'knee'");
  EXPECT_EQ(quote(std::string(1000, 'x')).size(), 85u);
  const std::string accents = quote("x" + std::string(1000, '\xC3'));  // never splits a character
  EXPECT_NE(accents.back(), '\xC3');
  const Parsed p("<robot name='r'><link name='shank'><inertial/></link><joint/></robot>");
  const Element* link = p.root().FirstChildElement();
  EXPECT_EQ(label(*link), "link 'shank'");
  EXPECT_EQ(label(*link->FirstChildElement()), "inertial of link 'shank'");
  EXPECT_EQ(label(*link->NextSiblingElement()), "joint of robot 'r'");
}

TEST(Attributes, ReadNumbersInAnyUsualSpelling) {
  Parsed p("<a i=' -3 ' x='+1.5' y='\n1e-3\t' z='.5' w='5.' v=' 1  2\n3 ' e='' t='true' f='0'/>");
  const Attributes a = p.attributes();
  EXPECT_EQ(a.integer("i"), -3);
  EXPECT_EQ(a.number("x"), 1.5);
  EXPECT_EQ(a.number("y"), 1e-3);
  EXPECT_EQ(a.number("z"), .5);
  EXPECT_EQ(a.number("w"), 5.);
  EXPECT_EQ(a.numbers("v"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(a.numbers("e"), std::vector<double>{});
  EXPECT_EQ(a.boolean("t"), true);
  EXPECT_EQ(a.boolean("f"), false);
  std::array<double, 4> v{};
  EXPECT_EQ(a.numbers("v", v, 2), 3u);
  EXPECT_EQ(v[2], 3);
  EXPECT_FALSE(a.number("absent"));
  EXPECT_TRUE(p.remarks.empty()) << all_remarks(p.remarks);
}

TEST(Attributes, RefuseWhatIsNoNumber) {
  for (const char* text : {"", "one", "1,5", "1 2", "0x10", "1e", "--1", "+-1", "1.2.3"}) {
    Parsed p("<a>\n</a>");
    p.document->RootElement()->SetAttribute("x", text);
    EXPECT_FALSE(p.attributes().number("x")) << text;
    EXPECT_TRUE(p.remarks.has_errors()) << text;
  }
  for (const char* text : {"nan", "inf", "-inf", "NaN", "infinity", "1e999", "-1e999"}) {
    Parsed p("<a x='" + std::string(text) + "'/>");
    EXPECT_FALSE(p.attributes().number("x")) << text;
    EXPECT_TRUE(says(p.remarks, Severity::error, Code::not_finite, 1, text));
  }
  Parsed p("<a i='1.5' j='99999999999' b='yes' v='1 2'/>");
  const Attributes a = p.attributes();
  EXPECT_FALSE(a.integer("i"));
  EXPECT_FALSE(a.integer("j"));
  EXPECT_FALSE(a.boolean("b"));
  std::array<double, 3> v{};
  EXPECT_EQ(a.numbers("v", v, 3), 0u);
  EXPECT_TRUE(says(p.remarks, Severity::error, Code::bad_value, 1, "has 2 numbers, must have 3"));
  EXPECT_EQ(a.numbers("v", std::span(v).first(1), 1), 0u);
  EXPECT_TRUE(says(p.remarks, Severity::error, Code::bad_value, 1, "has 2 numbers, must have 1"));
  EXPECT_EQ(p.remarks.count(Severity::error), 5);
}

TEST(Attributes, ReportWhatIsAbsentOrUnknown) {
  Parsed p("<a name='n' odd='1' xmlns:x='y' xml:lang='en'/>");
  const Attributes a = p.attributes();
  a.allow_only({"name"});
  EXPECT_TRUE(says(p.remarks, Severity::warning, Code::unknown_attribute, 1, "'odd'"));
  EXPECT_EQ(p.remarks.list().size(), 1u);
  EXPECT_FALSE(a.required_number("mass"));
  EXPECT_TRUE(says(p.remarks, Severity::error, Code::missing_attribute, 1, "has no mass"));
}

}  // namespace
}  // namespace sinew::xml
