// src/sim/soft_contact.cpp
#include "sinew/sim/soft_contact.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "sinew/tree/aba.hpp"

namespace sinew {
namespace {
constexpr double kRelaxed = 1e-9;  // [m] a surface that is deformed less frees its slot

SoftSurface complete(SoftSurface s) {
  if (s.tangent_stiffness == 0 && s.tangent_damping == 0)
    s.tangent_stiffness = s.stiffness, s.tangent_damping = s.damping;
  for (const auto& [name, x] : {std::pair{"stiffness", s.stiffness},
                                {"damping", s.damping},
                                {"tangent_stiffness", s.tangent_stiffness},
                                {"tangent_damping", s.tangent_damping}})
    if (!(x > 0) || !std::isfinite(x))
      throw std::invalid_argument(std::string("SoftContact: ") + name + " is " + std::to_string(x) +
                                  "; stiffness and damping of a surface must be positive");
  return s;
}

SoftContactOptions complete(SoftContactOptions o) {
  o.surface = complete(o.surface);
  if (o.slots < 1)
    throw std::invalid_argument("SoftContact: slots is " + std::to_string(o.slots) + "; it must be 1 or more");
  if (!(o.skin >= 0))
    throw std::invalid_argument("SoftContact: skin is " + std::to_string(o.skin) + "; it must be 0 or more");
  return o;
}

}  // namespace

SoftSurface lump(const SoftSurface& one, const SoftSurface& two) {
  const SoftSurface a = complete(one), b = complete(two);
  const auto series = [](double x, double y) { return x * y / (x + y); };
  const auto check = [](const char* where, double x, double y) {
    if (!(std::abs(x - y) <= 1e-9 * x))
      throw std::invalid_argument(std::string("lump: along the ") + where + " K / D is " + std::to_string(x) + " and " +
                                  std::to_string(y) +
                                  " 1/s; both must be the same; else use calc_soft_pair, with a state for each");
  };
  check("normal", a.stiffness / a.damping, b.stiffness / b.damping);
  check("tangent", a.tangent_stiffness / a.tangent_damping, b.tangent_stiffness / b.tangent_damping);
  return {series(a.stiffness, b.stiffness), series(a.damping, b.damping),
          series(a.tangent_stiffness, b.tangent_stiffness), series(a.tangent_damping, b.tangent_damping)};
}

SoftNormal calc_soft_normal(const SoftSurface& s, double p, double pdot, double z, double skin) {
  SoftNormal out;
  if (p <= z + skin) out.force = std::max(0.0, -s.stiffness * p - s.damping * pdot);  // [F08 11.74, 11.75]
  out.touches = out.force > 0;
  out.zdot = -(s.stiffness * z + out.force) / s.damping;  // [F08 11.73, 11.76]
  return out;
}

SoftTangent calc_soft_tangent(const SoftSurface& s, const std::array<double, 2>& x, const std::array<double, 2>& v,
                              double limit) {
  SoftTangent out;
  for (std::size_t k = 0; k < 2; ++k)
    out.force[k] = -s.tangent_stiffness * x[k] - s.tangent_damping * v[k];  // [F08 11.78]
  const double stick = std::hypot(out.force[0], out.force[1]);
  out.slips = stick > limit;
  for (std::size_t k = 0; k < 2; ++k) {
    if (out.slips) out.force[k] *= limit / stick;                                    // [F08 11.79]
    out.xdot[k] = -(s.tangent_stiffness * x[k] + out.force[k]) / s.tangent_damping;  // [F08 11.77]
  }
  return out;
}

SoftPair calc_soft_pair(const SoftSurface& a, const SoftSurface& b, double p, double pdot, double z1, double z2) {
  SoftPair out;
  // Both surfaces feel the same force, and z1dot + z2dot = pdot.
  if (p <= z1 + z2)
    out.force = std::max(
        0.0, -(pdot + a.stiffness / a.damping * z1 + b.stiffness / b.damping * z2) / (1 / a.damping + 1 / b.damping));
  out.z1dot = -(a.stiffness * z1 + out.force) / a.damping;
  out.z2dot = -(b.stiffness * z2 + out.force) / b.damping;
  return out;
}

double relax(double stiffness, double damping, double z, double time) {
  return z * std::exp(-stiffness / damping * time);
}

SoftContact::SoftContact(const Model& m, const SoftContactOptions& o)
    : model_(m), options_(complete(o)), none_(m, {}, false), here_(m, none_), rows_(m), slots_(at(o.slots)) {
  depths_.resize(slots_.size());
}

int SoftContact::state_size() const { return static_cast<int>(stride() * slots_.size()); }

const VelocityWorkspace<double>& SoftContact::calc_motion(In<double> q, In<double> v, double time) {
  calc_constraint_rows(model_, none_, here_, q, v, time);
  return here_.motion;
}

SoftContact::Slot* SoftContact::find(std::uint64_t contact) {
  const auto s =
      std::find_if(slots_.begin(), slots_.end(), [contact](const Slot& x) { return x.taken && x.contact == contact; });
  return s == slots_.end() ? nullptr : &*s;
}

SoftContact::Slot& SoftContact::take(std::uint64_t contact) {
  if (Slot* s = find(contact)) return *s;
  const auto s = std::find_if(slots_.begin(), slots_.end(), [](const Slot& x) { return !x.taken; });
  if (s == slots_.end())
    throw std::runtime_error("SoftContact: more than " + std::to_string(slots_.size()) +
                             " contacts are pressed or still relaxing; raise options.slots");
  *s = {contact, true, false, 0, 0};
  return *s;
}

double SoftContact::calc_normal(const Slot& s, In<double> z, double p, double time) const {
  if (!options_.remember_normal) return z[stride() * static_cast<std::size_t>(&s - slots_.data())];
  if (s.touched) return p;  // touched at the end of the last step; its force decides whether it still does
  return relax(options_.surface.stiffness, options_.surface.damping, s.z, time - s.time);
}

void SoftContact::calc_forces(std::span<const ContactPoint> contacts, In<double> z, double time, Out<double> tau,
                              Out<double> zdot) {
  check_size("SoftContact", "z", z.size(), at(state_size()));
  check_size("SoftContact", "zdot", zdot.size(), at(state_size()));
  check_size("SoftContact", "tau", tau.size(), at(model_.nv()));
  check_contacts("SoftContact", model_, contacts);
  const SoftSurface& surface = options_.surface;
  const std::size_t first_tangent = stride() - 2;
  // Surfaces that are not touched relax.
  for (std::size_t i = 0; i < z.size(); ++i)
    zdot[i] = i % stride() < first_tangent ? -surface.stiffness / surface.damping * z[i]
                                           : -surface.tangent_stiffness / surface.tangent_damping * z[i];
  forces_.clear();
  std::fill(depths_.begin(), depths_.end(), 0.0);
  speeds_.resize(3 * contacts.size()), r_.assign(3 * contacts.size(), 0.0);
  calc_contact_velocities(contacts, here_.motion, speeds_);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double p = contacts[c].gap, pdot = speeds_[3 * c];
    Slot* slot = find(contacts[c].id);
    if (!slot && p > options_.skin) continue;
    if (!slot) slot = &take(contacts[c].id);
    const auto i = static_cast<std::size_t>(slot - slots_.data());
    const SoftNormal n = calc_soft_normal(surface, p, pdot, calc_normal(*slot, z, p, time), options_.skin);
    if (first_tangent == 1) zdot[3 * i] = n.zdot;
    if (!n.touches) continue;
    depths_[i] = p;
    const std::size_t x = stride() * i + first_tangent;
    const SoftTangent t = calc_soft_tangent(surface, {z[x], z[x + 1]}, {speeds_[3 * c + 1], speeds_[3 * c + 2]},
                                            contacts[c].friction * n.force);
    zdot[x] = t.xdot[0], zdot[x + 1] = t.xdot[1];
    r_[3 * c] = n.force, r_[3 * c + 1] = t.force[0], r_[3 * c + 2] = t.force[1];
    forces_.push_back({contacts[c].id, n.force, t.force, t.slips});
  }
  calc_contact_rows({{}, contacts}, here_.motion.kinematics, rows_);
  multiply_by_contact_jacobian_transpose(model_, here_, rows_, r_, tau);
}

