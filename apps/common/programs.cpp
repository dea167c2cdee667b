// apps/common/programs.cpp
#include "common/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace sinew::app {

std::string find_program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  for (const char* name : names)
    for (std::string rest = path ? path : ""; !rest.empty();) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const std::string file = rest.substr(0, end) + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
      rest.erase(0, end + 1);
    }
  return "";
}

}  // namespace sinew::app
