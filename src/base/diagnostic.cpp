// src/base/diagnostic.cpp
#include "sinew/base/diagnostic.hpp"

#include <algorithm>
#include <utility>

namespace sinew {

std::string_view to_string(Severity s) {
  switch (s) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "unknown";
}

std::string to_string(const Diagnostic& d) {
  std::string s;
  if (!d.where.file.empty()) {
    s += d.where.file;
    if (d.where.line > 0) s += ':' + std::to_string(d.where.line);
    s += ": ";
  } else if (d.where.line > 0) {
    s += "line " + std::to_string(d.where.line) + ": ";
  }
  s += to_string(d.severity);
  s += " S" + std::to_string(static_cast<int>(d.code)) + ": ";
  if (!d.element.empty()) s += d.element + ": ";
  s += d.message;
  if (!d.repair.empty()) s += " (" + d.repair + ")";
  return s;
}

void Diagnostics::add(Diagnostic d) {
  errors_ += d.severity == Severity::error ? 1 : 0;
  list_.push_back(std::move(d));
}

void Diagnostics::add(Code code, std::string element, std::string message, std::string repair, SourceLocation where) {
  add({code, describe(code).severity, std::move(where), std::move(element), std::move(message), std::move(repair)});
}

void Diagnostics::append(Diagnostics&& other) {
  for (Diagnostic& d : other.list_) add(std::move(d));
  other.list_.clear();
  other.errors_ = 0;
}

void Diagnostics::make_strict() {
  for (Diagnostic& d : list_)
    if (d.severity == Severity::warning) {
      d.severity = Severity::error;
      ++errors_;
    }
}

int Diagnostics::count(Severity s) const {
  return static_cast<int>(
      std::count_if(list_.begin(), list_.end(), [s](const Diagnostic& d) { return d.severity == s; }));
}

}  // namespace sinew
