// cmake/bundled_streams.cpp - stdout and stderr for the static libraries of SinewBundle.cmake
#include <cstdio>

#define SINEW_HIDDEN __attribute__((visibility("hidden")))
extern "C" {
SINEW_HIDDEN std::FILE* sinew_bundled_stdout = nullptr;
SINEW_HIDDEN std::FILE* sinew_bundled_stderr = nullptr;
}

namespace {
struct SetStreams {
  SetStreams() { sinew_bundled_stdout = stdout, sinew_bundled_stderr = stderr; }
} const set_streams;
}  // namespace
