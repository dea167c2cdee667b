// python/src/sko_maps.cpp - SKO models made from others: aggregation, refinement, transformation (sinew.operators)
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/refinement.hpp"
#include "sinew/operators/transformation.hpp"
#include "sko.hpp"

namespace sinew::py {
namespace {

using sko::BodyPart;
using sko::Reorder;
using Groups = std::vector<std::pair<std::string, std::vector<int>>>;

// A model made from another, which it keeps.
template <class Made>
struct PyMade {
  struct Parts {
    template <class... Arguments>
    explicit Parts(std::shared_ptr<PySko> from, Arguments&&... arguments)
        : original(std::move(from)), made(*original->model, std::forward<Arguments>(arguments)...) {}
    std::shared_ptr<PySko> original;
    Made made;
  };
  template <class... Arguments>
  explicit PyMade(std::shared_ptr<PySko> from, Arguments&&... arguments)
      : parts(std::make_shared<Parts>(std::move(from), std::forward<Arguments>(arguments)...)) {
    sko->model = std::shared_ptr<sko::SkoModel<double>>(parts, &parts->made.sko);
  }
  std::shared_ptr<Parts> parts;
  std::shared_ptr<PySko> sko = std::make_shared<PySko>();
};
using PyAggregation = PyMade<sko::Aggregation<double>>;
using PyRefinement = PyMade<sko::Refinement<double>>;
using PyTransformation = PyMade<sko::Transformation>;

// f(made) while nobody else uses the two models.
template <class Made, class F>
void change(const char* call, const PyMade<Made>& m, F&& f) {
  const UseSko from(call, *m.parts->original), to(call, *m.sko);
  run_long([&] { f(m.parts->made); });
}

template <class Class>
void add_models(Class& c) {
  using M = typename Class::Type;
  c.def_prop_ro(
       "original", [](const M& m) { return m.parts->original; }, "The SkoModel that it is made from.")
      .def_prop_ro(
          "sko", [](const M& m) { return m.sko; }, "The new SkoModel, at the last update.");
}

void bind_reorder(nb::module_& m) {
  using R = Reorder;
  nb::class_<R>(m, "Reorder", "The same numbers in the order of another SKO model of the same system.")
      .def("__len__", &R::size)
      .def(
          "to_new",
          [](const R& r, ArrayIn x) {
            const InVector X("to_new", "x", x, r.size());
            return copy_vector(r.to_new(std::vector<double>(X.data(), X.data() + X.size())));
          },
          "x"_a, "A vector in the order of the new model.")
      .def(
          "to_old",
          [](const R& r, ArrayIn x) {
            const InVector X("to_old", "x", x, r.size());
            return copy_vector(r.to_old(std::vector<double>(X.data(), X.data() + X.size())));
          },
          "x"_a, "A vector in the order of the original.");
}

void bind_aggregation(nb::module_& m) {
  using A = PyAggregation;
  nb::class_<A> c(m, "Aggregation", R"(Several nodes of an SKO model as one node each [J11 sections 2.3, 8.1].

    legs = Aggregation(rigid.sko, [("left leg", [3, 4, 5]), ("right leg", [6, 7, 8])])
    rigid.update(q, v);  legs.update()
    qdd = legs.freedoms.to_old(forward_dynamics(legs.sko, SkoDynamics(legs.sko), legs.freedoms.to_new(tau)))

With E_in the weights between members, E_out those to the parent's node, A_in = (1 - E_in)^-1:
A(p, k) = E_out A_in, H(k) = H A_in, M(k) = diag M, a(k) = A_in* a. Velocities, forces, accelerations and the mass matrix
are the same numbers in another order. A node that no group names keeps a node of its own. A partition whose nodes do
not form a tree is a ValueError with the reason [J11 section 8.2].)");
  c.def(
       "__init__",
       [](A* self, std::shared_ptr<PySko> original, const Groups& groups) {
         std::vector<sko::NodeGroup> list;
         for (const auto& [name, nodes] : groups) list.push_back({name, nodes});
         const UseSko use("Aggregation", *original);
         new (self) A(original, list);
       },
       "original"_a, "groups"_a)
      .def(
          "update", [](const A& a) { change("update", a, [](auto& x) { x.update(); }); },
          "The blocks of `sko`, from those of the original model.")
      .def(
          "holder", [](const A& a, int node) { return a.parts->made.holder(node); }, "node"_a,
          "The new node that holds a node of the original model.")
      .def_prop_ro(
          "nodes", [](const A& a) { return a.parts->made.nodes; }, "Reorder of stacked vectors of nodes.")
      .def_prop_ro(
          "freedoms", [](const A& a) { return a.parts->made.freedoms; }, "Reorder of stacked vectors of freedoms.");
  add_models(c);
  m.def(
      "find_groups",
      [](const PyRigidSko& r, const std::vector<std::vector<std::string>>& bodies) {
        Groups out;
        for (const sko::NodeGroup& g : sko::find_groups(r.parts->rigid, bodies)) out.emplace_back(g.name, g.nodes);
        return out;
      },
      "rigid"_a, "bodies"_a,
      "Groups for an Aggregation by the names of bodies; each is named after its first body. Welded bodies share a "
      "node.");
}

void bind_refinement(nb::module_& m) {
  using P = BodyPart;
  nb::class_<P>(m, "BodyPart", R"(A part of a node that becomes a node of its own, welded to it.

W: size of the node x size of the part, V(part) = W* V(node). M: inertia of the part, which the node loses as W M W*.
children: nodes that hang on the part.)")
      .def(
          "__init__",
          [](P* self, int node, std::string name, ArrayIn W, ArrayIn M, std::vector<int> children) {
            const nb::object held = read_array("BodyPart", "W", W, 2);
            auto* a = reinterpret_cast<PyArrayObject*>(held.ptr());
            const auto* w = static_cast<const double*>(PyArray_DATA(a));
            const auto n = static_cast<std::size_t>(PyArray_DIM(a, 1));
            const InMatrix I("BodyPart", "M", M, n, n);
            new (self) P{node, std::move(name), std::vector<double>(w, w + PyArray_SIZE(a)),
                         std::vector<double>(I.data(), I.data() + n * n), std::move(children)};
          },
          "node"_a, "name"_a, "W"_a, "M"_a, "children"_a = std::vector<int>{})
      .def_ro("node", &P::node, "The node that it is a part of.")
      .def_ro("name", &P::name, "Of the new node.")
      .def_prop_ro("size", &P::size, "Numbers in its velocity.")
      .def_prop_ro(
          "W",
          [](const P& p) {
            const auto n = at(p.size());
            return freeze(copy_matrix(p.W, n == 0 ? 0 : p.W.size() / n, n));
          },
          "Size of the node x size of the part.")
      .def_prop_ro(
          "M", [](const P& p) { return freeze(copy_matrix(p.M, at(p.size()), at(p.size()))); },
          "Inertia: size of the part squared.")
      .def_ro("children", &P::children, "Nodes that hang on the part.");
  using R = PyRefinement;
  nb::class_<R> c(m, "Refinement", R"(Several nodes for one body, and nodes that are not bodies [J11 sections 2.3, 8.1].

hinges: (node, [freedoms, ...]), a hinge as a chain of hinges with fewer freedoms; the nodes before the last have no
inertia. parts: BodyParts, welded to their node. New nodes come after the old ones, first those of hinges. The mass
matrix, C and theta'' stay what they were, but for the order `freedoms`.)");
  c.def(
       "__init__",
       [](R* self, std::shared_ptr<PySko> original, const std::vector<std::pair<int, std::vector<int>>>& hinges,
          const std::vector<P>& parts) {
         sko::RefinementPlan plan;
         for (const auto& [node, freedoms] : hinges) plan.hinges.push_back({node, freedoms});
         plan.parts = parts;
         const UseSko use("Refinement", *original);
         new (self) R(original, std::move(plan));
       },
       "original"_a, nb::kw_only(), "hinges"_a = std::vector<std::pair<int, std::vector<int>>>{},
       "parts"_a = std::vector<P>{})
      .def(
          "update", [](const R& r) { change("update", r, [](auto& x) { x.update(); }); },
          "The blocks of `sko`, from those of the original model.")
      .def(
          "part_node", [](const R& r, int i) { return r.parts->made.part_node(i); }, "i"_a, "The node of part i.")
      .def_prop_ro(
          "freedoms", [](const R& r) { return r.parts->made.freedoms; }, "Reorder of stacked vectors of freedoms.");
  add_models(c);
}

void bind_transformation(nb::module_& m) {
  using T = PyTransformation;
  // Velocities: new size x size; hinges: freedoms x freedoms.
  const auto set = [](const char* call, const T& t, int node, const char* name, ArrayIn map, ArrayIn rate, auto&& sizes,
                      auto&& take) {
    const sko::Shape &from = t.parts->original->model->shape(), &to = t.sko->model->shape();
    const auto [rows, cols] = sizes(from, to, node);
    const InMatrix X(call, name, map, at(rows), at(cols));
    std::optional<InMatrix> Y;
    if (!rate.is_none()) Y.emplace(call, "rate", rate, at(rows), at(cols));
    change(call, t, [&](auto& x) { take(x, node, X.view(), Y ? Y->view() : MatrixView<const double>()); });
  };
  const auto signature = [](const std::string& name, const std::string& map) {
    return "def " + name + "(self, node: int, " + map +
           ": numpy.typing.ArrayLike, rate: numpy.typing.ArrayLike | None = None) -> None";
  };
  nb::class_<T> c(m, "Transformation",
                  R"(Another SKO model of the same tree: V' = T V, theta' = N nu  [J11 section 2.3].

    t = Transformation(rigid.sko);  t.set_velocity_map(k, T);  t.update()

With S = T^-1: A'(p, k) = S_p* A(p, k) T_k*, H' = N* H T*, M' = S* M S; the mass matrix becomes N* M N. new_sizes: of the
velocities; none: as they are. A tall T must have full column rank; a wide one must lose nothing, which update() checks.)");
  c.def(
       "__init__",
       [](T* self, std::shared_ptr<PySko> original, const std::vector<int>& new_sizes) {
         const UseSko use("Transformation", *original);
         new (self) T(original, new_sizes);
       },
       "original"_a, "new_sizes"_a = std::vector<int>{})
      .def(
          "set_velocity_map",
          [set](const T& t, int node, ArrayIn map, ArrayIn rate) {
            set(
                "set_velocity_map", t, node, "T", map, rate,
                [](const auto& from, const auto& to, int k) { return std::pair(to.size(k), from.size(k)); },
                [](auto& x, int k, auto X, auto Y) { x.set_velocity_map(k, X, Y); });
          },
          "node"_a, "T"_a, optional_array("rate"), nb::sig(signature("set_velocity_map", "T").c_str()),
          "V'(node) = T V(node), new size x size. rate: dT/dt; None: zero.")
      .def(
          "set_hinge_map",
          [set](const T& t, int node, ArrayIn map, ArrayIn rate) {
            set(
                "set_hinge_map", t, node, "N", map, rate,
                [](const auto& from, const auto&, int k) { return std::pair(from.freedoms(k), from.freedoms(k)); },
                [](auto& x, int k, auto X, auto Y) { x.set_hinge_map(k, X, Y); });
          },
          "node"_a, "N"_a, optional_array("rate"), nb::sig(signature("set_hinge_map", "N").c_str()),
          "Hinge velocities theta' = N nu of a node, freedoms x freedoms. rate: dN/dt; None: zero.")
      .def(
          "update",
          [](const T& t, ArrayIn theta) {
            std::optional<InVector> x;
            if (!theta.is_none()) x.emplace("update", "theta", theta, at(t.parts->original->model->shape().freedoms()));
            change("update", t, [&](auto& y) { y.update(x ? In<double>(*x) : In<double>()); });
          },
          optional_array("theta"), nb::sig("def update(self, theta: numpy.typing.ArrayLike | None = None) -> None"),
          "The blocks of `sko`. theta: hinge velocities of the original model, stacked; needed where a map has a "
          "rate.");
  add_models(c);
  m.def(
      "set_inertial_axes",
      [](const T& t, const PyRigidSko& r, ArrayIn q, ArrayIn v, double time) {
        const char* call = "set_inertial_axes";
        const PyModel& x = *r.parts->model;
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        change(call, t, [&](auto& y) { sko::set_inertial_axes(y, r.parts->rigid, Q, V, time); });
      },
      "transformation"_a, "rigid"_a, "q"_a, "v"_a, "time"_a = 0.,
      "The model of R92: V(k) in the axes of the inertial frame, velocity of the point O(k) [R92 0.1, 0.2]. Call\n"
      "update(rigid.stack(v)) after it.");
}

}  // namespace

void bind_sko_maps(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_reorder(m);
  bind_aggregation(m);
  bind_refinement(m);
  bind_transformation(m);
}

}  // namespace sinew::py
