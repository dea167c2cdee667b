// apps/make_models/main.cpp - writes models/ from model/mechanisms.hpp:  sinew_make_models [FOLDER]
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "adapt.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/model/mechanisms.hpp"

namespace {

using namespace sinew;

const std::set<std::string> kAlsoUrdf = {"pendulum3", "hand", "dual_arm", "geared_arm"};

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  fmt::print("{}\n", file.string());
}

std::string to_mjcf_text(const ModelSpec& spec, const std::string& comment) {
  const Result<std::string> text = to_mjcf(make_models::adapt_to_mjcf(spec), {.lossy = true});
  std::set<std::string> lost;
  for (const Diagnostic& d : text.diagnostics()) lost.insert(d.message);
  for (const std::string& what : lost) fmt::print("  {}: {}\n", spec.name, what);
  return "<!-- " + comment + " -->\n" + text.value();
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "models";
  try {
    for (const ModelSpec& spec : mechanisms::gallery()) {
      const std::string comment = "Made by sinew_make_models from model/mechanisms.hpp; change it there.";
      write(folder / (spec.name + ".xml"), to_mjcf_text(spec, comment));
      if (kAlsoUrdf.contains(spec.name)) write(folder / (spec.name + ".urdf"), make_models::to_urdf(spec, comment));
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "sinew_make_models: {}\n", e.what());
    return 1;
  }
  return 0;
}
