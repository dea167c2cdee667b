// apps/common/places.cpp
#include "common/places.hpp"

#include <vector>

#include "common/input_error.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

const FrameEntry* find_frame(const Model& m, const std::string& name) {
  for (const FrameEntry& f : m.frames())
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) out += (i ? ", '" : "'") + names[i] + "'";
  return names.size() > kShown ? out + " and " + std::to_string(names.size() - kShown) + " more" : out;
}

std::optional<ReferenceFrame> find_reference(const std::string& name) {
  if (name == "world" || name == "WORLD") return ReferenceFrame::world;
  if (name == "body" || name == "LOCAL") return ReferenceFrame::body;
  if (name == "mixed" || name == "LOCAL_WORLD_ALIGNED") return ReferenceFrame::mixed;
  return std::nullopt;
}

const char* to_string(ReferenceFrame r) {
  return r == ReferenceFrame::world ? "world" : r == ReferenceFrame::body ? "body" : "mixed";
}

Place find_place(const Model& m, const std::string& name) {
  const FrameEntry* frame = find_frame(m, name);
  std::optional<int> body = m.find_body(name);
  if (!frame && !body && name.starts_with("frame:")) frame = find_frame(m, name.substr(6));
  if (!frame && !body && name.starts_with("body:")) body = m.find_body(name.substr(5));
  if (frame && body) throw InputError("'" + name + "' is a frame and a body; write frame:" + name + " or body:" + name);
  if (frame) return *frame;
  if (body) return m.bodies()[*body];
  std::vector<std::string> names;
  for (const FrameEntry& f : m.frames()) names.push_back(f.name);
  for (const BodyEntry& b : m.bodies()) names.push_back(b.name);
  throw InputError("there is no frame or body '" + name + "'; there are " + list_names(names) +
                   suggest_name(name, names));
}

std::string list_bodies(const Model& m) {
  std::vector<std::string> names;
  for (const BodyEntry& b : m.bodies()) names.push_back(b.name);
  return list_names(names);
}

}  // namespace sinew::app
