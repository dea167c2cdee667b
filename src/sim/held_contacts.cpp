// src/sim/held_contacts.cpp
#include "held_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constants.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {

using namespace events;

HeldContacts::HeldContacts(const Model& m, const ConstraintSet& set, ContactSource source, JointForces forces,
                           const EventDrivenOptions& options)
    : model_(m),
      set_(set),
      source_(std::move(source)),
      forces_(std::move(forces)),
      options_(options),
      here_(m, set),
      near_(m),
      contact_rows_(m),
      aba_(m),
      tau_(at(m.nv())),
      a_(tau_),
      q_(at(m.nq())),
      layout_{set.rows(), 0, 0, 1} {}

void HeldContacts::look(const KinematicsWorkspace<double>& kinematics, double time, std::vector<ContactPoint>& out) {
  source_(kinematics, time, options_.reach, out);
  check_contacts("EventDriven", model_, out);
  for (ContactPoint& c : out) {
    if (c.friction > 0 && options_.friction == EventFriction::refuse)
      throw std::invalid_argument("EventDriven: contact " + std::to_string(c.id) + " has the friction " +
                                  std::to_string(c.friction) +
                                  ", but options.friction refuses it; set that to EventFriction::coulomb or ignore");
    if (options_.friction != EventFriction::coulomb) c.friction = 0;
  }
}

const std::vector<ContactPoint>& HeldContacts::find(const StatePoint& x) {
  calc_velocities(model_, near_, x.q, x.v, x.time);
  look(near_.kinematics, x.time, found_);
  all_speeds_.resize(3 * found_.size()), speeds_.resize(found_.size()), slips_.resize(found_.size());
  calc_contact_velocities(found_, near_, all_speeds_);
  for (std::size_t c = 0; c < found_.size(); ++c)
    speeds_[c] = all_speeds_[3 * c], slips_[c] = {all_speeds_[3 * c + 1], all_speeds_[3 * c + 2]};
  return found_;
}

// After find at the same state.
void HeldContacts::remember(std::span<const ContactPoint> contacts) {
  carried_.clear();
  const auto& X = near_.kinematics.X;
  for (const ContactPoint& c : contacts)
    carried_.push_back({c, apply_to_point(X[c.node_a], c.point), apply(X[c.node_b].E, c.normal)});
}

void HeldContacts::choose(const KinematicsWorkspace<double>& kinematics, double time,
                          std::span<const std::uint64_t> ids, std::vector<ContactPoint>& out) {
  look(kinematics, time, looked_);
  out.clear();
  for (const std::uint64_t id : ids) {
    const auto same = [id](const ContactPoint& c) { return c.id == id; };
    if (const auto c = std::find_if(looked_.begin(), looked_.end(), same); c != looked_.end()) {
      out.push_back(*c);
      continue;
    }
    const auto old =
        std::find_if(carried_.begin(), carried_.end(), [id](const Carried& c) { return c.contact.id == id; });
    if (old == carried_.end())
      throw std::runtime_error("EventDriven: contact " + std::to_string(id) +
                               " is listed at one call and gone at the next at the same state; its source must depend "
                               "on position and time alone");
    ContactPoint c = old->contact;
    c.point = apply_inverse_to_point(kinematics.X[c.node_a], old->point);
    c.normal = apply_inverse(kinematics.X[c.node_b].E, old->normal);
    out.push_back(c);
  }
}

