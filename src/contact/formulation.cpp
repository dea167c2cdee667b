// src/contact/formulation.cpp
#include "sinew/contact/formulation.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

#include "step_data.hpp"

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

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

struct ContactSolver::Any {
  Any(const Model& m, const ConstraintSet& set, Formulation f, const lcp::SolverOptions& options)
      : data(m, set), method(make_method(m, set, f)), solver(options) {}

  void start_warm(std::span<const ContactPoint>);
  void solve();
  void calc_contact_velocities(const ContactStep&);

  contact::StepData data;
  std::unique_ptr<contact::Method> method;
  lcp::Solver solver;
  contact::ProblemData numbers;
  lcp::FrictionProblem problem;
  std::vector<double> z;
  std::vector<ContactPoint> met;  // contacts of the last step; the answer has their impulses
  ContactAnswer answer;
};

// Unknowns keep what they had where they mean the same as before: bilateral ones by their place, contacts by their id.
void ContactSolver::Any::start_warm(std::span<const ContactPoint> contacts) {
  const int held = numbers.free + numbers.unilateral;
  const bool warm = solver.options.warm && problem.size() > 0 && static_cast<int>(z.size()) >= held;
  z.resize(numbers.q.size());
  if (!warm) return std::fill(z.begin(), z.end(), 0.0);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const auto old =
        std::find_if(met.begin(), met.end(), [&](const ContactPoint& p) { return p.id == contacts[c].id; });
    double* r = z.data() + held + 3 * c;
    if (old == met.end())
      std::fill_n(r, 3, 0.0);
    else
      std::copy_n(answer.contact.data() + 3 * (old - met.begin()), 3, r);
  }
}

void ContactSolver::Any::solve() {
  ContactCosts& costs = answer.costs;
  const int directions = solver.options.directions;
  costs.size = directions > 0 ? lcp::polyhedral_size(problem, directions) : problem.size();
  answer.certificate = {};
  if (problem.size() > 0) {
    answer.certificate = solver.solve(problem, z);
  } else {
    answer.certificate.status = lcp::Status::solved;
    answer.certificate.solver = "none";
    answer.certificate.tolerance = solver.options.tolerance;
  }
}

// w of the contact rows, without the bias.
void ContactSolver::Any::calc_contact_velocities(const ContactStep& step) {
  answer.velocity.resize(3 * step.contacts.size());
  const std::size_t n = z.size(), first = n - answer.velocity.size();
  for (std::size_t r = 0; r < answer.velocity.size(); ++r) {
    double u = problem.q[first + r];
    for (std::size_t c = 0; c < n; ++c) u += problem.W(first + r, c) * z[c];
    answer.velocity[r] = r % 3 == 0 && step.bias.size() != 0 ? u - step.bias[r / 3] : u;
  }
}

ContactSolver::ContactSolver(const Model& m, const ConstraintSet& set, Formulation f, const lcp::SolverOptions& options)
    : any_(std::make_unique<Any>(m, set, f, options)) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

const lcp::FrictionProblem& ContactSolver::problem() const { return any_->problem; }
lcp::SolverOptions& ContactSolver::options() { return any_->solver.options; }

ContactMemory ContactSolver::get_memory() const {
  return {any_->z, any_->met, any_->answer.contact, any_->answer.velocity};
}
void ContactSolver::set_memory(const ContactMemory& memory) {
  const std::size_t rows = 3 * memory.met.size();
  if (memory.impulses.size() != rows || memory.velocities.size() != rows || memory.z.size() < rows)
    throw std::invalid_argument("ContactSolver: a memory of " + std::to_string(memory.met.size()) +
                                " contacts has three impulses and three velocities for each");
  any_->z = memory.z, any_->met = memory.met;
  any_->answer.contact = memory.impulses, any_->answer.velocity = memory.velocities;
  any_->numbers.preload.clear();
}

std::vector<ContactState> ContactSolver::contact_states(double tolerance) const {
  const ContactAnswer& a = any_->answer;
  const contact::ProblemData& p = any_->numbers;
  std::vector<ContactState> out;
  out.reserve(any_->met.size());
  for (std::size_t c = 0; c < any_->met.size(); ++c)
    out.push_back(find_contact_state(any_->met[c], {a.contact.data() + 3 * c, 3}, {a.velocity.data() + 3 * c, 3},
                                     tolerance, p.preload.empty() ? 0 : p.preload[c]));
  return out;
}

const ContactAnswer& ContactSolver::solve(const ContactStep& step) {
  Any& a = *any_;
  ContactAnswer& answer = a.answer;
  const auto t0 = Clock::now();
  read_step(a.data, step, a.method->needs_axes());
  a.method->assemble(a.data, a.numbers);
  a.numbers.fill(step.contacts, step.preload);
  a.problem = a.numbers.view();
  a.start_warm(step.contacts);
  const auto t1 = Clock::now();
  a.solve();
  const auto t2 = Clock::now();
  if (watch && a.problem.size() > 0) watch(a.problem, answer.certificate);

  answer.v.resize(step.v.size());
  answer.loops.resize(a.data.loop_error.size());
  answer.contact.resize(3 * step.contacts.size());
  std::copy(a.z.end() - static_cast<std::ptrdiff_t>(answer.contact.size()), a.z.end(), answer.contact.begin());
  a.method->recover(a.data, a.z, answer);
  if (answer.certificate.status == lcp::Status::non_finite)
    std::fill(answer.v.begin(), answer.v.end(), std::numeric_limits<double>::quiet_NaN());
  a.calc_contact_velocities(step);
  a.met.assign(step.contacts.begin(), step.contacts.end());
  const auto t3 = Clock::now();
  answer.costs.assembly = seconds(t0, t1), answer.costs.solution = seconds(t1, t2);
  answer.costs.recovery = seconds(t2, t3);
  return answer;
}

}  // namespace sinew
