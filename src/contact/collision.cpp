// src/contact/collision.cpp
#include "sinew/contact/collision.hpp"

#include <algorithm>

#include "linear/rows.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/contact/mechanism.hpp"
#include "tree/columns.hpp"

namespace sinew {
namespace {

void add(ContactCosts& sum, const ContactCosts& c) {
  sum.size = c.size;
  sum.assembly += c.assembly, sum.solution += c.solution, sum.recovery += c.recovery;
}

}  // namespace

CollisionSolver::CollisionSolver(const Model& m, const ConstraintSet& set, Formulation f, const CollisionOptions& o)
    : options(o), model_(m), set_(set), solver_(m, set, f, o.solver), rows_(m, set), energies_(m) {}
CollisionSolver::CollisionSolver(Mechanism& m, const CollisionOptions& o)
    : options(o),
      mechanism_(&m),
      none_(std::make_unique<const ConstraintSet>(m.view(), std::vector<ConstraintSpec>{}, false)),
      model_(m.view()),
      set_(*none_),
      solver_(m, o.solver),
      rows_(model_, set_),
      energies_(model_),
      row_(m.count_velocities()) {}

void CollisionSolver::reserve(int contacts, int joint_rows) {
  const auto count = static_cast<std::size_t>(contacts), joints = static_cast<std::size_t>(joint_rows);
  const auto nv = mechanism_ ? row_.size() : static_cast<std::size_t>(model_.nv()),
             loops = static_cast<std::size_t>(set_.rows());
  solver_.reserve(contacts, joint_rows);
  for (Work* w : {&before_, &now_}) w->u.reserve(3 * count), w->Kv.reserve(loops), w->joints.reserve(joints);
  for (auto* x : {&given_, &answer_.compression, &answer_.restitution}) x->reserve(3 * count);
  preload_.reserve(count), answer_.joints.reserve(joints), answer_.loops.reserve(loops);
  for (auto* x : {&answer_.v, &answer_.compressed}) x->reserve(nv);
}

double CollisionSolver::calc_energy(In<double> q, In<double> v, double time) {
  return mechanism_ ? mechanism_->kinetic_energy(q, v, time) : calc_kinetic_energy(model_, energies_, q, v, time);
}

void CollisionSolver::measure(const ContactStep& step, In<double> v, Work& out) {
  out.u.resize(3 * step.contacts.size()), out.joints.resize(step.joints.size());
  if (mechanism_) {
    mechanism_->calc_motion(step.q, v, step.time, rows_.motion);
    calc_contact_velocities(step.contacts, rows_.motion, out.u);
    for (std::size_t r = 0; r < step.joints.size(); ++r) {
      const JointRow& joint = step.joints[r];
      std::fill(row_.begin(), row_.end(), 0.0);
      for (std::size_t k = 0; k < joint.forces.nodes.size(); ++k)
        mechanism_->add_node_force(joint.forces.nodes[k], joint.forces.forces[k], row_);
      if (joint.forces.empty()) mechanism_->add_joint_force(joint.node, joint.direction, row_);
      out.joints[r] = linear::dot(row_.data(), v.data(), static_cast<int>(row_.size()));
    }
    return;
  }
  if (set_.rows() > 0)
    calc_constraint_rows(model_, set_, rows_, step.q, v, step.time);
  else
    calc_velocities(model_, rows_.motion, step.q, v, step.time);
  calc_contact_velocities(step.contacts, rows_.motion, out.u);
  calc_joint_row_velocities(step.joints, rows_.motion, out.joints);
  out.Kv.assign(static_cast<std::size_t>(set_.rows()), 0.0);
  const auto entries = set_.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto node = static_cast<std::size_t>(entries[e].node);
    if (node != 0)
      out.Kv[entries[e].row] += dot(rows_.K[e], in_node_axes(rows_.motion.v[node], rows_.motion.kinematics.X[node]));
  }
}

void CollisionSolver::add_works(In<double> contact, In<double> loops, In<double> joints) {
  CollisionEnergy& e = answer_.energy;
  for (std::size_t i = 0; i < contact.size(); ++i)
    (i % 3 == 0 ? e.normal_work : e.friction_work) += contact[i] * (before_.u[i] + now_.u[i]) / 2;
  for (std::size_t r = 0; r < loops.size(); ++r) e.loop_work += loops[r] * (before_.Kv[r] + now_.Kv[r]) / 2;
  for (std::size_t r = 0; r < joints.size(); ++r) e.loop_work += joints[r] * (before_.joints[r] + now_.joints[r]) / 2;
}

const CollisionAnswer& CollisionSolver::solve(In<double> q, In<double> v, std::span<const ContactPoint> contacts,
                                              double time, std::span<const JointRow> joints) {
  CollisionAnswer& out = answer_;
  CollisionEnergy& energy = out.energy;
  energy = {}, out.costs = {}, out.restituted = false;

  // Compression [J14 54, 55]
  ContactStep step{q, v, {}, 0, time, contacts, joints};
  const ContactAnswer& c = solver_.solve(step, options.solver);
  out.compression = c.contact, out.compressed = c.v, out.v = c.v, out.loops = c.loops, out.joints = c.joints;
  out.compression_certificate = c.certificate, out.restitution_certificate = {};
  out.contradiction = c.contradiction;
  add(out.costs, c.costs);
  energy.before = calc_energy(q, v, time);
  energy.compressed = calc_energy(q, out.v, time);
  measure(step, v, before_);
  measure(step, out.v, now_);
  add_works(out.compression, out.loops, out.joints);

  // The impulse that is given back [J14 56]
  given_.assign(3 * contacts.size(), 0.0), preload_.assign(contacts.size(), 0.0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    // An iterative solver may leave an impulse that pulls, within its tolerance: nothing is given back for that.
    given_[3 * i] = contacts[i].restitution * std::max(0.0, out.compression[3 * i]);
    if (options.friction == RestitutionFriction::whole) preload_[i] = given_[3 * i];
    out.restituted = out.restituted || given_[3 * i] > 0;
  }
  out.restitution.assign(given_.begin(), given_.end());
  energy.after = energy.compressed;
  if (!out.restituted) return out;

  // Decompression [J14 57, 58]: the same matrix, and the active set of the first phase to start from
  step.v = out.compressed, step.impulse = given_, step.preload = preload_, step.same_place = true;
  lcp::SolverOptions warm = options.solver;
  warm.warm = true;
  solver_.solve(step, warm);
  add(out.costs, c.costs);
  std::swap(before_, now_);
  measure(step, c.v, now_);
  out.v = c.v, out.restitution_certificate = c.certificate;
  if (!c.contradiction.empty()) out.contradiction = c.contradiction;
  for (std::size_t i = 0; i < given_.size(); ++i) out.restitution[i] += c.contact[i];
  add_works(out.restitution, c.loops, c.joints);
  for (std::size_t r = 0; r < out.loops.size(); ++r) out.loops[r] += c.loops[r];
  for (std::size_t r = 0; r < out.joints.size(); ++r) out.joints[r] += c.joints[r];
  energy.after = calc_energy(q, out.v, time);
  return out;
}

}  // namespace sinew
