// src/io/record_descriptor.cpp
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/record_sink.hpp"

namespace sinew::record {
namespace {

// Repeats a call that a signal interrupted.
template <class Call>
auto again(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags)
    : name_(path.string()), fd_(again([&] { return ::open(name_.c_str(), flags | O_CLOEXEC, 0666); })) {
  if (fd_ < 0) fail("cannot be opened", errno);
}
Descriptor::~Descriptor() {
  // Truncating a file to its size frees what was reserved beyond it; if that fails, the space stays reserved.
  struct stat s {};
  if (reserved_ && ::fstat(fd_, &s) == 0) (void)!::ftruncate(fd_, s.st_size);
  ::close(fd_);
}

void Descriptor::fail(const char* what, int error) const {
  throw RecordError(name_ + " " + what + ": " + std::strerror(error));
}

void Descriptor::reserve(std::uint64_t from, std::uint64_t bytes) {
  constexpr const char* kWhat = "has no room for more rows";
  if (bytes == 0) return;
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && from + bytes > limit.rlim_cur)
    fail(kWhat, EFBIG);
#ifdef __linux__
  if (again([&] {
        return ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from), static_cast<off_t>(bytes));
      }) == 0) {
    reserved_ = true;
    return;
  }
  if (errno != EOPNOTSUPP) fail(kWhat, errno);
#endif
  // The file system cannot reserve: check its free space instead.
  struct statvfs disk {};
  if (again([&] { return ::fstatvfs(fd_, &disk); }) == 0 && disk.f_bavail * disk.f_frsize < bytes) fail(kWhat, ENOSPC);
}

void Descriptor::write(const char* data, std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t n = again([&] { return ::write(fd_, data, bytes); });
    if (n < 0) fail("cannot be written", errno);
    data += n, bytes -= static_cast<std::size_t>(n);
  }
}
void Descriptor::sync() const {
  // Pipes and some file systems have nothing to sync.
  if (again([&] { return ::fsync(fd_); }) != 0 && errno != EINVAL && errno != ENOTSUP) fail("cannot be synced", errno);
}
void Descriptor::truncate(std::uint64_t bytes) const {
  if (again([&] { return ::ftruncate(fd_, static_cast<off_t>(bytes)); }) != 0) fail("cannot be truncated", errno);
}
std::uint64_t Descriptor::size() const {
  struct stat s {};
  if (again([&] { return ::fstat(fd_, &s); }) != 0) fail("has no size that can be read", errno);
  return static_cast<std::uint64_t>(s.st_size);
}

}  // namespace sinew::record
