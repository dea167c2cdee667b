// apps/view/orders.cpp
#include "view/orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

// One message, by its keys. All complaints name the order and the key.
class Message {
 public:
  explicit Message(const std::string& text) : json_(parse_json<nlohmann::json>(text)) {
    if (!json_.is_object()) throw InputError("a message is an object like {\"do\": \"pause\", \"on\": true}");
    const auto found = json_.find("do");
    if (found == json_.end() || !found->is_string())
      throw InputError("a message has a text \"do\": what is to be done");
    name_ = found->get<std::string>();
  }
  const std::string& name() const { return name_; }

  // The keys besides "do".
  void expect(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : json_.items())
      if (key != "do" && std::find(keys.begin(), keys.end(), key) == keys.end())
        throw InputError(
            fmt::format("{}: there is no key '{}'; {}", name_, shorten(key),
                        keys.size() == 0 ? "it has none" : fmt::format("there are {}", fmt::join(keys, ", "))));
    for (const std::string_view key : keys)
      if (!json_.contains(key)) throw InputError(fmt::format("{}: '{}' is missing", name_, key));
  }
  bool flag(const char* key) const {
    if (!json_[key].is_boolean()) refuse(key, "true or false");
    return json_[key].get<bool>();
  }
  std::string text(const char* key) const {
    if (!json_[key].is_string()) refuse(key, "a text");
    return json_[key].get<std::string>();
  }
  double number(const char* key, double least, double most) const { return number_of(json_[key], key, least, most); }
  int count(const char* key, int least, int most) const {
    const double x = number(key, least, most);
    if (x != std::floor(x)) refuse(key, "a whole number");
    return static_cast<int>(x);
  }
  Vec3<double> vector(const char* key, double most) const {
    const nlohmann::json& v = json_[key];
    if (!v.is_array() || v.size() != 3) refuse(key, "a list of three numbers");
    return {number_of(v[0], key, -most, most), number_of(v[1], key, -most, most), number_of(v[2], key, -most, most)};
  }

 private:
  // Bytes of others are shown in part, and never as something that a terminal obeys.
  static std::string shorten(const std::string& text) {
    std::string out = text.substr(0, 40);
    for (char& c : out)
      if (c < ' ' || c > '~') c = '?';
    return out;
  }
  [[noreturn]] void refuse(const char* key, const std::string& want) const {
    throw InputError(fmt::format("{}: '{}' must be {}", name_, key, want));
  }
  double number_of(const nlohmann::json& x, const char* key, double least, double most) const {
    if (!x.is_number()) refuse(key, "a number");
    const double value = x.get<double>();
    if (!(value >= least && value <= most))
      throw InputError(
          fmt::format("{}: '{}' is {:g}, but must be between {:g} and {:g}", name_, key, value, least, most));
    return value;
  }

  nlohmann::json json_;
  std::string name_;
};

Order read_position(const Message& m, const OrderLimits& limits) {
  m.expect({"joint", "value"});
  if (limits.joints.empty()) throw InputError("position: the model has no joints");
  const int joint = m.count("joint", 0, static_cast<int>(limits.joints.size()) - 1);
  const OrderLimits::Joint& j = limits.joints[static_cast<std::size_t>(joint)];
  if (!j.settable) throw InputError(fmt::format("position: joint {} has not one coordinate", joint));
  return order::Position{joint, m.number("value", j.lower, j.upper)};
}
Order read_drag(const Message& m, const OrderLimits& limits) {
  m.expect({"body", "point", "target"});
  const int body = m.count("body", 0, limits.bodies - 1);
  if (!limits.moves[static_cast<std::size_t>(body)])
    throw InputError(fmt::format("drag: body {} is fixed to the world", body));
  return order::Drag{body, m.vector("point", kFarthest), m.vector("target", kFarthest)};
}
Order read_control_order(const Message& m, const OrderLimits& limits) {
  m.expect({"actuator", "value"});
  if (limits.actuators.empty()) throw InputError("control: the model has no actuators");
  const int i = m.count("actuator", 0, static_cast<int>(limits.actuators.size()) - 1);
  const OrderLimits::Joint& a = limits.actuators[static_cast<std::size_t>(i)];
  return order::Control{i, m.number("value", a.lower, a.upper)};
}
Order read_formulation(const Message& m) {
  m.expect({"name"});
  const auto found = find_formulation(m.text("name"));
  if (found) return order::Formulate{*found};
  std::string known;
  for (const Formulation f : kFormulations) known += (known.empty() ? "" : ", ") + std::string(to_string(f));
  throw InputError("formulation: there is no such name; known: " + known);
}

constexpr double kFree = 1e3;  // [rad or m] of coordinates without limits, and of controls

const std::vector<std::string> kOrders = {"pause",    "step",    "reset",   "speed",       "drag",  "release",
                                          "position", "control", "gravity", "formulation", "record"};

}  // namespace

OrderLimits make_order_limits(const Model& m) {
  const auto within = [](double lower, double upper) {
    return OrderLimits::Joint{true, std::max(lower, -kFree), std::min(upper, kFree)};
  };
  OrderLimits out;
  out.bodies = static_cast<int>(m.bodies().size());
  for (const BodyEntry& b : m.bodies()) out.moves.push_back(b.node != 0);
  for (const JointEntry& j : m.joints()) {
    const bool one = j.nq == 1 && j.nv == 1 && !j.nodes.empty() && j.kind != JointKind::prescribed;
    const DofSpec* dof = one ? &m.dofs()[static_cast<std::size_t>(j.v)] : nullptr;
    out.joints.push_back(dof ? within(dof->lower, dof->upper) : OrderLimits::Joint{});
  }
  for (const ActuatorSpec& a : m.spec().actuators) out.actuators.push_back(within(a.control_lower, a.control_upper));
  return out;
}

Order read_order(const std::string& text, const OrderLimits& limits) {
  if (text.size() > kLongestMessage)
    throw InputError(fmt::format("a message has at most {} bytes, this one has {}", kLongestMessage, text.size()));
  const Message m(text);
  const std::string& name = m.name();
  if (name == "pause") return m.expect({"on"}), order::Pause{m.flag("on")};
  if (name == "step") return m.expect({"count"}), order::Step{m.count("count", 1, kMostSteps)};
  if (name == "reset") return m.expect({}), order::Reset{};
  if (name == "speed") return m.expect({"factor"}), order::Speed{m.number("factor", kLeastSpeed, kMostSpeed)};
  if (name == "drag") return read_drag(m, limits);
  if (name == "release") return m.expect({}), order::Release{};
  if (name == "position") return read_position(m, limits);
  if (name == "control") return read_control_order(m, limits);
  if (name == "gravity") return m.expect({"value"}), order::Gravity{m.vector("value", kMostGravity)};
  if (name == "formulation") return read_formulation(m);
  if (name == "record") return m.expect({"on"}), order::Record{m.flag("on")};
  throw InputError(fmt::format("there is no such order; known: {}", fmt::join(kOrders, ", ")));
}

}  // namespace sinew::app
