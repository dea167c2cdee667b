// apps/command.hpp - the commands of `sinew`, one source file each
// A command adds itself to the parser and, when the user names it, leaves what is to be run in `chosen`. A new one is
// a file apps/<name>.cpp with add_<name>, its line here and its line in main.cpp.
#pragma once
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>

namespace sinew::app {

// Exit codes, the same for every command.
inline constexpr int kOk = 0;
inline constexpr int kWarnings = 1;  // check: usable, but something is to be mended
inline constexpr int kRefused = 2;   // the input has errors
inline constexpr int kUsage = 3;     // the command line is wrong
inline constexpr int kInternal = 4;  // a defect of Sinew
inline constexpr int kUnsolved = 5;  // lcp: no answer within the tolerance

using Action = std::function<int()>;

void add_info(CLI::App&, Action& chosen);
void add_check(CLI::App&, Action& chosen);
void add_eval(CLI::App&, Action& chosen);
void add_count(CLI::App&, Action& chosen);
void add_bench(CLI::App&, Action& chosen);
void add_lcp(CLI::App&, Action& chosen);
void add_reproduce(CLI::App&, Action& chosen);
void add_version(CLI::App&, Action& chosen);

}  // namespace sinew::app
