// apps/common/page_file.cpp
#include "common/page_file.hpp"

#include <fmt/format.h>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {

void check_page_name(const char* option, const std::filesystem::path& file) {
  if (file.extension() != ".html")
    throw InputError(fmt::format("{} {}: a report is an HTML page; end the name in .html", option, file.string()),
                     kUsage);
}

void say_left_out(const std::vector<std::string>& sentences) {
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, sentences.size()); ++i)
    fmt::print(stderr, "note: not drawn: {}\n", sentences[i]);
  if (sentences.size() > kShown)
    fmt::print(stderr, "note: and {} more that are not drawn; the page lists them\n", sentences.size() - kShown);
}

std::string describe_page(const Report& r, const std::filesystem::path& file) {
  std::string out;
  for (const ReportRun& run : r.runs)
    out += fmt::format("{}: {} of {} rows, {} events\n", run.title, run.kept, run.rows, run.events);
  return out + fmt::format("wrote {}, {:.2g} MB\n", file.string(), 1e-6 * static_cast<double>(r.html.size()));
}

}  // namespace sinew::app
