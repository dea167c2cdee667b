// apps/common/temporary_folder.hpp - a folder for files that a command needs only while it runs
#pragma once
#include <filesystem>

namespace sinew::app {

class TemporaryFolder {
 public:
  TemporaryFolder();   // in $TMPDIR, or /tmp; throws InputError
  ~TemporaryFolder();  // with all that is in it
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sinew::app
