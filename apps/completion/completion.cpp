// apps/completion/completion.cpp - `sinew completion`: names and options completed by your shell
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "common/input_error.hpp"
#include "common/output_file.hpp"
#include "completion/scripts.hpp"

namespace sinew::app {
namespace {

struct CompletionInput {
  std::string shell;
  bool install = false;
};

std::filesystem::path folder_of(const char* variable, const char* below_home) {
  if (const char* set = std::getenv(variable); set && *set) return set;
  const char* home = std::getenv("HOME");
  if (!home || !*home) throw InputError("HOME is not set, so there is no place to install to", kUsage);
  return std::filesystem::path(home) / below_home;
}

// Where the shell looks for it.
std::filesystem::path find_place_of(const std::string& shell) {
  if (shell == "bash") return folder_of("XDG_DATA_HOME", ".local/share") / "bash-completion/completions/sinew";
  if (shell == "zsh") return folder_of("XDG_DATA_HOME", ".local/share") / "zsh/site-functions/_sinew";
  return folder_of("XDG_CONFIG_HOME", ".config") / "fish/completions/sinew.fish";
}

int run_completion(const CompletionInput& in) {
  std::string shell = in.shell;
  if (shell.empty()) {
    const char* mine = std::getenv("SHELL");
    shell = mine ? std::filesystem::path(mine).filename().string() : "";
  }
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    throw InputError(
        fmt::format("name a shell: bash, zsh or fish{}", shell.empty() ? "" : "; there is none for " + shell), kUsage);
  const CommandText all = describe_commands();
  const std::string script = shell == "bash"  ? make_bash_completion(all)
                             : shell == "zsh" ? make_zsh_completion(all)
                                              : make_fish_completion(all);
  if (!in.install) {
    fmt::print("{}", script);
    return kOk;
  }
  const std::filesystem::path place = find_place_of(shell);
  std::error_code failed;
  std::filesystem::create_directories(place.parent_path(), failed);
  OutputFile("--install", place).write(script);
  fmt::print("wrote {}\nIt acts in new shells.\n", place.string());
  if (shell == "zsh")
    fmt::print("zsh looks there if ~/.zshrc has, before compinit: fpath+=({})\n", place.parent_path().string());
  return kOk;
}

}  // namespace

void add_completion(Command& sinew) {
  Command c = sinew.add("completion", "Print completions for a shell, or install them");
  const auto in = std::make_shared<CompletionInput>();
  c.option("SHELL", in->shell, "bash, zsh or fish; default: that of $SHELL", {.one_of = {"bash", "zsh", "fish"}});
  c.flag("--install", in->install, "Write them where the shell looks for them; also sinew --install-completion");
  c.footer(
      "Exit codes: 0 fine, 2 cannot be written, 3 wrong usage.\nExamples:\n  sinew --install-completion\n  source "
      "<(sinew completion bash)");
  c.run([in] { return run_completion(*in); });
}

}  // namespace sinew::app
