// apps/common/command.cpp
#include "common/command.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <system_error>

#include "common/input_error.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

std::string typed;                                               // the command line
const CLI::App* whole = nullptr;                                 // all commands
std::map<const CLI::Option*, std::vector<std::string>> choices;  // values of options that have a list of them

// An option that may stand without a value.
struct Alone {
  const char *name, *value;
  std::function<std::string(const std::string&)> check;
};
std::vector<Alone> alone;

std::string check_range(const std::string& text, const Range& r) {
  double x = 0;
  const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, x);
  if (error != std::errc() || stop != end) return "'" + text + "' is not a number";
  const bool low = r.above ? !(x > r.least) : !(x >= r.least);
  if (std::isfinite(x) && !low && x <= r.most) return "";
  std::string law = r.above && r.least == 0  ? "positive"
                    : std::isfinite(r.least) ? fmt::format("at least {:g}", r.least)
                                             : "";
  if (std::isfinite(r.most)) law += fmt::format("{}at most {:g}", law.empty() ? "" : " and ", r.most);
  return fmt::format("{} is out of range: it must be {}", text,
                     law.empty() ? "finite" : law + (std::isfinite(r.most) ? "" : " and finite"));
}

template <class T>
CLI::Option* add_option(CLI::App& app, const char* name, T& value, const char* help, const OptionForm& form) {
  CLI::Option* option = app.add_option(name, value, help)->type_name(form.type)->required(form.required);
  if (form.separator != 0) option->delimiter(form.separator);
  if (!form.one_of.empty()) option->check(CLI::IsMember(form.one_of)), choices[option] = form.one_of;
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>)
    option->check([range = form.range](const std::string& text) { return check_range(text, range); });
  if (form.alone)
    alone.push_back({name, form.alone, form.check});
  else if (form.check)
    option->check(form.check);
  return option;
}

bool has_command(const CLI::App& app, const std::string& name) {
  return !app.get_subcommands([&](const CLI::App* c) { return c->get_name() == name; }).empty();
}

// "--floor" without a value of its own becomes "--floor=..."; "help sim" becomes "sim --help".
std::vector<std::string> prepare_words(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    if (words.empty() || has_command(*whole, words[0])) words.emplace_back("--help");
  }
  if (!words.empty() && words[0].starts_with("--install-completion")) {
    const std::size_t equals = words[0].find('=');
    if (equals != std::string::npos) words.insert(words.begin() + 1, words[0].substr(equals + 1));
    words[0] = "completion";
    words.emplace_back("--install");
  }
  for (std::size_t i = 0; i < words.size(); ++i)
    for (const Alone& a : alone)
      if (words[i] == a.name && (i + 1 == words.size() || !a.check(words[i + 1]).empty()))
        words[i] += std::string("=") + a.value;
  return words;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> out;
  out.reserve(commands.size());
  for (const CLI::App* c : commands) out.push_back(c->get_name());
  return out;
}

// What a mistyped command or option might have meant.
std::string find_suggestion(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at_command = &app;
  for (const std::string& word : words) {
    const auto below = at_command->get_subcommands([](const CLI::App*) { return true; });
    if (!word.starts_with('-') && !below.empty()) {
      const auto found =
          std::find_if(below.begin(), below.end(), [&](const CLI::App* c) { return c->get_name() == word; });
      if (found == below.end()) return find_nearest_name(word, names_of(below));
      at_command = *found;
    } else if (word.starts_with("--")) {
      const std::string name = word.substr(0, word.find('='));
      if (at_command->get_option_no_throw(name)) continue;
      std::vector<std::string> known;
      for (const CLI::Option* o : at_command->get_options())
        for (const std::string& n : o->get_lnames()) known.push_back("--" + n);
      const std::string nearest = find_nearest_name(name, known);
      if (!nearest.empty()) return nearest;
    }
  }
  return "";
}

