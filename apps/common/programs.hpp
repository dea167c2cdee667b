// apps/common/programs.hpp - programs of other packages
#pragma once
#include <initializer_list>
#include <string>

namespace sinew::app {

// The path of the first of them that $PATH has; empty: none.
std::string find_program(std::initializer_list<const char*> names);

}  // namespace sinew::app
