// tests/fuzz/view_fuzz.cpp - any bytes as a message to sinew view, or as what a visitor says of himself
#include <cmath>
#include <cstdlib>

#include "common/input_error.hpp"
#include "fuzz/small_arm.hpp"
#include "fuzz/target.hpp"
#include "view/door.hpp"
#include "view/orders.hpp"

namespace sinew::fuzz {

// What is taken names only what is there.
const Target kViewOrder("view_order", [](std::string_view text) {
  static const app::OrderLimits limits = app::make_order_limits(small_arm());
  try {
    const app::Order o = app::read_order(std::string(text), limits);
    if (const auto* drag = std::get_if<app::order::Drag>(&o);
        drag && (drag->body <= 0 || drag->body >= limits.bodies || !std::isfinite(drag->target.x)))
      std::abort();
    if (const auto* set = std::get_if<app::order::Position>(&o);
        set && (set->joint < 0 || set->joint >= static_cast<int>(limits.joints.size())))
      std::abort();
  } catch (const app::InputError&) {
  }
});

// Lines: host, origin, target. Without the token nobody comes in.
const Target kViewDoor("view_door", [](std::string_view text) {
  const app::Door door{"127.0.0.1", "00112233445566778899aabbccddeeff"};
  const std::size_t first = text.find('\n'), second = first == text.npos ? text.npos : text.find('\n', first + 1);
  if (second == text.npos) return;
  const app::Visit visit{text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1)};
  const bool in = app::refuse_visit(door, visit, true).empty();
  if (in && visit.target.find(door.token) == visit.target.npos) std::abort();
});

}  // namespace sinew::fuzz
