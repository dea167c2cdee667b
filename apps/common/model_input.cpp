// apps/common/model_input.cpp
#include "common/model_input.hpp"

#include "sinew/io/load.hpp"

namespace sinew::app {

std::shared_ptr<ModelInput> add_model_input(Command& c) {
  auto in = std::make_shared<ModelInput>();
  c.option("FILE", in->file, "A URDF or MJCF file", {.required = true});
  c.flag("--floating", in->floating, "URDF: put the root link on a free joint");
  c.flag("--strict", in->strict, "Treat warnings as errors");
  c.list("--package-path", in->package_paths, "URDF: a folder that holds ROS packages; may be repeated",
         {.type = "DIR"});
  c.flag("--json", in->json, "Write JSON to the standard output");
  return in;
}

ReadModel read_model(const ModelInput& in, const std::function<void(ModelSpec&)>& edit) {
  LoadOptions options;
  options.floating_base = in.floating;
  options.strict = in.strict;
  options.load_meshes = in.meshes;
  options.package_paths = in.package_paths;
  Result<ModelSpec> spec = load(in.file, options);
  ReadModel out;
  out.diagnostics = spec.diagnostics();
  if (!spec) return out;
  ModelSpec edited = std::move(spec).value();
  if (edit) edit(edited);
  Result<Model> model = compile(std::move(edited), {.strict = in.strict});
  Diagnostics more = model.diagnostics();
  out.diagnostics.append(std::move(more));
  if (model) out.model = std::move(model).value();
  return out;
}

}  // namespace sinew::app
