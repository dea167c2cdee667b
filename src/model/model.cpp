// src/model/model.cpp
#include "sinew/model/model.hpp"

namespace sinew {

std::optional<int> Model::find_body(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}

namespace {
const JointEntry* find_in(std::span<const JointEntry> joints, std::string_view name) {
  for (const JointEntry& j : joints) {
    if (j.name == name) return &j;
    if (const JointEntry* part = find_in(j.parts, name)) return part;
  }
  return nullptr;
}
}  // namespace

const JointEntry* Model::find_joint(std::string_view name) const { return find_in(joints_, name); }

std::optional<int> Model::find_tendon(std::string_view name) const {
  for (std::size_t i = 0; i < tendons_.size(); ++i)
    if (tendons_[i].name == name) return static_cast<int>(i);
  return std::nullopt;
}

std::optional<FrameEntry> Model::find_frame(std::string_view name) const {
  for (const FrameEntry& f : frames_)
    if (f.name == name) return f;
  if (const auto b = find_body(name)) {
    const BodyEntry& body = bodies_[*b];
    return FrameEntry{body.name, *b, body.node, body.in_node};
  }
  return std::nullopt;
}

}  // namespace sinew
