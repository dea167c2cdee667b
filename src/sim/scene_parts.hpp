// src/sim/scene_parts.hpp - what scene.cpp and hold.cpp share
#pragma once
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "sinew/sim/scene.hpp"

namespace sinew::scene {

[[noreturn]] inline void refuse(const std::string& why) { throw std::invalid_argument("make_scene: " + why); }

inline std::string with_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// A name that none of the list has.
template <class List>
std::string find_free_name(std::string name, const List& list) {
  while (std::any_of(list.begin(), list.end(), [&](const auto& x) { return x.name == name; })) name += '_';
  return name;
}

// Joins a tree to the world without holding it.
inline bool is_base_joint(const JointEntry& j) {
  return j.parent == 0 && (j.kind == JointKind::free || j.kind == JointKind::planar);
}

// The ancestor of a body next to the world: bodies of one mechanism share it.
inline int find_top(const Model& m, int body) {
  while (body != 0 && m.bodies()[body].parent != 0) body = m.bodies()[body].parent;
  return body;
}

inline bool is_below(const Model& m, int node, int ancestor) {
  while (node > ancestor) node = m.nodes()[node].parent;
  return node == ancestor;
}

// Adds servos that hold the start pose, and notes on them.
void hold_start(const Model&, const HoldOptions&, ModelSpec&, Scene&);

}  // namespace sinew::scene
