// apps/sim/signals.cpp
#include "sim/signals.hpp"

#include <algorithm>
#include <charconv>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::app {
namespace {

constexpr std::size_t kMostParts = 1000;

// Of a body that --track or a signal names.
int find_body(const Model& m, const std::string& option, const std::string& name) {
  if (const std::optional<int> body = m.find_body(name)) return *body;
  std::vector<std::string> known;
  for (const BodyEntry& b : m.bodies()) known.push_back(b.name);
  throw InputError(option + ": there is no body '" + name + "'" + suggest_name(name, known), kUsage);
}

[[noreturn]] void refuse_signal(const std::string& name, const std::string& why) {
  throw InputError("--signal " + name + ": " + why, kUsage);
}

}  // namespace

void Thinned::join(Part& a, const Part& b) {
  if (b.low < a.low) a.low = b.low, a.low_time = b.low_time;
  if (b.high > a.high) a.high = b.high, a.high_time = b.high_time;
}
void Thinned::add(double time, double value) {
  const Part now{time, value, time, value};
  if (in_last_ > 0 && in_last_ < per_part_) {
    join(parts_.back(), now), ++in_last_;
    return;
  }
  if (parts_.size() == kMostParts) {
    for (std::size_t i = 0; i < kMostParts / 2; ++i) {
      parts_[i] = parts_[2 * i];
      join(parts_[i], parts_[2 * i + 1]);
    }
    parts_.resize(kMostParts / 2), per_part_ *= 2;
  }
  parts_.push_back(now), in_last_ = 1;
}
void Thinned::get(std::vector<double>& time, std::vector<double>& value) const {
  for (const Part& p : parts_) {
    const bool low_first = p.low_time <= p.high_time;
    time.push_back(low_first ? p.low_time : p.high_time), value.push_back(low_first ? p.low : p.high);
    if (p.low_time == p.high_time) continue;
    time.push_back(low_first ? p.high_time : p.low_time), value.push_back(low_first ? p.high : p.low);
  }
}

Signals::Signals(Stepper& s, const std::vector<std::string>& names, const std::string& body) : s_(s) {
  for (const char* usual : {"height", "velocity", "energy", "contacts"})
    if (names.empty()) add(usual, body);
  for (const std::string& name : names) add(name, body);
}

void Signals::add(std::string panel, std::string unit, std::string name, std::function<double()> read) {
  curves_.push_back({std::move(panel), std::move(unit), std::move(name), std::move(read), {}});
}

void Signals::add(const std::string& name, const std::string& body) {
  const std::vector<std::string> plain = {"height", "velocity", "energy", "contacts", "residual", "penetration"};
  const std::size_t dot = name.find('.');
  const std::string kind = name.substr(0, dot), rest = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (name == "height" || name == "velocity") {
    const int number = find_body(s_.model(), "--track " + body, body);
    const BodyEntry& b = s_.model().bodies()[number];
    const Vec3<double> centre = b.inertia.m > 0 ? centre_of_mass(b.inertia) : Vec3<double>{};
    if (name == "height")
      add("height of " + body, "m", body,
          [this, number, centre] { return apply_inverse_to_point(motions_[at(number)].pose, centre).z; });
    else
      add("vertical velocity of " + body, "m/s", body, [this, number, centre] {
        const BodyMotion& m = motions_[at(number)];
        return point_velocity(m.velocity, apply_inverse(m.pose.E, centre)).z;
      });
  } else if (name == "energy") {
    add("energy", "J", "total", [this] { return s_.kinetic_energy() + s_.potential_energy(); });
    add("energy", "J", "kinetic", [this] { return s_.kinetic_energy(); });
    add("energy", "J", "potential", [this] { return s_.potential_energy(); });
  } else if (name == "contacts") {
    add("contacts", "contacts in the step", name, [this] { return static_cast<double>(s_.contacts().size()); });
  } else if (name == "residual") {
    add("relative residual", "1", name, [this] { return s_.report().residual; });
  } else if (name == "penetration") {
    add("deepest overlap", "m", name, [this] { return s_.report().penetration; });
  } else if (kind == "q" || kind == "v") {
    add_coordinate(rest, kind == "q");
  } else if (kind == "x" || kind == "y" || kind == "z") {
    add_place(rest, kind[0] - 'x');
  } else if (kind == "control" || kind == "force") {
    add_actuator(rest, kind == "force");
  } else if (kind == "sensor") {
    add_sensor(rest);
  } else {
    refuse_signal(name,
                  "there is no such signal; known: height, velocity, energy, contacts, residual, penetration, "
                  "q.JOINT, v.JOINT, x.BODY, y.BODY, z.BODY, control.ACTUATOR, force.ACTUATOR, sensor.SENSOR" +
                      suggest_name(name, plain));
  }
}

