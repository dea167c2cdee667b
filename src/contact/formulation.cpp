// src/contact/formulation.cpp
#include "sinew/contact/formulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "linear/rows.hpp"
#include "step_data.hpp"
#include "tree/columns.hpp"

namespace sinew {

std::string_view to_string(Formulation f) {
  switch (f) {
    case Formulation::nmc: return "nmc";
    case Formulation::mc: return "mc";
    case Formulation::rmc: return "rmc";
    case Formulation::os: return "os";
    case Formulation::nmc_os: return "nmc_os";
    case Formulation::hinge_pairs: return "hinge_pairs";
  }
  return "";
}
std::optional<Formulation> find_formulation(std::string_view name) {
  for (const Formulation f : kFormulations)
    if (to_string(f) == name) return f;
  return std::nullopt;
}

namespace {

std::unique_ptr<contact::Method> make_method(const Model& m, const ConstraintSet& set, Formulation f) {
  switch (f) {
    case Formulation::nmc: return contact::make_nmc(m, set);
    case Formulation::mc: return contact::make_mc(m, set);
    case Formulation::rmc: return contact::make_rmc(m, set);
    case Formulation::os: return contact::make_os(m, set);
    case Formulation::nmc_os: return contact::make_nmc_os(m, set);
    case Formulation::hinge_pairs: return contact::make_hinge_pairs(m, set);
  }
  throw std::invalid_argument("ContactSolver: there is no such formulation");
}

constexpr double kRepeatLonger = 10;

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

struct ContactSolver::Any {
  Any(const Model& m, const ConstraintSet& set, Formulation f, const lcp::SolverOptions& options)
      : data(m, set), method(make_method(m, set, f)), solver(options) {}

  void start_warm(const ContactStep&);
  void note_unsolved(std::size_t row);
  void solve(const ContactWatch&);
  void calc_effects(const ContactStep&);

