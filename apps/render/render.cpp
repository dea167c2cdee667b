// apps/render/render.cpp - `sinew render`: a picture or a film of a record, by a browser without a window and ffmpeg
#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/output_file.hpp"
#include "common/page_file.hpp"
#include "common/programs.hpp"
#include "common/progress.hpp"
#include "common/temporary_folder.hpp"
#include "render/browser.hpp"
#include "render/film.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kUnset = -1e300;
constexpr int kMostPixels = 8192;  // of a side

struct RenderInput {
  std::vector<std::filesystem::path> records;
  std::filesystem::path out;
  std::string size = "1280x720", camera, follow, theme = "light", shapes = "visual";
  double time = kUnset, from = kUnset, to = kUnset, rate = 30, speed = 1;
  bool force = false, json = false;
};

// Numbers with a sign between them; none where there is anything else.
std::vector<double> read_numbers(const std::string& text, char between) {
  std::vector<double> out;
  const char* at = text.c_str();
  for (char* end = nullptr;; at = end + 1) {
    const double x = std::strtod(at, &end);
    if (end == at || !std::isfinite(x) || (*end != between && *end != 0)) return {};
    out.push_back(x);
    if (*end == 0) return out;
  }
}

std::array<int, 2> read_size(const std::string& text) {
  const std::vector<double> size = read_numbers(text, 'x');
  const auto fits = [](double x) { return x >= 16 && x <= kMostPixels && x == std::floor(x); };
  if (size.size() != 2 || !fits(size[0]) || !fits(size[1]))
    throw InputError(
        fmt::format("--size is '{}', but must be two numbers from 16 to {}, as in 1280x720", text, kMostPixels),
        kUsage);
  return {static_cast<int>(size[0]), static_cast<int>(size[1])};
}

// "-50,17" or "-50,17,0.8": degrees about z and above the ground; distance, 1: the whole scene is seen.
std::array<double, 3> read_camera(const std::string& text) {
  std::vector<double> n = read_numbers(text, ',');
  if (n.size() == 2) n.push_back(1);
  if (n.size() != 3 || !(n[2] > 0))
    throw InputError(
        fmt::format("--camera is '{}', but must be angles in degrees, about z and above the ground, and perhaps "
                    "a distance, as in -50,17,1",
                    text),
        kUsage);
  return {n[0], n[1], n[2]};
}

std::string from_data_url(const std::string& url) {
  constexpr std::string_view kMark = ";base64,";
  const std::size_t at = url.find(kMark);
  if (at == std::string::npos) throw InputError("the page made no picture", kNotSaved);
  std::string out;
  unsigned word = 0, bits = 0;
  for (const char c : std::string_view(url).substr(at + kMark.size())) {
    const unsigned digit = c >= 'A' && c <= 'Z'   ? static_cast<unsigned>(c - 'A')
                           : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 26
                           : c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0') + 52
                           : c == '+'             ? 62U
                           : c == '/'             ? 63U
                                                  : 64U;
    if (digit == 64) break;  // padding
    word = word << 6U | digit, bits += 6;
    if (bits >= 8) bits -= 8, out += static_cast<char>(word >> bits & 255U);
  }
  return out;
}

class Studio {
 public:
  Studio(const RenderInput& in, const std::filesystem::path& page, const std::filesystem::path& folder)
      : size_(read_size(in.size)),
        browser_(find_program({"chromium", "chromium-browser", "google-chrome"}), page, folder, size_[0], size_[1]) {
    browser_.evaluate(
        fmt::format("sinew.theme({0}), sinew.shapes({1})", Json(in.theme).dump(), Json(in.shapes).dump()));
    const nlohmann::json span = browser_.evaluate("sinew.duration");
    first = span.at(0), last = span.at(1);
    picture(first, "image/png");  // so that the camera knows the shape of the picture
    constexpr double kDegree = 3.14159265358979323846 / 180;
    if (!in.camera.empty()) {
      const std::array<double, 3> c = read_camera(in.camera);
      browser_.evaluate(fmt::format("sinew.look({}, {}, {})", c[0] * kDegree, c[1] * kDegree, c[2]));
    } else {
      browser_.evaluate("sinew.app.stage.resetCamera()");
    }
    if (in.follow.empty()) return;
    if (!browser_.evaluate(fmt::format("sinew.has({})", Json(in.follow).dump())).get<bool>())
      throw InputError(fmt::format("--follow: the model has no body '{}'", in.follow));
    browser_.evaluate(fmt::format("sinew.follow({})", Json(in.follow).dump()));
  }
  std::string picture(double time, const char* type) {
    return from_data_url(
        browser_.evaluate(fmt::format("sinew.frame({:.17g}, {}, {}, '{}')", time, size_[0], size_[1], type)));
  }
  double first = 0, last = 0;  // [s]

 private:
  std::array<int, 2> size_;
  Browser browser_;
};

void check_programs(bool film) {
  if (find_program({"chromium", "chromium-browser", "google-chrome"}).empty())
    throw InputError(
        "pictures need a browser: chromium, chromium-browser or google-chrome in $PATH (Debian: apt install "
        "chromium); or open the page of sinew report yourself");
  if (film && find_program({"ffmpeg"}).empty())
    throw InputError("films need ffmpeg in $PATH (Debian: apt install ffmpeg); a .png needs none");
}

