// src/constraint/rows/make_entries.cpp
#include "constraint/rows/make_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/resolve.hpp"
#include "model/validate.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew {
namespace {

[[noreturn]] void complain(const std::string& constraint, const std::string& what, const std::string& repair) {
  throw std::invalid_argument(constraint + ": " + what + " (" + repair + ")");
}
void throw_errors(const Diagnostics& out) {
  for (const Diagnostic& d : out)
    if (d.severity == Severity::error) throw std::invalid_argument(to_string(d));
}

// The body or frame of that name; the world where there is no name.
FrameEntry find_side(const Model& m, const std::string& constraint, const std::string& name) {
  if (const auto b = name.empty() ? std::optional<int>(0) : m.find_body(name)) {
    const BodyEntry& body = m.bodies()[*b];
    return {body.name, *b, body.node, body.in_node};
  }
  if (const auto frame = m.find_frame(name)) return *frame;
  std::vector<std::string> known;
  for (const BodyEntry& b : m.bodies()) known.push_back(b.name);
  for (const FrameEntry& f : m.frames()) known.push_back(f.name);
  complain(constraint, "there is no body or frame '" + name + "'" + suggest_name(name, known),
           "name one of the model, or none for the world");
}
FramePair make_frames(const Model& m, const std::string& constraint, const std::string& side_a,
                      const std::string& side_b, const Pose& pose_a, const Pose& pose_b) {
  const FrameEntry a = find_side(m, constraint, side_a), b = find_side(m, constraint, side_b);
  if (a.body == b.body)
    complain(constraint, "both sides are body '" + m.bodies()[a.body].name + "'", "name two bodies");
  for (const Pose* p : {&pose_a, &pose_b})
    if (!(orthonormality_error(p->E) < 1e-6) || !std::isfinite(dot(p->r, p->r)))
      complain(constraint, "a frame of it is not a rotation and a finite shift", "build it with make_pose");
  return {a.node, b.node, pose_a * a.in_node, pose_b * b.in_node};
}

// Rows of a pair of frames: side b, then side a.
void add_entries(NewConstraint& out, const FramePair& f, int rows) {
  for (int r = 0; r < rows; ++r) {
    if (f.node_b > 0) out.entries.push_back({r, f.node_b});
    if (f.node_a > 0) out.entries.push_back({r, f.node_a});
  }
}
std::string axis_name(int k, const std::string& body, bool of_world = false) {
  static const char* const names[] = {"moment about x", "moment about y", "moment about z",
                                      "force along x",  "force along y",  "force along z"};
  return fmt::format("{} of {} on {}", names[k], of_world ? "the world" : "its frame",
                     body.empty() ? "the world" : "body '" + body + "'");
}
// Index of the largest of the six components of a constraint force.
int dominant_axis(const Force<double>& f) {
  const double x[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
  if (dot(f.lin, f.lin) == 0) return std::abs(x[0]) > 0.5 ? 0 : std::abs(x[1]) > 0.5 ? 1 : 2;
  return std::abs(x[3]) > 0.5 ? 3 : std::abs(x[4]) > 0.5 ? 4 : 5;
}

// True where the free axes form a group: no free turn; one free turn with both shifts across it free or both blocked;
// three free turns with all shifts free or all blocked.
bool is_group(const std::array<bool, 6>& blocked) {
  int turns = 0, axis = 0;
  for (int k = 0; k < 3; ++k)
    if (!blocked[k]) ++turns, axis = k;
  const auto shift_blocked = [&](int k) { return blocked[3 + k % 3]; };
  if (turns == 1) return shift_blocked(axis + 1) == shift_blocked(axis + 2);
  if (turns == 3) return blocked[3] == blocked[4] && blocked[4] == blocked[5];
  return turns == 0;
}

int node_of_coordinate(const Model& m, int v) {
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    if (m.nodes()[i].v == v && m.nodes()[i].nv == 1) return static_cast<int>(i);
  return 0;
}

}  // namespace

NewConstraint make_constraint(const Model& m, const LoopSpec& spec, int number) {
  Diagnostics out;
  LoopSpec resolved = spec;
  name_bodies_of_frames(m.spec(), resolved);
  LoopEntry e = make_loop_entry(m, resolved, out);
  throw_errors(out);
  NewConstraint c;
  c.constraint.name = name_element(spec, number);
  const int rows = 6 - e.joint.nv();
  double q[7];
  neutral(e.joint, q);
  JointComplements<double> force;
  calc_complements(e.joint, q, 0, force);
  for (int r = 0; r < rows; ++r)
    c.constraint.row_names.push_back(axis_name(dominant_axis(force.constraint[r]), spec.body_b));
  const FramePair frames{e.node_a, e.node_b, e.in_a, e.in_b};
  add_entries(c, frames, rows);
  c.constraint.kind = LoopRows{frames, std::move(e.joint)};
  return c;
}

NewConstraint make_constraint(const Model& m, const CouplingSpec& spec, int number) {
  const CouplingEntry e = make_coupling_entry(m, spec);
  NewConstraint c;
  c.constraint.name = name_element(spec, number);
  c.constraint.row_names = {"effort on joint '" + spec.dependent + "'"};
  const auto add = [&](int node) {
    c.entries.push_back({0, node});
    if (const int p = m.nodes()[node].parent; p > 0) c.entries.push_back({0, p});
    return node;
  };
  CouplingRows rows{add(node_of_coordinate(m, e.v)), e.offset, {}};
  for (const CouplingEntry::Term& t : e.terms)
    rows.terms.push_back({add(node_of_coordinate(m, t.v)), t.coefficients, t.reference});
  c.constraint.kind = std::move(rows);
  return c;
}

NewConstraint make_constraint(const Model& m, const TendonCouplingSpec& spec, int number) {
  NewConstraint c;
  c.constraint.name =
      spec.name.empty() ? fmt::format("tendon coupling {}", number) : "tendon coupling '" + spec.name + "'";
  c.constraint.row_names = {"tension of tendon '" + spec.dependent + "'"};
  const TendonCouplingEntry e = make_tendon_coupling_entry(m, spec);
  const TendonWorkspace tendons(m);
  TendonRows rows{m.tendons()[e.dependent], {}, tendons.neutral[e.dependent], 0, e.offset, e.coefficients};
  if (e.driver >= 0) rows.driver = m.tendons()[e.driver], rows.driver_neutral = tendons.neutral[e.driver];
  for (const TendonEntry* t : {&rows.dependent, &rows.driver})
    for (const int node : t->nodes) c.entries.push_back({0, node});
  c.constraint.kind = std::move(rows);
  return c;
}

NewConstraint make_constraint(const Model& m, const MaskConstraint& spec, int number) {
  NewConstraint c;
  c.constraint.name = name_pair("mask", spec.name, number, spec.body_a, spec.body_b);
  MaskRows rows;
  rows.frames = make_frames(m, c.constraint.name, spec.body_a, spec.body_b, spec.pose_a, spec.pose_b);
  rows.blocked = spec.blocked;
  rows.holds_positions = is_group(spec.blocked);
  int turning_laws = 0;
  for (int k = 0; k < 6; ++k) {
    if (!spec.blocked[k]) continue;
    const auto r = c.constraint.row_names.size();
    if (r < spec.laws.size()) rows.laws[k] = spec.laws[r];
    turning_laws += k < 3 && r < spec.laws.size() && spec.laws[r];
    c.constraint.row_names.push_back(axis_name(k, spec.body_b, spec.world_axes));
  }
  if (spec.world_axes) {
    const auto all = [&](int first) {
      return spec.blocked[first] && spec.blocked[first + 1] && spec.blocked[first + 2];
    };
    if (!spec.laws.empty()) complain(c.constraint.name, "it has laws along the world's axes", "leave out world_axes");
    rows.world_axes = true, rows.holds_turns = all(0), rows.holds_shifts = all(3) || rows.frames.node_a == 0;
  }
  const std::size_t blocked = c.constraint.row_names.size();
  if (blocked == 0) complain(c.constraint.name, "no axis is blocked", "block one of the six");
  if (!spec.laws.empty() && spec.laws.size() != blocked)
    complain(c.constraint.name, fmt::format("there are {} laws for {} blocked axes", spec.laws.size(), blocked),
             "give one per blocked axis (empty: the axis stands still), or none");
  if (turning_laws > 1)
    complain(c.constraint.name, fmt::format("{} of its laws turn it, only one may", turning_laws),
             "put a prescribed joint between the bodies for more turns");
  add_entries(c, rows.frames, static_cast<int>(blocked));
  c.constraint.kind = std::move(rows);
  return c;
}

NewConstraint make_constraint(const Model& m, const RollingConstraint& spec, int number) {
  NewConstraint c;
  c.constraint.name = name_pair("rolling", spec.name, number, spec.body_a, spec.body_b);
  if (!(spec.radius > 0) || !std::isfinite(spec.radius))
    complain(c.constraint.name, fmt::format("the radius is {:g} m", spec.radius), "make it positive");
  const double length = norm(spec.normal);
  if (!(length > 0) || !std::isfinite(length))
    complain(c.constraint.name, "the normal has no direction", "give a vector that is not zero");
  const Pose plane{rotation_to_z((1 / length) * spec.normal), spec.point};
  const RollingRows rows{make_frames(m, c.constraint.name, spec.body_a, spec.body_b, plane, shift_frame(spec.centre)),
                         spec.radius};
  c.constraint.row_names = {"force along the normal", "friction along x of the plane", "friction along y of the plane"};
  add_entries(c, rows.frames, 3);
  c.constraint.kind = rows;
  return c;
}

NewConstraint make_constraint(const Model& m, const std::shared_ptr<const CustomConstraint>& spec, int number) {
  if (!spec) complain("custom constraint", "the pointer is empty", "make one with std::make_shared");
  NewConstraint c;
  c.constraint.name = spec->name().empty() ? fmt::format("constraint {}", number) : "constraint '" + spec->name() + "'";
  if (spec->rows() < 0) complain(c.constraint.name, fmt::format("it has {} rows", spec->rows()), "return 0 or more");
  for (int r = 0; r < spec->rows(); ++r) c.constraint.row_names.push_back(fmt::format("row {}", r + 1));
  c.entries = spec->entries(m);
  for (const delassus::Entry& e : c.entries)
    if (e.row < 0 || e.row >= spec->rows() || e.node < 0 || e.node >= static_cast<int>(m.nodes().size()))
      complain(c.constraint.name, fmt::format("an entry names row {} and node {}", e.row, e.node),
               fmt::format("there are {} rows and {} nodes, both from 0", spec->rows(), m.nodes().size()));
  c.constraint.kind = spec;
  return c;
}

void check_specs(const Model& m, std::span<const ConstraintSpec> more) {
  const auto has_laws = [](const ConstraintSpec& c) {
    return std::holds_alternative<LoopSpec>(c) || std::holds_alternative<CouplingSpec>(c);
  };
  if (std::none_of(more.begin(), more.end(), has_laws)) return;
  ModelSpec all;
  all.name = m.spec().name;
  all.world = m.spec().world;
  all.bodies = m.spec().bodies;
  all.joints = m.spec().joints;
  all.loops = m.spec().loops;
  all.couplings = m.spec().couplings;
  for (const ConstraintSpec& c : more) {
    if (const auto* loop = std::get_if<LoopSpec>(&c)) {
      all.loops.push_back(*loop);
      name_bodies_of_frames(m.spec(), all.loops.back());
    }
    if (const auto* coupling = std::get_if<CouplingSpec>(&c)) all.couplings.push_back(*coupling);
  }
  Diagnostics out;
  validate(all, out);
  throw_errors(out);
}

}  // namespace sinew
