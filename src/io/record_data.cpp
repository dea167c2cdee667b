// src/io/record_data.cpp
#include "io/record_data.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

#include "sinew/spatial/orientation.hpp"

namespace sinew::record {
namespace {

using hdf5::Type;

constexpr std::size_t kMostIds = 100000;  // of contacts whose pair is remembered

template <auto field>
double get(const StepReport& r) {
  return static_cast<double>(r.*field);
}
template <auto field>
double get_work(const StepReport& r) {
  return r.work.*field;
}

// Names of solvers by number; the last is for any other.
constexpr std::string_view kSolvers[] = {"none",  "last answer",    "gauss_seidel", "alart_curnier", "convex rounds",
                                         "lemke", "pivoting",       "pgs",          "newton",        "proximal",
                                         "qp",    "interior point", "other"};
double get_solver(const StepReport& r) {
  const auto* found = std::find(std::begin(kSolvers), std::end(kSolvers) - 1, r.solver);
  return static_cast<double>(found - std::begin(kSolvers));
}

using R = StepReport;
using W = WorkAccount;
constexpr Type kReal = Type::real, kInteger = Type::integer;
constexpr StepChannel kStepChannels[] = {
    {"certificates/contacts", "1", "contacts in the problem of the last step", kInteger, Fold::last, get<&R::contacts>},
    {"certificates/joint_rows", "1", "stops and dry friction in the problem of the last step", kInteger, Fold::last,
     get<&R::joint_rows>},
    {"certificates/collisions", "1", "collisions since the row before", kInteger, Fold::sum, get<&R::collisions>},
    {"certificates/size", "1", "largest problem since the row before", kInteger, Fold::most, get<&R::size>},
    {"certificates/solver", "1",
     "solver of the last step's answer: none, last answer, gauss_seidel, alart_curnier, convex rounds, lemke, "
     "pivoting, pgs, newton, proximal, qp, interior point, other; counted from 0",
     kInteger, Fold::last, get_solver},
    {"certificates/iterations", "1", "pivots, sweeps and Newton steps since the row before", kInteger, Fold::sum,
     get<&R::iterations>},
    {"certificates/refinements", "1", "times that a step was solved again since the row before", kInteger, Fold::sum,
     get<&R::refinements>},
    {"certificates/slowed", "1", "overlaps and stops slowed down to recovery_speed since the row before", kInteger,
     Fold::sum, get<&R::slowed>},
    {"certificates/stuck", "1",
     "overlaps and stops left as they were because their problem was not solved, since the row before", kInteger,
     Fold::sum, get<&R::stuck>},
    {"certificates/cut_short", "1",
     "steps with so many impacts that what else would bounce was stopped, since the row before", kInteger, Fold::sum,
     get<&R::cut_short>},
    {"certificates/close", "1", "problems solved less well than asked since the row before", kInteger, Fold::sum,
     get<&R::close>},
    {"certificates/unsolved", "1", "problems that were not solved since the row before", kInteger, Fold::sum,
     get<&R::unsolved>},
    {"certificates/residual", "1", "worst relative residual since the row before", kReal, Fold::most,
     get<&R::residual>},
    {"certificates/complementarity", "J", "largest product of impulse and gap rate since the row before", kReal,
     Fold::most, get<&R::complementarity>},
    {"certificates/cone", "N s", "farthest outside a friction cone since the row before", kReal, Fold::most,
     get<&R::cone>},
    {"certificates/penetration", "m", "deepest overlap since the row before", kReal, Fold::most, get<&R::penetration>},
    {"certificates/violation", "rad, m", "farthest beyond a stop since the row before", kReal, Fold::most,
     get<&R::violation>},
    {"certificates/drift", "rad, m", "largest position error of loops since the row before", kReal, Fold::most,
     get<&R::drift>},
    {"work/actuators", "J", "of actuators on joints since the row before", kReal, Fold::sum, get_work<&W::actuators>},
    {"work/springs", "J", "of springs since the row before", kReal, Fold::sum, get_work<&W::springs>},
    {"work/dampers", "J", "of dampers since the row before", kReal, Fold::sum, get_work<&W::dampers>},
    {"work/applied", "J", "of applied joint forces since the row before", kReal, Fold::sum, get_work<&W::applied>},
    {"work/external", "J", "of forces on bodies since the row before", kReal, Fold::sum, get_work<&W::external>},
    {"work/contact_normal", "J", "of normal impulses since the row before", kReal, Fold::sum,
     get_work<&W::contact_normal>},
    {"work/contact_friction", "J", "of contact friction since the row before", kReal, Fold::sum,
     get_work<&W::contact_friction>},
    {"work/collisions", "J", "gained in collisions since the row before", kReal, Fold::sum, get_work<&W::collisions>},
    {"work/stops", "J", "of stops of joints since the row before", kReal, Fold::sum, get_work<&W::stops>},
    {"work/joint_friction", "J", "of dry friction of joints since the row before", kReal, Fold::sum,
     get_work<&W::joint_friction>},
    {"work/loops", "J", "of loops since the row before", kReal, Fold::sum, get_work<&W::loops>},
};
static_assert(sizeof(WorkAccount) == 11 * sizeof(double), "a new field of WorkAccount: add a channel");

std::uint64_t count(std::size_t n) { return n; }

// "momentum/weight.ang.x" and so on: names of columns are unique.
std::vector<std::string> with_axes(const std::string& name) {
  std::vector<std::string> out;
  for (const char* part : {".ang.x", ".ang.y", ".ang.z", ".lin.x", ".lin.y", ".lin.z"}) out.push_back(name + part);
  return out;
}
std::vector<std::string> with_prefix(const std::string& prefix, std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, prefix);
  return names;
}
// "q.knee" for joints of one coordinate, "q.base[3]" for others; "q[12]" for what belongs to no joint.
std::vector<std::string> coordinate_names(const Model& m, std::size_t count, bool positions) {
  const std::string letter = positions ? "q" : "v";
  std::vector<std::string> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.push_back(letter + "[" + std::to_string(i) + "]");
  for (const JointEntry& j : m.joints()) {
    const int first = positions ? j.q : j.v, n = positions ? j.nq : j.nv;
    for (int k = 0; k < n && at(first + k) < count; ++k)
      out[at(first + k)] = letter + "." + j.name + (n == 1 ? "" : "[" + std::to_string(k) + "]");
  }
  return out;
}

void put(double* out, const Vec3<double>& v) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

}  // namespace

