// apps/common/progress.hpp - a bar on the terminal behind stderr for work that takes a while; nothing where there is
// none
#pragma once
#include <string>

namespace sinew::app {

class Progress {
 public:
  Progress(std::string what, int steps);
  ~Progress();  // wipes the bar
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
