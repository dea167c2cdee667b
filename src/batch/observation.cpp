// src/batch/observation.cpp - numbers of worlds by their names
#include <stdexcept>

#include "batch/check_rows.hpp"
#include "batch/worlds.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

template <class List>
std::size_t find_named(const List& list, std::string_view name) {
  std::size_t i = 0;
  while (i < list.size() && list[i].name != name) ++i;
  return i;
}

}  // namespace

std::vector<std::string> SimulationBatch::observation_names() const {
  const Model& m = p_->model();
  std::vector<std::string> out = {"q", "v", "time", "control", "activation", "contacts"};
  if (!m.spec().sensors.empty()) out.emplace_back("sensors");
  for (const char* kind : {"q.", "v."})
    for (const JointEntry& j : m.joints())
      if (j.nv > 0 && !j.name.empty()) out.push_back(kind + j.name);
  for (const char* kind : {"control.", "force."})
    for (const ActuatorSpec& a : m.spec().actuators)
      if (!a.name.empty()) out.push_back(kind + a.name);
  for (const SensorSpec& s : m.spec().sensors)
    if (!s.name.empty()) out.push_back("sensor." + s.name);
  for (const char* kind :
       {"x.", "y.", "z.", "position.", "orientation.", "velocity.", "angular_velocity.", "contact_force."})
    for (const BodyEntry& b : m.bodies().subspan(1)) out.push_back(kind + b.name);
  return out;
}

Observation SimulationBatch::make_observation(const std::vector<std::string>& names) {
  using Kind = Observation::Kind;
  Implementation& p = *p_;
  const Model& m = p.model();
  Observation out;
  out.made_by_ = p_.get();
  // Kind by its word, and how many numbers a body has of it.
  struct OfBody {
    std::string_view word;
    Kind kind;
    std::size_t size;
  };
  static constexpr OfBody kOfBody[] = {{"position", Kind::position, 3},
                                       {"orientation", Kind::orientation, 4},
                                       {"velocity", Kind::velocity, 3},
                                       {"angular_velocity", Kind::angular_velocity, 3},
                                       {"contact_force", Kind::contact_force, 3},
                                       {"x", Kind::axis, 1},
                                       {"y", Kind::axis, 1},
                                       {"z", Kind::axis, 1}};
  const auto add = [&](const std::string& name, Observation::Source source, std::size_t size) {
    out.parts_.push_back({name, out.width_, size});
    out.sources_.push_back(source);
    out.width_ += size;
    out.reads_sensors_ |= source.kind == Kind::sensor || source.kind == Kind::sensors;
  };
  const auto make_sensors = [&] {
    for (std::size_t i = 0; i < p.readers.size(); ++i)
      if (!p.readers[i].sensors) p.readers[i].sensors.emplace(p.shared ? m : *p.worlds[i].model);
    return p.readers[0].sensors->values().size();
  };
  // False: there is no such name.
  const auto find = [&](const std::string& name) {
    if (name == "q") return add(name, {Kind::q}, p.q.cols), true;
    if (name == "v") return add(name, {Kind::v}, p.v.cols), true;
    if (name == "time") return add(name, {Kind::time}, 1), true;
    if (name == "control") return add(name, {Kind::control}, p.control.cols), true;
    if (name == "activation") return add(name, {Kind::activation}, p.activation.cols), true;
    if (name == "contacts") return add(name, {Kind::contacts}, 1), true;
    if (name == "sensors") return add(name, {Kind::sensors}, make_sensors()), true;
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return false;
    const std::string word = name.substr(0, dot), thing = name.substr(dot + 1);
    if (word == "q" || word == "v") {
      const JointEntry* j = m.find_joint(thing);
      if (!j) return false;
      if (word == "q") return add(name, {Kind::q, at(j->q)}, at(j->nq)), true;
      return add(name, {Kind::v, at(j->v)}, at(j->nv)), true;
    }
    if (word == "control" || word == "force") {
      const std::size_t a = find_named(m.spec().actuators, thing);
      if (a == p.control.cols) return false;
      return add(name, {word == "force" ? Kind::force : Kind::control, a}, 1), true;
    }
    if (word == "sensor") {
      const std::size_t s = find_named(m.spec().sensors, thing);
      if (s == m.spec().sensors.size()) return false;
      make_sensors();
      return add(name, {Kind::sensor, s}, p.readers[0].sensors->values(static_cast<int>(s)).size()), true;
    }
    for (const OfBody& k : kOfBody) {
      const std::optional<int> body = m.find_body(thing);
      if (k.word != word || !body) continue;
      add(name, {k.kind, at(*body), k.kind == Kind::axis ? word[0] - 'x' : 0}, k.size);
      out.reads_bodies_ |= k.kind != Kind::contact_force;
      return true;
    }
    return false;
  };
  for (const std::string& name : names)
    if (!find(name))
      throw std::invalid_argument("observe: there is nothing of the name '" + name + "'" +
                                  suggest_name(name, observation_names()) + "; observation_names lists all");
  for (Implementation::Reader& r : p.readers) r.motions.resize(m.bodies().size());
  return out;
}

