// apps/common/command.cpp
#include "common/command.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <new>

#include "common/input_error.hpp"

namespace sinew::app {
namespace {

std::string typed;  // the command line

template <class T>
CLI::Option* add_option(CLI::App& app, const char* name, T& value, const char* help, const OptionForm& form) {
  CLI::Option* option = app.add_option(name, value, help)->type_name(form.type)->required(form.required);
  if (form.separator != 0) option->delimiter(form.separator);
  if (!form.one_of.empty()) option->check(CLI::IsMember(form.one_of));
  if (form.check) option->check(form.check);
  return option;
}

}  // namespace

Command Command::add(const char* name, const char* summary) { return {*app_->add_subcommand(name, summary), *chosen_}; }
void Command::flag(const char* name, bool& value, const char* help) { app_->add_flag(name, value, help); }
void Command::option(const char* name, int& value, const char* help, const OptionForm& form) {
  add_option(*app_, name, value, help, form);
}
void Command::option(const char* name, std::uint64_t& value, const char* help, const OptionForm& form) {
  add_option(*app_, name, value, help, form);
}
void Command::option(const char* name, double& value, const char* help, const OptionForm& form) {
  add_option(*app_, name, value, help, form);
}
void Command::option(const char* name, std::string& value, const char* help, const OptionForm& form) {
  add_option(*app_, name, value, help, form);
}
void Command::option(const char* name, std::filesystem::path& value, const char* help, const OptionForm& form) {
  add_option(*app_, name, value, help, form);
}
void Command::list(const char* name, std::vector<std::string>& values, const char* help, const OptionForm& form) {
  add_option(*app_, name, values, help, form)->take_all()->expected(1);
}
void Command::list(const char* name, std::vector<std::filesystem::path>& values, const char* help,
                   const OptionForm& form) {
  add_option(*app_, name, values, help, form)->take_all()->expected(1);
}
void Command::rest(const char* name, std::vector<std::filesystem::path>& values, const char* help) {
  add_option(*app_, name, values, help, {});
}
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::run(Action action) {
  app_->callback([action = std::move(action), chosen = chosen_] { *chosen = action; });
}

const std::string& command_line() { return typed; }

int run_command_line(int argc, char** argv, const char* footer, const std::function<void(Command&)>& add_commands) {
  for (int i = 0; i < argc; ++i) typed += (i > 0 ? " " : "") + std::string(argv[i]);
  CLI::App app("Sinew: multibody dynamics that is never silent", "sinew");
  app.set_version_flag("--version", "sinew " SINEW_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  Action chosen;
  Command top(app, chosen);
  add_commands(top);
  try {
    app.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kOk : kUsage;
  } catch (const InputError& e) {
    fmt::print(stderr, "sinew: {}\n", e.what());
    return e.code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sinew: this needs more memory than there is; make the model or the problem smaller\n");
    return kRefused;
  } catch (const std::exception& e) {
    fmt::print(stderr, "sinew: {}\nThis should not happen; please report it with the file that caused it.\n", e.what());
    return kInternal;
  }
}

}  // namespace sinew::app
