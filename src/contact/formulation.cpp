// src/contact/formulation.cpp
#include "sinew/contact/formulation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>

#include "constants.hpp"
#include "find_id.hpp"
#include "lcp/cascade.hpp"
#include "linear/rows.hpp"
#include "rounding.hpp"
#include "step_data.hpp"
#include "tree/columns.hpp"

namespace sinew {
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
  throw std::invalid_argument("ContactSolver: the formulation is not one of kFormulations");
}

using Clock = std::chrono::steady_clock;
double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

struct ContactSolver::Impl {
  Impl(const Model& m, const ConstraintSet& set, Formulation f, const lcp::SolverOptions& options)
      : data(m, set), method(make_method(m, set, f)), first(options) {
    idle.push_back(&first);
  }
  Impl(Mechanism& m, const lcp::SolverOptions& options)
      : none(std::make_unique<const ConstraintSet>(m.view(), std::vector<ConstraintSpec>{}, false)),
        data(m, *none),
        method(contact::make_mechanism_rows(m)),
        first(options) {
    idle.push_back(&first);
  }

  // Layout of all unknowns: those of the formulation (velocities, hinges, loops), joint rows, contacts.
  lcp::RowLayout layout() const {
    lcp::RowLayout out = data.pushing().layout();
    out.free = static_cast<int>(islands.unknowns) - out.rows();
    return out;
  }
  void start_warm(const ContactStep&, bool wanted);
  void mark_unsolved(const contact::ProblemData&);
  // What solves an island: one for each thread that does.
  struct Worker {
    explicit Worker(const lcp::SolverOptions& o) : solver(o) {}
    lcp::Solver solver;
    std::vector<double> z, w;
  };
  void solve(const ContactWatch&, const Loop&, const lcp::SolverOptions&);
  void solve_some(const lcp::SolverOptions&);
  void solve_island(std::size_t i, Worker&, const lcp::SolverOptions&);
  Worker& take_worker();
  void give_back(Worker&);
  void calc_effects(const ContactStep&);

  std::unique_ptr<const ConstraintSet> none;  // of a mechanism: its loops are its own
  contact::StepData data;
  std::unique_ptr<contact::Method> method;
  contact::Islands islands;
  contact::Rounding rounding;
  Worker first;                                 // of the calling thread
  std::vector<std::unique_ptr<Worker>> others;  // made where a loop asks for them, and kept
  std::vector<Worker*> idle;
  std::mutex workers_mutex;
  std::atomic<std::size_t> next{0};            // in `order`
  std::vector<int> order;                      // of the islands: the largest first
  std::vector<lcp::Certificate> certificates;  // (islands)
  int largest = -1;                            // island; -1: none
  lcp::FrictionProblem problem;                // of it, where somebody asked
  std::vector<double> z, w;
  std::vector<std::uint64_t> met, met_joints;  // ids of the last step; the answer has their impulses
  std::vector<ContactPoint> last;              // its contacts
  std::vector<double> preload;                 // of those
  // What the last step says of the island of a contact; see ContactMemory.
  struct Past {
    double repeated = 0, residual = 0;  // residual: -1 where the island moved before the step
  };
  std::vector<Past> past, past_before;  // (contacts)
  ContactAnswer answer;
};

// found(row, k): the row was number k in the last step; new_one(row): it is new. Most follow the one found before.
template <class Row, class Found, class NewOne>
void match_by_id(std::span<const Row> rows, const std::vector<std::uint64_t>& met, Found found, NewOne new_one) {
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (contact::find_id(met, rows[r].id, next))
      found(r, next);
    else
      new_one(r);
  }
}

// Expresses an impulse in the axes of another contact, whose tangents may differ.
void express_impulse(const ContactPoint& from, const double* p, const ContactPoint& to, double* out) {
  if (from.normal == to.normal) return void(std::copy_n(p, 3, out));  // bit for bit
  const auto [t1, t2] = contact_tangents(to.normal);
  const Vec3<double> impulse = to_world(from.normal, p[0], p[1], p[2]);
  out[0] = dot(impulse, to.normal), out[1] = dot(impulse, t1), out[2] = dot(impulse, t2);
}
template <class Row>
void copy_ids(std::span<const Row> rows, std::vector<std::uint64_t>& met) {
  met.clear();
  for (const Row& r : rows) met.push_back(r.id);
}

