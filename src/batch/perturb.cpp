// src/batch/perturb.cpp
#include "sinew/batch/perturb.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sinew/base/nearest_name.hpp"

namespace sinew {
namespace {

// The entry of that name, or null.
template <class Entry>
Entry* find_entry(std::vector<Entry>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.name == name; });
  return found == list.end() || name.empty() ? nullptr : &*found;
}

template <class Entry>
Entry& get_entry(std::vector<Entry>& list, const char* kind, const std::string& name) {
  if (Entry* e = find_entry(list, name)) return *e;
  std::vector<std::string> known;
  known.reserve(list.size());
  for (const Entry& e : list) known.push_back(e.name);
  throw std::invalid_argument("perturb: there is no " + std::string(kind) + " '" + name + "'" +
                              suggest_name(name, known));
}

void set_mass(BodySpec& b, double mass) {
  if (!(b.mass > 0))
    throw std::invalid_argument("perturb: body '" + b.name + "' has no mass, so its inertia cannot grow with it");
  const double factor = mass / b.mass;
  b.mass = mass;
  for (double* x : {&b.inertia.xx, &b.inertia.xy, &b.inertia.xz, &b.inertia.yy, &b.inertia.yz, &b.inertia.zz})
    *x *= factor;
}

void set_dofs(const Model& m, JointSpec& j, double DofSpec::*member, double value) {
  if (!j.parts.empty())
    throw std::invalid_argument("perturb: joint '" + j.name + "' is made of parts, which cannot be perturbed");
  if (j.dofs.empty()) j.dofs.resize(at(m.find_joint(j.name)->nv));
  for (DofSpec& d : j.dofs) d.*member = value;
}

}  // namespace

std::string_view to_string(Property p) {
  constexpr std::string_view kNames[] = {"mass",           "friction", "restitution", "damping",
                                         "joint_friction", "armature", "stiffness",   "gain"};
  return kNames[static_cast<std::size_t>(p)];
}

ModelSpec perturb(const Model& m, std::span<const Perturbation> list, std::size_t world) {
  ModelSpec spec = m.spec();
  for (const Perturbation& p : list) {
    if (world >= p.values.size())
      throw std::invalid_argument("perturb: " + std::string(to_string(p.property)) + " of '" + p.name + "' has " +
                                  std::to_string(p.values.size()) + " values, and none for world " +
                                  std::to_string(world));
    const double x = p.values[world];
    if (!std::isfinite(x) || x < 0 || (p.property == Property::mass && x == 0))
      throw std::invalid_argument("perturb: " + std::string(to_string(p.property)) + " of '" + p.name + "' is " +
                                  std::to_string(x) + " in world " + std::to_string(world) + ", it must be " +
                                  (p.property == Property::mass ? "positive" : "zero or more"));
    const auto joint = [&](double DofSpec::*member) {
      set_dofs(m, get_entry(spec.joints, "joint", p.name), member, x);
    };
    switch (p.property) {
      case Property::mass: set_mass(get_entry(spec.bodies, "body", p.name), x); break;
      case Property::friction:
        if (PairSpec* pair = find_entry(spec.pairs, p.name))
          pair->friction = x;
        else
          get_entry(spec.shapes, "shape", p.name).friction = x;
        break;
      case Property::restitution: get_entry(spec.shapes, "shape", p.name).restitution = x; break;
      case Property::damping: joint(&DofSpec::damping); break;
      case Property::joint_friction: joint(&DofSpec::friction); break;
      case Property::armature: joint(&DofSpec::armature); break;
      case Property::stiffness: joint(&DofSpec::stiffness); break;
      case Property::gain: {
        ActuatorSpec& a = get_entry(spec.actuators, "actuator", p.name);
        for (auto* terms : {&a.gain, &a.bias})
          for (double& g : *terms) g *= x;
        if (a.muscle) a.muscle->force *= x, a.muscle->scale *= x;
        break;
      }
    }
  }
  return spec;
}

}  // namespace sinew
