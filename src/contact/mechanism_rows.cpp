// src/contact/mechanism_rows.cpp - the rows of a step on a mechanism with recursions of its own
// W = J M^-1 J^T, one O(N) solution per row, and the free velocity from the mechanism itself.
#include <algorithm>

#include "linear/rows.hpp"
#include "sinew/contact/mechanism.hpp"
#include "step_data.hpp"

namespace sinew {

std::vector<int> find_first_bodies(const Model& m) {
  std::vector<int> out(m.nodes().size(), 0);
  for (std::size_t b = m.bodies().size(); b-- > 0;) out[at(m.bodies()[b].node)] = static_cast<int>(b);
  return out;
}

namespace contact {
namespace {

class MechanismRows : public Method {
 public:
  explicit MechanismRows(Mechanism& m) : mechanism_(m), free_(m.count_velocities()) {}
  bool needs_axes() const override { return false; }
  void reserve(const lcp::RowLayout& most, Islands&) override;
  void assemble(StepData&, Islands&) override;
  void recover(StepData&, In<double> z, ContactAnswer&) override;

 private:
  double product(const double* a, const double* b) const { return linear::dot(a, b, static_cast<int>(free_.size())); }
  double* row(std::size_t r) { return J_.data() + r * free_.size(); }
  double* response(std::size_t r) { return R_.data() + r * free_.size(); }
  void calc_rows(const StepData&);

  Mechanism& mechanism_;
  std::vector<double> free_;   // (nv) v+ - v without the rows
  std::vector<double> J_, R_;  // (rows x nv) J, and M^-1 J^T
  std::vector<delassus::Entry> entries_;
  std::vector<Force<double>> K_;  // (entries)
};

void MechanismRows::reserve(const lcp::RowLayout& most, Islands& islands) {
  const std::size_t rows = at(most.rows()), entries = 6 * at(most.contacts);
  J_.reserve(rows * free_.size()), R_.reserve(rows * free_.size());
  entries_.reserve(entries), K_.reserve(entries);
  if (islands.problems.empty()) islands.problems.resize(1);
  islands.problems[0].reserve(most);
}

void MechanismRows::calc_rows(const StepData& d) {
  const std::size_t n = free_.size(), joints = d.joints.size(), rows = joints + 3 * d.contacts.size();
  J_.assign(rows * n, 0.0), R_.resize(rows * n);
  for (std::size_t r = 0; r < joints; ++r) {
    const JointRow& joint = d.joints[r];
    for (std::size_t k = 0; k < joint.forces.nodes.size(); ++k)
      mechanism_.add_node_force(joint.forces.nodes[k], joint.forces.forces[k], {row(r), n});
    if (joint.forces.empty()) mechanism_.add_joint_force(joint.node, joint.direction, {row(r), n});
  }
  entries_.clear();
  add_contact_entries(d.contacts, static_cast<int>(joints), entries_);
  K_.resize(entries_.size());
  calc_contact_forces(d.contacts, d.motion->kinematics, K_.data());
  for (std::size_t e = 0; e < entries_.size(); ++e)
    mechanism_.add_node_force(entries_[e].node, K_[e], {row(at(entries_[e].row)), n});
  for (std::size_t r = 0; r < rows; ++r) mechanism_.solve_mass({row(r), n}, {response(r), n});
}

void MechanismRows::assemble(StepData& d, Islands& out) {
  const ContactStep& step = *d.step;
  const std::size_t n = free_.size(), joints = d.joints.size();
  if (!step.same_place) {
    mechanism_.factor(step);
    calc_rows(d);
  }
  std::fill(free_.begin(), free_.end(), 0.0);
  if (step.dt > 0) mechanism_.get_free_change(free_);
  for (std::size_t i = 0; i < step.impulse.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) free_[k] += step.impulse[i] * response(joints + i)[k];

  ProblemData& p = out.single(d.layout());
  const std::size_t rows = p.q.size();
  for (std::size_t r = 0; r < joints; ++r) d.approach[r] += product(row(r), step.v.data());
  for (std::size_t r = 0; r < rows; ++r) {
    p.q[r] = d.approach[r] + product(row(r), free_.data());
    for (std::size_t c = 0; c <= r; ++c) p.W[r * rows + c] = p.W[c * rows + r] = product(row(c), response(r));
  }
  if (rows > 0) clear_immovable_rows(p);
}

void MechanismRows::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const std::size_t n = free_.size();
  for (std::size_t r = 0; r < z.size(); ++r)
    if (z[r] != 0)
      for (std::size_t k = 0; k < n; ++k) free_[k] += z[r] * response(r)[k];
  for (std::size_t k = 0; k < n; ++k) out.v[k] = d.step->v[k] + free_[k];
}

}  // namespace

std::unique_ptr<Method> make_mechanism_rows(Mechanism& m) { return std::make_unique<MechanismRows>(m); }

}  // namespace contact
}  // namespace sinew