double SoftContact::calc_stored_energy(In<double> z) const {
  check_size("SoftContact", "z", z.size(), at(state_size()));
  double sum = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const double normal = depths_[i] < 0 || options_.remember_normal ? depths_[i] : z[3 * i];
    const double* x = &z[stride() * i + stride() - 2];
    sum += options_.surface.stiffness * normal * normal / 2 +
           options_.surface.tangent_stiffness * (x[0] * x[0] + x[1] * x[1]) / 2;
  }
  return sum;
}

bool SoftContact::end_step(std::span<const ContactPoint> contacts, Out<double> z, double time) {
  check_size("SoftContact", "z", z.size(), at(state_size()));
  speeds_.resize(3 * contacts.size());
  calc_contact_velocities(contacts, here_.motion, speeds_);
  bool freed = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& s = slots_[i];
    if (!s.taken) continue;
    const auto c =
        std::find_if(contacts.begin(), contacts.end(), [&](const ContactPoint& p) { return p.id == s.contact; });
    const double now = calc_normal(s, z, c == contacts.end() ? HUGE_VAL : c->gap, time);
    bool touches = false;
    if (c != contacts.end()) {
      const double pdot = speeds_[3 * static_cast<std::size_t>(c - contacts.begin())];
      touches = calc_soft_normal(options_.surface, c->gap, pdot, now, options_.skin).touches;
    }
    if (touches) {
      s.touched = true, s.z = c->gap, s.time = time;
      continue;
    }
    s.touched = false;
    double left = options_.remember_normal
                      ? std::abs(relax(options_.surface.stiffness, options_.surface.damping, s.z, time - s.time))
                      : std::abs(z[3 * i]);
    for (std::size_t k = stride() * i + stride() - 2; k < stride() * (i + 1); ++k)
      left = std::max(left, std::abs(z[k]));
    const bool near = c != contacts.end() && c->gap <= options_.skin;
    if (left > kRelaxed || near) continue;
    std::fill_n(z.begin() + stride() * i, stride(), 0.0);
    s.taken = false, freed = true;
  }
  return freed;
}

