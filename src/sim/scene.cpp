// src/sim/scene.cpp
#include "sinew/sim/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "sim/scene_parts.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

// The pose whose z axis is the normal.
Rotation<double> rotation_to(const Vec3<double>& n) {
  const Vec3<double> axis = cross(Vec3<double>{0, 0, 1}, n);
  const double sine = norm(axis);
  if (sine < 1e-12)
    return n.z > 0 ? Rotation<double>{} : rotation_from_axis_angle(Vec3<double>{1, 0, 0}, std::numbers::pi);
  return rotation_from_axis_angle((1 / sine) * axis, std::atan2(sine, n.z));
}

Vec3<double> find_normal(const FloorOptions& f) {
  const double length = norm(f.normal);
  if (!(length > 0) || !std::isfinite(length)) scene::refuse("the normal of the floor must be finite and not zero");
  return (1 / length) * f.normal;
}

// Row k of E: axis k of the shape, along the world's axes.
Vec3<double> axis_of(const Rotation<double>& E, int k) {
  return apply_inverse(E, Vec3<double>{k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0});
}

// How far the shape at X reaches below its origin, against `up`; nothing: it has no lowest point.
std::optional<double> find_reach_below(const ModelSpec& spec, const ShapeSpec& s, const Transform<double>& X,
                                       const Vec3<double>& up) {
  const double along[3] = {dot(up, axis_of(X.E, 0)), dot(up, axis_of(X.E, 1)), dot(up, axis_of(X.E, 2))};
  const auto [a, b, c] = s.size;
  switch (s.kind) {
    case ShapeKind::sphere: return a;
    case ShapeKind::box: return std::abs(along[0]) * a + std::abs(along[1]) * b + std::abs(along[2]) * c;
    case ShapeKind::capsule: return a + std::abs(along[2]) * b;
    case ShapeKind::cylinder: return std::abs(along[2]) * b + a * std::hypot(along[0], along[1]);
    case ShapeKind::ellipsoid: return std::hypot(along[0] * a, along[1] * b, along[2] * c);
    case ShapeKind::plane:
    case ShapeKind::heightfield: return std::nullopt;
    case ShapeKind::mesh: break;
  }
  const auto mesh =
      std::find_if(spec.meshes.begin(), spec.meshes.end(), [&](const auto& m) { return m.name == s.asset; });
  if (mesh == spec.meshes.end() || mesh->vertices.empty()) return std::nullopt;
  double most = -INFINITY;
  for (const Vec3<double>& p : mesh->vertices)
    most = std::max(most, -(along[0] * p.x + along[1] * p.y + along[2] * p.z));
  return most;
}

std::vector<const JointEntry*> find_free_roots(const Model& m) {
  std::vector<const JointEntry*> out;
  for (const JointEntry& j : m.joints())
    if (j.parent == 0 && j.kind == JointKind::free) out.push_back(&j);
  return out;
}

// What makes the start: the keyframe, q and v, joints by name, then the rest within its stops.
class Start {
 public:
  Start(const Model& m, const SceneOptions& o, Scene& out) : m_(m), o_(o), out_(out), set_(at(m.nq()), false) {}
  void make() {
    out_.start = make_state(m_);
    read_keyframe();
    take(o_.q, out_.start.q, "q"), take(o_.v, out_.start.v, "v");
    take(o_.activation, out_.start.activation, "activation");
    if (!o_.q.empty()) set_.assign(set_.size(), true);
    set_joints();
    if (o_.fit_start) fit();
  }

