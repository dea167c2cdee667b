// python/src/sko.cpp - SKO models and their dynamics (sinew.operators)
#include "sko.hpp"

#include "sinew/operators/sko_dynamics.hpp"

namespace sinew::py {
namespace {

using sko::Shape;
using Model2 = sko::SkoModel<double>;
using Dynamics = sko::SkoDynamics<double>;

struct PyDynamics {
  std::shared_ptr<PySko> sko;
  Dynamics value;
};

void bind_shape(nb::module_& m) {
  using Node = std::tuple<std::string, int, int>;
  nb::class_<Shape>(m, "Shape",
                    R"(The tree under an SKO model: nodes, their sizes, and which is whose parent [J11 section 2.1].

    Shape([("base", 6, 1), ("arm", 6, 2), ("rotor", 1, 1)], [(-1, 0), (0, 1), (1, 2)])

A node has a name, a velocity of `size` numbers and a hinge with `freedoms`; an edge has a parent (-1: the inertial
frame) and a child. A graph that is no tree is a ValueError with the reason [J11 section 8.2].)")
      .def(
          "__init__",
          [](Shape* self, const std::vector<Node>& nodes, const std::vector<std::pair<int, int>>& edges) {
            std::vector<sko::NodeSize> sizes;
            std::vector<sko::Edge> list;
            for (const auto& [name, size, freedoms] : nodes) sizes.push_back({name, size, freedoms});
            for (const auto& [parent, child] : edges) list.push_back({parent, child});
            new (self) Shape(std::move(sizes), list);
          },
          "nodes"_a, "edges"_a)
      .def_prop_ro(
          "nodes", [](const Shape& s) { return s.nodes(); }, "The number of nodes.")
      .def_prop_ro(
          "size", [](const Shape& s) { return s.size(); }, "Numbers in a stacked vector of nodes.")
      .def_prop_ro(
          "freedoms", [](const Shape& s) { return s.freedoms(); }, "Numbers in a stacked vector of freedoms.")
      .def(
          "name", [](const Shape& s, int k) { return s.name(k); }, "node"_a, "Of a node.")
      .def(
          "size_of", [](const Shape& s, int k) { return s.size(k); }, "node"_a, "Of its velocity.")
      .def(
          "freedoms_of", [](const Shape& s, int k) { return s.freedoms(k); }, "node"_a, "Of its hinge.")
      .def(
          "parent", [](const Shape& s, int k) { return s.parent(k); }, "node"_a, "-1: the inertial frame")
      .def(
          "begin", [](const Shape& s, int k) { return s.begin(k); }, "node"_a, "Of the node in a stacked vector.")
      .def(
          "freedom_begin", [](const Shape& s, int k) { return s.freedom_begin(k); }, "node"_a,
          "Of the node's freedoms in a stacked vector.")
      .def(
          "depth", [](const Shape& s, int k) { return s.depth(k); }, "node"_a, "1 on the inertial frame")
      .def("__repr__", [](const Shape& s) {
        return "<Shape of " + std::to_string(s.nodes()) + " nodes, " + std::to_string(s.freedoms()) + " freedoms>";
      });
}

void bind_model_class(nb::module_& m) {
  const auto set = [](const char* call, PySko& s, int node, ArrayIn block, auto&& rows, auto&& cols, auto&& f) {
    const UseSko use(call, s);
    const Shape& shape = (*use).shape();
    const InMatrix X(call, "block", block, at(rows(shape, node)), at(cols(shape, node)));
    f(*use, X.view());
  };
  nb::class_<PySko>(m, "SkoModel", R"(Weights A, hinge maps H and inertias M on a tree of nodes [J11 section 2.1]:

    V = A^* H^* theta',  alpha = A^* (H^* theta'' + a),  f = A (M alpha + b),  T = H f         [J11 1]

Made from a Shape and blocks, or by RigidSko and its kind.)")
      .def(
          "__init__",
          [](PySko* self, const Shape& shape) {
            new (self) PySko{std::make_shared<Model2>(shape), {}};
          },
          "shape"_a)
      .def_prop_ro(
          "shape", [](const PySko& s) { return s.model->shape(); }, "Its tree.")
      .def(
          "set_weight",
          [set](PySko& s, int node, ArrayIn block) {
            set(
                "set_weight", s, node, block,
                [](const Shape& x, int k) { return x.parent(k) == sko::kInertial ? 0 : x.size(x.parent(k)); },
                [](const Shape& x, int k) { return x.size(k); }, [&](Model2& x, auto B) { x.set_weight(node, B); });
          },
          "node"_a, "block"_a, "A(p(k), k): size of the parent x size of the node.")
      .def(
          "set_hinge",
          [set](PySko& s, int node, ArrayIn block) {
            set(
                "set_hinge", s, node, block, [](const Shape& x, int k) { return x.freedoms(k); },
                [](const Shape& x, int k) { return x.size(k); }, [&](Model2& x, auto B) { x.set_hinge(node, B); });
          },
          "node"_a, "block"_a, "H(k): freedoms x size.")
      .def(
          "set_inertia",
          [set](PySko& s, int node, ArrayIn block) {
            set(
                "set_inertia", s, node, block, [](const Shape& x, int k) { return x.size(k); },
                [](const Shape& x, int k) { return x.size(k); }, [&](Model2& x, auto B) { x.set_inertia(node, B); });
          },
          "node"_a, "block"_a, "M(k): size x size, symmetric.")
      .def(
          "set_bias",
          [](PySko& s, int node, ArrayIn a, ArrayIn b) {
            const UseSko use("set_bias", s);
            const auto n = at((*use).shape().size(node));
            const InVector A("set_bias", "a", a, n), B("set_bias", "b", b, n);
            (*use).set_bias(node, A, B);
          },
          "node"_a, "a"_a, "b"_a, "Bias acceleration and force.");
  using R = PyRigidSko;
  nb::class_<R>(m, "RigidSko", R"(A rigid-body model as an SKO model, `sko`; O(N) per update.

    r = RigidSko(model);  r.update(q, v);  forward_dynamics(r.sko, SkoDynamics(r.sko), r.stack(tau))

Freedoms are stacked node by node, the model's coordinates in its own order: stack and unstack translate.)")
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def_prop_ro(
          "model", [](const R& r) { return r.parts->model; }, "The Model.")
      .def_ro("sko", &R::sko, "The SkoModel, at the last update.")
      .def(
          "update",
          [](R& r, ArrayIn q, ArrayIn v, ArrayIn external, double time) {
            const PyModel& x = *r.parts->model;
            const InVector Q("update", "q", q, at(x.nq())), V("update", "v", v, at(x.nv()));
            const InForces E("update", "external", external, x.bodies().size());
            const UseSko use("update", *r.sko);
            run(x, [&] { r.parts->rigid.update(Q, V, {E.view(), time}); });
          },
          "q"_a, "v"_a, optional_array("external"), "time"_a = 0.,
          "A and H at q; a and b at q and v, with gravity and external forces.")
      .def(
          "stack",
          [](const R& r, ArrayIn v) {
            return copy_vector(r.parts->rigid.stack(InVector("stack", "by_coordinate", v, at(r.parts->model->nv()))));
          },
          "by_coordinate"_a, "Order of the model's v -> order of the nodes.")
      .def(
          "unstack",
          [](const R& r, ArrayIn v) {
            return copy_vector(r.parts->rigid.unstack(InVector("unstack", "by_node", v, at(r.parts->model->nv()))));
          },
          "by_node"_a, "Order of the nodes -> order of the model's v.")
      .def(
          "coordinate",
          [](const R& r, int freedom) {
            check_index("coordinate", "freedom", freedom, at(r.parts->model->nv()));
            return r.parts->rigid.coordinate(freedom);
          },
          "freedom"_a, "Velocity coordinate of a freedom.");
}

void check(const char* call, const PySko& s, const PyDynamics& d) {
  if (d.sko.get() != &s) throw nb::value_error((std::string(call) + ": the workspace is of another SKO model").c_str());
}

void bind_dynamics_of(nb::module_& m) {
  nb::class_<PyDynamics>(m, "SkoDynamics", "Scratch of the dynamics of an SKO model.")
      .def(
          "__init__",
          [](PyDynamics* self, std::shared_ptr<PySko> s) {
            Dynamics d(*s->model);
            new (self) PyDynamics{std::move(s), std::move(d)};
          },
          "sko"_a);
  const auto vector = [&](const char* name, auto f, const char* in, const char* doc) {
    m.def(
        name,
        [name, f, in](PySko& s, PyDynamics& d, ArrayIn x, ArrayOut out) {
          check(name, s, d);
          const auto n = at(s.model->shape().freedoms());
          const InVector X(name, in, x, n);
          OutVector O(name, "out", out, n);
          O.apart_from(X);
          const UseSko use(name, s);
          run_long([&] { f(*use, d.value, X, O); });
          return O.take();
        },
        "sko"_a, "workspace"_a, nb::arg(in), optional_array("out"), doc);
  };
  vector(
      "inverse_dynamics",
      [](Model2& x, Dynamics& d, const InVector& q, OutVector& o) { sko::inverse_dynamics<double>(x, d, q, o); }, "qdd",
      "T = M theta'' + C, stacked; O(N) [J11 Alg. 3.1].");
  vector(
      "forward_dynamics",
      [](Model2& x, Dynamics& d, const InVector& t, OutVector& o) { sko::forward_dynamics<double>(x, d, t, o); }, "tau",
      "theta'' = M^-1 (T - C), stacked; O(N), articulated bodies [J11 54, Alg. 6.1].");
  m.def(
      "calc_mass_matrix",
      [](PySko& s, PyDynamics& d, ArrayOut out) {
        check("calc_mass_matrix", s, d);
        const auto n = at(s.model->shape().freedoms());
        OutMatrix2 O("calc_mass_matrix", "out", out, n, n);
        const UseSko use("calc_mass_matrix", s);
        run_long([&] { sko::calc_mass_matrix<double>(*use, d.value, O.view()); });
        return O.take();
      },
      "sko"_a, "workspace"_a, optional_array("out"), "H A M A^* H^*, O(N^2), composite bodies [J11 Alg. 4.2].");
}

}  // namespace

void bind_sko(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_shape(m);
  bind_model_class(m);
  bind_dynamics_of(m);
}

}  // namespace sinew::py
