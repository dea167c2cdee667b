// apps/common/page_file.hpp - what commands that write a report share
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sinew/io/report.hpp"

namespace sinew::app {

// Throws InputError if the name does not end in .html.
void check_page_name(const char* option, const std::filesystem::path&);
// On the error stream: what the page cannot draw.
void say_left_out(const std::vector<std::string>&);
std::string describe_page(const Report&, const std::filesystem::path& file);  // a line per run, and one for the file

}  // namespace sinew::app
