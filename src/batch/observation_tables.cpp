// src/batch/observation_tables.cpp
#include "observation_tables.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

#include "sim/sensor_kinds.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::device {

// The sensors of a model, as SensorReadings has found them.
class SensorItems {
 public:
  explicit SensorItems(const Model& m) : model_(m), readings_(m, left_out_) {}

  std::size_t size() const { return readings_.sensors_.size(); }
  const std::string& name(std::size_t i) const { return *readings_.sensors_[i].name; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  std::optional<std::size_t> find(const std::string& name) const {
    const std::optional<int> i = readings_.find(name);
    return i ? std::optional(at(*i)) : std::nullopt;
  }
  std::string describe(std::size_t i) const {
    return "the sensor '" + name(i) + "' (" + std::string(kSensorKinds[at(static_cast<int>(sensor(i).kind))].first) +
           ")";
  }
  // Without its place in a row; none: such a sensor is not read on a device.
  template <class R>
  std::optional<ObservedItem<R>> make(std::size_t i, const SceneTables<R>&) const;

 private:
  using Kind = SensorReadings::Kind;
  const SensorReadings::Sensor& sensor(std::size_t i) const { return readings_.sensors_[i]; }

  const Model& model_;
  std::vector<std::string> left_out_;
  SensorReadings readings_;
};

namespace {

template <class R>
Vec3<R> cast_vector(const Vec3<double>& x) {
  return {static_cast<R>(x.x), static_cast<R>(x.y), static_cast<R>(x.z)};
}

template <class R>
int find_actuator(const SceneTables<R>& t, int control) {
  const auto found =
      std::find_if(t.actuator.begin(), t.actuator.end(), [&](const auto& a) { return a.control == control; });
  return static_cast<int>(found - t.actuator.begin());
}
template <class R>
int find_dof(const SceneTables<R>& t, int v) {
  const auto found = std::find_if(t.dof.begin(), t.dof.end(), [&](const auto& d) { return d.v == v; });
  return static_cast<int>(found - t.dof.begin());
}

bool is_of_place(Observed kind) { return kind >= Observed::field || kind == Observed::touch; }

}  // namespace

template <class R>
std::optional<ObservedItem<R>> SensorItems::make(std::size_t i, const SceneTables<R>& t) const {
  const SensorReadings::Sensor& s = sensor(i);
  ObservedItem<R> out;
  out.size = static_cast<int>(s.size), out.index = s.index, out.cutoff = static_cast<R>(std::max(0.0, s.cutoff));
  out.node = static_cast<int>(s.object.node), out.place = cast<R>(s.object.in_node);
  if (s.relative) out.from = static_cast<int>(s.reference.node), out.base = cast<R>(s.reference.in_node);
  switch (s.kind) {
    case Kind::accelerometer: out.kind = Observed::accelerometer; break;
    case Kind::velocimeter: out.kind = Observed::velocimeter; break;
    case Kind::gyro: out.kind = Observed::gyro; break;
    case Kind::framepos: out.kind = Observed::position; break;
    case Kind::framequat: out.kind = Observed::turn; break;
    case Kind::framexaxis: out.kind = Observed::axis, out.index = 0; break;
    case Kind::frameyaxis: out.kind = Observed::axis, out.index = 1; break;
    case Kind::framezaxis: out.kind = Observed::axis, out.index = 2; break;
    case Kind::framelinvel: out.kind = Observed::velocity; break;
    case Kind::frameangvel: out.kind = Observed::angular_velocity; break;
    case Kind::framelinacc: out.kind = Observed::acceleration; break;
    case Kind::frameangacc: out.kind = Observed::angular_acceleration; break;
    case Kind::magnetometer: out.kind = Observed::field, out.vector = cast_vector<R>(model_.spec().magnetic); break;
    case Kind::jointpos:
    case Kind::ballquat: out.kind = Observed::q; break;
    case Kind::jointvel:
    case Kind::ballangvel: out.kind = Observed::v; break;
    case Kind::actuatorfrc: out.kind = Observed::force; break;
    case Kind::actuatorpos: out.kind = Observed::actuator_length, out.index = find_actuator(t, s.index); break;
    case Kind::actuatorvel: {
      out.kind = Observed::actuator_speed, out.index = find_actuator(t, s.index);
      out.dof = model_.find_joint(model_.spec().actuators[at(s.index)].target)->v;
      break;
    }
    case Kind::jointactuatorfrc: out.kind = Observed::joint_force, out.index = find_dof(t, s.index); break;
    case Kind::clock: out.kind = Observed::time; break;
    case Kind::touch:
      out.kind = Observed::touch, out.zone = s.zone;
      for (std::size_t k = 0; k < 3; ++k) out.zone_size[k] = static_cast<R>(s.zone_size[k]);
      break;
    default: return std::nullopt;
  }
  // Directions are not held within a cutoff.
  if (out.kind == Observed::turn || out.kind == Observed::axis || s.kind == Kind::ballquat) out.cutoff = 0;
  return out;
}

namespace {

struct OfBody {
  std::string_view word;
  Observed kind;
  int size;
};
constexpr OfBody kOfBody[] = {{"position", Observed::position, 3},
                              {"orientation", Observed::turn, 4},
                              {"velocity", Observed::velocity, 3},
                              {"angular_velocity", Observed::angular_velocity, 3},
                              {"contact_force", Observed::contact_force, 3}};

// Items of the names, one after the other.
template <class R>
class Items {
 public:
  Items(const Model& m, const SceneTables<R>& t) : model_(m), t_(t), sensors_(m) {}

