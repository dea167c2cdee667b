// sinew/io/flexible.hpp - flexible bodies from a JSON file beside the model
//   Result<FlexibleInput> in = load_flexible("arm.flexible.json", model);
//   sko::FlexibleModel m(model, in->bodies, in->attach);
// {"bodies": [{"body": "link", "beam": {...}}, {"body": "panel", "finite_elements": {...}},
//             {"body": "boom", "modal": {...}}], "attach": {"joint": "node"}}
// docs/flexible.md has all keys. A beam gets an interface node at every joint that hangs on its body; attach names
// nodes for joints of other bodies that hang elsewhere than on a node. A key that is not known, a number that is out of
// range and data that check_flexible_body refuses are errors with file, line and element.
#pragma once
#include <filesystem>
#include <string_view>

#include "sinew/base/result.hpp"
#include "sinew/operators/flexible_model.hpp"

namespace sinew {

// What a file of flexible bodies says.
struct FlexibleInput {
  std::vector<sko::FlexibleBody> bodies;
  sko::FlexibleModel::Attachments attach;
};

// Reads the JSON file of docs/flexible.md, for bodies of this model.
Result<FlexibleInput> load_flexible(const std::filesystem::path&, const Model&);
// Files that it names are looked for beside `name`.
Result<FlexibleInput> parse_flexible(std::string_view text, const std::filesystem::path& name, const Model&);

}  // namespace sinew
