// apps/render/film.cpp
#include "render/film.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {

Film::Film(const std::string& program, const std::filesystem::path& file, double rate) {
  const bool gif = file.extension() == ".gif";
  std::vector<std::string> words{program, "-loglevel",           "error",      "-y",
                                 "-f",    "image2pipe",          "-framerate", fmt::format("{:g}", rate),
                                 "-c:v",  gif ? "png" : "mjpeg", "-i",         "-"};
  // A GIF has 256 colours: those of the whole film. yuv420p is what every player shows.
  if (gif)
    words.insert(words.end(),
                 {"-vf", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4"});
  else
    words.insert(words.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart"});
  words.push_back(file.string());
  int down[2];
  if (::pipe2(down, O_CLOEXEC) != 0) throw InputError("ffmpeg cannot be talked to: no pipe", kNotSaved);
  child_ = ::fork();
  if (child_ == 0) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
    arguments.push_back(nullptr);
    ::dup2(down[0], 0);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(down[0]);
  to_ = down[1];
  if (child_ < 0) throw InputError(std::string("ffmpeg cannot be started: ") + std::strerror(errno), kNotSaved);
}

Film::~Film() {
  if (to_ >= 0) ::close(to_);
  if (child_ <= 0) return;
  ::kill(child_, SIGTERM);
  ::waitpid(child_, nullptr, 0);
}

void Film::add(const std::string& picture) {
  for (std::size_t at = 0; at < picture.size();) {
    const ssize_t n = ::write(to_, picture.data() + at, picture.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw InputError("ffmpeg ended early: what it says is above", kNotSaved);
    at += static_cast<std::size_t>(n);
  }
}

void Film::finish() {
  ::close(to_);
  to_ = -1;
  int status = 0;
  const pid_t child = std::exchange(child_, 0);
  if (::waitpid(child, &status, 0) != child || status != 0)
    throw InputError("ffmpeg failed: what it says is above", kNotSaved);
}

}  // namespace sinew::app