  contact::StepData data;
  std::unique_ptr<contact::Method> method;
  lcp::Solver solver;
  contact::Islands islands;
  lcp::FrictionProblem problem;  // the largest
  std::vector<double> z, z_island, w;
  std::vector<std::uint64_t> met, met_joints;     // ids of the last step; the answer has their impulses
  std::vector<ContactPoint> last;                 // its contacts
  std::vector<double> preload;                    // of those
  std::vector<double> repeated, repeated_before;  // (contacts) 1: the answer of its island is that of the step before
  ContactAnswer answer;
};

// found(row, k): the row was met before as number k; new_one(row): it was not. Most are next to the last one.
template <class Row, class Found, class NewOne>
void find_again(std::span<const Row> rows, const std::vector<std::uint64_t>& met, Found found, NewOne new_one) {
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::size_t tried = 0;
    while (tried < met.size() && met[next] != rows[r].id) ++tried, next = next + 1 < met.size() ? next + 1 : 0;
    if (tried < met.size())
      found(r, next);
    else
      new_one(r);
  }
}

// An impulse along the axes of one contact, along those of another: their tangents may lie quite differently.
void turn_impulse(const ContactPoint& from, const double* p, const ContactPoint& to, double* out) {
  const auto [t1, t2] = contact_tangents(to.normal);
  const Vec3<double> impulse = to_world(from.normal, p[0], p[1], p[2]);
  out[0] = dot(impulse, to.normal), out[1] = dot(impulse, t1), out[2] = dot(impulse, t2);
}
template <class Row>
void note_ids(std::span<const Row> rows, std::vector<std::uint64_t>& met) {
  met.clear();
  for (const Row& r : rows) met.push_back(r.id);
}

// Unknowns keep what they had where they mean the same as before: bilateral ones by their place, the others by id.
void ContactSolver::Any::start_warm(const ContactStep& step) {
  const std::size_t joints = step.joints.size();
  const std::size_t held = islands.unknowns - joints - 3 * step.contacts.size();
  const bool warm = solver.options.warm && z.size() >= held;
  z.resize(islands.unknowns);
  repeated_before.reserve(step.contacts.size());
  repeated_before.assign(repeated.begin(), repeated.end());
  repeated.assign(step.contacts.size(), 0.0);
  if (!warm) return std::fill(z.begin(), z.end(), 0.0);
  double *of_joints = z.data() + held, *of_contacts = of_joints + joints;
  find_again(
      step.joints, met_joints, [&](std::size_t r, std::size_t k) { of_joints[r] = answer.joints[k]; },
      [&](std::size_t r) { of_joints[r] = 0; });
  find_again(
      step.contacts, met,
      [&](std::size_t c, std::size_t k) {
        turn_impulse(last[k], answer.contact.data() + 3 * k, step.contacts[c], of_contacts + 3 * c);
        if (k < repeated_before.size()) repeated[c] = repeated_before[k];
      },
      [&](std::size_t c) { std::fill_n(of_contacts + 3 * c, 3, 0.0); });
}

// Of all islands: sums, and the worst.
void add(lcp::Certificate& sum, const lcp::Certificate& c) {
  if (sum.solver == "none" || c.residual > sum.residual) sum.solver = c.solver;
  if (c.status != lcp::Status::solved) sum.status = c.status;
  sum.size += c.size, sum.iterations += c.iterations;
  sum.residual = std::max(sum.residual, c.residual), sum.absolute = std::max(sum.absolute, c.absolute);
}

void ContactSolver::Any::note_unsolved(std::size_t row) {
  const std::size_t joints = data.joints.size(), held = z.size() - joints - 3 * data.contacts.size();
  if (row < held) return;
  if (row < held + joints)
    answer.unsolved_joints[row - held] = true;
  else
    answer.unsolved_contacts[(row - held - joints) / 3] = true;
}

// Island by island, each from the warm start; w: what the rows' velocities are then, with the bias.
void ContactSolver::Any::solve(const ContactWatch& seen) {
  ContactCosts& costs = answer.costs;
  const int directions = solver.options.directions;
  costs.size = 0, problem = {};
  answer.certificate = {};
  answer.certificate.status = lcp::Status::solved, answer.certificate.solver = "none";
  answer.certificate.tolerance = solver.options.tolerance;
  w.resize(z.size());
  answer.unsolved_joints.assign(data.joints.size(), false);
  answer.unsolved_contacts.assign(data.contacts.size(), false);
  for (std::size_t i = 0; i < islands.count; ++i) {
    contact::ProblemData& numbers = islands.problems[i];
    numbers.fill(data);
    const lcp::FrictionProblem p = numbers.view();
    if (p.size() == 0) continue;
    costs.size += directions > 0 ? lcp::polyhedral_size(p, directions) : p.size();
    const auto place = [&](std::size_t r) {
      return numbers.rows.empty() ? r : static_cast<std::size_t>(numbers.rows[r]);
    };
    z_island.resize(p.q.size());
    for (std::size_t r = 0; r < z_island.size(); ++r) z_island[r] = z[place(r)];
    // An answer that was repeated may be so again for longer: what it is wrong by adds up step by step, and that it
    // was right for two steps says that it mends no error of the one before.
    const std::size_t first = z.size() - 3 * repeated.size();
    const auto contact_of = [&](std::size_t r) -> double* {
      return place(r) < first ? nullptr : &repeated[(place(r) - first) / 3];
    };
    bool again = p.contacts() > 0;
    for (std::size_t r = 0; r < z_island.size() && again; ++r) again = contact_of(r) == nullptr || *contact_of(r) != 0;
    const double repeat = solver.options.repeat;
    if (again) solver.options.repeat *= kRepeatLonger;
    const lcp::Certificate c = solver.solve(p, z_island);
    solver.options.repeat = repeat;
    for (std::size_t r = 0; r < z_island.size(); ++r)
      if (double* mine = contact_of(r)) *mine = c.solver == lcp::kLastAnswer;
    add(answer.certificate, c);
    if (c.status != lcp::Status::solved && c.status != lcp::Status::close)
      for (std::size_t r = 0; r < z_island.size(); ++r) note_unsolved(place(r));
    for (std::size_t r = 0; r < z_island.size(); ++r) {
      z[place(r)] = z_island[r];
      w[place(r)] = p.q[r] + linear::dot(p.W.data() + r * p.W.stride(), z_island.data(), p.size());
    }
    if (p.size() > problem.size()) problem = p;
    if (seen) seen(p, c);
  }
}

// Velocities of the rows after the step: w without the bias; and the work that their impulses did.
void ContactSolver::Any::calc_effects(const ContactStep& step) {
  answer.velocity.resize(3 * step.contacts.size());
  ContactWork& work = answer.work;
  work = {};
  const std::size_t n = z.size(), joints = step.joints.size(), first = n - answer.velocity.size() - joints;
  for (std::size_t r = 0; r < joints + answer.velocity.size(); ++r) {
    double u = w[first + r], before = data.approach[r];
    if (r < joints) {
      u -= step.joints[r].bias, before -= step.joints[r].bias;
      (std::isinf(step.joints[r].upper) ? work.stops : work.joint_friction) += z[first + r] * (before + u) / 2;
      continue;
    }
    const std::size_t k = r - joints;
    if (k % 3 == 0 && step.bias.size() != 0) u -= step.bias[k / 3], before -= step.bias[k / 3];
    answer.velocity[k] = u;
    (k % 3 == 0 ? work.normal : work.friction) += z[first + r] * (before + u) / 2;
  }
  answer.drift = 0;
  for (const double e : data.rows.position) answer.drift = std::max(answer.drift, std::abs(e));
  if (data.loop_error.empty()) return;
  // K v before; afterwards it is less by the error that the step takes out.
  data.loop_velocity.assign(data.loop_error.size(), 0.0);
  const auto entries = data.set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto node = static_cast<std::size_t>(entries[e].node);
    if (node == 0) continue;
    const Motion<double> v = in_node_axes(data.rows.motion.v[node], data.rows.motion.kinematics.X[node]);
    data.loop_velocity[entries[e].row] += dot(data.rows.K[e], v);
  }
  for (std::size_t r = 0; r < data.loop_error.size(); ++r)
    work.loops += answer.loops[r] * (data.loop_velocity[r] - data.loop_error[r] / 2);
}