 private:
  void take(const std::vector<double>& from, std::vector<double>& to, const char* name) const {
    if (from.empty()) return;
    if (from.size() != to.size())
      scene::refuse(std::string(name) + " has " + std::to_string(from.size()) + " numbers, the model has " +
                    std::to_string(to.size()));
    for (const double x : from)
      if (!std::isfinite(x)) scene::refuse(std::string(name) + " has a number that is not finite");
    to = from;
  }
  void read_keyframe() {
    const std::vector<KeyframeSpec>& frames = m_.spec().keyframes;
    if (frames.empty() && o_.keyframe.empty()) return;
    const auto k = o_.keyframe.empty() ? frames.begin()
                                       : std::find_if(frames.begin(), frames.end(),
                                                      [&](const KeyframeSpec& f) { return f.name == o_.keyframe; });
    if (k == frames.end()) {
      std::vector<std::string> known;
      known.reserve(frames.size());
      for (const KeyframeSpec& f : frames) known.push_back(f.name);
      std::string list;
      for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
      scene::refuse("there is no keyframe '" + o_.keyframe + "'; " +
                    (known.empty() ? "the model has none" : "known: " + list) + suggest_name(o_.keyframe, known));
    }
    take(k->q, out_.start.q, "the keyframe's q"), take(k->v, out_.start.v, "the keyframe's v");
    if (!k->q.empty()) set_.assign(set_.size(), true);
    out_.start.time = k->time, out_.control = k->control;
    take(k->activation, out_.start.activation, "the keyframe's activation");
  }
  const JointEntry& find_joint(const std::string& name) const {
    if (const JointEntry* j = m_.find_joint(name)) return *j;
    std::vector<std::string> known;
    for (const JointEntry& x : m_.joints())
      if (x.nq > 0) known.push_back(x.name);
    scene::refuse("there is no joint '" + name + "'" + suggest_name(name, known));
  }
  static void set_numbers(const std::string& joint, const char* what, const std::vector<double>& from, int count,
                          double* to) {
    if (from.size() != at(count))
      scene::refuse("joint '" + joint + "' has " + std::to_string(count) + " " + what + " coordinates, " +
                    std::to_string(from.size()) + " are given");
    for (const double x : from)
      if (!std::isfinite(x)) scene::refuse("a " + std::string(what) + " of joint '" + joint + "' is not finite");
    std::copy(from.begin(), from.end(), to);
  }
  void set_joints() {
    for (const auto& [name, values] : o_.set) {
      const JointEntry& j = find_joint(name);
      set_numbers(name, "position", values, j.nq, out_.start.q.data() + j.q);
      std::fill_n(set_.begin() + j.q, j.nq, true);
    }
    for (const auto& [name, values] : o_.set_velocity) {
      const JointEntry& j = find_joint(name);
      set_numbers(name, "velocity", values, j.nv, out_.start.v.data() + j.v);
    }
    if (o_.time) out_.start.time = *o_.time;
    normalize<double>(m_, out_.start.q);
    for (const JointEntry& j : m_.joints())
      for (int k = 0; k < j.nq; ++k)
        if (!std::isfinite(out_.start.q[at(j.q + k)]))
          scene::refuse("the quaternion of joint '" + j.name + "' has length zero at the start");
  }
  void fit() {
    std::string moved;
    int count = 0;
    for (const JointEntry& j : m_.joints()) {
      if (j.nq != 1 || j.nv != 1 || set_[at(j.q)]) continue;
      double& q = out_.start.q[at(j.q)];
      const DofSpec& d = m_.dofs()[at(j.v)];
      const double fitted = std::clamp(q, d.lower, d.upper);
      if (fitted == q) continue;
      q = fitted, ++count;
      if (count <= 3)
        moved += (moved.empty() ? "'" : ", '") + j.name + "' at " + scene::with_digits(q) +
                 (j.kind == JointKind::prismatic ? " m" : " rad");
    }
    for (std::size_t round = 0; round <= m_.couplings().size(); ++round)  // a driver may be driven itself
      for (const CouplingEntry& c : m_.couplings()) {
        if (!c.active || set_[at(c.q)]) continue;
        double q = c.offset;
        for (const CouplingEntry::Term& t : c.terms) {
          double power = 1;
          for (const double factor : t.coefficients) power *= out_.start.q[at(t.q)] - t.reference, q += factor * power;
        }
        out_.start.q[at(c.q)] = q;
      }
    if (count > 0)
      out_.notes.push_back("start: " + std::to_string(count) + (count == 1 ? " joint starts" : " joints start") +
                           " at a stop, because zero is beyond it: " + moved + (count > 3 ? ", ..." : ""));
  }

  const Model& m_;
  const SceneOptions& o_;
  Scene& out_;
  std::vector<bool> set_;  // (nq) by keyframe, q or name
};

