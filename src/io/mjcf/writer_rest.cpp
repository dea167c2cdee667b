// src/io/mjcf/writer_rest.cpp - assets, contact, loops, couplings, keyframes
#include <algorithm>
#include <cmath>

#include "io/mjcf/writer.hpp"
#include "sinew/joint/mocap.hpp"

namespace sinew::mjcf {

void Writer::write_assets() {
  for (const MeshSpec& m : spec_.meshes) {
    open("mesh");
    name(m.name);
    if (!m.file.empty()) {
      text("file", m.file);
      vec("scale", m.scale);
    } else {
      std::vector<double> v, f;
      for (const Vec3<double>& p : m.vertices) v.insert(v.end(), {p.x, p.y, p.z});
      for (const auto& t : m.triangles) f.insert(f.end(), t.begin(), t.end());
      if (v.empty()) impossible("mesh '" + m.name + "'", "has neither a file nor vertices", m.where);
      numbers("vertex", v);
      if (!f.empty()) numbers("face", f);
    }
    close();
  }
  for (const HeightfieldSpec& h : spec_.heightfields) {
    open("hfield");
    name(h.name);
    numbers("size", h.size);
    if (!h.file.empty() && h.elevation.empty()) text("file", h.file);
    if (h.rows > 0 && h.cols > 0) {
      text("nrow", std::to_string(h.rows));
      text("ncol", std::to_string(h.cols));
      const auto n = static_cast<std::size_t>(h.cols);
      std::vector<double> e;  // MJCF's first row is the farthest in y
      for (std::size_t r = h.elevation.size() / n; r-- > 0;)
        e.insert(e.end(), h.elevation.begin() + static_cast<std::ptrdiff_t>(r * n),
                 h.elevation.begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
      if (!e.empty()) numbers("elevation", e);
    }
    close();
  }
}

void Writer::write_contact() {
  for (const PairSpec& p : spec_.pairs) {
    open("pair");
    name(p.name);
    text("geom1", p.shape_a);
    text("geom2", p.shape_b);
    numbers("friction", {p.friction, p.friction, p.torsional_friction, p.rolling_friction, p.rolling_friction});
    if (p.friction_law != FrictionLaw::sliding) text("condim", std::to_string(static_cast<int>(p.friction_law)));
    if (p.margin != 0) numbers("margin", {p.margin});
    close();
  }
  for (const ExclusionSpec& e : spec_.exclusions) {
    open("exclude");
    text("body1", body_name(e.body_a));
    text("body2", body_name(e.body_b));
    close();
  }
}

void Writer::find_open_loops() {
  for (const LoopSpec& l : spec_.loops) {
    if (l.kind != JointKind::spherical) continue;
    const Vec3<double> a = (world_frame(l.body_a) * to_frame(l.pose_a)).pos,
                       b = (world_frame(l.body_b) * to_frame(l.pose_b)).pos;
    if (norm(a - b) > 1e-12 * (1 + norm(a))) open_loops_.push_back(&l);
  }
}

void Writer::write_loop(const LoopSpec& l) {
  if (l.kind != JointKind::fixed && l.kind != JointKind::spherical)
    return impossible("loop '" + l.name + "'",
                      "MJCF closes loops by welds and ball joints only, not " + std::string(to_string(l.kind)),
                      l.where);
  const Frame a = to_frame(l.pose_a), b = to_frame(l.pose_b);
  open(l.kind == JointKind::fixed ? "weld" : "connect");
  name(l.name);
  if (std::find(open_loops_.begin(), open_loops_.end(), &l) != open_loops_.end()) {
    if (l.name.empty()) impossible("loop", "needs a name for its sites", l.where);
    text("site1", l.name + "_a");
    text("site2", l.name + "_b");
  } else {
    text("body1", body_name(l.body_a));
    text("body2", body_name(l.body_b));
    if (l.kind == JointKind::spherical) {
      vec("anchor", a.pos);
    } else {
      const Quaternion<double> q = a.quat * conjugate(b.quat);
      vec("anchor", b.pos);
      numbers("relpose", {a.pos.x, a.pos.y, a.pos.z, q.w, q.x, q.y, q.z});
    }
  }
  if (!l.active) text("active", "false");
  close();
}

void Writer::write_coupling(const CouplingSpec& c) {
  const std::string element = "coupling '" + c.name + "'";
  const WrittenJoint* y = scalar(c.dependent);
  const WrittenJoint* x = c.terms.empty() ? nullptr : scalar(c.terms[0].joint);
  if (!y || (!c.terms.empty() && !x) || c.terms.size() > 1 || (x && c.terms[0].coefficients.size() > 4))
    return impossible(element, "MJCF couples one hinge or slide to one other by a polynomial of degree 4", c.where);
  // About MJCF's reference position of x instead of ours: sum_k c_k (u + d)^k with u = x - ref.
  std::array<double, 5> a{c.offset - y->ref, 0, 0, 0, 0};
  if (x) {
    const double d = x->ref - c.terms[0].reference;
    std::array<double, 5> power{1, 0, 0, 0, 0};  // of (u + d)
    for (const double k : c.terms[0].coefficients) {
      for (std::size_t i = 4; i > 0; --i) power[i] = power[i - 1] + d * power[i];
      power[0] *= d;
      for (std::size_t i = 0; i < 5; ++i) a[i] += k * power[i];
    }
  }
  open("joint");
  name(c.name);
  text("joint1", y->name);
  if (x) text("joint2", x->name);
  numbers("polycoef", a);
  if (!c.active) text("active", "false");
  close();
}

// From our coordinates to MuJoCo's; keyframes.cpp has the inverse.
void Writer::write_keyframe(const KeyframeSpec& k) {
  std::vector<double> q, v, mpos, mquat;
  std::size_t nq = 0, nv = 0;
  const auto is_mocap = [](const WrittenBody& b) { return b.joint->user == get_mocap_joint(); };
  for (const WrittenBody& b : bodies_) {
    nq += is_mocap(b) ? static_cast<std::size_t>(MocapJoint::kNq) : 0;
    for (const WrittenJoint& j : b.joints) nv += j.dof_count, nq += j.dof_count + (j.dof_count > 1 ? 1 : 0);
  }
  if ((!k.q.empty() && k.q.size() != nq) || (!k.v.empty() && k.v.size() != nv))
    return impossible("keyframe '" + k.name + "'", "has the wrong number of coordinates", k.where);
  const double *p = k.q.data(), *r = k.v.data();
  for (const WrittenBody& b : bodies_) {
    if (is_mocap(b) && !k.q.empty()) {
      mquat.insert(mquat.end(), p, p + 4), mpos.insert(mpos.end(), p + 4, p + 7);
      p += MocapJoint::kNq;
    }
    for (const WrittenJoint& j : b.joints) {
      const bool free = j.kind == JointKind::free;
      Quaternion<double> t;
      if (!k.q.empty() && free)
        t = {p[0], p[1], p[2], p[3]}, q.insert(q.end(), {p[4], p[5], p[6], p[0], p[1], p[2], p[3]}), p += 7;
      else if (!k.q.empty())
        q.insert(q.end(), p, p + (j.dof_count == 3 ? 4 : 1)), p += j.dof_count == 3 ? 4 : 1;
      else if (free)
        t = b.frame.quat;
      if (k.v.empty()) continue;
      if (free) {
        const Vec3<double> lin = turn(t, {r[3], r[4], r[5]});
        v.insert(v.end(), {lin.x, lin.y, lin.z, r[0], r[1], r[2]});
      } else {
        v.insert(v.end(), r, r + j.dof_count);
      }
      r += j.dof_count;
    }
  }
  open("key");
  name(k.name);
  if (k.time != 0) numbers("time", {k.time});
  if (!q.empty()) numbers("qpos", q);
  if (!v.empty()) numbers("qvel", v);
  if (!mpos.empty()) numbers("mpos", mpos), numbers("mquat", mquat);
  if (!k.activation.empty()) numbers("act", k.activation);
  if (!k.control.empty()) numbers("ctrl", k.control);
  close();
}

void Writer::write_sensor(const SensorSpec& s) {
  open(s.kind.c_str());
  name(s.name);
  if (s.kind == "distance" || s.kind == "normal" || s.kind == "fromto") {
    text((s.object_kind + "1").c_str(), s.object);
    text((s.reference_kind + "2").c_str(), s.reference);
  } else if (s.kind == "insidesite") {
    text("objtype", s.object_kind);
    text("objname", s.object);
    text("site", s.reference);
  } else if (s.kind.starts_with("frame")) {
    text("objtype", s.object_kind);
    text("objname", s.object);
    if (!s.reference.empty()) text("reftype", s.reference_kind), text("refname", s.reference);
  } else if (!s.object_kind.empty()) {
    text(s.object_kind.c_str(), s.object);
  }
  if (s.cutoff != 0) numbers("cutoff", {s.cutoff});
  close();
}

}  // namespace sinew::mjcf
