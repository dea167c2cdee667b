// src/sim/flexible_simulation.cpp
#include "sinew/sim/flexible_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "sinew/contact/cone.hpp"
#include "sinew/contact/joint_limits.hpp"
#include "sinew/operators/mass_solve.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse_flexible(const std::string& why) { throw std::invalid_argument("FlexibleSimulation: " + why); }

// The model as contact sees it: what is welded to a flexible body, or is one that is welded, moves on its own.
Model make_contact_model(const sko::FlexibleModel& m) {
  ModelSpec spec = m.model().spec();
  spec.keyframes.clear(), spec.actuators.clear();
  for (std::size_t b = 1; b < m.model().bodies().size(); ++b) {
    const BodyEntry& body = m.model().bodies()[b];
    const int part = m.part_of(static_cast<int>(b));
    if (part == sko::kInertial || m.parts()[at(part)].jointed || m.parts()[at(part)].name != body.name) continue;
    JointSpec& j = spec.joints[at(body.joint)];
    j.kind = JointKind::free;
    j.dofs.clear(), j.neutral.clear();
  }
  return compile(std::move(spec)).value();
}

void check_supported(const sko::FlexibleModel& m, const ContactShapes& shapes) {
  const ModelSpec& spec = m.model().spec();
  for (const ActuatorSpec& a : spec.actuators)
    if (a.transmission == Transmission::site)
      refuse_flexible("actuator '" + a.name + "' acts on a site; with flexible bodies actuators act on joints");
  if (shapes.pairs() == 0) return;
  for (const ShapeSpec& s : spec.shapes) {
    if (!s.collides || (s.contact_type == 0 && s.contact_affinity == 0)) continue;
    const auto body = m.model().find_body(s.body);
    const int part = body ? m.part_of(*body) : sko::kInertial;
    const std::string who = std::string(to_string(s.kind)) + " '" + s.name + "' of body '" + s.body + "'";
    if (s.restitution > 0) refuse_flexible(who + " has restitution, which is not supported; set it to 0");
    if (part == sko::kInertial) continue;
    if (m.parts()[at(part)].flexible >= 0)
      refuse_flexible(who +
                      " is on a body that bends; put it on a body that is welded to an interface node, or let it "
                      "not collide");
    if (s.kind == ShapeKind::mesh || s.kind == ShapeKind::heightfield)
      refuse_flexible(who + " moves, and meshes of moving bodies are not supported; use primitive shapes");
  }
  for (const JointSpec& j : spec.joints)
    if (j.kind == JointKind::prescribed)
      refuse_flexible("joint '" + j.name +
                      "' is prescribed, and shapes may touch; drive it by an actuator, or take the "
                      "collisions out");
}

}  // namespace

struct FlexibleSimulation::Work {
  Work(const sko::FlexibleModel& m, const FlexibleSimulationOptions& o)
      : contact_model(make_contact_model(m)),
        shapes(contact_model),
        kinematics(contact_model),
        drives(m.model(), o.dt),
        limits(m.model()),
        solver(o.solver),
        velocities(m.model()),
        sko(m) {
    if (drives.is_implicit()) {
      twin_model.emplace(drives.make_twin());
      twin_flexible.emplace(*twin_model, m.bodies(), m.attachments());
    }
    stepped.emplace(twin_flexible ? *twin_flexible : m);
    dynamics.emplace(stepped->sko);
    calc_kinematics<double>(contact_model, kinematics, contact_model.neutral());
    part_of_node.assign(m.model().nodes().size(), sko::kInertial);
    for (std::size_t k = 0; k < m.parts().size(); ++k)
      if (m.parts()[k].jointed) part_of_node[at(m.parts()[k].node)] = static_cast<int>(k);
    part_of_contact_node.assign(contact_model.nodes().size(), sko::kInertial);
    for (std::size_t b = 1; b < contact_model.bodies().size(); ++b)
      part_of_contact_node[at(contact_model.bodies()[b].node)] = m.part_of(static_cast<int>(b));
    const auto n = at(m.nv());
    for (auto* x : {&tau, &stacked, &free, &change}) x->resize(n);
  }

