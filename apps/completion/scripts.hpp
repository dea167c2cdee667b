// apps/completion/scripts.hpp - completions for shells, from the commands themselves
#pragma once
#include <string>

#include "common/command.hpp"

namespace sinew::app {

std::string make_bash_completion(const CommandText& sinew);
std::string make_zsh_completion(const CommandText& sinew);
std::string make_fish_completion(const CommandText& sinew);

}  // namespace sinew::app