  // False: there is no such name.
  bool add(const std::string& name) {
    const std::size_t from = out.item.size(), first = at(out.width);
    const bool found = add_items(name);
    if (found) out.part.push_back({name, first, at(out.width) - first});
    for (std::size_t i = from; i < out.item.size(); ++i) out.moves = out.moves || is_of_place(out.item[i].kind);
    return found;
  }
  ObservationTables<R> out;

 private:
  void put(ObservedItem<R> item) {
    item.first = out.width, out.width += item.size;
    out.item.push_back(item);
  }
  bool put(Observed kind, int index, int size) {
    ObservedItem<R> item;
    item.kind = kind, item.index = index, item.size = size;
    put(item);
    return true;
  }
  void put_sensor(std::size_t i) {
    const std::optional<ObservedItem<R>> item = sensors_.make(i, t_);
    if (!item) refuse_on_device(sensors_.describe(i) + " is not read on a device");
    put(*item);
  }
  bool add_items(const std::string& name) {
    const Scene<R>& s = t_.scene;
    if (name == "q") return put(Observed::q, 0, s.nq);
    if (name == "v") return put(Observed::v, 0, s.nv);
    if (name == "control") return put(Observed::control, 0, s.controls);
    if (name == "time") return put(Observed::time, 0, 1);
    if (name == "sensors") {
      if (!sensors_.left_out().empty()) throw std::invalid_argument(sensors_.left_out()[0]);
      for (std::size_t i = 0; i < sensors_.size(); ++i) put_sensor(i);
      return true;
    }
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return false;
    const std::string word = name.substr(0, dot), thing = name.substr(dot + 1);
    if (word == "q" || word == "v") {
      const JointEntry* j = model_.find_joint(thing);
      if (!j) return false;
      return word == "q" ? put(Observed::q, j->q, j->nq) : put(Observed::v, j->v, j->nv);
    }
    if (word == "control" || word == "force") {
      const int i = find_by_name(model_.spec().actuators, thing);
      return i >= 0 && put(word == "force" ? Observed::force : Observed::control, i, 1);
    }
    if (word == "sensor") {
      const std::optional<std::size_t> i = sensors_.find(thing);
      if (i) return put_sensor(*i), true;
      for (const std::string& why : sensors_.left_out())
        if (why.find("sensor '" + thing + "' ") != std::string::npos) throw std::invalid_argument(why);
      return false;
    }
    return add_of_body(word, thing);
  }
  bool add_of_body(const std::string& word, const std::string& thing) {
    const std::optional<int> body = model_.find_body(thing);
    if (!body) return false;
    const BodyEntry& place = model_.bodies()[at(*body)];
    ObservedItem<R> item;
    item.index = *body, item.node = static_cast<int>(place.node), item.place = cast<R>(place.in_node);
    for (const OfBody& k : kOfBody) {
      if (k.word != word) continue;
      item.kind = k.kind, item.size = k.size;
      put(item);
      return true;
    }
    if (word != "x" && word != "y" && word != "z") return false;
    item.kind = Observed::coordinate, item.size = 1, item.index = word[0] - 'x';
    put(item);
    return true;
  }

  const Model& model_;
  const SceneTables<R>& t_;
  SensorItems sensors_;
};

}  // namespace

std::vector<std::string> list_observable(const Model& m) {
  const SensorItems sensors(m);
  const SceneTables<double> none;
  std::vector<std::string> out = {"q", "v", "time", "control"};
  std::size_t read = 0;
  for (std::size_t i = 0; i < sensors.size(); ++i) read += sensors.make(i, none).has_value();
  if (read > 0 && read == m.spec().sensors.size()) out.emplace_back("sensors");
  for (const char* kind : {"q.", "v."})
    for (const JointEntry& j : m.joints())
      if (j.nv > 0 && !j.name.empty()) out.push_back(kind + j.name);
  for (const char* kind : {"control.", "force."})
    for (const ActuatorSpec& a : m.spec().actuators)
      if (!a.name.empty()) out.push_back(kind + a.name);
  for (std::size_t i = 0; i < sensors.size(); ++i)
    if (!sensors.name(i).empty() && sensors.make(i, none)) out.push_back("sensor." + sensors.name(i));
  for (const char* kind :
       {"x.", "y.", "z.", "position.", "orientation.", "velocity.", "angular_velocity.", "contact_force."})
    for (const BodyEntry& b : m.bodies().subspan(1)) out.push_back(kind + b.name);
  return out;
}

template <class R>
ObservationTables<R> make_observation_tables(const Model& m, const SceneTables<R>& tables,
                                             const std::vector<std::string>& names) {
  Items<R> items(m, tables);
  for (const std::string& name : names)
    if (!items.add(name))
      throw std::invalid_argument("set_observation: there is nothing of the name '" + name + "'" +
                                  suggest_name(name, list_observable(m)) + "; observation_names lists all");
  return std::move(items.out);
}

template ObservationTables<float> make_observation_tables(const Model&, const SceneTables<float>&,
                                                          const std::vector<std::string>&);
template ObservationTables<double> make_observation_tables(const Model&, const SceneTables<double>&,
                                                           const std::vector<std::string>&);

}  // namespace sinew::device
