// tests/generate/generate_test.cpp - the code that is written compiles and gives the numbers of the library
#include "sinew/generate/generate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "generate/traced_model.hpp"
#include "sinew/base/traced.hpp"
#include "sinew/generate/trace.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew::test {
namespace {

using generate::Generated;
using generate::Options;

std::vector<std::string> list_all(const Model& m) {
  std::vector<std::string> out;
  for (const std::string& name : generate::algorithm_names())
    if (can_be_traced(m, name)) out.push_back(ask_for(m, name));
  return out;
}

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sinew_generate_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

bool have_compiler() { return std::system("cc --version > /dev/null 2>&1") == 0; }

// Compiles the source and its test, without a warning, and runs the test.
void expect_that_it_works(const Model& m, const std::vector<std::string>& what, const Options& o) {
  const Folder folder;
  const Generated g = generate::generate(m, what, o);
  for (const auto& file : g.files) std::ofstream(folder.path() / file.name) << file.text;
  const std::string base = (folder.path() / g.name).string();
  const std::string log = base + ".log";
  const std::string command = "cc -std=gnu99 -O0 -Wall -Wextra -Werror -Wno-psabi '" + base + ".c' '" + base +
                              "_test.c' -lm -o '" + base + "' > '" + log + "' 2>&1 && '" + base + "' >> '" + log +
                              "' 2>&1";
  const int code = std::system(command.c_str());
  std::ifstream in(log);
  EXPECT_EQ(code, 0) << std::string(std::istreambuf_iterator<char>(in), {}).substr(0, 3000);
}

TEST(Generate, WritesCodeThatGivesTheNumbersOfTheLibrary) {
  if (!have_compiler()) GTEST_SKIP() << "there is no cc";
  const Model arm = compile(mechanisms::gu(4)).value();
  expect_that_it_works(arm, list_all(arm), {});
  // Every kind of joint, users' joints, several trees on the world.
  for (const std::uint64_t seed : {3, 11}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Options o;
    o.name = "tree";
    const Model m = compile(traceable_tree(seed, 8)).value();
    expect_that_it_works(m, list_all(m), o);
  }
}

TEST(Generate, CutsLongFunctionsIntoParts) {
  if (!have_compiler()) GTEST_SKIP() << "there is no cc";
  Options o;
  o.statements = 40;
  const Model m = compile(mechanisms::humanoid()).value();
  const Generated g = generate::generate(m, std::vector<std::string>{"rnea"}, o);
  EXPECT_GT(g.algorithms[0].parts, 5);
  expect_that_it_works(m, {"rnea", "crba"}, o);
}

TEST(Generate, WritesLanesAndFloats) {
  if (!have_compiler()) GTEST_SKIP() << "there is no cc";
  const Model m = compile(traceable_tree(5, 4)).value();
  Options lanes{.lanes = 4, .name = "lanes"}, single{.single = true, .name = "single"};
  expect_that_it_works(m, {"rnea", "fk", ask_for(m, "delassus")}, lanes);
  expect_that_it_works(compile(mechanisms::gu(3)).value(), {"rnea", "aba"}, single);
  lanes.single = true;
  lanes.statements = 30;
  expect_that_it_works(compile(mechanisms::gu(3)).value(), {"crba", "fk"}, lanes);
}

TEST(Generate, SaysWhatItWrote) {
  ModelSpec spec = mechanisms::gu(3);
  spec.name = "3 */ arm";
  const Model m = compile(spec).value();
  const Generated g = generate::generate(m, std::vector<std::string>{"aba"});
  EXPECT_EQ(g.name, "robot_3____arm");
  EXPECT_EQ(g.model_hash, calc_model_hash(m));
  EXPECT_EQ(g.algorithms[0].declaration,
            "void robot_3____arm_aba(const double *q, const double *v, const double *tau, double *a)");
  EXPECT_LT(g.algorithms[0].written.mul, g.algorithms[0].recorded.mul);
  for (const auto& file : g.files) EXPECT_EQ(file.text.find("*/ arm"), std::string::npos) << file.name;
  // Twice the same text.
  const Generated again = generate::generate(m, std::vector<std::string>{"aba"});
  for (std::size_t i = 0; i < g.files.size(); ++i) EXPECT_EQ(g.files[i].text, again.files[i].text);
}

TEST(Generate, WritesCuda) {
  const Model m = compile(mechanisms::gu(3)).value();
  const Generated g = generate::generate(m, list_all(m), {.language = generate::Language::cuda});
  ASSERT_EQ(g.files.size(), 2u);
  EXPECT_NE(g.files[0].text.find("__global__ void"), std::string::npos);
}

TEST(Generate, RefusesWhatDoesNotFit) {
  const Model m = compile(mechanisms::gu(3)).value();
  const std::vector<std::string> none, twice{"rnea", "crba,rnea"}, aba{"aba"};
  EXPECT_THROW(generate::generate(m, none), std::invalid_argument);
  EXPECT_THROW(generate::generate(m, twice), std::invalid_argument);
  EXPECT_THROW(generate::generate(m, aba, {.lanes = 3}), std::invalid_argument);
  EXPECT_THROW(generate::generate(m, aba, {.language = generate::Language::cuda, .lanes = 2}), std::invalid_argument);
  EXPECT_THROW(generate::generate(m, aba, {.statements = 2}), std::invalid_argument);
}

// What is too long is refused by name, with its length and what to ask for instead.
TEST(Generate, SaysWhatToAskForWhereCodeWouldBeTooLong) {
  const Model m = compile(mechanisms::gu(3)).value();
  const std::vector<std::string> daba{"daba"};
  try {
    generate::generate(m, daba, {.most_operations = 100});
    FAIL() << "no refusal";
  } catch (const TraceError& e) {
    const OperationCount n = generate::generate(m, daba).algorithms[0].written;
    const std::string want = "daba of '" + m.name() + "' takes " + std::to_string(n.mul + n.add + n.div) +
                             " operations, more than 100 make code that no compiler likes; ask for rnea, crba, aba or "
                             "drnea, whose length grows with the number of joints, or leave out parts of the robot";
    EXPECT_EQ(std::string(e.what()), want);
  }
}

}  // namespace
}  // namespace sinew::test
