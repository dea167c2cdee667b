// apps/common/output_file.hpp - a file that a run will write at its end, opened before the run begins
// So that a path that cannot be written is said at once, not after hours. What is there stays until write().
#pragma once
#include <filesystem>
#include <string_view>

namespace sinew::app {

class OutputFile {
 public:
  // Throws InputError that names the option. An empty path: nothing is opened.
  OutputFile(const char* option, std::filesystem::path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // takes away a file that it made and that nothing was written to

  bool named() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }
  void keep() { written_ = true; }  // somebody else wrote it
  void write(std::string_view);     // replaces the content; throws InputError with the code kNotSaved

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool made_ = false, written_ = false;
};

}  // namespace sinew::app
