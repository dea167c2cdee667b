// apps/eval/state_json.cpp
#include "eval/state_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew::app {
namespace {

using Parsed = nlohmann::json;
constexpr double kUnitTolerance = 1e-6;

class Reader {
 public:
  Reader(const Model& m, const Exchange& x, const StateDefaults& d) : m_(m), x_(x), defaults_(d), kinematics_(m) {}

  EvalState read(const Parsed& json, int index) {
    index_ = index;
    if (!json.is_object()) fail("is {}, not an object like {{\"q\": [..], \"v\": [..]}}", json.type_name());
    static constexpr std::string_view kKeys[] = {"q",       "v",          "a",        "tau",   "time",
                                                 "control", "activation", "external", "frame", "reference"};
    for (const auto& [key, value] : json.items())
      if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
        fail("'{}' is not a key; there are {}", key, fmt::join(kKeys, ", "));
    EvalState s;
    s.index = index;
    if (json.contains("time")) s.time = number("time", json["time"]);
    read_coordinates(json, s);
    s.control.resize(m_.spec().actuators.size()), s.activation.resize(static_cast<std::size_t>(m_.activations()));
    if (json.contains("control")) s.control = numbers("control", json["control"], s.control.size(), "the model");
    if (json.contains("activation"))
      s.activation = numbers("activation", json["activation"], s.activation.size(), "the model");
    s.frames = defaults_.frames;
    s.reference = defaults_.reference;
    if (json.contains("frame")) read_frames(json["frame"], s);
    if (json.contains("reference")) {
      const auto reference =
          json["reference"].is_string() ? find_reference(json["reference"].get<std::string>()) : std::nullopt;
      if (!reference) fail("reference is {}; there are \"world\", \"body\", \"mixed\"", json["reference"].dump());
      s.reference = *reference;
    }
    if (json.contains("external")) read_external(json["external"], s);
    return s;
  }

 private:
  template <class... A>
  [[noreturn]] void fail(fmt::format_string<A...> text, A&&... a) const {
    throw InputError(fmt::format("state {}: {}", index_, fmt::format(text, std::forward<A>(a)...)), 2, index_);
  }

  double number(const std::string& what, const Parsed& json) const {
    if (json.is_null()) fail("{} is not a finite number (NaN, infinite or null)", what);
    if (!json.is_number()) fail("{} is {}, not a number", what, json.dump());
    return json.get<double>();
  }
  Numbers numbers(const std::string& what, const Parsed& json, std::size_t size, std::string_view why) const {
    if (!json.is_array()) fail("{} is {}, not a list of {} numbers", what, json.type_name(), size);
    if (json.size() != size) fail("{} has {} numbers, {} needs {}", what, json.size(), why, size);
    Numbers out;
    for (const Parsed& x : json) out.push_back(number(fmt::format("{}[{}]", what, out.size()), x));
    return out;
  }

  void read_coordinates(const Parsed& json, EvalState& s) const {
    const auto nv = static_cast<std::size_t>(m_.nv());
    const std::string in = fmt::format("the model in the {} convention", to_string(x_.convention()));
    const auto read_one = [&](const char* key, std::size_t size) -> std::optional<Numbers> {
      if (json.contains(key)) return numbers(key, json[key], size, in);
      return size == 0 ? std::optional<Numbers>(Numbers()) : std::nullopt;
    };
    const auto q = read_one("q", static_cast<std::size_t>(x_.map().nq()));
    const auto v = read_one("v", nv), a = read_one("a", nv), tau = read_one("tau", nv);
    if (!q) return;
    s.q = position(*q);
    if (tau) x_.map().from_other_tau(*s.q, *tau, s.tau.emplace(nv));
    if (!v) return;
    x_.map().from_other_v(*s.q, *v, s.v.emplace(nv));
    if (a) x_.map().from_other_a(*s.q, *s.v, *a, s.a.emplace(nv));
  }

  // Quaternions, and cosines with their sines, must have unit length; they are made so to the last digit.
  Numbers position(const Numbers& other) const {
    Numbers q(static_cast<std::size_t>(m_.nq())), again(other.size());
    x_.map().from_other_q(other, q);
    normalize<double>(m_, q);
    x_.map().to_other_q(q, again);
    for (std::size_t i = 0; i < other.size(); ++i)
      if (!(std::abs(again[i] - other[i]) <= kUnitTolerance))
        fail(
            "q[{}] is {}: the quaternion, or the cosine and sine, that it is part of is not of unit length; normalise "
            "it",
            i, other[i]);
    return q;
  }

  void read_frames(const Parsed& json, EvalState& s) const {
    s.frames.clear();
    for (const Parsed& name : json.is_array() ? json : Parsed::array({json})) {
      if (!name.is_string()) fail("frame is {}, not a name or a list of names", json.dump());
      s.frames.push_back(name.get<std::string>());
      try {
        find_place(m_, s.frames.back());
      } catch (const InputError& e) {
        fail("frame: {}", e.what());
      }
    }
  }

  void read_external(const Parsed& json, EvalState& s) {
    if (!json.is_object())
      fail("external is {}, not an object like {{\"hand\": {{\"force\": [0, 0, 1]}}}}", json.type_name());
    s.external.resize(m_.bodies().size());
    for (const auto& [body, force] : json.items()) {
      const auto index = m_.find_body(body);
      if (!index) fail("external: there is no body '{}'; there are {}", body, list_bodies(m_));
      s.external[*index] = read_force("external " + body, force, *index, s);
    }
  }

  Force<double> read_force(const std::string& what, const Parsed& json, int body, const EvalState& s) {
    if (!json.is_object()) fail("{} is {}, not an object with force, torque, frame", what, json.type_name());
    for (const auto& [key, value] : json.items())
      if (key != "force" && key != "torque" && key != "frame")
        fail("{}: '{}' is not a key; there are force, torque, frame", what, key);
    const auto part = [&](const char* key) -> Vec3<double> {
      if (!json.contains(key)) return {};
      const Numbers x = numbers(what + " " + key, json[key], 3, "a vector");
      return {x[0], x[1], x[2]};
    };
    const Force<double> f{part("torque"), part("force")};
    const Parsed frame = json.value("frame", Parsed("body"));
    if (frame == "body") return f;
    if (frame != "world") fail("{}: frame is {}; there are \"body\", \"world\"", what, frame.dump());
    if (!s.q) fail("{} is in the world's axes, which needs q", what);
    calc_kinematics(m_, kinematics_, *s.q, s.time);
    const Rotation<double> E = get_body_pose(m_, kinematics_, body).E;
    return {apply(E, f.ang), apply(E, f.lin)};
  }

  const Model& m_;
  const Exchange& x_;
  const StateDefaults& defaults_;
  KinematicsWorkspace<double> kinematics_;
  int index_ = 0;
};

}  // namespace

std::vector<EvalState> read_states(const std::string& text, const Model& m, const Exchange& x, const StateDefaults& d) {
  // NaN and infinities, which Python writes but JSON does not have, become null, so that a message can name the entry.
  const Parsed json = parse_json<Parsed>(
      replace_words(text, {"-NaN", "NaN", "-nan", "nan", "-Infinity", "Infinity", "-inf", "inf"}, WriteWord::as_null));
  Reader reader(m, x, d);
  std::vector<EvalState> states;
  if (!json.is_array()) return {reader.read(json, 0)};
  for (const Parsed& one : json) states.push_back(reader.read(one, static_cast<int>(states.size())));
  return states;
}

}  // namespace sinew::app
