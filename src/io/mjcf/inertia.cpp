// src/io/mjcf/inertia.cpp - <inertial>, and what a body without one gets from its geoms
#include "io/mjcf/inertia.hpp"

#include <algorithm>
#include <cmath>

#include "sinew/model/principal_axes.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew::mjcf {
namespace {

constexpr double kLeast = 1e-15;  // MuJoCo's least mass and moment of a body that moves

Sym3<double> turned(const Quaternion<double>& q, const Sym3<double>& I) { return rotate(inverse(to_rotation(q)), I); }

Inertial of_geom(Work& w, const Geom& g) {
  Inertial out;
  if (g.mesh >= 0) {
    const MeshMoments* m = need_moments(w, g.mesh, *g.node);
    if (!m) return out;
    out.mass = g.mass.value_or(m->size * g.density);
    out.com = g.frame.pos + turn(g.frame.quat, m->centre);
    out.inertia = turned(g.frame.quat, (out.mass / m->size) * m->inertia);
    out.axes = g.frame.quat * principal({m->size, m->centre, m->inertia, {}}).frame.quat;
    return out;
  }
  const double size = shape_size(g.shape, g.shell);
  if (!(size > 0)) return out;
  out.mass = g.mass.value_or(size * g.density);
  const auto d = shape_moments(g.shape, g.shell, out.mass);
  out.com = g.frame.pos;
  out.inertia = turned(g.frame.quat, Sym3<double>::diagonal(d[0], d[1], d[2]));
  out.axes = g.frame.quat;
  return out;
}

// Applies boundinertia and balanceinertia to the principal moments.
void adjust(Work& w, const Body& b, Inertial& in) {
  const Settings& s = *b.settings;
  in.mass = std::max(in.mass, s.boundmass);
  Principal p = principal(in);
  auto sorted = p.moments;
  std::sort(sorted.begin(), sorted.end());
  const auto [z, y, x] = sorted;
  if (z < -1e-14 * x)
    w.error(*b.node, Code::inertia_not_positive, "a principal moment of inertia is negative", "correct <inertial>");
  const bool triangle = y + z >= x * (1 - 1e-9) - 1e-14;
  if (!triangle && !s.balanceinertia)
    return w.error(*b.node, Code::inertia_triangle,
                   "one principal moment of inertia is larger than the other two together",
                   "correct <inertial>, or set compiler balanceinertia=\"true\"");
  if (triangle && z >= s.boundinertia) return;
  if (!triangle) p.moments = {(x + y + z) / 3, (x + y + z) / 3, (x + y + z) / 3};
  for (double& m : p.moments) m = std::max(m, s.boundinertia);
  in.inertia = from_principal(p).inertia;
}

// True if a moving body has mass, its own or that of bodies fixed to it.
bool moves_mass(const Work& w, const std::vector<std::vector<int>>& children, std::size_t i) {
  const Inertial& in = *w.bodies[i].inertial;
  if (in.mass >= kLeast && in.inertia.xx + in.inertia.yy + in.inertia.zz >= kLeast) return true;
  return std::any_of(children[i].begin(), children[i].end(), [&](int c) {
    return w.bodies[c].joints.empty() && moves_mass(w, children, static_cast<std::size_t>(c));
  });
}

}  // namespace

Inertial operator+(const Inertial& a, const Inertial& b) {
  if (!(b.mass > 0)) return a;
  if (!(a.mass > 0)) return b;
  Inertial out;
  out.mass = a.mass + b.mass;
  out.com = (1 / out.mass) * (a.mass * a.com + b.mass * b.com);
  const Vec3<double> u = a.com - out.com, v = b.com - out.com;
  out.inertia = a.inertia + b.inertia - a.mass * cross_cross(u, u) - b.mass * cross_cross(v, v);
  return out;
}

Principal principal(const Inertial& in) {
  Principal p{in.mass, {in.com, in.axes ? *in.axes : find_principal_axes(in.inertia)}, {}};
  const Sym3<double> I = rotate(to_rotation(p.frame.quat), in.inertia);
  p.moments = {I.xx, I.yy, I.zz};
  return p;
}

Inertial from_principal(const Principal& p) {
  return {
      p.mass, p.frame.pos, turned(p.frame.quat, Sym3<double>::diagonal(p.moments[0], p.moments[1], p.moments[2])), {}};
}

std::array<double, 3> equivalent_box(const Principal& p) {
  const auto [a, b, c] = p.moments;
  const auto half = [&](double x) { return p.mass > 0 ? std::sqrt(std::max(0.0, 1.5 * x / p.mass)) : 0; };
  return {half(b + c - a), half(a + c - b), half(a + b - c)};
}