ContactSolver::ContactSolver(const Model& m, const ConstraintSet& set, Formulation f, const lcp::SolverOptions& options)
    : any_(std::make_unique<Any>(m, set, f, options)) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

// The solver takes its room from a problem that it is given: one of the largest size, without zeros.
void ContactSolver::reserve(int contacts, int joint_rows) {
  Any& a = *any_;
  const auto loops = static_cast<std::size_t>(a.data.set.rows()), joints = static_cast<std::size_t>(joint_rows);
  const auto count = static_cast<std::size_t>(contacts), rows = joints + 3 * count, n = loops + rows;
  a.method->reserve(contacts, joint_rows, a.islands);
  for (auto* x : {&a.z, &a.z_island, &a.w}) x->reserve(n);
  for (auto* x : {&a.answer.contact, &a.answer.velocity}) x->reserve(3 * count);
  a.answer.v.reserve(a.data.f.size()), a.answer.loops.reserve(loops), a.answer.joints.reserve(joints);
  a.answer.unsolved_joints.reserve(joints), a.answer.unsolved_contacts.reserve(count);
  a.data.approach.reserve(rows), a.preload.reserve(count);
  a.repeated.reserve(count), a.repeated_before.reserve(count), a.met.reserve(count), a.met_joints.reserve(joints),
      a.last.reserve(count);
  if (n == 0 || a.solver.options.directions != 0) return;
  const std::vector<double> mu(count, 0.5), lower(joints, -1.0), upper(joints, 1.0), q(n, -1.0);
  std::vector<double> W(n * n, 0.5 / static_cast<double>(n)), z(n);
  for (std::size_t i = 0; i < n; ++i) W[i * (n + 1)] += 1;
  lcp::SolverOptions once = a.solver.options;
  once.warm = false, once.tolerance = std::max(once.tolerance, 1e-2);
  std::swap(once, a.solver.options);
  a.solver.solve({{W.data(), n, n}, q, mu, {}, static_cast<int>(loops), joint_rows, lower, upper}, z);
  std::swap(once, a.solver.options);
}