// Moves the start of bodies on free joints; sets the height of the floor where nobody has.
void place_bodies(const Model& m, const SceneOptions& o, FloorOptions* floor, Scene& out) {
  const std::vector<const JointEntry*> roots = find_free_roots(m);
  if (o.place) {
    if (roots.size() != 1)
      scene::refuse("place needs one body on a free joint to the world, the model has " + std::to_string(roots.size()) +
                    (roots.empty() ? "; a URDF gets one by floating_base (--floating)" : ""));
    const Quaternion<double> turn = to_quaternion(o.place->E);
    const Vec3<double>& r = o.place->r;
    const double pose[7] = {turn.w, turn.x, turn.y, turn.z, r.x, r.y, r.z};
    std::copy(std::begin(pose), std::end(pose), out.start.q.begin() + roots[0]->q);
  }
  if (!floor) {
    if (o.on_floor) scene::refuse("on_floor needs a floor");
    return;
  }
  const Vec3<double> up = find_normal(*floor);
  const std::optional<double> lowest = find_lowest_point(m, out.start.q, up);
  if (!lowest) out.notes.push_back("floor: nothing that moves has a shape that could touch it");
  if (!floor->height) {
    // Bodies that cannot be moved onto the floor stand above it.
    floor->height = roots.empty() && lowest ? std::min(0.0, *lowest) : 0.0;
    if (*floor->height < 0)
      out.notes.push_back("floor: at " + scene::with_digits(*floor->height) +
                          " m, the lowest point of the start pose, because the base is fixed");
  }
  if (!o.on_floor || !lowest) return;
  if (roots.empty())
    scene::refuse("on_floor needs a body on a free joint to the world; a URDF gets one by floating_base (--floating)");
  const double shift = *floor->height - *lowest;
  for (const JointEntry* j : roots) {
    // Positions of a free joint are those of its frame F_s in F_p.
    const JointSpec& spec = m.spec().joints[at(static_cast<int>(j - m.joints().data()))];
    const Vec3<double> move = apply(spec.placement.E, shift * up);
    double* r = out.start.q.data() + j->q + 4;
    r[0] += move.x, r[1] += move.y, r[2] += move.z;
  }
  out.notes.push_back("place: moved by " + scene::with_digits(shift) + " m so that the lowest point touches the floor");
}

void exclude(ModelSpec& spec, const std::vector<Overlap>& pairs) {
  for (const Overlap& p : pairs) spec.exclusions.push_back({p.body_a, p.body_b, {}});
}

// Every pair of bodies of one mechanism that have shapes.
std::vector<Overlap> find_own_pairs(const Model& m) {
  std::vector<int> bodies;
  for (const ShapeSpec& s : m.spec().shapes)
    if (s.collides) bodies.push_back(*m.find_body(s.body));
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<Overlap> out;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j)
      if (bodies[i] != 0 && scene::find_top(m, bodies[i]) == scene::find_top(m, bodies[j]))
        out.push_back({m.bodies()[bodies[i]].name, m.bodies()[bodies[j]].name, 0});
  return out;
}

void leave_out_overlaps(const Model& m, ModelSpec& spec, Scene& out) {
  out.left_out = find_self_overlaps(m, out.start.q);
  exclude(spec, out.left_out);
  if (out.left_out.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, out.left_out.size()); ++i) {
    const Overlap& p = out.left_out[i];
    names += (i ? ", '" : "'") + p.body_a + "' and '" + p.body_b + "' (" + scene::with_digits(1000 * p.depth) + " mm)";
  }
  out.notes.push_back("self-collision: " + std::to_string(out.left_out.size()) +
                      (out.left_out.size() == 1 ? " pair of bodies overlaps" : " pairs of bodies overlap") +
                      " at the start and cannot touch each other: " + names + (out.left_out.size() > 3 ? ", ..." : ""));
}

void check_range(const char* name, const std::optional<double>& x, double most) {
  if (x && !(*x >= 0 && *x <= most))
    scene::refuse(std::string(name) + " is " + scene::with_digits(*x) + ", but must be at least 0" +
                  (std::isfinite(most) ? " and at most " + scene::with_digits(most) : " and finite"));
}

}  // namespace

void add_floor(ModelSpec& spec, const FloorOptions& o) {
  const Vec3<double> n = find_normal(o);
  check_range("the friction of the floor", o.friction, 1e300),
      check_range("the restitution of the floor", o.restitution, 1);
  const double height = o.height.value_or(0);
  if (!std::isfinite(height)) scene::refuse("the height of the floor must be finite");
  ShapeSpec s;
  s.name = scene::find_free_name("floor", spec.shapes), s.body = spec.world, s.kind = ShapeKind::plane;
  s.pose = {rotation_to(n), height * n};
  s.friction = o.friction, s.restitution = o.restitution;
  s.contact_type = s.contact_affinity = -1;  // all bits: it touches whatever can touch something
  s.rgba = {0.8, 0.8, 0.8, 1};
  spec.shapes.push_back(std::move(s));
}

