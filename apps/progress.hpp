// apps/progress.hpp - a bar on the terminal behind stderr for work that takes a while; nothing where there is none
#pragma once
#include <string>

namespace sinew::app {

class Progress {
 public:
  Progress(std::string what, int steps);
  ~Progress();  // wipes the bar
  void advance();

 private:
  void draw() const;
  std::string what_;
  int steps_, done_ = 0;
  bool on_;
};

}  // namespace sinew::app
