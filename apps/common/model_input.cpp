// apps/common/model_input.cpp
#include "common/model_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/terminal.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/io/load.hpp"

namespace sinew::app {
namespace {

// In the same folder, and the scenes that have a name; empty: nothing is near.
std::string find_nearest_file(const std::filesystem::path& file) {
  std::vector<std::string> known = {"pendulum:12", "dual_arm"};
  std::error_code ignored;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator i(folder, ignored), end; i != end; i.increment(ignored))
    if (i->is_regular_file(ignored)) known.push_back(i->path().filename().string());
  std::string name = find_nearest_name(file.filename().string(), known);
  if (name.empty() || name == known[0] || name == known[1]) return name;
  return (file.parent_path() / name).string();
}

// A mesh that only draws does not.
bool changes_motion(const Diagnostic& d, const ModelSpec& spec) {
  if (d.severity != Severity::warning) return false;
  if (d.code != Code::mesh_unreadable) return true;
  return std::any_of(spec.meshes.begin(), spec.meshes.end(), [&](const MeshSpec& mesh) {
    return mesh.where.line == d.where.line &&
           std::any_of(spec.shapes.begin(), spec.shapes.end(),
                       [&](const ShapeSpec& s) { return s.collides && s.asset == mesh.name; });
  });
}

}  // namespace

std::shared_ptr<ModelInput> add_model_input(Command& c) {
  auto in = std::make_shared<ModelInput>();
  c.option("FILE", in->file, "A URDF or MJCF file; '-': from the standard input", {.required = true});
  c.flag("--floating", in->floating, "URDF: put the root link on a free joint");
  c.flag("--strict", in->strict, "Treat warnings as errors");
  c.list("--package-path", in->package_paths, "URDF: a folder that holds ROS packages; may be repeated",
         {.type = "DIR"});
  c.flag("--json", in->json, "Write JSON to the standard output");
  return in;
}

Result<ModelSpec> read_spec(const ModelInput& in) {
  LoadOptions options;
  options.floating_base = in.floating;
  options.strict = in.strict;
  options.load_meshes = options.contact_meshes_only = in.meshes;
  options.package_paths = in.package_paths;
  Result<ModelSpec> spec = load(in.file == "-" ? "/dev/stdin" : in.file, options);
  if (!spec && in.file != "-" && !std::filesystem::exists(in.file))
    if (const std::string other = find_nearest_file(in.file); !other.empty())
      fmt::print(stderr, "sinew: there is no file '{}'; did you mean '{}'?\n", in.file.string(), other);
  return spec;
}

ReadModel read_model(const ModelInput& in) {
  Result<ModelSpec> spec = read_spec(in);
  ReadModel out;
  out.diagnostics = spec.diagnostics();
  if (!spec) return out;
  Result<Model> model = compile(std::move(spec).value(), {.strict = in.strict});
  out.diagnostics.append(Diagnostics(model.diagnostics()));
  if (model) out.model = std::move(model).value();
  return out;
}

void say_remarks(const Diagnostics& all, const ModelSpec& spec, const ModelInput& in) {
  constexpr int kShown = 3;
  const auto matters = [&](const Diagnostic& d) { return changes_motion(d, spec); };
  const int count = static_cast<int>(std::count_if(all.begin(), all.end(), matters));
  if (count == 0) return;
  fmt::print(stderr, "sinew: {} in {} {} the motion{}:\n", counted(count, "remark"), in.file.string(),
             count == 1 ? "changes" : "change", count > kShown ? "; the first three" : "");
  int shown = 0;
  for (const Diagnostic& d : all) {
    if (!matters(d)) continue;
    if (shown++ == kShown) break;
    fmt::print(stderr, "{}",
               wrapped("  - ",
                       clean(fmt::format("{}{}: {}", d.where.line > 0 ? fmt::format("line {}: ", d.where.line) : "",
                                         d.element, d.message)),
                       find_width(stderr)));
  }
  fmt::print(stderr, "  all of them, with repairs: sinew check{} {}\n", in.floating ? " --floating" : "",
             in.file.string());
}

}  // namespace sinew::app