  Model contact_model;
  ContactShapes shapes;
  KinematicsWorkspace<double> kinematics;  // of contact_model, set from the parts
  Drives drives;
  JointLimits limits;
  lcp::Solver solver;
  VelocityWorkspace<double> velocities;  // of the rigid Model; what drives read of it are sites, which are refused
  sko::FlexibleSko sko;                  // of the model itself, for energies
  std::optional<Model> twin_model;       // with dt D + dt^2 K of the joints as armature
  std::optional<sko::FlexibleModel> twin_flexible;
  std::optional<sko::FlexibleSko> stepped;  // with everything that is implicit
  std::optional<sko::SkoDynamics<double>> dynamics;
  std::vector<int> part_of_node, part_of_contact_node;
  std::vector<double> tau, stacked, free, change;  // by freedom, but for tau
  std::vector<Force<double>> external;
  std::vector<JointRow> joint_rows;
  std::vector<double> J, response;  // (rows nv) by freedom
  std::vector<double> W, q, mu, lower, upper, z, approach, up;
  std::vector<std::uint64_t> met;  // ids of the rows of the last problem; z are their impulses

  // J^T of a force on a part, in its frame, added to a row with a sign.
  void add_force(int part, const Force<double>& f, double sign, double* row) {
    if (part == sko::kInertial) return;
    const sko::SkoModel<double>& m = stepped->sko;
    const sko::Shape& s = m.shape();
    const auto six = to_array(f);
    up.assign(at(s.size(part)), 0.0);
    std::copy(six.begin(), six.end(), up.begin());
    std::vector<double> next;
    for (int k = part;; k = s.parent(k)) {
      const int size = s.size(k);
      for (int d = 0; d < s.freedoms(k); ++d) {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += m.H()[k][d * size + i] * up[at(i)];
        row[s.freedom_begin(k) + d] += sign * sum;
      }
      if (s.parent(k) == sko::kInertial) return;
      next.assign(at(s.size(s.parent(k))), 0.0);
      for (std::size_t i = 0; i < next.size(); ++i)
        for (int j = 0; j < size; ++j) next[i] += m.A()[k][static_cast<int>(i) * size + j] * up[at(j)];
      std::swap(up, next);
    }
  }
};

FlexibleSimulation::FlexibleSimulation(const sko::FlexibleModel& m, const FlexibleSimulationOptions& options)
    : model_(m), options_(options) {
  if (options_.dt == 0) options_.dt = m.model().spec().timestep;
  if (!(options_.dt > 0) || !std::isfinite(options_.dt))
    refuse_flexible("the step length is " + std::to_string(options_.dt) + "; give a positive dt, the model has none");
  if (!(options_.recovery >= 0 && options_.recovery <= 1) || !(options_.recovery_speed >= 0))
    refuse_flexible("recovery must be between 0 and 1, and recovery_speed not negative");
  work_ = std::make_unique<Work>(m, options_);
  check_supported(m, work_->shapes);
  state = make_state(m.model());
  state.q.resize(at(m.nq()), 0.0), state.v.resize(at(m.nv()), 0.0);
  control.resize(at(work_->drives.controls()), 0.0);
  applied.resize(at(m.model().nv()), 0.0);
}
FlexibleSimulation::~FlexibleSimulation() = default;

void FlexibleSimulation::check_state() const {
  check_size("FlexibleSimulation", "state.q", state.q.size(), at(model_.nq()));
  check_size("FlexibleSimulation", "state.v", state.v.size(), at(model_.nv()));
  check_size("FlexibleSimulation", "control", control.size(), at(work_->drives.controls()));
  check_size("FlexibleSimulation", "applied", applied.size(), at(model_.model().nv()));
}

std::string FlexibleSimulation::pair_name(const ContactPoint& c) const { return work_->shapes.pair_name(c); }

sko::FlexibleSko& FlexibleSimulation::sko() {
  check_state();
  work_->sko.update(state.q, state.v, {{}, state.time});
  return work_->sko;
}
double FlexibleSimulation::kinetic_energy() { return sko().kinetic_energy(); }
double FlexibleSimulation::potential_energy() {
  const sko::FlexibleSko& s = sko();
  return s.gravity_energy() + s.elastic_energy();
}
Force<double> FlexibleSimulation::momentum() { return sko().momentum(); }

