// apps/completion/scripts.cpp
#include "completion/scripts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::app {
namespace {

std::vector<std::string> command_names(const CommandText& sinew) {
  std::vector<std::string> out;
  out.reserve(sinew.commands.size() + 1);
  for (const CommandText& c : sinew.commands) out.push_back(c.name);
  out.emplace_back("help");
  return out;
}
// The first sentence of a help, without what would end a quoted text.
std::string short_help(const std::string& help) {
  std::string out = help.substr(0, std::min({help.find(". "), help.find("; "), help.find(": ")}));
  std::erase_if(
      out, [](char c) { return c == '\'' || c == '"' || c == '[' || c == ']' || c == '`' || c == '$' || c == '\\'; });
  return out;
}
// Values of an option: from its list, or from a type like "on|off|start".
std::vector<std::string> values_of(const OptionText& o) {
  if (!o.one_of.empty()) return o.one_of;
  std::vector<std::string> out;
  const bool words = !o.value.empty() && std::all_of(o.value.begin(), o.value.end(),
                                                     [](char c) { return (c >= 'a' && c <= 'z') || c == '|'; });
  for (std::size_t begin = 0; words && begin <= o.value.size();) {
    const std::size_t end = std::min(o.value.find('|', begin), o.value.size());
    out.push_back(o.value.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}
bool has_name(const OptionText& o) { return !o.positional && o.name.starts_with("--"); }

}  // namespace

std::string make_bash_completion(const CommandText& sinew) {
  std::string cases, options;
  for (const CommandText& c : sinew.commands) {
    std::string names = "--help";
    for (const OptionText& o : c.options) {
      if (!has_name(o)) continue;
      names += " " + o.name;
      if (const auto values = values_of(o); !values.empty())
        cases += fmt::format("    {}:{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", c.name, o.name,
                             fmt::join(values, " "));
      else if (!o.value.empty() && !o.file)
        cases += fmt::format("    {}:{}) return ;;\n", c.name, o.name);
    }
    options += fmt::format("    {}) options='{}' ;;\n", c.name, names);
  }
  return fmt::format(R"(# bash completion of sinew; made by: sinew completion bash
_sinew() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)) || {{ ((COMP_CWORD == 2)) && [[ $last == help ]]; }}; then
    COMPREPLY=($(compgen -W '{} --help --version --install-completion' -- "$word")); return
  fi
  case $command:$last in
{}  esac
  case $command in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -F _sinew sinew
)",
                     fmt::join(command_names(sinew), " "), cases, options);
}

std::string make_zsh_completion(const CommandText& sinew) {
  std::string commands, cases;
  for (const CommandText& c : sinew.commands) {
    commands += fmt::format("    '{}:{}'\n", c.name, short_help(c.summary));
    cases += fmt::format("    {}) _arguments -S \\\n", c.name);
    for (const OptionText& o : c.options) {
      if (!has_name(o)) continue;
      const auto values = values_of(o);
      const std::string action = !values.empty()   ? fmt::format(":value:({})", fmt::join(values, " "))
                                 : o.value.empty() ? ""
                                 : o.file          ? ":file:_files"
                                                   : ":value: ";
      cases += fmt::format("        '{}[{}]{}' \\\n", o.name, short_help(o.help), action);
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef sinew
# zsh completion of sinew; made by: sinew completion zsh
_sinew() {{
  local -a commands
  commands=(
{}    'help:Show the help of a command'
  )
  if ((CURRENT == 2)); then _describe command commands; return; fi
  local name=$words[2]
  shift words; ((CURRENT--))
  case $name in
    help) _describe command commands ;;
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sinew "$@"; else compdef _sinew sinew; fi
)",
                     commands, cases);
}

std::string make_fish_completion(const CommandText& sinew) {
  std::string out = "# fish completion of sinew; made by: sinew completion fish\n";
  const std::string all = fmt::format("{}", fmt::join(command_names(sinew), " "));
  out += fmt::format(
      "complete -c sinew -n 'not __fish_seen_subcommand_from {}' -f -a help -d 'Show the help of a command'\n", all);
  for (const CommandText& c : sinew.commands) {
    out += fmt::format("complete -c sinew -n 'not __fish_seen_subcommand_from {}' -f -a {} -d '{}'\n", all, c.name,
                       short_help(c.summary));
    for (const OptionText& o : c.options) {
      if (!has_name(o)) continue;
      const auto values = values_of(o);
      const std::string rest = !values.empty()   ? fmt::format(" -x -a '{}'", fmt::join(values, " "))
                               : o.value.empty() ? ""
                               : o.file          ? " -r"
                                                 : " -x";
      out += fmt::format("complete -c sinew -n '__fish_seen_subcommand_from {}' -l {} -d '{}'{}\n", c.name,
                         o.name.substr(2), short_help(o.help), rest);
    }
  }
  return out;
}

}  // namespace sinew::app