std::span<const StepChannel> step_channels() { return kStepChannels; }

Data::Data(const Model& m, Stepper& s, bool with_contacts)
    : model(m), simulation(s), folded_(std::size(kStepChannels)) {
  add_channel("frames/time", Type::real, {}, "s", "simulated time", [this](double* x) { *x = simulation.state.time; });
  add_channel("frames/step", Type::integer, {}, "1", "steps since the start",
              [this](double* x) { *x = static_cast<double>(simulation.totals().steps); });
  const std::size_t nq = at(m.nq()), nv = at(m.nv());
  add_channel(
      "frames/q", Type::real, {count(nq)}, "rad, m, unit quaternions w x y z",
      "positions, in the order of the model's joints",
      [this, nq](double* x) { std::copy_n(simulation.state.q.begin(), nq, x); }, coordinate_names(m, nq, true));
  add_channel(
      "frames/v", Type::real, {count(nv)}, "rad/s, m/s", "velocities, in the order of the model's joints",
      [this, nv](double* x) { std::copy_n(simulation.state.v.begin(), nv, x); }, coordinate_names(m, nv, false));
  const std::vector<std::string>& extra = s.extra_coordinates();
  std::vector<std::string> rates;
  rates.reserve(extra.size());
  for (const std::string& name : extra) rates.push_back("rate of " + name);
  add_channel(
      "frames/modes", Type::real, {count(extra.size())}, "1", "modal coordinates of bodies that bend",
      [this, nq](double* x) { std::copy(simulation.state.q.begin() + nq, simulation.state.q.end(), x); }, extra);
  add_channel(
      "frames/mode_rates", Type::real, {count(extra.size())}, "1/s", "their rates",
      [this, nv](double* x) { std::copy(simulation.state.v.begin() + nv, simulation.state.v.end(), x); }, rates);
  if (m.activations() > 0)
    add_channel("frames/activation", Type::real, {count(s.state.activation.size())}, "1",
                "activations of actuators, in their order", [this](double* x) {
                  std::copy(simulation.state.activation.begin(), simulation.state.activation.end(), x);
                });
  std::vector<std::string> places;
  for (const BodyEntry& b : m.bodies())
    for (const char* part : {"x", "y", "z", "qw", "qx", "qy", "qz"}) places.push_back(b.name + "." + part);
  add_channel(
      "bodies/poses", Type::real, {m.bodies().size(), 7}, "m, unit quaternion w x y z",
      "pose of each body's frame in the world: position, and the rotation from the world's axes to the body's",
      [this](double* x) {
        simulation.calc_body_motions(motions_);
        for (std::size_t i = 0; i < motions_.size(); ++i, x += 7) {
          const Transform<double>& pose = motions_[i].pose;
          const Quaternion<double> turn = to_quaternion(pose.E);
          put(x, pose.r);
          x[3] = turn.w, x[4] = turn.x, x[5] = turn.y, x[6] = turn.z;
        }
      },
      std::move(places));
  add_channel("energy/kinetic", Type::real, {}, "J", "of all bodies",
              [this](double* x) { *x = simulation.kinetic_energy(); });
  add_channel("energy/potential", Type::real, {}, "J", "of gravity, and stored in bodies that bend",
              [this](double* x) { *x = simulation.potential_energy(); });
  const auto add_momentum = [&](const char* name, const char* meaning, auto get) {
    add_channel(
        name, Type::real, {6}, "N m s, N s", meaning,
        [this, get](double* x) {
          const Force<double> f = get(simulation);
          put(x, f.ang), put(x + 3, f.lin);
        },
        with_axes(name));
  };
  add_momentum("momentum/bodies", "of all bodies, about the world's origin", [](Stepper& of) { return of.momentum(); });
  add_momentum("momentum/weight", "impulse of weight since the start, about the world's origin",
               [](Stepper& of) { return of.totals().impulse.weight; });
  add_momentum("momentum/external", "impulse of forces on bodies since the start, about the world's origin",
               [](Stepper& of) { return of.totals().impulse.external; });
  add_momentum("momentum/contacts",
               "impulse of contacts with the world since the start, collisions too, about its origin",
               [](Stepper& of) { return of.totals().impulse.contacts; });
  add_drives();
  add_sensors();
  for (std::size_t i = 0; i < std::size(kStepChannels); ++i) {
    const StepChannel& c = kStepChannels[i];
    add_channel(c.name, c.type, {}, c.unit, c.meaning, [this, i](double* x) { *x = folded_[i]; });
  }
  if (!with_contacts) return;

  add_channel("contacts/first", Type::integer, {}, "1", "the first contact of the row in the flat lists",
              [this](double* x) { *x = static_cast<double>(contacts_before + contacts.rows); });
  add_channel("contacts/count", Type::integer, {}, "1", "how many there are, of the last step before the row",
              [this](double* x) { *x = static_cast<double>(simulation.contacts().size()); });
  const auto add = [&](const char* name, Type type, hdf5::Shape row, const char* unit, const char* meaning) {
    const std::size_t width = row.empty() ? 1 : row[0];
    contacts.columns.push_back({name, unit, meaning, type, std::move(row), {}, width, {}});
  };
  add("contacts/pair", Type::integer, {}, "1", "index into contacts/pairs");
  add("contacts/body_a", Type::integer, {}, "1", "index into bodies/names; the force acts on it");
  add("contacts/body_b", Type::integer, {}, "1", "index into bodies/names; the reaction acts on it");
  add("contacts/id", Type::word, {}, "1", "the same from step to step for the same place of the same pair");
  add("contacts/point", Type::real, {3}, "m", "half-way between the surfaces, world");
  add("contacts/normal", Type::real, {3}, "1", "from b to a, world");
  add("contacts/gap", Type::real, {}, "m", "negative where the bodies overlap, before the step");
  add("contacts/force", Type::real, {3}, "N", "on body a, world: the impulse of the step over its length");
}

