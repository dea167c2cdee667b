// apps/common/png.cpp
#include "common/png.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "common/input_error.hpp"
#include "common/programs.hpp"

namespace sinew::app {
namespace {

constexpr const char* kMaker = "rsvg-convert";

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File make_file() { return {std::tmpfile(), std::fclose}; }

[[noreturn]] void fail_png(const std::string& why) { throw InputError(std::string("PNG: ") + why, 7); }

}  // namespace

bool is_png(const std::string& file) { return std::filesystem::path(file).extension() == ".png"; }

void check_png_maker() {
  if (find_program({kMaker}).empty())
    throw InputError(std::string("PNG needs the program ") + kMaker +
                     " (Debian and Ubuntu: librsvg2-bin); install it, or write an SVG");
}

std::string to_png(const std::string& svg) {
  const std::string program = find_program({kMaker});
  const File in = make_file(), out = make_file();
  if (!in || !out) fail_png("no temporary file can be made");
  if (std::fwrite(svg.data(), 1, svg.size(), in.get()) != svg.size() || std::fflush(in.get()) != 0)
    fail_png("the temporary file cannot be written");
  if (std::fseek(in.get(), 0, SEEK_SET) != 0 || ::lseek(fileno(in.get()), 0, SEEK_SET) != 0)
    fail_png("the temporary file cannot be read");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  std::string words[] = {program, "--zoom=2", "--background-color=white", "--format=png"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || ::waitpid(child, &status, 0) != child || status != 0) fail_png(std::string(kMaker) + " failed");
  std::string png(static_cast<std::size_t>(::lseek(fileno(out.get()), 0, SEEK_END)), '\0');
  if (::pread(fileno(out.get()), png.data(), png.size(), 0) != static_cast<ssize_t>(png.size()) || png.empty())
    fail_png(std::string(kMaker) + " wrote nothing");
  return png;
}

}  // namespace sinew::app
