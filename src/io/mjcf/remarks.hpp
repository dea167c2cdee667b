// src/io/mjcf/remarks.hpp - remarks that come once per subject, with a count and the first place
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/mjcf/tree.hpp"

namespace sinew::mjcf {

class Remarks {
 public:
  // `subject` names what is counted: "sensor <gyro>", "geom solref".
  void count(Code code, std::string_view subject, std::string_view message, const Node& where);
  void flush(Diagnostics& out) const;

 private:
  struct Entry {
    Code code;
    std::string subject, message;
    SourceLocation first;
    int times = 0;
  };
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

}  // namespace sinew::mjcf
