// python/src/planar.cpp - the three basic algorithms for trees that move in a plane [F08 section 2.16]
#include <array>

#include "common.hpp"
#include "sinew/tree/planar_dynamics.hpp"

namespace sinew::py {
namespace {

using Pair = std::array<double, 2>;
using Workspace = PlanarWorkspace<double>;

struct PyPlanarWorkspace : Held<Workspace> {
  explicit PyPlanarWorkspace(std::shared_ptr<PlanarModel> m) : Held<Workspace>(*m), model(std::move(m)) {}
  std::shared_ptr<PlanarModel> model;
};

void check(const char* call, const PlanarModel& m, const PyPlanarWorkspace& ws) {
  if (ws.model.get() != &m)
    throw nb::value_error((std::string(call) + ": the workspace is of another planar model").c_str());
}

}  // namespace

void bind_planar(nb::module_& m) {
  nb::enum_<PlanarJointKind>(m, "PlanarJointKind", "Joints of a planar tree.")
      .value("revolute", PlanarJointKind::revolute, "About the normal of the plane.")
      .value("prismatic", PlanarJointKind::prismatic, "Along x of its frame.");
  using L = PlanarLink;
  nb::class_<L>(m, "PlanarLink", "A link of a planar tree; its frame is that of its joint.")
      .def(
          "__init__",
          [](L* self, int parent, PlanarJointKind kind, const Pair& origin, double angle, double mass, const Pair& com,
             double inertia) {
            L link;
            link.parent = parent, link.kind = kind;
            link.placement = planar_transform(Vec2<double>{origin[0], origin[1]}, angle);
            link.inertia = make_planar_inertia(mass, Vec2<double>{com[0], com[1]}, inertia);
            new (self) L(link);
          },
          "parent"_a = -1, "kind"_a = PlanarJointKind::revolute, nb::kw_only(), "origin"_a = Pair{}, "angle"_a = 0.,
          "mass"_a = 1., "com"_a = Pair{}, "inertia"_a = 0.,
          "parent: link, -1: the ground. origin [m] and angle [rad] of the joint's frame on the parent at q = 0; com "
          "in\n"
          "the link's frame; inertia about com [kg m^2].")
      .def_ro("parent", &L::parent, "Link; -1: the ground.")
      .def_ro("kind", &L::kind, "Of the joint that it hangs on.");
  using P = PlanarModel;
  nb::class_<P>(m, "PlanarModel", "A tree that moves in the x-y plane: one coordinate per link, in their order.")
      .def(
          "__init__",
          [](P* self, const std::vector<L>& links, const Pair& g) {
            new (self) P(links, {g[0], g[1]});
          },
          "links"_a, "gravity"_a = Pair{}, "ValueError, naming the link, unless parent < link.")
      .def_prop_ro("size", &P::size, "The number of links.")
      .def_prop_ro(
          "gravity",
          [](const P& p) {
            return Pair{p.gravity.x, p.gravity.y};
          },
          "Along x and y [m/s^2].");
  m.def(
      "planar_rods",
      [](int n, double length, double mass, const Pair& g) {
        if (n < 1 || n > 1000000) throw nb::value_error("planar_rods: n must be between 1 and a million");
        return planar_rods(n, length, mass, {g[0], g[1]});
      },
      "n"_a, "length"_a = 1., "mass"_a = 1., "gravity"_a = Pair{},
      "n equal uniform rods end to end along x at q = 0: the chain of [F08 section 10.2].");
  using W = PyPlanarWorkspace;
  nb::class_<W>(m, "PlanarWorkspace", "Scratch of planar_rnea, planar_crba and planar_aba.")
      .def(nb::init<std::shared_ptr<PlanarModel>>(), "model"_a);
  const auto three = [&](const char* name, const char* third, auto f, const char* doc) {
    m.def(
        name,
        [name, third, f](const P& x, W& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out) {
          check(name, x, ws);
          const InVector Q(name, "q", q, x.size()), V(name, "v", v, x.size()), A(name, third, a, x.size());
          OutVector O(name, "out", out, x.size());
          O.apart_from(Q, V, A);
          const Use<Workspace> use(name, ws);
          f(x, *use, Q, V, A, O);
          return O.take();
        },
        "model"_a, "workspace"_a, "q"_a, "v"_a, nb::arg(third), optional_array("out"), doc);
  };
  three(
      "planar_rnea", "a", [](auto&&... p) { planar_rnea<double>(p...); }, "tau = M a + h [F08 Table 5.1]");
  three(
      "planar_aba", "tau", [](auto&&... p) { planar_aba<double>(p...); }, "a with M a + h = tau [F08 Table 7.1]");
  m.def(
      "planar_crba",
      [](const P& x, W& ws, ArrayIn q, ArrayOut out) {
        check("planar_crba", x, ws);
        const InVector Q("planar_crba", "q", q, x.size());
        OutMatrix2 O("planar_crba", "out", out, x.size(), x.size());
        O.apart_from(Q);
        const Use<Workspace> use("planar_crba", ws);
        planar_crba<double>(x, *use, Q, O.view());
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "M [F08 Table 6.2]");
}

}  // namespace sinew::py