// Warm start: bilateral unknowns keep their values by place, the others by id.
void ContactSolver::Impl::start_warm(const ContactStep& step, bool wanted) {
  const lcp::RowLayout rows = layout();
  const bool warm = wanted && z.size() >= at(rows.free);
  z.resize(islands.unknowns);
  past_before.reserve(step.contacts.size());
  past_before.assign(past.begin(), past.end());
  past.assign(step.contacts.size(), {});
  if (!warm) return std::fill(z.begin(), z.end(), 0.0);
  double* of_joints = z.data() + rows.first_unilateral();
  match_by_id(
      step.joints, met_joints, [&](std::size_t r, std::size_t k) { of_joints[r] = answer.joints[k]; },
      [&](std::size_t r) { of_joints[r] = 0; });
  match_by_id(
      step.contacts, met,
      [&](std::size_t c, std::size_t k) {
        express_impulse(last[k], answer.contact.data() + 3 * k, step.contacts[c], z.data() + rows.row_of_contact(c));
        if (k < past_before.size()) past[c] = past_before[k];
      },
      [&](std::size_t c) { std::fill_n(z.data() + rows.row_of_contact(c), 3, 0.0); });
}

// The worst of several counts: a number that is not finite, then what is not solved for no known reason.
int rank(lcp::Status s) {
  switch (s) {
    case lcp::Status::solved: return 0;
    case lcp::Status::close: return 1;
    case lcp::Status::ray: return 2;
    case lcp::Status::out_of_time: return 3;
    case lcp::Status::limit: return 4;
    case lcp::Status::infeasible: return 5;
    case lcp::Status::non_finite: return 6;
  }
  return 6;
}

// Adds the certificate of an island: sums, and the worst of all.
void add(lcp::Certificate& sum, const lcp::Certificate& c) {
  if (sum.solver == "none" || c.residual > sum.residual) sum.solver = c.solver;
  if (rank(c.status) > rank(sum.status)) sum.status = c.status;
  sum.size += c.size, sum.iterations += c.iterations;
  sum.residual = std::max(sum.residual, c.residual), sum.absolute = std::max(sum.absolute, c.absolute);
}

void ContactSolver::Impl::mark_unsolved(const contact::ProblemData& island) {
  const lcp::RowLayout rows = layout();
  if (!island.contradiction.empty()) answer.contradiction.resize(w.size() - at(rows.free), 0.0);
  for (std::size_t r = 0; r < island.q.size(); ++r) {
    const std::size_t row = island.rows.empty() ? r : at(island.rows[r]);
    const lcp::RowBlock block = rows.block_of(row);
    if (block == lcp::RowBlock::unilateral) answer.unsolved_joints[row - at(rows.first_unilateral())] = true;
    if (block == lcp::RowBlock::contacts) answer.unsolved_contacts[rows.contact_of(row)] = true;
    if (!island.contradiction.empty() && row >= at(rows.free))
      answer.contradiction[row - at(rows.free)] = island.contradiction[r];
  }
}

