// src/io/mjcf/remarks.cpp
#include "io/mjcf/remarks.hpp"

namespace sinew::mjcf {

void Remarks::count(Code code, std::string_view subject, std::string_view message, const Node& where) {
  auto it = index_.find(subject);
  if (it == index_.end()) {
    it = index_.emplace(std::string(subject), entries_.size()).first;
    entries_.push_back({code, std::string(subject), std::string(message), where.where(), 0});
  }
  ++entries_[it->second].times;
}

void Remarks::flush(Diagnostics& out) const {
  for (const Entry& e : entries_)
    out.add(e.code, e.subject, e.message + (e.times > 1 ? ", " + std::to_string(e.times) + " times, here first" : ""),
            {}, e.first);
}

}  // namespace sinew::mjcf
