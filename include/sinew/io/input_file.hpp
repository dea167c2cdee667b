// sinew/io/input_file.hpp - reads all input files
// Whole regular files of at most `limit` bytes. Pipes, terminals and devices may never end, and opening a pipe may wait
// for ever; they are read, up to the limit, only where the shell opened them for this program (/dev/stdin, /dev/fd/N).
// Throws nothing except std::bad_alloc.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace sinew {

inline constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20;

struct InputFile {
  std::string bytes;
  std::string fault;                        // what is wrong, as in "does not exist"; empty: bytes is the whole file
  std::string repair;                       // what to do about it
  bool missing = false, too_large = false;  // the fault is that
};

// Who named the file.
enum class NamedBy { user, file };  // file: named in another file; never read from a stream of the shell

// The whole file, or what is wrong with it.
InputFile read_input_file(const std::filesystem::path&, std::size_t limit = kMaxInputBytes, NamedBy = NamedBy::user);
// The same checks for readers that open the file themselves; `bytes` stays empty, and there is no size limit.
InputFile check_input_file(const std::filesystem::path&, NamedBy = NamedBy::user);
InputFile read_standard_input(std::size_t limit = kMaxInputBytes);

}  // namespace sinew