Principal mesh_axes(Work& w, int mesh, const Node& user) {
  const MeshMoments* m = need_moments(w, mesh, user);
  return m ? principal({m->size, m->centre, m->inertia, {}}) : Principal{};
}

std::optional<Inertial> read_inertial(Work& w, const Node& n, const Surroundings& around) {
  check_attributes(n, "inertial", w.remarks, w.out);
  const Reader r(n, w.out);
  const auto pos = r.vec3("pos");
  const auto mass = r.number("mass");
  std::array<double, 3> d{};
  std::array<double, 6> f{};
  const bool full = r.numbers("fullinertia", f, 6) == 6, diagonal = r.numbers("diaginertia", d, 3) == 3;
  const auto fail = [&](Code code, const char* message, const char* repair) {
    w.error(n, code, message, repair);
    return std::nullopt;
  };
  if (!pos && !n.xml->FindAttribute("pos")) return fail(Code::missing_attribute, "has no pos", "write pos=\"x y z\"");
  if (!mass && !n.xml->FindAttribute("mass")) return fail(Code::missing_attribute, "has no mass", "write mass=\"...\"");
  if (!pos || !mass) return std::nullopt;
  if (!full && !diagonal) return fail(Code::missing_attribute, "has no inertia", "write diaginertia or fullinertia");
  if (full && diagonal) return fail(Code::bad_value, "has diaginertia and fullinertia", "keep one");
  if (*mass < 0) return fail(Code::negative_mass, "mass is negative", "write a number >= 0");
  int turns = 0;
  if (full && r.nearest({"quat", "axisangle", "xyaxes", "zaxis", "euler"}, turns))
    return fail(Code::bad_value, "has fullinertia and an orientation", "keep one");
  if (std::any_of(d.begin(), d.end(), [](double x) { return x < 0; }))
    return fail(Code::inertia_not_positive, "diaginertia has a negative number", "write numbers >= 0");
  const Frame frame = place(around, w.scales, Frame{*pos, read_orientation(r, w.settings())});
  const Sym3<double> I =
      full ? Sym3<double>{f[0], f[3], f[4], f[1], f[5], f[2]} : Sym3<double>::diagonal(d[0], d[1], d[2]);
  Inertial in{*mass, frame.pos, turned(frame.quat, I), {}};
  if (diagonal) in.axes = frame.quat;
  scale_inertial(in, w.scales[around.scale]);
  return in;
}

void infer_inertias(Work& w) {
  std::vector<std::vector<int>> children(w.bodies.size());
  double total = 0;
  for (std::size_t i = 1; i < w.bodies.size(); ++i) {
    Body& b = w.bodies[i];
    const Settings& s = *b.settings;
    children[b.parent].push_back(static_cast<int>(i));
    if (s.inertia_from == InertiaFrom::geoms || (s.inertia_from == InertiaFrom::automatic && !b.inertial)) {
      Inertial sum;
      for (const int g : b.geoms) {
        const Geom& geom = w.geoms[g];
        if (geom.shape.group < s.inertia_groups[0] || geom.shape.group > s.inertia_groups[1]) continue;
        sum = sum + of_geom(w, geom);
      }
      if (sum.mass > 0 || !b.inertial) b.inertial = sum;
    }
    if (!b.inertial) b.inertial.emplace();
    const Sym3<double>& I = b.inertial->inertia;
    if (!std::isfinite(b.inertial->mass + norm(b.inertial->com) + I.xx + I.yy + I.zz + I.xy + I.xz + I.yz))
      w.error(*b.node, Code::not_finite, "its mass, centre or inertia is not finite", "use smaller numbers");
    adjust(w, b, *b.inertial);
    total += b.inertial->mass;
  }
  if (const double wanted = w.settings().settotalmass; wanted > 0 && total > 0)
    for (Body& b : w.bodies)
      if (b.inertial) b.inertial->mass *= wanted / total, b.inertial->inertia = (wanted / total) * b.inertial->inertia;
  if (w.out.has_errors()) return;  // they may be the cause of a missing mass
  for (std::size_t i = 1; i < w.bodies.size(); ++i)
    if (!w.bodies[i].joints.empty() && !moves_mass(w, children, i))
      w.error(*w.bodies[i].node, Code::massless_tip, "moves but has no mass or no inertia",
              "add a geom or an <inertial>, or set compiler boundmass and boundinertia");
}

}  // namespace sinew::mjcf