RightHandSide make_soft_dynamics(const Model& m, SoftContact& soft, ContactSource source, JointForces forces) {
  struct Work {
    explicit Work(const Model& model) : aba(model), tau(at(model.nv())), contact(tau) {}
    AbaWorkspace<double> aba;
    std::vector<double> tau, contact;
    std::vector<ContactPoint> contacts;
  };
  return [&m, &soft, source = std::move(source), forces = std::move(forces), work = std::make_shared<Work>(m)](
             const StatePoint& x, const StateRate& r) {
    const VelocityWorkspace<double>& motion = soft.calc_motion(x.q, x.v, x.time);
    source(motion.kinematics, x.time, soft.options().skin, work->contacts);
    soft.calc_forces(work->contacts, x.extra, x.time, work->contact, r.extra);
    std::fill(work->tau.begin(), work->tau.end(), 0.0);
    if (forces) forces(x, work->tau);
    for (std::size_t i = 0; i < work->tau.size(); ++i) work->tau[i] += work->contact[i];
    Surroundings<double> surroundings;
    surroundings.time = x.time;
    aba(m, work->aba, x.q, x.v, work->tau, r.v, surroundings);
  };
}

Projection make_soft_upkeep(SoftContact& soft, ContactSource source) {
  return [&soft, source = std::move(source), contacts = std::make_shared<std::vector<ContactPoint>>()](
             State& s, Out<double> extra) {
    source(soft.calc_motion(s.q, s.v, s.time).kinematics, s.time, soft.options().skin, *contacts);
    return soft.end_step(*contacts, extra, s.time);
  };
}

}  // namespace sinew
