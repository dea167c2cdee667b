// src/io/input_file.cpp
#include "sinew/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sinew {
namespace {

// A descriptor that closes itself.
class Opened {
 public:
  explicit Opened(int fd) : fd_(fd) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

InputFile fail(std::string why, std::string repair) { return {{}, std::move(why), std::move(repair)}; }

// Streams that the shell opened for this program.
bool is_of_shell(const std::string& name) {
  return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "pipe";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

// No fault: the descriptor may be read. `size` is that of a regular file.
InputFile check(int fd, const std::string& name, NamedBy who, std::size_t& size) {
  struct stat s {};
  if (::fstat(fd, &s) != 0) return fail(std::strerror(errno), "check the path");
  size = S_ISREG(s.st_mode) ? static_cast<std::size_t>(s.st_size) : 0;
  if (S_ISREG(s.st_mode)) return {};
  if (!S_ISDIR(s.st_mode) && who == NamedBy::user && is_of_shell(name)) {
    if (const int flags = ::fcntl(fd, F_GETFL); flags >= 0) ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    return {};
  }
  return fail(std::string("is not a regular file but a ") + kind_of(s.st_mode),
              S_ISDIR(s.st_mode) ? "name a file" : "name a file, or feed it through the standard input (/dev/stdin)");
}

// Non-blocking: a pipe without a writer opens at once, and is refused.
int open_for_reading(const std::string& name) {
  int fd = -1;
  do fd = ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  while (fd < 0 && errno == EINTR);
  return fd;
}
InputFile cannot_open() {
  const int error = errno;
  InputFile out = error == ENOENT ? fail("does not exist", "check the path")
                                  : fail(std::string("cannot be opened: ") + std::strerror(error),
                                         "check the path and its permissions");
  out.missing = error == ENOENT;
  return out;
}

InputFile read_all(int fd, std::size_t size, std::size_t limit) {
  const auto too_large = [&] {
    InputFile out =
        fail("has more than " + std::to_string(limit >> 20) + " MiB, which is the limit", "make it smaller");
    out.too_large = true;
    return out;
  };
  if (size > limit) return too_large();
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  InputFile out;
  std::size_t filled = 0;
  for (;;) {
    // One byte more than the size: the end is seen without another block.
    const std::size_t room = std::max(size + 1, filled + kBlock);
    if (out.bytes.size() < room) out.bytes.resize(filled == 0 ? room : std::max(room, 2 * filled));
    const ssize_t n = ::read(fd, out.bytes.data() + filled, out.bytes.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(std::string("cannot be read: ") + std::strerror(errno), "check the file and the disk");
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
    if (filled > limit) return too_large();
  }
  out.bytes.resize(filled);
  return out;
}

}  // namespace

InputFile read_input_file(const std::filesystem::path& file, std::size_t limit, NamedBy who) {
  const Opened opened(open_for_reading(file.string()));
  if (opened.get() < 0) return cannot_open();
  std::size_t size = 0;
  if (InputFile bad = check(opened.get(), file.string(), who, size); !bad.fault.empty()) return bad;
  return read_all(opened.get(), size, limit);
}

InputFile check_input_file(const std::filesystem::path& file, NamedBy who) {
  const Opened opened(open_for_reading(file.string()));
  if (opened.get() < 0) return cannot_open();
  std::size_t size = 0;
  return check(opened.get(), file.string(), who, size);
}

InputFile read_standard_input(std::size_t limit) { return read_all(STDIN_FILENO, 0, limit); }

}  // namespace sinew