// Poses of the parts, and the contacts that they may reach within twice the distance they move in the step.
void FlexibleSimulation::find_contacts() {
  Work& w = *work_;
  contacts_.clear();
  if (w.shapes.pairs() == 0) return;
  const Model& m = model_.model();
  for (std::size_t b = 1; b < m.bodies().size(); ++b) {
    const int part = model_.part_of(static_cast<int>(b));
    if (part == sko::kInertial) continue;
    const BodyEntry& seen = w.contact_model.bodies()[b];
    const Transform<double> in_part = m.bodies()[b].in_node * inverse(model_.parts()[at(part)].frame);
    w.kinematics.X[at(seen.node)] = inverse(seen.in_node) * (in_part * w.stepped->get_part_pose(part));
  }
  double fastest = norm(m.gravity()) * options_.dt;
  for (const ShapeSpec& s : m.spec().shapes) {
    const auto body = m.find_body(s.body);
    const int part = body ? model_.part_of(*body) : sko::kInertial;
    if (part == sko::kInertial) continue;
    const Motion<double> v = w.stepped->get_part_velocity(part);
    const Vec3<double> place = apply_inverse_to_point(m.bodies()[at(*body)].in_node, s.pose.r);
    const double size = norm(place) + s.size[0] + s.size[1] + s.size[2];
    fastest = std::max(fastest, norm(v.lin) + norm(v.ang) * size);
  }
  w.shapes.find(w.kinematics, 2 * options_.dt * fastest, contacts_);
}

// J by freedoms, speeds of the rows and what they must not fall below; rows of joints first, then three per contact.
void FlexibleSimulation::find_rows() {
  Work& w = *work_;
  const std::size_t n = at(model_.nv()), joints = w.joint_rows.size(), rows = joints + 3 * contacts_.size();
  w.J.assign(rows * n, 0.0), w.q.assign(rows, 0.0), w.approach.assign(rows, 0.0);
  w.mu.clear(), w.lower.clear(), w.upper.clear();
  for (std::size_t r = 0; r < joints; ++r) {
    const JointRow& row = w.joint_rows[r];
    const int part = w.part_of_node[at(row.node)];
    const Force<double> f = apply(model_.parts()[at(part)].frame, row.direction);
    const auto six = to_array(f);
    const sko::Shape& s = w.stepped->sko.shape();
    const int nv = model_.model().nodes()[at(row.node)].nv;
    for (int d = 0; d < nv; ++d)  // the joint's own freedoms: forces on the parent and above cancel
      for (std::size_t i = 0; i < 6; ++i)
        w.J[r * n + at(s.freedom_begin(part) + d)] +=
            w.stepped->sko.H()[part][d * s.size(part) + static_cast<int>(i)] * six[i];
    w.q[r] = std::max(row.bias, -options_.recovery_speed);
    w.lower.push_back(row.lower), w.upper.push_back(row.upper);
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ContactPoint& p = contacts_[c];
    const auto [t1, t2] = contact_tangents(p.normal);
    const Vec3<double> axes[] = {p.normal, t1, t2};
    for (std::size_t k = 0; k < 3; ++k)
      for (const bool a : {true, false}) {
        const int part = w.part_of_contact_node[at(a ? p.node_a : p.node_b)];
        if (part == sko::kInertial) continue;
        const Transform<double> X = w.stepped->get_part_pose(part);
        const Vec3<double> l = apply(X.E, axes[k]);
        w.add_force(part, {cross(apply_to_point(X, p.point), l), l}, a ? 1 : -1, w.J.data() + (joints + 3 * c + k) * n);
      }
    w.q[joints + 3 * c] =
        p.gap >= 0 ? p.gap / options_.dt : std::max(options_.recovery * p.gap / options_.dt, -options_.recovery_speed);
    w.mu.push_back(p.friction);
    report_.deepest = std::max(report_.deepest, -p.gap);
  }
}

void FlexibleSimulation::solve_rows() {
  Work& w = *work_;
  const std::size_t n = at(model_.nv()), rows = w.q.size(), joints = w.joint_rows.size();
  w.response.resize(rows * n), w.W.assign(rows * rows, 0.0);
  const auto product = [n](const double* a, const double* b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (std::size_t r = 0; r < rows; ++r) {
    sko::solve_mass(w.stepped->sko, *w.dynamics, {w.J.data() + r * n, n}, {w.response.data() + r * n, n});
    for (std::size_t k = 0; k <= r; ++k)
      w.W[r * rows + k] = w.W[k * rows + r] = product(w.J.data() + k * n, w.response.data() + r * n);
    w.approach[r] = product(w.J.data() + r * n, w.free.data());
    w.q[r] += w.approach[r];
  }
  // Start from the last answer, by the ids of the rows.
  std::vector<std::uint64_t> ids;
  ids.reserve(rows);
  for (const JointRow& r : w.joint_rows) ids.push_back(r.id);
  for (const ContactPoint& c : contacts_)
    for (int k = 0; k < 3; ++k) ids.push_back(c.id);
  std::vector<double> start(rows, 0.0);
  if (ids == w.met) start = w.z;
  w.z = std::move(start), w.met = std::move(ids);
  const lcp::FrictionProblem problem{.W = {w.W.data(), rows, rows},
                                     .q = w.q,
                                     .mu = w.mu,
                                     .preload = {},
                                     .free = 0,
                                     .unilateral = static_cast<int>(joints),
                                     .lower = w.lower,
                                     .upper = w.upper};
  report_.certificate = w.solver.solve(problem, w.z);
  report_.worst_residual = std::max(report_.worst_residual, report_.certificate.residual);
  report_.unsolved +=
      report_.certificate.status != lcp::Status::solved && report_.certificate.status != lcp::Status::close;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) w.free[i] += w.z[r] * w.response[r * n + i];
}