// The first option that the command does not have.
std::string find_unknown_option(const std::vector<std::string>& words) {
  if (words.empty() || !has_command(*whole, words[0])) return "";
  const CLI::App* command = whole->get_subcommand(words[0]);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 2 && name.starts_with("--") && !command->get_option_no_throw(name)) return name;
  }
  return "";
}
// What is wrong with the words, said better than CLI11 does where that is easy.
std::string explain(const CLI::ParseError& e, const std::vector<std::string>& words) {
  std::string text = e.what();
  constexpr std::string_view kTwice = ": At Most 1 required but received ";
  if (const std::size_t at = text.find(kTwice); at != std::string::npos)
    return text.substr(0, at) + " is given " + text.substr(at + kTwice.size()) + " times; give it once";
  if (!dynamic_cast<const CLI::ExtrasError*>(&e)) return text;
  // A word after an option that may stand alone, and does not fit it.
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    for (const Alone& a : alone)
      if (words[i] == std::string(a.name) + "=" + a.value && !words[i + 1].starts_with('-'))
        return fmt::format("{}: {}", a.name, a.check(words[i + 1]));
  if (const std::string option = find_unknown_option(words); !option.empty())
    return fmt::format("there is no option {}", option);
  return text;
}
std::string describe_help(const CLI::App& app, const std::vector<std::string>& words) {
  return !words.empty() && has_command(app, words[0]) ? "sinew help " + words[0] : "sinew --help";
}

CommandText describe(const CLI::App& app) {
  CommandText out{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* o : app.get_options()) {
    const std::string type = o->get_type_name();
    const bool positional = !o->nonpositional();
    OptionText text;
    text.positional = positional;
    text.name =
        positional ? o->get_name(true) : "--" + (o->get_lnames().empty() ? o->get_snames().at(0) : o->get_lnames()[0]);
    text.help = o->get_description(), text.required = o->get_required();
    const bool flag = o->get_type_size() == 0 || o->get_expected_max() == 0;
    text.value = flag || positional ? "" : type.empty() ? "VALUE" : type;
    text.file = positional ? text.name == "FILE" || text.name == "FILES" || text.name == "PLAN"
                           : type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos ||
                                 type.find(".json") != std::string::npos;
    if (const auto c = choices.find(o); c != choices.end()) text.one_of = c->second;
    out.options.push_back(std::move(text));
  }
  for (const CLI::App* c : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(describe(*c));
  return out;
}

// Sees what buffered writes to the standard output left unsaid until now.
int finish_output(int code) {
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "sinew: the standard output could not be written: {}\n", std::strerror(errno));
  return code == kOk ? kNotSaved : code;
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
  add_option(*app_, name, values, help, form)->take_all()->expected(1)->allow_extra_args(false);
}
void Command::list(const char* name, std::vector<std::filesystem::path>& values, const char* help,
                   const OptionForm& form) {
  add_option(*app_, name, values, help, form)->take_all()->expected(1)->allow_extra_args(false);
}
void Command::rest(const char* name, std::vector<std::filesystem::path>& values, const char* help) {
  add_option(*app_, name, values, help, {});
}
void Command::footer(const std::string& text) { app_->footer(text); }
void Command::run(Action action) {
  app_->callback([action = std::move(action), chosen = chosen_] { *chosen = action; });
}

const std::string& command_line() { return typed; }
CommandText describe_commands() { return describe(*whole); }

int run_command_line(int argc, char** argv, const char* footer, const std::function<void(Command&)>& add_commands) {
  for (int i = 0; i < argc; ++i) typed += (i > 0 ? " " : "") + std::string(argv[i]);
  CLI::App app("Sinew: multibody dynamics that is never silent", "sinew");
  app.set_version_flag("--version", "sinew " SINEW_VERSION);
  app.require_subcommand(1);
  app.footer(footer);
  Action chosen;
  Command top(app, chosen);
  add_commands(top);
  whole = &app;
  const std::vector<std::string> words = prepare_words(argc, argv);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
    return finish_output(chosen());
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      app.exit(e);
      return finish_output(kOk);
    }
    fmt::print(stderr, "sinew: {}\n", explain(e, words));
    if (const std::string name = find_suggestion(app, words); !name.empty())
      fmt::print(stderr, "Did you mean '{}'?\n", name);
    fmt::print(stderr, "All options: {}\n", describe_help(app, words));
    return kUsage;
  } catch (const InputError& e) {
    fmt::print(stderr, "sinew: {}\n", e.what());
    return e.code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sinew: this needs more memory than there is; make the model or the problem smaller\n");
    return kRefused;
  } catch (const std::filesystem::filesystem_error& e) {
    fmt::print(stderr, "sinew: {}\n", e.what());
    return kRefused;
  } catch (const std::system_error& e) {  // fmt says so where a write fails
    fmt::print(stderr, "sinew: the standard output could not be written: {}\n", e.code().message());
    return kNotSaved;
  } catch (const std::exception& e) {
    fmt::print(stderr, "sinew: {}\nThis should not happen; please report it with the file that caused it.\n", e.what());
    return kInternal;
  }
}

}  // namespace sinew::app