const lcp::FrictionProblem& ContactSolver::problem() const { return any_->problem; }
lcp::SolverOptions& ContactSolver::options() { return any_->solver.options; }

ContactMemory ContactSolver::get_memory() const {
  return {any_->z,        any_->last,       any_->answer.contact, any_->answer.velocity,
          any_->repeated, any_->met_joints, any_->answer.joints};
}
void ContactSolver::set_memory(const ContactMemory& memory) {
  const std::size_t rows = 3 * memory.met.size();
  if (memory.impulses.size() != rows || memory.velocities.size() != rows || memory.z.size() < rows ||
      3 * memory.repeated.size() != rows)
    throw std::invalid_argument("ContactSolver: a memory of " + std::to_string(memory.met.size()) +
                                " contacts has three impulses, three velocities and one `repeated` for each");
  if (memory.joint_ids.size() != memory.joint_impulses.size())
    throw std::invalid_argument("ContactSolver: a memory of joint rows has one impulse for each");
  any_->z = memory.z, any_->last = memory.met, any_->met_joints = memory.joint_ids;
  note_ids(std::span<const ContactPoint>(memory.met), any_->met);
  any_->answer.contact = memory.impulses, any_->answer.velocity = memory.velocities;
  any_->answer.joints = memory.joint_impulses, any_->repeated = memory.repeated;
  any_->preload.clear();
}

std::vector<ContactState> ContactSolver::contact_states(double tolerance) const {
  const ContactAnswer& a = any_->answer;
  const In<double> preload = any_->preload;
  std::vector<ContactState> out;
  out.reserve(any_->last.size());
  for (std::size_t c = 0; c < any_->last.size(); ++c)
    out.push_back(find_contact_state(any_->last[c], {a.contact.data() + 3 * c, 3}, {a.velocity.data() + 3 * c, 3},
                                     tolerance, preload.size() == 0 ? 0 : preload[c]));
  return out;
}

const ContactAnswer& ContactSolver::solve(const ContactStep& step) {
  Any& a = *any_;
  ContactAnswer& answer = a.answer;
  const auto t0 = Clock::now();
  read_step(a.data, step, a.method->needs_axes());
  a.method->assemble(a.data, a.islands);
  a.start_warm(step);
  const auto t1 = Clock::now();
  a.solve(watch);
  const auto t2 = Clock::now();

  answer.v.resize(step.v.size());
  answer.loops.resize(a.data.loop_error.size());
  const std::size_t joints = step.joints.size(), contacts = 3 * step.contacts.size();
  answer.contact.assign(a.z.end() - static_cast<std::ptrdiff_t>(contacts), a.z.end());
  answer.joints.assign(a.z.end() - static_cast<std::ptrdiff_t>(contacts + joints),
                       a.z.end() - static_cast<std::ptrdiff_t>(contacts));
  a.method->recover(a.data, a.z, answer);
  if (answer.certificate.status == lcp::Status::non_finite)
    std::fill(answer.v.begin(), answer.v.end(), std::numeric_limits<double>::quiet_NaN());
  a.calc_effects(step);
  note_ids(step.contacts, a.met), note_ids(step.joints, a.met_joints);
  a.last.assign(step.contacts.begin(), step.contacts.end());
  a.preload.assign(step.preload.begin(), step.preload.end());
  const auto t3 = Clock::now();
  answer.costs.assembly = seconds(t0, t1), answer.costs.solution = seconds(t1, t2);
  answer.costs.recovery = seconds(t2, t3);
  return answer;
}

}  // namespace sinew
