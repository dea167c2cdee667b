// tests/support/flexible_case.hpp - models with flexible bodies, and their mass points followed one by one
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/operators/flexible_sko.hpp"
#include "support/random_tree.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

// A body of a few points with random shapes, and nodes at the given places whose motion is random too.
struct PointBody {
  sko::FlexibleBody body;
  std::vector<sko::MaterialPoint> points;
};
inline PointBody random_point_body(Random& rng, const std::string& name, int modes, bool second,
                                   const std::vector<Vec3<double>>& places) {
  PointBody out;
  const auto vectors = [&](int n, double size) {
    std::vector<Vec3<double>> list;
    for (int i = 0; i < n; ++i) list.push_back(random_vec(rng, size));
    return list;
  };
  const auto symmetric = [&] {
    std::vector<Vec3<double>> q = vectors(modes * modes, 0.3);
    for (int i = 0; i < modes; ++i)
      for (int j = 0; j < i; ++j) q[at(i * modes + j)] = q[at(j * modes + i)];
    return q;
  };
  for (int i = 0; i < 4 + modes; ++i)
    out.points.push_back(
        {rng.uniform(0.1, 1), random_vec(rng), vectors(modes, 1), second ? symmetric() : std::vector<Vec3<double>>{}});
  out.body.body = name;
  sko::set_material(out.body, modes, out.points);
  out.body.stiffness.assign(at(modes * modes), 0.0);
  for (int i = 0; i < modes; ++i) out.body.stiffness[at(i * (modes + 1))] = rng.uniform(1, 3);
  for (std::size_t i = 0; i < places.size(); ++i)
    out.body.nodes.push_back({"node " + std::to_string(i), places[i], vectors(modes, 0.5), vectors(modes, 1),
                              second ? symmetric() : std::vector<Vec3<double>>{}});
  out.body.replaces_inertia = true;
  return out;
}

// A tree over several kinds of joints: rigid 'base', on it the flexible 'boom', on which hang a jointed rigid 'arm', a
// welded 'tip' and, on the arm, the flexible 'whip', welded. Every joint is off the axes.
struct FlexibleCase {
  FlexibleCase(std::uint64_t seed, int modes, bool second, JointKind root = JointKind::free, double gravity = 9) {
    Random rng(seed);
    ModelBuilder b("case");
    b.gravity({1, -2, -gravity});
    ModelSpec& spec = b.spec();
    for (const char* name : {"base", "boom", "arm", "tip", "whip"}) spec.bodies.push_back(random_body(rng, name));
    const auto join = [&](JointKind kind, const char* name, const char* parent, const char* child) {
      JointSpec j = random_joint(rng, kind, name);
      j.parent = parent, j.child = child;
      spec.joints.push_back(j);
    };
    join(root, "root", "world", "base");
    join(JointKind::revolute, "shoulder", "base", "boom");
    join(JointKind::universal, "wrist", "boom", "arm");
    join(JointKind::fixed, "weld", "boom", "tip");
    join(JointKind::fixed, "grip", "arm", "whip");
    spec.joints[1].dofs = {DofSpec{.armature = 0.3}};
    model = std::make_unique<const Model>(compile(spec).value());
    points.push_back(
        random_point_body(rng, "boom", modes, second, {spec.joints[2].placement.r, spec.joints[3].placement.r}));
    points.push_back(random_point_body(rng, "whip", modes + 1, second, {}));
    flexible = std::make_unique<const sko::FlexibleModel>(
        *model, std::vector<sko::FlexibleBody>{points[0].body, points[1].body});
  }
  std::unique_ptr<const Model> model;
  std::vector<PointBody> points;
  std::unique_ptr<const sko::FlexibleModel> flexible;
};

struct FlexibleState {
  std::vector<double> q, v, a;
};
inline FlexibleState random_state(const sko::FlexibleModel& m, Random& rng, double size = 0.2) {
  const TreeState rigid = random_state(m.model(), rng);
  FlexibleState out{rigid.q, rigid.v, rigid.a};
  for (int i = 0; i < m.modes(); ++i) {
    out.q.push_back(size * rng.uniform(-1, 1));
    out.v.push_back(size * rng.uniform(-1, 1));
    out.a.push_back(size * rng.uniform(-1, 1));
  }
  return out;
}
// q moved along v for t.
inline std::vector<double> moved(const sko::FlexibleModel& m, const std::vector<double>& q,
                                 const std::vector<double>& v, double t) {
  const auto nq = at(m.model().nq()), nv = at(m.model().nv());
  std::vector<double> out = q;
  integrate(m.model(), {q.data(), nq}, {v.data(), nv}, t, {out.data(), nq});
  for (std::size_t i = 0; i < at(m.modes()); ++i) out[nq + i] += t * v[nv + i];
  return out;
}

inline std::vector<double> inverse_dynamics_of(sko::FlexibleSko& f, const FlexibleState& s) {
  f.update(s.q, s.v);
  sko::SkoDynamics<double> ws(f.sko);
  std::vector<double> out(s.v.size());
  sko::inverse_dynamics<double>(f.sko, ws, f.stack(s.a), out);
  return f.unstack(out);
}
inline std::vector<double> forward_dynamics_of(sko::FlexibleSko& f, const std::vector<double>& q,
                                               const std::vector<double>& v, const std::vector<double>& tau) {
  f.update(q, v);
  sko::SkoDynamics<double> ws(f.sko);
  std::vector<double> out(v.size());
  sko::forward_dynamics<double>(f.sko, ws, f.stack(tau), out);
  return f.unstack(out);
}

// E I = m = L = 1, so that frequencies are the squares of the roots.
inline sko::BeamSpec unit_beam(int modes) {
  return {.body = "beam",
          .length = 1,
          .mass = 1,
          .bending_y = 1,
          .bending_z = 1,
          .modes_y = modes,
          .modes_z = modes,
          .stations = {{"tip", 1}}};
}
// 'beam' on a joint of the given kind; with tip_mass > 0 a point mass welded to its end.
inline Model beam_model(JointKind kind, double tip_mass = 0, const Vec3<double>& axis = {0, 0, 1}) {
  ModelBuilder b("beam");
  b.gravity({});
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  JointSpec j;
  j.name = "root", j.parent = "world", j.child = "beam", j.kind = kind, j.axis = axis;
  b.spec().joints.push_back(j);
  if (tip_mass > 0) {
    b.body("load").mass(tip_mass, {}, {});
    b.fixed("weld", "beam", "load").at({1, 0, 0});
  }
  return b.build().value();
}

}  // namespace sinew::test
