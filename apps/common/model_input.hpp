// apps/common/model_input.hpp - the model file that a command works on, and the options that go with it
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "common/command.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

struct ModelInput {
  std::filesystem::path file;
  bool floating = false, strict = false, json = false;
  bool meshes = false;  // read all of them, for contact
  std::vector<std::filesystem::path> package_paths;
};

// Adds FILE, --floating, --strict, --package-path and --json to a command.
std::shared_ptr<ModelInput> add_model_input(Command&);

// Loaded, not compiled.
Result<ModelSpec> read_spec(const ModelInput&);
// On the error stream: how many remarks say that the model does not move as written, the first three of them, and how
// to see the rest. Nothing where there are none.
void say_remarks(const Diagnostics&, const ModelSpec&, const ModelInput&);

// If there is no model, the diagnostics hold at least one error.
struct ReadModel {
  std::optional<Model> model;
  Diagnostics diagnostics;
};
// Loaded and compiled.
ReadModel read_model(const ModelInput&);

}  // namespace sinew::app
