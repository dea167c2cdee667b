// apps/common/progress.cpp
#include "common/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "common/terminal.hpp"

namespace sinew::app {

Progress::Progress(std::string what, int steps)
    : what_(std::move(what)), steps_(std::max(steps, 1)), on_(isatty(STDERR_FILENO) == 1) {
  draw();
}
Progress::~Progress() {
  if (on_) fmt::print(stderr, "\r\033[K");
}
void Progress::advance() {
  ++done_;
  draw();
}
void Progress::show(double share, const std::string& about) {
  if (!on_) return;
  const int room = std::max(5, std::min(30, find_width(stderr) - columns(what_) - columns(about) - 6));
  const int full = static_cast<int>(room * std::clamp(share, 0.0, 1.0));
  fmt::print(stderr, "\r\033[K{} [{}{}] {}", what_, std::string(static_cast<std::size_t>(full), '#'),
             std::string(static_cast<std::size_t>(room - full), '.'), about);
}
void Progress::draw() const {
  if (!on_) return;
  const int room = std::max(10, std::min(40, find_width(stderr) - columns(what_) - 12));
  const int full = room * std::min(done_, steps_) / steps_;
  fmt::print(stderr, "\r{} [{}{}] {:3d} %", what_, std::string(static_cast<std::size_t>(full), '#'),
             std::string(static_cast<std::size_t>(room - full), '.'), 100 * std::min(done_, steps_) / steps_);
}

}  // namespace sinew::app
