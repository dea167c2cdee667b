// tests/io/remarks.hpp - looking for remarks in what a loader returned
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sinew/base/result.hpp"

namespace sinew::test {

inline std::string all_remarks(const Diagnostics& list) {
  std::string s;
  for (const Diagnostic& d : list) s += to_string(d) + '\n';
  return s;
}

// Is there a remark of that code and severity, at that line (0: any), whose text holds `part`?
inline ::testing::AssertionResult says(const Diagnostics& list, Severity severity, Code code, int line = 0,
                                       std::string_view part = "") {
  const bool found = std::any_of(list.begin(), list.end(), [&](const Diagnostic& d) {
    return d.severity == severity && d.code == code && (line == 0 || d.where.line == line) &&
           to_string(d).find(part) != std::string::npos;
  });
  if (found) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no " << to_string(severity) << ' ' << describe(code).name << " at line "
                                       << line << " with \"" << part << "\" in\n"
                                       << all_remarks(list);
}

template <class T>
::testing::AssertionResult refused(const Result<T>& r, Code code, int line = 0, std::string_view part = "") {
  if (r.ok()) return ::testing::AssertionFailure() << "was accepted";
  return says(r.diagnostics(), Severity::error, code, line, part);
}

template <class T>
::testing::AssertionResult warned(const Result<T>& r, Code code, int line = 0, std::string_view part = "") {
  if (!r.ok()) return ::testing::AssertionFailure() << "was refused:\n" << all_remarks(r.diagnostics());
  return says(r.diagnostics(), Severity::warning, code, line, part);
}

template <class T>
::testing::AssertionResult accepted(const Result<T>& r) {
  if (!r.ok()) return ::testing::AssertionFailure() << "was refused:\n" << all_remarks(r.diagnostics());
  return ::testing::AssertionSuccess();
}

}  // namespace sinew::test
