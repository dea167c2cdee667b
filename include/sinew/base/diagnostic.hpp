// sinew/base/diagnostic.hpp - what loaders and builders say about an input
// Every remark names the element, its place in the file, the law it breaks, the value found and the repair.
// The library never prints: it returns these, and the caller shows them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/code.hpp"

namespace sinew {

// How much a remark matters: an error leaves no result.
enum class Severity { note, warning, error };

// A place in a file.
struct SourceLocation {
  std::string file;  // empty: built in memory
  int line = 0;      // 1-based; 0: unknown
};

struct Diagnostic {
  Code code{};
  Severity severity = Severity::error;
  SourceLocation where;
  std::string element;  // "body 'thigh'", "joint 'knee'"
  std::string message;  // the law broken and the value found
  std::string repair;   // what to change
};

// "models/arm.urdf:12: error S204: body 'thigh': mass is -1 kg, must be >= 0 (set <mass value> to ...)"
std::string to_string(const Diagnostic&);
std::string_view to_string(Severity);

// The remarks of a loader or builder, in the order in which they were found.
class Diagnostics {
 public:
  // Appends a remark, or all remarks of another list.
  void add(Diagnostic d);
  // The severity comes from the code's entry in the catalogue.
  void add(Code code, std::string element, std::string message, std::string repair = {}, SourceLocation where = {});
  void append(Diagnostics&& other);
  // Turns every warning into an error; notes stay.
  void make_strict();

  // Whether the result is refused, how many remarks of one severity there are, whether there is none.
  bool has_errors() const { return errors_ > 0; }
  int count(Severity) const;
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Diagnostic> list_;
  int errors_ = 0;
};

}  // namespace sinew
