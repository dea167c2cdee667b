// python/src/riccati.cpp - articulated inertias of an SKO model, and the branches of its tree (sinew.operators)
#include "sinew/operators/riccati.hpp"

#include "sko.hpp"

namespace sinew::py {
namespace {

using Riccati = sko::Riccati<double>;
using Blocks = sko::Blocks<double>;

struct PyRiccati {
  std::shared_ptr<PySko> sko;
  Riccati value;
  bool solved = false, propagated = false;
};

// A block of each node, as a method.
void add_block(nb::class_<PyRiccati>& c, const char* name, Blocks Riccati::*member, bool propagated, const char* doc) {
  c.def(
      name,
      [name, member, propagated](const PyRiccati& r, int node) {
        if (propagated ? !r.propagated : !r.solved)
          throw nb::value_error(
              (std::string(name) + ": call " + (propagated ? "calc_propagators" : "solve_riccati") + " first").c_str());
        const Blocks& b = r.value.*member;
        check_index(name, "node", node, at(b.count()));
        const UseSko use(name, *r.sko);
        return copy_matrix({b[node], at(b.rows(node) * b.cols(node))}, at(b.rows(node)), at(b.cols(node)));
      },
      "node"_a, doc);
}

void check_riccati(const char* call, const PySko& s, const PyRiccati& r) {
  if (r.sko.get() != &s) throw nb::value_error((std::string(call) + ": it was made for another SKO model").c_str());
}

void bind_equation(nb::module_& m) {
  using R = PyRiccati;
  nb::class_<R> c(m, "Riccati", R"(The articulated inertias of an SKO model, O(N):

    M = P - E_A [P - P H* (H P H*)^-1 H P] E_A*                                     [J11 31]

and what follows from P, node by node [J11 32-37]. Filled by solve_riccati, and calc_propagators.)");
  c.def(
      "__init__",
      [](R* self, std::shared_ptr<PySko> s) {
        Riccati value(*s->model);
        new (self) R{std::move(s), std::move(value), false, false};
      },
      "sko"_a);
  add_block(c, "P", &Riccati::P, false, "Articulated inertia of a node, size x size.");
  add_block(c, "P_plus", &Riccati::P_plus, false, "tau_bar P of a node, size x size.");
  add_block(c, "D", &Riccati::D, false, "H P H* of a node, freedoms x freedoms.");
  add_block(c, "D_inverse", &Riccati::D_inverse, false, "Of a node.");
  add_block(c, "G", &Riccati::G, false, "P H* D^-1 of a node, size x freedoms.");
  add_block(c, "tau", &Riccati::tau, true, "G H of a node.");
  add_block(c, "tau_bar", &Riccati::tau_bar, true, "1 - G H of a node.");
  add_block(c, "psi", &Riccati::psi, true, "A tau_bar of a node, size of the parent x size.");
  add_block(c, "K", &Riccati::K, true, "A G of a node, size of the parent x freedoms.");
  m.def(
      "solve_riccati",
      [](PySko& s, R& r) {
        check_riccati("solve_riccati", s, r);
        const UseSko use("solve_riccati", s);
        r.propagated = false;
        const int node = run_long([&] { return sko::solve_riccati<double>(*use, r.value); });
        r.solved = node < 0;
        if (node >= 0)
          throw nb::value_error(("solve_riccati: " + (*use).shape().describe(node) +
                                 " meets no inertia along its hinge, or its hinge map has dependent rows")
                                    .c_str());
      },
      "sko"_a, "riccati"_a,
      "P, D, G and P_plus in one gather [J11 33]. ValueError naming a node whose D is not positive definite.");
  m.def(
      "calc_propagators",
      [](PySko& s, R& r) {
        check_riccati("calc_propagators", s, r);
        if (!r.solved) throw nb::value_error("calc_propagators: call solve_riccati first");
        const UseSko use("calc_propagators", s);
        run_long([&] { sko::calc_propagators<double>(*use, r.value); });
        r.propagated = true;
      },
      "sko"_a, "riccati"_a, "tau, tau_bar, psi and K, after solve_riccati [J11 35, 37].");
  m.def(
      "calc_log_determinant",
      [](PySko& s, R& r) {
        check_riccati("calc_log_determinant", s, r);
        if (!r.solved) throw nb::value_error("calc_log_determinant: call solve_riccati first");
        const UseSko use("calc_log_determinant", s);
        return sko::calc_log_determinant(*use, r.value);
      },
      "sko"_a, "riccati"_a, "log det of the mass matrix: the sum of log det D(k) [J11 53].");
}

void bind_branches(nb::module_& m) {
  using B = sko::Branches;
  nb::class_<B>(m, "Branches",
                "Maximal serial pieces of a tree, tips first: a piece ends where the tree branches [J11 section 7.1].")
      .def(nb::init<const sko::Shape&>(), "shape"_a)
      .def_ro("nodes", &B::nodes, "Of each branch, tip to base.")
      .def_ro("parent", &B::parent, "Branch that each hangs on; -1: none.")
      .def("draw_kernel", &B::draw_kernel, "Where blocks of E_A may differ from zero: X, else . [J11 61].")
      .def("draw_resolvent", &B::draw_resolvent, "The same of A [J11 63].")
      .def("draw_mass", &B::draw_mass, "The same of the mass matrix [J11 section 7.4].");
  m.def(
      "draw_mass", [](const sko::Shape& s) { return sko::draw_mass(s); }, "shape"_a,
      "Where blocks of the mass matrix may differ from zero, one character per pair of nodes [J11 section 4.2].");
  nb::borrow<nb::class_<sko::Shape>>(nb::type<sko::Shape>())
      .def("is_ancestor", &sko::Shape::is_ancestor, "a"_a, "node"_a,
           "True: a is the node, or on its path to the inertial frame.")
      .def("common_ancestor", &sko::Shape::common_ancestor, "i"_a, "j"_a, "The nearest; -1: none.");
}

}  // namespace

void bind_riccati(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_equation(m);
  bind_branches(m);
}

}  // namespace sinew::py