void Data::add_drives() {
  for (const ActuatorSpec& a : model.spec().actuators) actuator_names.push_back(a.name);
  const std::size_t n = actuator_names.size();
  add_channel(
      "actuators/control", Type::real, {count(n)}, "as the actuator's law takes it", "controls of the last step",
      [this](double* x) { std::copy(simulation.control.begin(), simulation.control.end(), x); },
      with_prefix("control.", actuator_names));
  add_channel(
      "actuators/force", Type::real, {count(n)}, "N m, N", "forces of the last step; 0 before the first",
      [this, n](double* x) {
        const In<double> forces = simulation.actuator_forces();
        for (std::size_t i = 0; i < n; ++i) x[i] = i < forces.size() ? forces[i] : 0;
      },
      with_prefix("force.", actuator_names));
}

void Data::add_sensors() {
  if (model.spec().sensors.empty()) return;
  if (!simulation.extra_coordinates().empty()) {
    sensors_left_out.emplace_back("all sensors: bodies of the model bend, but its sensors read rigid bodies");
    return;
  }
  sensors_.emplace(model, sensors_left_out);
  sensor_names = sensors_->labels();
  add_channel(
      "sensors/values", Type::real, {count(sensor_names.size())}, "as the kind of sensor has it",
      "readings after the last step; accelerations and forces are 0 before the first",
      [this](double* x) {
        sensors_->update(simulation);
        std::copy(sensors_->values().begin(), sensors_->values().end(), x);
      },
      with_prefix("sensor.", sensor_names));
}

