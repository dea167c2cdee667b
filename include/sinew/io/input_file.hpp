// sinew/io/input_file.hpp - the one gate through which files are read
// Whole files of at most `limit` bytes, and only what has an end: regular files. Pipes, terminals and devices have none
// that can be known, and opening a pipe may wait for ever; they are taken only where the shell opened them for this
// program (/dev/stdin, /dev/fd/N) and up to the limit. Nothing is thrown, but for std::bad_alloc.
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

enum class NamedBy { user, file };  // what another file names is never read from a stream of the shell

InputFile read_input_file(const std::filesystem::path&, std::size_t limit = kMaxInputBytes, NamedBy = NamedBy::user);
// The same checks for readers that open the file themselves; `bytes` stays empty, and no limit of size.
InputFile check_input_file(const std::filesystem::path&, NamedBy = NamedBy::user);
InputFile read_standard_input(std::size_t limit = kMaxInputBytes);

}  // namespace sinew