void HeldContacts::calc(const StatePoint& x, std::span<const std::uint64_t> ids, int rows_each) {
  const auto nv = at(model_.nv());
  layout_.contacts = static_cast<int>(ids.size()), layout_.rows_per_contact = rows_each;
  const int loops = layout_.free, rows = layout_.rows();
  std::fill(tau_.begin(), tau_.end(), 0.0);
  if (forces_) forces_(x, tau_);
  Surroundings<double> surroundings;
  surroundings.time = x.time;
  aba(model_, aba_, x.q, x.v, tau_, a_, surroundings);
  if (rows == 0) {
    chosen_.clear(), d_.clear();
    return;
  }

  // G: K of the loops, then the rows of the contacts
  calc_constraint_rows(model_, set_, here_, x.q, x.v, x.time);
  choose(here_.motion.kinematics, x.time, ids, chosen_);
  calc_contact_rows({{}, chosen_}, here_.motion.kinematics, contact_rows_);
  J_.resize(3 * ids.size() * nv);
  get_contact_jacobian(model_, here_, contact_rows_, {J_.data(), 3 * ids.size(), nv});
  G_.resize(at(rows) * nv), Y_.resize(G_.size()), W_.resize(at(rows) * at(rows)), d_.resize(at(rows));
  get_constraint_jacobian(model_, set_, here_, {G_.data(), at(loops), nv});
  for (int c = 0; c < layout_.contacts; ++c)
    std::copy_n(J_.data() + at(3 * c) * nv, at(rows_each) * nv, G_.data() + at(layout_.row_of_contact(c)) * nv);

  const auto row = [nv](std::vector<double>& of, int r) { return VectorView<double>(of.data() + at(r) * nv, nv); };
  const auto dot = [](const VectorView<double>& a, const VectorView<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (int r = 0; r < rows; ++r) {
    multiply_by_mass_inverse(model_, aba_, x.q, In<double>(row(G_, r)), row(Y_, r), x.time);
    for (int s = 0; s <= r; ++s) W_[index(r, s)] = W_[index(s, r)] = dot(row(G_, s), row(Y_, r));  // [F08 11.35]
    d_[r] = dot(row(G_, r), a_) - (r < loops ? here_.k[r] : 0);
  }
  add_drift(x, ids);
}

// Tdot^T qd of [F08 11.36]: rates of the gaps' velocities at constant v, by differences along the motion.
void HeldContacts::add_drift(const StatePoint& x, std::span<const std::uint64_t> ids) {
  if (ids.empty()) return;
  double fastest = 1;
  for (const double v : x.v) fastest = std::max(fastest, std::abs(v));
  const double e = kNear / fastest;
  u_.resize(3 * ids.size());
  for (const auto& [steps, weight] : {std::pair{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}}) {
    integrate(model_, x.q, x.v, steps * e, q_);
    calc_velocities(model_, near_, In<double>(q_), x.v, x.time + steps * e);
    choose(near_.kinematics, x.time + steps * e, ids, chosen_near_);
    calc_contact_velocities(chosen_near_, near_, u_);
    for (std::size_t c = 0; c < ids.size(); ++c)
      for (std::size_t k = 0; k < at(layout_.rows_per_contact); ++k)
        d_[at(layout_.row_of_contact(c)) + k] += weight / (12 * e) * u_[3 * c + k];
  }
}

void HeldContacts::get_errors(std::vector<double>& position, std::vector<double>& velocity) {
  position.assign(here_.position.begin(), here_.position.end());
  velocity.assign(here_.velocity.begin(), here_.velocity.end());
  u_.resize(3 * chosen_.size());
  calc_contact_velocities(chosen_, here_.motion, u_);
  for (std::size_t c = 0; c < chosen_.size(); ++c)
    for (std::size_t k = 0; k < at(layout_.rows_per_contact); ++k) {
      position.push_back(k == 0 ? chosen_[c].gap : 0);
      velocity.push_back(u_[3 * c + k]);
    }
}

void HeldContacts::factor(std::span<const int> order) {
  independent_.assign(at(layout_.rows()), false);
  kept_.clear(), factor_.clear();
  for (const int r : order)
    if (factor_.add(get_response(r, r), linear::kImpliedContact,
                    [&](std::size_t i) { return get_response(kept_[i], r); }))
      kept_.push_back(r), independent_[r] = true;
}

void HeldContacts::solve(In<double> x, std::vector<double>& z) const {
  z.assign(at(layout_.rows()), 0.0);
  for (const int r : kept_) z[r] = -x[r];
  factor_.solve([&](std::size_t i) -> double& { return z[kept_[i]]; });
}

void HeldContacts::add_response(In<double> z, Out<double> to) const {
  for (std::size_t r = 0; r < z.size(); ++r)
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += z[r] * Y_[r * to.size() + i];  // [F08 11.41]
}

}  // namespace sinew