void Data::add_channel(const char* name, hdf5::Type type, hdf5::Shape row, const char* unit, const char* meaning,
                       Read read, std::vector<std::string> labels) {
  std::size_t width = 1;
  for (const std::uint64_t n : row) width *= n;
  if (width == 0) return;
  frames.columns.push_back({name, unit, meaning, type, std::move(row), std::move(labels), width, {}});
  reads_.push_back(std::move(read));
}

void Data::fold(const StepReport& report) {
  for (std::size_t i = 0; i < folded_.size(); ++i) {
    const double x = kStepChannels[i].get(report);
    double& sum = folded_[i];
    switch (kStepChannels[i].fold) {
      case Fold::last: sum = x; break;
      case Fold::sum: sum += x; break;
      case Fold::most: sum = std::max(sum, x); break;
    }
  }
}

void Data::add_row() {
  for (std::size_t i = 0; i < reads_.size(); ++i) {
    Column& c = frames.columns[i];
    c.data.resize(c.data.size() + c.width);
    reads_[i](c.data.data() + c.data.size() - c.width);
  }
  ++frames.rows;
  if (!contacts.columns.empty()) add_contacts();
  std::fill(folded_.begin(), folded_.end(), 0.0);
}

void Data::add_contacts() {
  const std::span<const ContactPoint> points = simulation.contacts();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& c = points[i];
    std::size_t k = 0;
    const auto one = [&](double x) { contacts.columns[k++].data.push_back(x); };
    const auto three = [&](const Vec3<double>& v) {
      std::vector<double>& data = contacts.columns[k++].data;
      data.resize(data.size() + 3);
      put(data.data() + data.size() - 3, v);
    };
    one(find_pair(c));
    one(simulation.contact_body(c.node_a));
    one(simulation.contact_body(c.node_b));
    one(std::bit_cast<double>(c.id));
    three(c.point), three(c.normal);
    one(c.gap);
    three(simulation.contact_force(i));
    ++contacts.rows;
  }
}

void Data::add_pair(const std::string& name) {
  if (pair_by_name_.emplace(name, static_cast<int>(pairs.size())).second) pairs.push_back(name);
}
int Data::find_pair(const ContactPoint& c) {
  const auto known = pair_by_id_.find(c.id);
  if (known != pair_by_id_.end()) return known->second;
  if (pair_by_id_.size() >= kMostIds) pair_by_id_.clear();
  const std::string name = simulation.shapes().pair_name(c);
  add_pair(name);
  return pair_by_id_[c.id] = pair_by_name_.at(name);
}

void Data::clear() {
  contacts_before += contacts.rows;
  for (Table* t : {&frames, &contacts}) {
    for (Column& c : t->columns) c.data.clear();
    t->rows = 0;
  }
}

std::size_t Data::bytes() const {
  std::size_t n = 0;
  for (const Table* t : {&frames, &contacts})
    for (const Column& c : t->columns) n += 8 * c.data.size();
  return n;
}

}  // namespace sinew::record
