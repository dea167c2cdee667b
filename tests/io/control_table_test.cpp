// tests/io/control_table_test.cpp - tables of controls as text; HDF5 is read back from h5py in tests/apps
#include "sinew/io/control_table.hpp"

#include <gtest/gtest.h>

namespace sinew::test {
namespace {

TEST(ControlTable, ReadsCsv) {
  const Result<ControlTable> t =
      parse_control_table("lift, time ,\"odd \"\"name\"\", x\"\r\n1,0,-2e-3\r\n\n3, 0.5 ,4\n", "controls.csv");
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->names, (std::vector<std::string>{"lift", "odd \"name\", x"}));
  EXPECT_EQ(t->time, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(t->values, (std::vector<double>{1, -2e-3, 3, 4}));
}

TEST(ControlTable, NamesTheLineAndTheCode) {
  const auto refused = [](const char* text, Code code, int line) {
    const Result<ControlTable> t = parse_control_table(text, "controls.csv");
    if (t.ok()) return testing::AssertionFailure() << "was read";
    const Diagnostic& d = t.diagnostics().list().at(0);
    if (d.code == code && d.where.line == line) return testing::AssertionSuccess();
    return testing::AssertionFailure() << to_string(d);
  };
  EXPECT_TRUE(refused("", Code::missing_element, 1));
  EXPECT_TRUE(refused("lift,knee\n1,2\n", Code::missing_element, 1));
  EXPECT_TRUE(refused("time,lift\n", Code::missing_element, 1));
  EXPECT_TRUE(refused("time,lift,lift\n0,1,2\n", Code::duplicate_name, 1));
  EXPECT_TRUE(refused("time,\n0,1\n", Code::empty_name, 1));
  EXPECT_TRUE(refused("time,lift\n0,1\n1\n", Code::bad_value, 3));
  EXPECT_TRUE(refused("time,lift\n0,1\n0,2\n", Code::bad_value, 3));
  EXPECT_TRUE(refused("time,lift\n0,fast\n", Code::bad_number, 2));
  EXPECT_TRUE(refused("time,lift\n0,nan\n", Code::bad_number, 2));
  EXPECT_TRUE(refused("time,lift\n0,1e999\n", Code::bad_number, 2));
  EXPECT_FALSE(load_control_table("no/such/file.csv").ok());
  EXPECT_FALSE(load_control_table("no/such/file.h5").ok());
}

}  // namespace
}  // namespace sinew::test