void SimulationBatch::Implementation::observe(std::size_t i, Reader& reader, const Observation& what, double* out) {
  using Kind = Observation::Kind;
  Simulation& s = *worlds[i].simulation;
  get_rows(i, s.state), control.get(i, s.control);
  if (what.reads_bodies_) s.calc_body_motions(reader.motions);
  if (what.reads_sensors_) reader.sensors->update(s);
  const auto write = [](const Vec3<double>& x, double* to) { to[0] = x.x, to[1] = x.y, to[2] = x.z; };
  for (std::size_t k = 0; k < what.sources_.size(); ++k) {
    const Observation::Source& source = what.sources_[k];
    const std::size_t index = source.index, size = what.parts_[k].size;
    double* to = out + what.parts_[k].first;
    const auto copy = [&](const double* from) { std::copy_n(from, size, to); };
    switch (source.kind) {
      case Kind::q: copy(q.row(i) + index); break;
      case Kind::v: copy(v.row(i) + index); break;
      case Kind::time: copy(time.row(i)); break;
      case Kind::control: copy(control.row(i) + index); break;
      case Kind::activation: copy(activation.row(i)); break;
      case Kind::force: to[0] = s.actuator_forces()[index]; break;
      case Kind::contacts: to[0] = static_cast<double>(s.contacts().size()); break;
      case Kind::sensor: copy(reader.sensors->values(static_cast<int>(index)).data()); break;
      case Kind::sensors: copy(reader.sensors->values().data()); break;
      case Kind::position: write(reader.motions[index].pose.r, to); break;
      case Kind::axis: {
        const Vec3<double> r = reader.motions[index].pose.r;
        to[0] = source.axis == 0 ? r.x : source.axis == 1 ? r.y : r.z;
        break;
      }
      case Kind::velocity: write(reader.motions[index].velocity.lin, to); break;
      case Kind::angular_velocity: write(reader.motions[index].velocity.ang, to); break;
      case Kind::orientation: {
        const Quaternion<double> turn = to_quaternion(reader.motions[index].pose.E);
        to[0] = turn.w, to[1] = turn.x, to[2] = turn.y, to[3] = turn.z;
        break;
      }
      case Kind::contact_force: {
        Vec3<double> force{};
        for (std::size_t c = 0; c < s.contacts().size(); ++c) {
          const auto [a, b] = s.shapes().shapes_of(s.contacts()[c]);
          if (at(body_of_shape[at(a)]) == index) force += s.contact_force(c);
          if (at(body_of_shape[at(b)]) == index) force -= s.contact_force(c);
        }
        write(force, to);
        break;
      }
    }
  }
}

void SimulationBatch::observe(const Observation& what, OutRows out) {
  if (what.made_by_ != p_.get())
    throw std::invalid_argument("SimulationBatch::observe: the observation was made by another batch");
  check_rows("SimulationBatch::observe", "out", out, size(), what.width());
  p_->for_each_world([&](int worker, std::size_t i) {
    p_->observe(i, p_->readers[p_->shared ? at(worker) : i], what, out.data() + i * out.stride());
  });
}

}  // namespace sinew
