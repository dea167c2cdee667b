// apps/common/progress.hpp - a progress bar on stderr; nothing if stderr is not a terminal
#pragma once
#include <string>

namespace sinew::app {

class Progress {
 public:
  Progress(std::string what, int steps);
  ~Progress();  // erases the bar
  void advance();
  void show(double share, const std::string& about);  // share: 0 .. 1
  bool on() const { return on_; }

 private:
  void draw() const;
  std::string what_;
  int steps_, done_ = 0;
  bool on_;
};

}  // namespace sinew::app
