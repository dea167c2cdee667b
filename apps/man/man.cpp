// apps/man/man.cpp - `sinew man`: manual pages, from the same texts as --help
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/output_file.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

// Text for troff: backslashes and dots at the beginning of a line mean themselves, and so do hyphens.
std::string to_roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}
std::string heading(const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"sinew {}\" \"Sinew\"\n.SH NAME\n{} \\- {}\n", name, SINEW_VERSION, name,
                     to_roff(summary));
}
std::string options_of(const CommandText& c) {
  std::string out;
  for (const bool positional : {true, false})
    for (const OptionText& o : c.options)
      if (o.positional == positional)
        out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", to_roff(o.name),
                           o.value.empty() ? "" : " \\fI" + to_roff(o.value) + "\\fR", to_roff(o.help));
  return out;
}
// Footers are laid out by hand.
std::string notes_of(const CommandText& c) {
  return c.footer.empty() ? "" : ".SH NOTES\n.nf\n" + to_roff(c.footer) + "\n.fi\n";
}

std::string make_page(const CommandText& c) {
  std::string words;
  for (const OptionText& o : c.options)
    if (o.positional) words += (o.required ? " " : " [") + o.name + (o.required ? "" : "]");
  return heading("sinew-" + c.name, c.summary) +
         fmt::format(".SH SYNOPSIS\n\\fBsinew {}\\fR{} [\\fIoptions\\fR]\n.SH OPTIONS\n", c.name, to_roff(words)) +
         options_of(c) + notes_of(c) + ".SH SEE ALSO\n\\fBsinew\\fR(1)\n";
}
std::string make_first_page(const CommandText& sinew) {
  std::string out =
      heading("sinew", sinew.summary) + ".SH SYNOPSIS\n\\fBsinew\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n";
  for (const CommandText& c : sinew.commands)
    out += fmt::format(".TP\n\\fBsinew\\-{}\\fR(1)\n{}\n", c.name, to_roff(c.summary));
  return out + ".SH OPTIONS\n" + options_of(sinew) + notes_of(sinew);
}

int run_man(const std::string& name, const std::filesystem::path& folder) {
  const CommandText all = describe_commands();
  if (!folder.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    OutputFile("--out", folder / "sinew.1").write(make_first_page(all));
    for (const CommandText& c : all.commands)
      OutputFile("--out", folder / ("sinew-" + c.name + ".1")).write(make_page(c));
    fmt::print("wrote {} pages to {}\n", all.commands.size() + 1, folder.string());
    return kOk;
  }
  if (name.empty()) {
    fmt::print("{}", make_first_page(all));
    return kOk;
  }
  std::vector<std::string> known;
  for (const CommandText& c : all.commands) {
    if (c.name == name) {
      fmt::print("{}", make_page(c));
      return kOk;
    }
    known.push_back(c.name);
  }
  throw InputError(fmt::format("there is no command '{}'{}", name, suggest_name(name, known)), kUsage);
}

}  // namespace

void add_man(Command& sinew) {
  Command c = sinew.add("man", "Print manual pages, made from the help of the commands");
  const auto name = std::make_shared<std::string>();
  const auto folder = std::make_shared<std::filesystem::path>();
  c.option("COMMAND", *name, "Of this command; default: of sinew itself");
  c.option("--out", *folder, "Write all pages to this folder", {.type = "DIR"});
  c.footer(
      "Exit codes: 0 fine, 2 cannot be written, 3 wrong usage.\nExamples:\n  sinew man sim | man -l -\n  sinew man "
      "--out ~/.local/share/man/man1");
  c.run([name, folder] { return run_man(*name, *folder); });
}

}  // namespace sinew::app