// Solves one island from the warm start; w: velocities of its rows afterwards, with the bias. Writes what belongs to
// the island and nothing else.
void ContactSolver::Impl::solve_island(std::size_t i, Worker& worker, const lcp::SolverOptions& options) {
  const lcp::RowLayout rows = layout();
  contact::ProblemData& numbers = islands.problems[i];
  std::vector<double>&z_island = worker.z, &w_island = worker.w;
  const std::size_t size = numbers.q.size();
  const auto place = [&](std::size_t r) { return numbers.rows.empty() ? r : at(numbers.rows[r]); };
  const auto past_of = [&](std::size_t r) {
    return rows.block_of(place(r)) == lcp::RowBlock::contacts ? &past[rows.contact_of(place(r))] : nullptr;
  };
  z_island.resize(size);
  for (std::size_t r = 0; r < size; ++r) z_island[r] = z[place(r)];
  bool again = numbers.layout.contacts > 0;
  double wait = 0, before = 0;
  bool moved = false;
  for (std::size_t r = 0; r < size; ++r)
    if (const Past* mine = past_of(r))
      again = again && mine->repeated > 0, wait = std::min(wait, mine->repeated),
      before = std::max(before, mine->residual), moved = moved || mine->residual < 0;
  lcp::SolverOptions own = options;
  if (again) own.repeat *= contact::kRepeatLonger;
  // What stays at rest adds no errors up: its answer is kept as long as it is as good as it was. The answer that
  // stopped it is not kept: it would move it back.
  if (numbers.rests && !numbers.soft && !moved) own.repeat = std::max(1.0, contact::kAsGood * before / own.tolerance);
  own.settle = own.settle || (own.warm && wait == 0);
  const lcp::Certificate c = numbers.without_matrix ? worker.solver.solve(numbers.sparse, z_island, own)
                                                    : worker.solver.solve(numbers.view(), z_island, own);
  const VectorView<const double> contradiction = worker.solver.contradiction();
  numbers.contradiction.assign(contradiction.begin(), contradiction.end());
  numbers.calc_velocity(z_island, w_island);
  const bool close = c.status == lcp::Status::close;
  const bool settled = c.residual <= (numbers.without_matrix ? lcp::find_kept_residual(own) : lcp::cascade::kStill);
  // What counts as rest is as exact as the answer is.
  numbers.tolerance = close ? c.residual : std::min(own.tolerance, std::max(c.residual, contact::kRestTolerance));
  numbers.left = numbers.terms = 0;
  Past after;
  after.residual = !numbers.rests ? -1 : close ? c.residual : 0;
  after.repeated = c.solver == lcp::kLastAnswer ? 1 : settled ? 0 : wait < 0 ? wait + 1 : -contact::kSettleAgain;
  for (std::size_t r = 0; r < size; ++r) {
    if (Past* mine = past_of(r)) *mine = after;
    z[place(r)] = z_island[r], w[place(r)] = w_island[r];
  }
  certificates[i] = c;
}

ContactSolver::Impl::Worker& ContactSolver::Impl::take_worker() {
  const std::lock_guard lock(workers_mutex);
  if (idle.empty()) {
    idle.reserve(others.size() + 2);
    idle.push_back(others.emplace_back(std::make_unique<Worker>(first.solver.options)).get());
  }
  Worker& out = *idle.back();
  idle.pop_back();
  return out;
}
void ContactSolver::Impl::give_back(Worker& worker) {
  const std::lock_guard lock(workers_mutex);
  idle.push_back(&worker);
}

// Solves islands that nobody has begun. Which worker solves one does not matter to its answer.
void ContactSolver::Impl::solve_some(const lcp::SolverOptions& options) {
  struct Lent {
    explicit Lent(Impl& a) : of(a), worker(a.take_worker()) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { of.give_back(worker); }
    Impl& of;
    Worker& worker;
  };
  const Lent lent(*this);
  for (std::size_t k = next++; k < order.size(); k = next++) solve_island(at(order[k]), lent.worker, options);
}

// Solves all islands, by the loop where there is one and it is worth it.
void ContactSolver::Impl::solve(const ContactWatch& seen, const Loop& spread, const lcp::SolverOptions& options) {
  ContactCosts& costs = answer.costs;
  costs.size = 0, largest = -1;
  answer.certificate = {};
  answer.certificate.status = lcp::Status::solved, answer.certificate.solver = "none";
  answer.certificate.tolerance = options.tolerance;
  w.resize(z.size());
  answer.unsolved_joints.assign(data.joints.size(), false);
  answer.unsolved_contacts.assign(data.contacts.size(), false);
  answer.contradiction.clear();
  rounding.begin_step(), order.clear(), certificates.resize(std::max(certificates.size(), islands.count));
  const auto size_of = [&](int i) { return islands.problems[at(i)].q.size(); };
  for (std::size_t i = 0; i < islands.count; ++i) {
    contact::ProblemData& numbers = islands.problems[i];
    numbers.fill(data);
    if (numbers.q.empty()) continue;
    rounding.clear(data, numbers);
    order.push_back(static_cast<int>(i));
    costs.size += options.directions > 0 ? lcp::polyhedral_size(numbers.view(), options.directions)
                                         : static_cast<int>(numbers.q.size());
    if (largest < 0 || size_of(order.back()) > size_of(largest)) largest = order.back();
  }
  if (spread && order.size() > 1 && z.size() >= contact::kRowsForThreads) {
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return size_of(a) != size_of(b) ? size_of(a) > size_of(b) : a < b; });
    next = 0;
    const auto some = [&](std::size_t, std::size_t) { solve_some(options); };
    spread(order.size(), std::cref(some));
    std::sort(order.begin(), order.end());
  } else {
    for (const int i : order) solve_island(at(i), first, options);
  }
  for (const int i : order) {
    contact::ProblemData& numbers = islands.problems[at(i)];
    const lcp::Certificate& c = certificates[at(i)];
    add(answer.certificate, c);
    if (c.status != lcp::Status::solved && c.status != lcp::Status::close) mark_unsolved(numbers);
    if (seen) seen(numbers.view(), c);
  }
}

