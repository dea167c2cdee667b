// apps/common/model_input.hpp - the model file that a command works on, and the options that go with it
#pragma once
#include <filesystem>
#include <functional>
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

// If there is no model, the diagnostics hold at least one error.
struct ReadModel {
  std::optional<Model> model;
  Diagnostics diagnostics;
};
// Loaded, changed by `edit` if there is one, and compiled.
ReadModel read_model(const ModelInput&, const std::function<void(ModelSpec&)>& edit = {});

}  // namespace sinew::app
