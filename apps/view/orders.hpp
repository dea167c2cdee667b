// apps/view/orders.hpp - what a page may ask for, and how it is read from its messages
// A message is a JSON object of at most kLongestMessage bytes, {"do": "drag", "body": 3, ...}. Everything in it is
// checked here: unknown or missing keys, kinds, sizes, ranges. No message names a file. docs/view.md has the table.
#pragma once
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "sinew/contact/formulation.hpp"
#include "sinew/model/model.hpp"

namespace sinew::app {

inline constexpr std::size_t kLongestMessage = 4096;  // [bytes]
inline constexpr int kMostSteps = 1000;               // of one order
inline constexpr double kLeastSpeed = 1e-3, kMostSpeed = 100, kFarthest = 1e4 /* [m] */, kMostGravity = 1e3;

namespace order {
struct Pause {
  bool on = false;
};
struct Step {
  int count = 1;
};
struct Reset {};
struct Speed {
  double factor = 1;  // simulated seconds per second
};
// A spring from a point of a body to a place in the world; one per client.
struct Drag {
  int body = 0;
  Vec3<double> point, target;  // in the body's frame; in the world
};
struct Release {};
struct Position {
  int joint = 0;  // with one coordinate
  double value = 0;
};
struct Control {
  int actuator = 0;
  double value = 0;
};
struct Gravity {
  Vec3<double> value;
};
struct Formulate {
  Formulation by = Formulation::os;
};
struct Record {
  bool on = false;
};
}  // namespace order

using Order = std::variant<order::Pause, order::Step, order::Reset, order::Speed, order::Drag, order::Release,
                           order::Position, order::Control, order::Gravity, order::Formulate, order::Record>;

// What orders may name.
struct OrderLimits {
  struct Joint {
    bool settable = false;  // one coordinate
    double lower = 0, upper = 0;
  };
  int bodies = 0;                // with the world, which cannot be dragged
  std::vector<bool> moves;       // (bodies)
  std::vector<Joint> joints;     // as in the model
  std::vector<Joint> actuators;  // ranges of their controls
};
OrderLimits make_order_limits(const Model&);

// Throws InputError with a sentence for whoever sent it.
Order read_order(const std::string& text, const OrderLimits&);

}  // namespace sinew::app
