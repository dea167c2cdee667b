// src/io/mjcf/springs.cpp - springs and dampers given by a time constant and a damping ratio
// MuJoCo's rule: with the inertia i that the joint feels at the reference position, 1 / mean diagonal of M^-1,
//   damping = 2 i / T,   stiffness = i / (T ratio)^2
#include "io/mjcf/work.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::mjcf {
namespace {

JointSpec* find_spec(std::vector<JointSpec>& list, const std::string& name) {
  for (JointSpec& j : list) {
    if (j.name == name) return &j;
    if (JointSpec* part = find_spec(j.parts, name)) return part;
  }
  return nullptr;
}

}  // namespace

void set_springs(Work& w) {
  std::vector<const Joint*> wanted;
  for (const Body& b : w.bodies)
    for (const Joint& j : b.joints)
      if (j.springdamper) wanted.push_back(&j);
  if (wanted.empty() || w.out.has_errors()) return;
  const Result<Model> model = compile(w.spec);
  if (!model) return;  // whoever compiles it hears why
  const auto n = static_cast<std::size_t>(model->nv());
  std::vector<double> inverse(n * n);
  MassInverseWorkspace<double> ws(*model);
  calc_mass_inverse<double>(*model, ws, model->neutral(), MatrixView<double>(inverse.data(), n, n));
  for (const Joint* j : wanted) {
    const JointEntry* entry = model->find_joint(j->name);
    JointSpec* spec = find_spec(w.spec.joints, j->name);
    if (!entry || !spec || entry->nv == 0) continue;
    double sum = 0;
    for (int k = entry->v; k < entry->v + entry->nv; ++k) sum += inverse[at(k) * n + at(k)];
    const double inertia = entry->nv / sum;
    const auto [time, ratio] = *j->springdamper;
    for (DofSpec& d : spec->dofs) d.stiffness = inertia / (time * time * ratio * ratio), d.damping = 2 * inertia / time;
  }
}

}  // namespace sinew::mjcf
