// src/io/record_lock.cpp
#include "io/record_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "sinew/io/record.hpp"

namespace sinew::record {
namespace {

// True if the name still leads to the open file: its owner may have taken it away before we locked it.
bool is_same_file(int file, const std::string& name) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(name.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}
std::string read_owner(int file) {
  char text[400];
  const ssize_t n = ::pread(file, text, sizeof text, 0);
  std::string out(text, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out.empty() ? "another process" : out;
}

}  // namespace

Lock::Lock(const std::filesystem::path& record, const std::string& command) : name_(record.string() + ".lock") {
  constexpr int kTries = 100;
  for (int tries = 0;; ++tries) {
    file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw RecordError(name_ + " cannot be opened: " + std::strerror(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) break;  // a disk without locks
      const std::string owner = read_owner(file_);
      ::close(file_);
      throw std::invalid_argument(record.string() + " is being written by " + owner +
                                  "; wait for it, stop it, or choose another name");
    }
    if (is_same_file(file_, name_) || tries == kTries) break;
    ::close(file_);
  }
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  std::string text = "process " + std::to_string(::getpid()) + " on " + host;
  if (!command.empty()) text += " (" + command.substr(0, 200) + ")";
  (void)!::ftruncate(file_, 0);
  (void)!::pwrite(file_, text.data(), text.size(), 0);
}

Lock::~Lock() {
  ::unlink(name_.c_str());
  ::close(file_);
}

}  // namespace sinew::record