void check(const RenderInput& in, const std::string& ending) {
  const bool film = ending != ".png";
  if (in.records.empty()) throw InputError("give a record: sinew sim SCENE --record run.h5 makes one", kUsage);
  if (in.out.empty()) throw InputError("give the file to write with -o: .png, .mp4 or .gif", kUsage);
  if (film && ending != ".mp4" && ending != ".gif")
    throw InputError(fmt::format("-o {}: end the name in .png, .mp4 or .gif", in.out.string()), kUsage);
  if (film && in.time != kUnset) throw InputError("--time is for a .png; a film has --from and --to", kUsage);
  if (!film && (in.from != kUnset || in.to != kUnset))
    throw InputError("--from and --to are for films; a .png has --time", kUsage);
  const std::array<int, 2> size = read_size(in.size);
  if (ending == ".mp4" && (size[0] % 2 != 0 || size[1] % 2 != 0))
    throw InputError("--size: the sides of an .mp4 are even numbers", kUsage);
  if (!in.camera.empty()) read_camera(in.camera);
  check_programs(film);
  if (!in.force && std::filesystem::exists(in.out))
    throw InputError(fmt::format("{} exists already; give --force to replace it", in.out.string()), kUsage);
}

int run(const RenderInput& in) {
  const std::string ending = in.out.extension().string();
  check(in, ending);
  OutputFile out("-o", in.out);
  const TemporaryFolder folder;
  const std::filesystem::path page = folder.path() / "page.html";
  try {
    const Report report = make_report(in.records);
    std::ofstream(page, std::ios::binary) << report.html;
    say_left_out(report.left_out);
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
  ::signal(SIGPIPE, SIG_IGN);  // a browser or an ffmpeg that dies is told by write()
  Studio studio(in, page, folder.path());
  long frames = 1;
  if (ending == ".png") {
    const double time = in.time == kUnset ? 0.5 * (studio.first + studio.last) : in.time;
    out.write(studio.picture(time, "image/png"));
  } else {
    const double from = in.from == kUnset ? studio.first : std::max(in.from, studio.first);
    const double to = in.to == kUnset ? studio.last : std::min(in.to, studio.last);
    if (!(to > from))
      throw InputError(
          fmt::format("--from and --to leave nothing: the run is {:g} to {:g} s", studio.first, studio.last), kUsage);
    frames = std::max(1L, std::lround((to - from) / in.speed * in.rate));
    Film film(find_program({"ffmpeg"}), in.out, in.rate);
    out.keep();
    Progress progress("rendering", static_cast<int>(frames));
    const char* type = ending == ".mp4" ? "image/jpeg" : "image/png";
    for (long i = 0; i < frames; ++i) {
      film.add(studio.picture(from + static_cast<double>(i) * in.speed / in.rate, type));
      progress.advance();
    }
    film.finish();
  }
  const auto bytes = std::filesystem::file_size(in.out);
  if (in.json)
    fmt::print("{}", write_short(Json{{"file", in.out.string()}, {"frames", frames}, {"bytes", bytes}}));
  else
    fmt::print("wrote {}, {} {}, {:.2g} MB\n", in.out.string(), frames, frames == 1 ? "picture" : "pictures",
               1e-6 * static_cast<double>(bytes));
  return kOk;
}

}  // namespace

void add_render(Command& sinew) {
  Command c = sinew.add("render", "Make a picture or a film of a record, through Chromium and ffmpeg");
  const auto in = std::make_shared<RenderInput>();
  c.rest("RECORD", in->records, "HDF5 records of sinew sim --record; all but the first are ghosts beside it");
  c.option("-o,--out", in->out, "The file to write", {.type = "FILE.png|.mp4|.gif"});
  c.option("--size", in->size, "In pixels; default 1280x720", {.type = "WxH"});
  c.option("--time", in->time, "Of a .png; default: half of the run", {.type = "S"});
  c.option("--from", in->from, "Of a film; default: the start", {.type = "S"});
  c.option("--to", in->to, "Of a film; default: the end", {.type = "S"});
  c.option("--fps", in->rate, "Pictures per second of a film; default 30", {.type = "N", .range = kPositive});
  c.option("--speed", in->speed, "Simulated seconds per second of a film; default 1",
           {.type = "X", .range = kPositive});
  c.option("--camera", in->camera, "Degrees about z and above the ground, and distance: default -52,17,1",
           {.type = "A,E[,D]"});
  c.option("--follow", in->follow, "A body that the camera moves with", {.type = "BODY"});
  c.option("--theme", in->theme, "light (default) or dark", {.type = "NAME", .one_of = {"light", "dark"}});
  c.option("--shapes", in->shapes, "visual (default), collision or both",
           {.type = "NAME", .one_of = {"visual", "collision", "both"}});
  c.flag("--force", in->force, "Replace an existing file");
  c.flag("--json", in->json, "Write JSON");
  c.footer(
      "It needs chromium, and for films ffmpeg, in $PATH.\n"
      "Exit codes: 0 fine, 2 a record is refused or a program is missing, 3 wrong usage, 7 not written.\n"
      "Examples:\n  sinew render run.h5 -o run.png --time 1.5\n  sinew render run.h5 -o run.mp4 --speed 0.25\n"
      "  sinew render run.h5 -o run.gif --size 480x320 --fps 15 --follow torso");
  c.run([in] { return run(*in); });
}

}  // namespace sinew::app
