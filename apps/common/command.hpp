// apps/common/command.hpp - the commands of `sinew`, one source file each
// A command adds itself to the parser, with the function that runs it. A new one is a file apps/<name>/<name>.cpp with
// add_<name>, a line here and its name in cmake/SinewApps.cmake.
// This is a thin interface to CLI11, which takes ten seconds to compile: only command.cpp includes it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sinew::app {

// Exit codes, the same for every command.
inline constexpr int kOk = 0;
inline constexpr int kWarnings = 1;  // check: usable, but with warnings
inline constexpr int kRefused = 2;   // the input has errors
inline constexpr int kUsage = 3;     // the command line is wrong
inline constexpr int kInternal = 4;  // a defect of Sinew
inline constexpr int kUnsolved = 5;  // lcp, sim: no answer within the tolerance; verify: a law fails
inline constexpr int kBroken = 6;    // sim: a state or an energy that is not finite
inline constexpr int kNotSaved = 7;  // the record, or the standard output, could not be written to its end

using Action = std::function<int()>;

// The numbers that an option takes; never one that is not finite.
struct Range {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool above = false;  // `least` itself is refused
};
inline constexpr Range kPositive{0, std::numeric_limits<double>::infinity(), true}, kNotNegative{0}, kShare{0, 1};

// How an option is written. A list may be repeated, and takes one value each time; `separator` cuts a value further.
struct OptionForm {
  const char* type = "";  // shown in the help
  bool required = false;
  char separator = 0;
  std::vector<std::string> one_of;                       // the allowed values; empty: any
  std::function<std::string(const std::string&)> check;  // returns a complaint, or an empty text
  Range range{};                                         // of a number
  // The value where the option stands alone: the next word is not taken if `check` complains about it.
  const char* alone = nullptr;
};

// The commands as a reader sees them, for man pages and completions.
struct OptionText {
  std::string name, value, help;  // "--floor" or "FILE"; the kind of value, empty for a flag
  bool positional = false, required = false, file = false;
  std::vector<std::string> one_of;
};
struct CommandText {
  std::string name, summary, footer;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};
CommandText describe_commands();  // while a command runs

class Command {
 public:
  Command(CLI::App& app, Action& chosen) : app_(&app), chosen_(&chosen) {}
  Command add(const char* name, const char* summary);  // a command within this one
  void flag(const char* name, bool&, const char* help);
  void option(const char* name, int&, const char* help, const OptionForm& = {});
  void option(const char* name, std::uint64_t&, const char* help, const OptionForm& = {});
  void option(const char* name, double&, const char* help, const OptionForm& = {});
  void option(const char* name, std::string&, const char* help, const OptionForm& = {});
  void option(const char* name, std::filesystem::path&, const char* help, const OptionForm& = {});
  void list(const char* name, std::vector<std::string>&, const char* help, const OptionForm& = {});
  void list(const char* name, std::vector<std::filesystem::path>&, const char* help, const OptionForm& = {});
  void rest(const char* name, std::vector<std::filesystem::path>&, const char* help);  // all remaining words
  void footer(const std::string&);
  void run(Action);  // what the command does

 private:
  CLI::App* app_;
  Action* chosen_;
};

const std::string& command_line();  // about as the user typed it
// Parses, runs the chosen command, and returns the exit code.
int run_command_line(int argc, char** argv, const char* footer, const std::function<void(Command&)>& add_commands);

void add_info(Command&);
void add_check(Command&);
void add_eval(Command&);
void add_count(Command&);
void add_bench(Command&);
void add_lcp(Command&);
void add_reproduce(Command&);
void add_sim(Command&);
void add_view(Command&);
void add_compare(Command&);
void add_verify(Command&);
void add_sweep(Command&);
void add_report(Command&);
void add_render(Command&);
void add_generate(Command&);
void add_version(Command&);
void add_completion(Command&);
void add_man(Command&);

}  // namespace sinew::app