void Signals::add_coordinate(const std::string& name, bool position) {
  const Model& m = s_.model();
  const std::size_t open = name.ends_with(']') ? name.rfind('[') : std::string::npos;
  const JointEntry* j = m.find_joint(name);
  std::size_t k = 0;
  if (!j && open != std::string::npos) {
    const char *first = name.data() + open + 1, *last = name.data() + name.size() - 1;
    const auto [end, fault] = std::from_chars(first, last, k);
    if (fault == std::errc() && end == last) j = m.find_joint(name.substr(0, open));
  }
  std::vector<std::string> known;
  for (const JointEntry& x : m.joints())
    if (x.nv > 0) known.push_back(x.name);
  if (!j) refuse_signal(name, "there is no such joint" + suggest_name(name, known));
  const auto count = static_cast<std::size_t>(position ? j->nq : j->nv);
  if (k >= count) refuse_signal(name, "the joint has " + std::to_string(count) + " coordinates, counted from 0");
  const std::size_t index = static_cast<std::size_t>(position ? j->q : j->v) + k;
  if (position)
    add("positions", "rad or m", name, [this, index] { return s_.state.q[index]; });
  else
    add("velocities", "rad/s or m/s", name, [this, index] { return s_.state.v[index]; });
}

void Signals::add_place(const std::string& name, int axis) {
  const std::string letter(1, static_cast<char>('x' + axis));
  const int body = find_body(s_.model(), "--signal " + letter + "." + name, name);
  add(letter + " of bodies", "m", name, [this, body, axis] {
    const Vec3<double> r = motions_[at(body)].pose.r;
    return axis == 0 ? r.x : axis == 1 ? r.y : r.z;
  });
}

void Signals::add_actuator(const std::string& name, bool force) {
  const std::vector<ActuatorSpec>& list = s_.model().spec().actuators;
  const auto a = std::find_if(list.begin(), list.end(), [&](const ActuatorSpec& x) { return x.name == name; });
  if (a == list.end()) {
    std::vector<std::string> known;
    known.reserve(list.size());
    for (const ActuatorSpec& x : list) known.push_back(x.name);
    refuse_signal(name, "there is no such actuator" + suggest_name(name, known));
  }
  const auto index = static_cast<std::size_t>(a - list.begin());
  if (force)
    add("forces of actuators", "N or N m", name, [this, index] {
      const In<double> forces = s_.actuator_forces();
      return index < forces.size() ? forces[index] : 0.0;
    });
  else
    add("controls", "", name, [this, index] { return index < s_.control.size() ? s_.control[index] : 0.0; });
}

// All numbers of a sensor, or the one that an index names: "imu", "imu[2]".
void Signals::add_sensor(const std::string& name) {
  if (!s_.extra_coordinates().empty()) refuse_signal(name, "bodies of the model bend, but sensors read rigid bodies");
  std::vector<std::string> left_out;
  if (!sensors_) sensors_.emplace(s_.model(), left_out);
  const std::vector<std::string> labels = sensors_->labels();
  bool found = false;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k] != name && labels[k].substr(0, labels[k].rfind('[')) != name) continue;
    add("sensors", "", labels[k], [this, k] { return sensors_->values()[k]; });
    found = true;
  }
  if (!found)
    refuse_signal("sensor." + name, "there is no such sensor that can be read" + suggest_name(name, labels) +
                                        (left_out.empty() ? "" : "; left out: " + left_out.front()));
}

void Signals::sample() {
  s_.calc_body_motions(motions_);
  if (sensors_) sensors_->update(s_);
  for (Curve& c : curves_) c.values.add(s_.state.time, c.read());
}

std::vector<Chart> Signals::charts() const {
  std::vector<Chart> out;
  for (const Curve& c : curves_) {
    auto chart = std::find_if(out.begin(), out.end(), [&](const Chart& x) { return x.title == c.panel; });
    if (chart == out.end()) chart = out.insert(out.end(), {c.panel, "time [s]", c.unit, {}});
    Series series{c.name, {}, {}};
    c.values.get(series.x, series.y);
    chart->series.push_back(std::move(series));
  }
  return out;
}

}  // namespace sinew::app
