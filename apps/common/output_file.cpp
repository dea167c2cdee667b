// apps/common/output_file.cpp
#include "common/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {

OutputFile::OutputFile(const char* option, std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  made_ = file_ >= 0;
  if (file_ < 0 && errno == EEXIST) file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file_ < 0) throw InputError(fmt::format("{}: cannot write {}: {}", option, path_.string(), std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (made_ && !written_) ::unlink(path_.c_str());
}

void OutputFile::write(std::string_view text) {
  const auto fail = [&] {
    throw InputError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)), kNotSaved);
  };
  // Devices and pipes cannot be cut, and need not be.
  if (::ftruncate(file_, 0) != 0 && errno != EINVAL) fail();
  written_ = true;
  while (!text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  const int closing = file_;
  file_ = -1;
  if (::close(closing) != 0) fail();
}

}  // namespace sinew::app