// Velocities of the rows after the step: w without the bias; and the work that their impulses did.
void ContactSolver::Impl::calc_effects(const ContactStep& step) {
  answer.velocity.resize(3 * step.contacts.size());
  answer.joint_velocity.resize(step.joints.size());
  ContactWork& work = answer.work;
  work = {};
  const lcp::RowLayout rows = layout();
  for (int row = rows.first_unilateral(); row < rows.rows(); ++row) {
    double u = w[row], before = data.approach[row - rows.free];
    if (rows.block_of(row) == lcp::RowBlock::unilateral) {
      const std::size_t k = at(row - rows.first_unilateral());
      const JointRow& joint = step.joints[k];
      answer.joint_velocity[k] = u - joint.bias - joint.softness * z[row];
      if (joint.softness > 0) continue;
      u -= joint.bias, before -= joint.bias;
      double& account = joint.of_contact ? work.friction : std::isinf(joint.upper) ? work.stops : work.joint_friction;
      account += z[row] * (before + u) / 2;
      continue;
    }
    const bool normal = rows.axis_of(row) == 0;
    const int c = rows.contact_of(row);
    if (normal && !data.bias.empty()) u -= data.bias[at(c)], before -= data.bias[at(c)];
    answer.velocity[row - rows.first_contact()] = u;
    (normal ? work.normal : work.friction) += z[row] * (before + u) / 2;
  }
  answer.drift = 0;
  for (const double e : data.rows.position) answer.drift = std::max(answer.drift, std::abs(e));
  if (data.loop_error.empty()) return;
  // K v before the step; after it K v is less by loop_error.
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
    : impl_(std::make_unique<Impl>(m, set, f, options)) {}
ContactSolver::ContactSolver(Mechanism& m, const lcp::SolverOptions& options)
    : impl_(std::make_unique<Impl>(m, options)) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

void ContactSolver::reserve(int contacts, int joint_rows) {
  Impl& a = *impl_;
  const lcp::RowLayout most{a.data.set.rows(), joint_rows, contacts};
  const std::size_t n = at(most.rows()), loops = at(most.free), joints = at(joint_rows), count = at(contacts);
  lcp::Solver& solver = a.first.solver;
  a.islands.dense = most, a.islands.sparse_rows = solver.options.sparse_rows;
  a.method->reserve(most, a.islands);
  for (auto* x : {&a.z, &a.w, &a.first.z, &a.first.w}) x->reserve(n);
  for (auto* x : {&a.answer.contact, &a.answer.velocity}) x->reserve(at(most.size(lcp::RowBlock::contacts)));
  a.answer.v.reserve(a.data.f.size()), a.answer.loops.reserve(loops), a.answer.joints.reserve(joints),
      a.answer.joint_velocity.reserve(joints);
  a.answer.unsolved_joints.reserve(joints), a.answer.unsolved_contacts.reserve(count);
  a.data.approach.reserve(n - loops), a.data.bias.reserve(count), a.data.loop_velocity.reserve(loops),
      a.preload.reserve(count);
  a.past.reserve(count), a.past_before.reserve(count), a.met.reserve(count), a.met_joints.reserve(joints),
      a.last.reserve(count);
  a.order.reserve(a.islands.problems.size()), a.certificates.reserve(a.islands.problems.size());
  if (solver.options.directions != 0) return;
  solver.reserve(a.islands.dense);
  if (a.islands.sparse.trees > 0) solver.reserve_sparse(a.islands.sparse);
}

void ContactSolver::set_armature(int v, double armature) {
  check_index("ContactSolver::set_armature", "v", v, impl_->data.nv);
  impl_->method->set_armature(v, armature);
}

const lcp::FrictionProblem& ContactSolver::problem() const {
  impl_->problem = impl_->largest < 0 ? lcp::FrictionProblem{} : impl_->islands.problems[at(impl_->largest)].view();
  return impl_->problem;
}
lcp::SolverOptions& ContactSolver::options() { return impl_->first.solver.options; }

ContactMemory ContactSolver::get_memory() const {
  ContactMemory out;
  get_memory(out);
  return out;
}
void ContactSolver::get_memory(ContactMemory& out) const {
  out.z = impl_->z, out.met = impl_->last, out.impulses = impl_->answer.contact;
  out.velocities = impl_->answer.velocity;
  out.repeated.clear(), out.residuals.clear();
  for (const Impl::Past& p : impl_->past) out.repeated.push_back(p.repeated), out.residuals.push_back(p.residual);
  out.joint_ids = impl_->met_joints, out.joint_impulses = impl_->answer.joints;
}
void ContactSolver::set_memory(const ContactMemory& memory) {
  const std::size_t rows = 3 * memory.met.size();
  if (memory.impulses.size() != rows || memory.velocities.size() != rows || memory.z.size() < rows ||
      3 * memory.repeated.size() != rows || 3 * memory.residuals.size() != rows)
    throw std::invalid_argument(
        "ContactSolver: a memory of " + std::to_string(memory.met.size()) +
        " contacts has three impulses, three velocities, one `repeated` and one residual for each");
  if (memory.joint_ids.size() != memory.joint_impulses.size())
    throw std::invalid_argument("ContactSolver: a memory of joint rows has one impulse for each");
  impl_->z = memory.z, impl_->last = memory.met, impl_->met_joints = memory.joint_ids;
  copy_ids(std::span<const ContactPoint>(memory.met), impl_->met);
  impl_->answer.contact = memory.impulses, impl_->answer.velocity = memory.velocities;
  impl_->answer.joints = memory.joint_impulses;
  impl_->past.clear();
  for (std::size_t c = 0; c < memory.met.size(); ++c) impl_->past.push_back({memory.repeated[c], memory.residuals[c]});
  impl_->preload.clear();
}

std::vector<ContactState> ContactSolver::contact_states(double tolerance) const {
  const ContactAnswer& a = impl_->answer;
  const In<double> preload = impl_->preload;
  std::vector<ContactState> out;
  out.reserve(impl_->last.size());
  for (std::size_t c = 0; c < impl_->last.size(); ++c)
    out.push_back(find_contact_state(impl_->last[c], {a.contact.data() + 3 * c, 3}, {a.velocity.data() + 3 * c, 3},
                                     tolerance, preload.size() == 0 ? 0 : preload[c]));
  return out;
}

const ContactAnswer& ContactSolver::solve(const ContactStep& step) { return solve(step, impl_->first.solver.options); }

const ContactAnswer& ContactSolver::solve(const ContactStep& step, const lcp::SolverOptions& options) {
  Impl& a = *impl_;
  ContactAnswer& answer = a.answer;
  const auto t0 = Clock::now();
  read_step(a.data, step, a.method->needs_axes());
  a.islands.sparse_rows = options.directions > 0 ? std::numeric_limits<int>::max() : options.sparse_rows;
  a.method->assemble(a.data, a.islands);
  a.start_warm(step, options.warm);
  const auto t1 = Clock::now();
  a.solve(watch, loop, options);
  const auto t2 = Clock::now();

  answer.v.resize(step.v.size());
  answer.loops.resize(a.data.loop_error.size());
  const lcp::RowLayout rows = a.layout();
  answer.joints.assign(a.z.begin() + rows.first_unilateral(), a.z.begin() + rows.first_contact());
  answer.contact.assign(a.z.begin() + rows.first_contact(), a.z.end());
  a.method->recover(a.data, a.z, answer);
  if (answer.certificate.status == lcp::Status::non_finite)
    std::fill(answer.v.begin(), answer.v.end(), std::numeric_limits<double>::quiet_NaN());
  a.calc_effects(step);
  copy_ids(step.contacts, a.met), copy_ids(step.joints, a.met_joints);
  a.last.assign(step.contacts.begin(), step.contacts.end());
  a.preload.assign(step.preload.begin(), step.preload.end());
  const auto t3 = Clock::now();
  answer.costs.assembly = seconds(t0, t1), answer.costs.solution = seconds(t1, t2);
  answer.costs.recovery = seconds(t2, t3);
  return answer;
}

}  // namespace sinew
