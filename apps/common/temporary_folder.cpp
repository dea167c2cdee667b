// apps/common/temporary_folder.cpp
#include "common/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstring>

#include "common/input_error.hpp"

namespace sinew::app {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / "sinew-XXXXXX").string();
  if (error || !::mkdtemp(name.data()))
    throw InputError(fmt::format("a temporary folder cannot be made: {}; set TMPDIR to a folder that can be written",
                                 error ? error.message() : std::strerror(errno)));
  path_ = name;
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace sinew::app