void set_surfaces(ModelSpec& spec, std::optional<double> friction, std::optional<double> restitution) {
  check_range("friction", friction, 1e300), check_range("restitution", restitution, 1);
  for (ShapeSpec& s : spec.shapes) {
    if (restitution) s.restitution = *restitution;
    if (friction) s.friction = *friction, s.friction_law = std::max(s.friction_law, FrictionLaw::sliding);
  }
  if (friction)
    for (PairSpec& p : spec.pairs) p.friction = *friction;
}

std::optional<double> find_lowest_point(const Model& m, In<double> q, const Vec3<double>& up) {
  check_size("find_lowest_point", "q", q.size(), at(m.nq()));
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, q);
  std::optional<double> lowest;
  for (const ShapeSpec& s : m.spec().shapes) {
    const int body = *m.find_body(s.body);
    if (!s.collides || (s.contact_type == 0 && s.contact_affinity == 0) || m.bodies()[body].node == 0) continue;
    const Transform<double> X = s.pose * get_body_pose(m, ws, body);
    const std::optional<double> below = find_reach_below(m.spec(), s, X, up);
    if (below) lowest = std::min(lowest.value_or(INFINITY), dot(up, X.r) - *below);
  }
  return lowest;
}

std::vector<Overlap> find_self_overlaps(const Model& m, In<double> q) {
  check_size("find_self_overlaps", "q", q.size(), at(m.nq()));
  ContactShapes shapes(m);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, q);
  std::vector<ContactPoint> contacts;
  shapes.find(ws, 0, contacts);
  std::map<std::pair<int, int>, double> deepest;
  for (const ContactPoint& c : contacts) {
    const std::pair<int, int> s = shapes.shapes_of(c);
    const int a = *m.find_body(m.spec().shapes[at(s.first)].body), b = *m.find_body(m.spec().shapes[at(s.second)].body);
    if (a == 0 || b == 0 || scene::find_top(m, a) != scene::find_top(m, b)) continue;
    if (c.gap >= -1e-6 * (shapes.bound(s.first) + shapes.bound(s.second))) continue;
    double& depth = deepest[std::minmax(a, b)];
    depth = std::max(depth, -c.gap);
  }
  std::vector<Overlap> out;
  out.reserve(deepest.size());
  for (const auto& [pair, depth] : deepest)
    out.push_back({m.bodies()[pair.first].name, m.bodies()[pair.second].name, depth});
  std::stable_sort(out.begin(), out.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return out;
}

Result<Scene> make_scene(ModelSpec spec, const SceneOptions& o, const CompileOptions& compiling) {
  if (!(o.timestep >= 0) || !std::isfinite(o.timestep)) scene::refuse("the step must be finite and at least 0");
  std::vector<std::string> notes;
  if (o.gravity) {
    if (!std::isfinite(norm(*o.gravity))) scene::refuse("gravity must be finite");
    spec.gravity = *o.gravity;
  }
  if (o.timestep > 0) spec.timestep = o.timestep;
  if (spec.timestep == 0) {
    spec.timestep = kUsualStep;
    notes.emplace_back("step: 1 ms, because the file states none");
  }
  set_surfaces(spec, o.friction, o.restitution);
  if (o.meshes != MeshContact::as_stated)
    for (ShapeSpec& shape : spec.shapes) shape.hull = shape.kind == ShapeKind::mesh && o.meshes == MeshContact::hull;
  Result<Model> first = compile(spec, compiling);
  if (!first) return first.diagnostics();
  const Model& m = *first;
  Scene out{m, {}, {}, {}, {}, std::move(notes)};
  Start(m, o, out).make();
  std::optional<FloorOptions> floor = o.floor;
  place_bodies(m, o, floor ? &*floor : nullptr, out);
  if (floor) {
    if (o.friction) floor->friction = *o.friction;
    if (o.restitution) floor->restitution = *o.restitution;
    add_floor(spec, *floor);
  }
  if (o.self_collision == SelfCollision::off) exclude(spec, find_own_pairs(m));
  if (o.self_collision == SelfCollision::start) leave_out_overlaps(m, spec, out);
  if (o.hold) scene::hold_start(m, *o.hold, spec, out);
  Diagnostics remarks = first.diagnostics();
  if (floor || o.self_collision != SelfCollision::on || o.hold) {
    Result<Model> second = compile(std::move(spec), compiling);
    if (!second) return second.diagnostics();
    out.model = std::move(second).value();
  }
  out.control.resize(out.model.spec().actuators.size(), 0.0);
  return {std::move(out), std::move(remarks)};
}

}  // namespace sinew