const FlexibleReport& FlexibleSimulation::step() {
  check_state();
  Work& w = *work_;
  const Model& m = model_.model();
  const double dt = options_.dt;
  const std::size_t nq = at(m.nq()), nv = at(m.nv()), n = at(model_.nv());
  const In<double> q{state.q.data(), nq}, v{state.v.data(), nv};

  // Forces of joints, then v + dt a without contacts.
  std::fill(w.tau.begin(), w.tau.end(), 0.0);
  std::copy(applied.begin(), applied.end(), w.tau.begin());
  calc_velocities<double>(m, w.velocities, q, v, state.time);
  w.external.assign(m.bodies().size(), {});
  const Out<double> joint_forces{w.tau.data(), nv};
  w.drives.add_forces(q, v, control, w.velocities, joint_forces, w.external);
  w.drives.add_forces_of_twin(v, {}, joint_forces);
  w.stepped->update(state.q, state.v, {{}, state.time}, dt);
  for (std::size_t i = 0; i < n; ++i) w.stacked[i] = w.tau[at(w.stepped->coordinate(static_cast<int>(i)))];
  sko::forward_dynamics<double>(w.stepped->sko, *w.dynamics, w.stacked, w.free);
  for (std::size_t i = 0; i < n; ++i)
    w.free[i] = state.v[at(w.stepped->coordinate(static_cast<int>(i)))] + dt * w.free[i];

  find_contacts();
  w.limits.find(q, v, dt, options_.recovery, state.time, w.joint_rows);
  for (JointRow& r : w.joint_rows) r.bias = std::max(r.bias, -options_.recovery_speed);
  impulses_.assign(3 * contacts_.size(), 0.0);
  const std::size_t joints = w.joint_rows.size(), rows = joints + 3 * contacts_.size();
  if (rows > 0) {
    find_rows();
    solve_rows();
    std::copy(w.z.begin() + static_cast<std::ptrdiff_t>(joints), w.z.end(), impulses_.begin());
  } else {
    w.met.clear();
  }

  std::vector<double> next_q(state.q.size()), next_v(n);
  for (std::size_t i = 0; i < n; ++i) next_v[at(w.stepped->coordinate(static_cast<int>(i)))] = w.free[i];
  integrate(m, q, {next_v.data(), nv}, dt, {next_q.data(), nq});
  for (std::size_t i = 0; i < at(model_.modes()); ++i) next_q[nq + i] = state.q[nq + i] + dt * next_v[nv + i];
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(next_v[i]))
      throw std::runtime_error("FlexibleSimulation: step " + std::to_string(report_.steps) +
                               ", t = " + std::to_string(state.time) + " s: velocity coordinate " + std::to_string(i) +
                               " is not finite; a smaller step may do");

  // Work of the rows: impulse times the mean of the velocities before and after.
  for (std::size_t r = 0; r < rows; ++r) {
    double before = 0, after = 0;
    for (std::size_t i = 0; i < n; ++i) {
      before += w.J[r * n + i] * state.v[at(w.stepped->coordinate(static_cast<int>(i)))];
      after += w.J[r * n + i] * w.free[i];
    }
    report_.contact_work += 0.5 * w.z[r] * (before + after);
  }
  report_.modal_damping_work -= dt * w.stepped->damping_power();
  state.q = std::move(next_q), state.v = std::move(next_v);
  state.time += dt;
  ++report_.steps;
  report_.contacts = static_cast<int>(contacts_.size()), report_.joint_rows = static_cast<int>(joints);
  report_.contact_steps += !contacts_.empty();
  report_.most_contacts = std::max(report_.most_contacts, report_.contacts);
  return report_;
}

}  // namespace sinew
