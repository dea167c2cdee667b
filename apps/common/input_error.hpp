// apps/common/input_error.hpp - an error in what the user wrote, printed as one message
#pragma once
#include <stdexcept>
#include <string>

namespace sinew::app {

struct InputError : std::runtime_error {
  explicit InputError(const std::string& what, int exit_code = 2, int index = -1)
      : std::runtime_error(what), code(exit_code), state(index) {}
  int code;   // kRefused or kUsage of command.hpp
  int state;  // index of the state it is in; -1: none
};

}  // namespace sinew::app
