// apps/common/start_state.hpp - where a run starts, as written on the command line
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "sinew/sim/scene.hpp"

namespace sinew::app {

// Empty, or why the text is not a list of finite numbers with commas.
std::string complain_about_numbers(const std::string&);
// As many numbers as one of the counts; throws InputError that names the option.
std::vector<double> read_numbers(const char* option, const std::string&, std::initializer_list<std::size_t> counts);

// --q: numbers, or joint=number with commas; several numbers of a joint with blanks or colons, as in base=1:0:0:0.
void read_positions(const std::string&, SceneOptions&);
// {"q": [..], "v": {"knee": 1}, "time": 0}; throws InputError that names the key.
void parse_start_state(const std::string& text, SceneOptions&);
// --state: a keyframe of the model, such a file, or a record.
void read_start_state(const std::string&, const ModelSpec&, SceneOptions&);

}  // namespace sinew::app
