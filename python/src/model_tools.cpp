// python/src/model_tools.cpp - models from tables and graphs, parts of models, volumes, rays
#include "item.hpp"
#include "sinew/contact/ray.hpp"
#include "sinew/model/dh.hpp"
#include "sinew/model/graph.hpp"
#include "sinew/model/parts.hpp"

namespace sinew::py {
namespace {

void bind_dh(nb::module_& m) {
  using R = DhRow;
  nb::class_<R>(m, "DhRow", R"(A row of a Denavit-Hartenberg table, modified convention [F08 section 4.3].

It leads from joint frame i-1 to i by a along and alpha about x, then d along and theta about z.)")
      .def(
          "__init__",
          [](R* self, double a, double alpha, double d, double theta, JointKind kind, const MassProperties& link) {
            new (self) R{a, alpha, d, theta, kind, link};
          },
          "a"_a = 0., "alpha"_a = 0., "d"_a = 0., "theta"_a = 0., "kind"_a = JointKind::revolute,
          "link"_a = MassProperties{})
      .def_ro("a", &R::a, "Shift along x of frame i-1 [m].")
      .def_ro("alpha", &R::alpha, "Turn about x of frame i-1 [rad].")
      .def_ro("d", &R::d, "Shift along z of frame i [m].")
      .def_ro("theta", &R::theta, "Turn about z of frame i [rad].")
      .def_ro("kind", &R::kind, "Revolute or prismatic.")
      .def_ro("link", &R::link, "MassProperties in the link's own frame.");
  m.def(
      "dh_transform", [](const R& r) { return dh_transform(r); }, "row"_a, "Frame i at q = 0 <- frame i-1.");
  m.def(
      "make_dh_chain",
      [](const std::string& name, const std::vector<R>& table, const Pose& base) {
        return unwrap_spec(make_dh_chain(name, table, base));
      },
      "name"_a, "table"_a, "base"_a = Pose{},
      "A ModelSpec with bodies \"link1\", ... and joints \"joint1\", ...; the first frame stands at `base` in the "
      "world.");
}

void bind_graph(nb::module_& m) {
  nb::enum_<SpanningTreeRule>(m, "SpanningTreeRule", "Which joints of a graph become tree joints.")
      .value("first_listed", SpanningTreeRule::first_listed, "Unless earlier ones already connect its bodies.")
      .value("minimum_depth", SpanningTreeRule::minimum_depth, "Breadth first from the base [F08 section 10.2].");
  using T = SpanningTree;
  nb::class_<T>(m, "SpanningTree", "Bodies in the regular numbering: body i hangs on tree joint joint[i].")
      .def_ro("body", &T::body, "Regular number -> body of the graph.")
      .def_ro("parent", &T::parent, "Regular number -> regular number; parent[0] = -1.")
      .def_ro("joint", &T::joint, "Regular number -> joint of the graph; joint[0] = -1.")
      .def_prop_ro(
          "reversed",
          [](const T& t) {
            nb::list out;
            for (const bool b : t.reversed) out.append(b);
            return out;
          },
          nb::for_getter(nb::sig("def reversed(self) -> list[bool]")),
          "True: the tree runs from successor to predecessor through this joint.")
      .def_ro("loop_joints", &T::loop_joints, "The other joints, ascending.")
      .def_ro("unreachable", &T::unreachable, "Bodies that no joint ties to the base.");
  m.def(
      "find_spanning_tree",
      [](int bodies, const std::vector<std::pair<int, int>>& joints, SpanningTreeRule rule) {
        if (bodies < 1 || bodies > 10000000) throw nb::value_error("find_spanning_tree: bodies must be 1 or more");
        std::vector<GraphJoint> list;
        for (const auto& [a, b] : joints) {
          for (const int i : {a, b}) check_index("find_spanning_tree", "body", i, at(bodies));
          list.push_back({a, b});
        }
        return find_spanning_tree(bodies, list, rule);
      },
      "bodies"_a, "joints"_a, "rule"_a = SpanningTreeRule::first_listed,
      "Of a graph whose joints lead from a predecessor to a successor; body 0 is the base [F08 section 4.1].");
  m.def(
      "cut_loops", [](const PySpec& s, SpanningTreeRule rule) { return unwrap_spec(cut_loops(s.spec, rule)); },
      "spec"_a, "rule"_a = SpanningTreeRule::first_listed,
      "The specification with joints that close loops among its loops, and tree joints that lead towards the world\n"
      "reversed. LoadError where no joint connects a body to the world.");
  using P = std::tuple<std::shared_ptr<PyModel>, IntArray, IntArray>;
  m.def(
      "split_trees",
      [](const PyModel& x) {
        std::vector<P> out;
        for (ModelPart& p : split_trees(x))
          out.emplace_back(std::make_shared<PyModel>(std::move(p.model), std::vector<Diagnostic>{}), copy_integers(p.q),
                           copy_integers(p.v));
        return out;
      },
      "model"_a,
      "A Model per tree, with the places of its q and v in those of the whole. A model of one tree, or of none, is "
      "not\n"
      "taken apart: no parts.");
}

void bind_solids_and_rays(nb::module_& m) {
  m.def("sphere_volume", &sphere_volume, "radius"_a, "[m^3]");
  m.def("box_volume", &box_volume, "half_sides"_a, "[m^3]");
  m.def("cylinder_volume", &cylinder_volume, "radius"_a, "half_length"_a, "[m^3]");
  m.def("capsule_volume", &capsule_volume, "radius"_a, "half_length"_a, "[m^3]; half length of the cylinder.");
  m.def("ellipsoid_volume", &ellipsoid_volume, "radii"_a, "[m^3]");
  const auto unit = [](const Vec3<double>& direction) {
    const double length = dot(direction, direction);
    if (!(length > 1 - 1e-6 && length < 1 + 1e-6))
      throw nb::value_error("cast_ray: the direction must have the length 1");
  };
  m.def(
      "cast_ray",
      [unit](ShapeKind kind, const Vec3<double>& size, const Vec3<double>& from, const Vec3<double>& direction) {
        unit(direction);
        return cast_ray(kind, {size.x, size.y, size.z}, from, direction);
      },
      "kind"_a, "size"_a, "from_"_a, "direction"_a,
      "The smallest t >= 0 where from + t direction is on the surface of a shape, in its frame; -1: nowhere. Sizes as "
      "in\n"
      "ShapeSpec; a plane is met from above only. Not for meshes and heightfields.");
  m.def(
      "cast_ray_at_triangle",
      [unit](const std::array<Vec3<double>, 3>& triangle, const Vec3<double>& from, const Vec3<double>& direction) {
        unit(direction);
        return cast_ray(triangle, from, direction);
      },
      "triangle"_a, "from_"_a, "direction"_a, "The same for one triangle, from either side.");
  m.def(
      "holds_point",
      [](ShapeKind kind, const Vec3<double>& size, const Vec3<double>& point) {
        return holds_point(kind, {size.x, size.y, size.z}, point);
      },
      "kind"_a, "size"_a, "point"_a, "Whether a point lies in a shape, in its frame. A plane holds nothing.");
}

}  // namespace

void bind_model_tools(nb::module_& m) {
  bind_dh(m);
  bind_graph(m);
  bind_solids_and_rays(m);
}

}  // namespace sinew::py
