// python/src/operator_expressions.cpp - formulas of spatial operators as values: print, invert, apply
#include "entries.hpp"
#include "sinew/operators/algebra.hpp"
#include "sko.hpp"

namespace sinew::py {
namespace {

using sko::Expression;
using sko::ExpressionPtr;
using Algebra = sko::OperatorAlgebra<double>;
using Side = sko::Side;
using Any = sko::Operator<sko::Nodes, sko::Nodes>;  // an expression knows its own spaces

struct PyOperator {
  ExpressionPtr e;
  std::shared_ptr<PySko> sko;  // of its letters; none: the identity
};
struct PyAlgebra {
  std::shared_ptr<PySko> sko;
  Algebra value;
  bool updated = false;
};
struct PyPoints {
  std::shared_ptr<PySko> sko;
  sko::TaskPoints<double> value;
};
struct PyApplication {
  std::shared_ptr<PyAlgebra> algebra;
  sko::Application<double> value;
  int columns;
};

const char* name_of(const Side& s) {
  constexpr const char* kNames[] = {"Nodes", "Freedoms", "Points"};
  return kNames[static_cast<int>(s.space)];
}
std::string map_of(const Expression& e) { return std::string(name_of(e.cols)) + " -> " + name_of(e.rows); }

// C++ finds this when it compiles.
void check_spaces(const char* what, const PyOperator& a, const PyOperator& b, bool fits) {
  if (fits) return;
  throw nb::value_error(("the spaces of '" + sko::detail::print(*a.e) + "' (" + map_of(*a.e) + ") and '" +
                         sko::detail::print(*b.e) + "' (" + map_of(*b.e) + ") do not fit: their " + what +
                         " does not exist")
                            .c_str());
}
PyOperator multiply(const PyOperator& a, const PyOperator& b) {
  check_spaces("product", a, b, a.e->cols.space == b.e->rows.space);
  return {sko::detail::multiply(a.e, b.e), a.sko ? a.sko : b.sko};
}
PyOperator add(const PyOperator& a, const PyOperator& b, double sign) {
  check_spaces("sum", a, b, a.e->rows.space == b.e->rows.space && a.e->cols.space == b.e->cols.space);
  return {sko::detail::add(a.e, b.e, sign), a.sko ? a.sko : b.sko};
}
PyOperator invert(const PyOperator& a) {
  check_spaces("inverse", a, a, a.e->rows == a.e->cols);
  return {sko::detail::invert(a.e), a.sko};
}

void bind_operator(nb::module_& m) {
  using O = PyOperator;
  nb::class_<O>(m, "Operator", R"(A formula of spatial operators, as a value: nothing is calculated until it is applied.

    mass = o.H * o.A * o.M * ~o.A * ~o.H
    str(mass)              # H A M A* H*
    str(inverse(mass))     # (1 - K* psi* H*) D^-1 (1 - H psi K)

~X is the adjoint. Operators map spaces (Nodes, Freedoms, Points); where these do not fit, or where operators belong to
different models or lists of points, a product or a sum is a ValueError.)")
      .def("__mul__", &multiply, nb::is_operator())
      .def("__matmul__", &multiply, nb::is_operator())
      .def(
          "__mul__",
          [](const O& a, double s) {
            return O{sko::detail::scale(a.e, s), a.sko};
          },
          nb::is_operator())
      .def(
          "__rmul__",
          [](const O& a, double s) {
            return O{sko::detail::scale(a.e, s), a.sko};
          },
          nb::is_operator())
      .def(
          "__add__", [](const O& a, const O& b) { return add(a, b, 1); }, nb::is_operator())
      .def(
          "__sub__", [](const O& a, const O& b) { return add(a, b, -1); }, nb::is_operator())
      .def("__neg__",
           [](const O& a) {
             return O{sko::detail::scale(a.e, -1), a.sko};
           })
      .def("__invert__",
           [](const O& a) {
             return O{sko::detail::adjoint(a.e), a.sko};
           })
      .def_prop_ro(
          "rows", [](const O& a) { return name_of(a.e->rows); },
          "The space that it maps to: Nodes, Freedoms or Points.")
      .def_prop_ro(
          "cols", [](const O& a) { return name_of(a.e->cols); },
          "The space that it maps from: Nodes, Freedoms or Points.")
      .def_prop_ro(
          "reason", [](const O& a) { return a.e->reason; }, "Of inverse and simplify: the theorems that they used.")
      .def("__str__", [](const O& a) { return sko::detail::print(*a.e); })
      .def("__repr__", [](const O& a) { return "<Operator " + sko::detail::print(*a.e) + ": " + map_of(*a.e) + ">"; });
  m.def("inverse", &invert, "x"_a,
        "By the factorizations of [J11 48-51]; ValueError with the formula where none is known.");
  m.def(
      "simplify",
      [](const O& a) {
        return O{sko::detail::simplify(a.e), a.sko};
      },
      "x"_a, "The same operator with fewer factors, by the identities of [J11 38, 45, 46, 50]; `reason` lists them.");
  m.def(
      "identity",
      [](const std::string& space) {
        if (space == "Nodes") return O{sko::identity<sko::Nodes>().expression(), nullptr};
        if (space == "Freedoms") return O{sko::identity<sko::Freedoms>().expression(), nullptr};
        if (space == "Points") return O{sko::identity<sko::Points>().expression(), nullptr};
        throw nb::value_error(("identity: there is no space '" + space + "': Nodes, Freedoms or Points").c_str());
      },
      "space"_a, nb::sig("def identity(space: typing.Literal[\"Nodes\", \"Freedoms\", \"Points\"]) -> Operator"),
      "Combines with the operators of any model.");
}

void bind_algebra(nb::module_& m) {
  using A = PyAlgebra;
  nb::class_<A> c(m, "OperatorAlgebra", R"(The operators of one SKO model.

    rigid = RigidSko(model);  rigid.update(q, v);  o = OperatorAlgebra(rigid.sko)
    solve = Application(o, inverse(o.mass()))
    o.update()                      # after each rigid.update
    qdd = solve.apply(tau)          # gather and scatter recursions, nothing dense is formed)");
  c.def(
       "__init__",
       [](A* self, std::shared_ptr<PySko> s) {
         new (self) A{s, Algebra(*s->model)};
       },
       "sko"_a)
      .def_ro("sko", &A::sko, "The SkoModel whose operators they are.")
      .def(
          "update",
          [](A& a) {
            const UseSko use("update", *a.sko);
            run_long([&] { a.value.update(); });
            a.updated = true;
          },
          "After the blocks of the model changed: Riccati's equation, composite inertias, Upsilon; O(N).");
  const auto letter = [&](const char* name, auto member, const char* doc) {
    c.def_prop_ro(
        name,
        [member](const A& a) {
          return PyOperator{(a.value.*member).expression(), a.sko};
        },
        doc);
  };
  letter("E_A", &Algebra::E_A, "Weights.");
  letter("A", &Algebra::A, "(1 - E_A)^-1");
  letter("A_tilde", &Algebra::A_tilde, "A - 1");
  letter("H", &Algebra::H, "Hinge maps.");
  letter("M", &Algebra::M, "Inertias.");
  letter("R", &Algebra::R, "Composite inertias [J11 18].");
  letter("P", &Algebra::P, "Articulated inertias [J11 31].");
  letter("P_plus", &Algebra::P_plus, "tau_bar P [J11 32]");
  letter("D", &Algebra::D, "H P H* [J11 32]");
  letter("D_inverse", &Algebra::D_inverse, "D^-1");
  letter("G", &Algebra::G, "P H* D^-1 [J11 32]");
  letter("K", &Algebra::K, "E_A G [J11 37]");
  letter("tau", &Algebra::tau, "G H [J11 32]");
  letter("tau_bar", &Algebra::tau_bar, "1 - G H [J11 32]");
  letter("E_psi", &Algebra::E_psi, "E_A tau_bar [J11 34]");
  letter("psi", &Algebra::psi, "(1 - E_psi)^-1 [J11 35]");
  letter("psi_tilde", &Algebra::psi_tilde, "psi - 1");
  letter("Upsilon", &Algebra::Upsilon, "The block diagonal of psi* H* D^-1 H psi [J11 60].");
  c.def(
       "mass",
       [](const A& a) {
         return PyOperator{a.value.mass().expression(), a.sko};
       },
       "H A M A* H* [J11 3]")
      .def(
          "partial_velocities",
          [](const A& a) {
            return PyOperator{a.value.partial_velocities().expression(), a.sko};
          },
          "A* H*: Kane's [J11 section 2.2].")
      .def(
          "Omega",
          [](const A& a) {
            return PyOperator{a.value.Omega().expression(), a.sko};
          },
          "psi* H* D^-1 H psi [J11 60]")
      .def(
          "jacobian",
          [](const A& a, const PyOperator& B) {
            const PyOperator v{a.value.partial_velocities().expression(), a.sko};
            return multiply({sko::detail::adjoint(B.e), B.sko}, v);
          },
          "B"_a, "B* A* H* of the points of TaskPoints [R92 0.18].")
      .def(
          "compliance",
          [](const A& a, const PyOperator& B) {
            const PyOperator Omega{a.value.Omega().expression(), a.sko};
            return multiply(multiply({sko::detail::adjoint(B.e), B.sko}, Omega), B);
          },
          "B"_a, "B* Omega B = J M^-1 J* [J11 60].");
}

void bind_points(nb::module_& m) {
  using P = sko::PickOff;
  nb::class_<P>(m, "PickOff", "Forces on one node: a column of B each, size of the node x columns.")
      .def(
          "__init__",
          [](P* self, int node, ArrayIn block) {
            const nb::object held = read_array("PickOff", "block", block, 2);
            auto* a = reinterpret_cast<PyArrayObject*>(held.ptr());
            const auto* p = static_cast<const double*>(PyArray_DATA(a));
            new (self) P{node, static_cast<int>(PyArray_DIM(a, 1)), std::vector<double>(p, p + PyArray_SIZE(a))};
          },
          "node"_a, "block"_a)
      .def_ro("node", &P::node, "That they act on.")
      .def_ro("columns", &P::columns, "How many forces.")
      .def_prop_ro(
          "block",
          [](const P& p) {
            const auto cols = at(p.columns);
            return copy_matrix(p.block, cols == 0 ? 0 : p.block.size() / cols, cols);
          },
          "Size of the node x columns.");
  m.def(
      "make_pick_off",
      [](const PyRigidSko& r, PlaceIn place) {
        return sko::make_pick_off(r.parts->rigid, find_place("make_pick_off", *r.parts->model, place));
      },
      "rigid"_a, "place"_a,
      nb::sig("def make_pick_off(rigid: RigidSko, place: int | str | sinew._core.BodyEntry | sinew._core.FrameEntry)"
              " -> PickOff"),
      "A body or frame: its spatial velocity, in its own axes. The block does not change with q.");
  using T = PyPoints;
  nb::class_<T>(m, "TaskPoints",
                R"(Places on the nodes of an SKO model where it is touched; `B` is the pick-off operator.

Block (node, i) of B carries forces at point i to its node [R92 0.16, 0.17].)")
      .def(
          "__init__",
          [](T* self, std::shared_ptr<PySko> s, const std::vector<P>& points, const std::string& name) {
            sko::TaskPoints<double> value(*s->model, points, name);
            new (self) T{std::move(s), std::move(value)};
          },
          "sko"_a, "points"_a, "name"_a = "B")
      .def_prop_ro(
          "points", [](const T& t) { return t.value.points(); }, "The number of points.")
      .def_prop_ro(
          "size", [](const T& t) { return t.value.size(); }, "Numbers in a stacked vector of points.")
      .def(
          "node", [](const T& t, int i) { return t.value.node(i); }, "point"_a, "Of point i.")
      .def(
          "set_block",
          [](T& t, int i, ArrayIn block) {
            const UseSko use("set_block", *t.sko);
            t.value.set_block(i, read_numbers("set_block", "block", block));
          },
          "point"_a, "block"_a, "New numbers, row by row; every expression with B sees them.")
      .def_prop_ro(
          "B",
          [](const T& t) {
            return PyOperator{t.value.B.expression(), t.sko};
          },
          "The pick-off operator.");
}

void check_updated(const char* call, const PyAlgebra& a) {
  if (!a.updated)
    throw nb::value_error((std::string(call) + ": the algebra has no numbers yet; call its update() first").c_str());
}

void bind_application(nb::module_& m) {
  using P = PyApplication;
  nb::class_<P>(m, "Application", "An expression as a list of recursions over the tree; O(N) to apply.")
      .def(
          "__init__",
          [](P* self, std::shared_ptr<PyAlgebra> a, const PyOperator& x, int columns) {
            if (columns < 1) throw nb::value_error("Application: columns must be at least 1");
            sko::Application<double> value(a->value, Any(x.e), columns);
            new (self) P{std::move(a), std::move(value), columns};
          },
          "algebra"_a, "x"_a, "columns"_a = 1)
      .def(
          "apply",
          [](P& p, ArrayIn x, ArrayOut out) {
            check_updated("apply", *p.algebra);
            const UseSko use("apply", *p.algebra->sko);
            const auto rows = at(p.value.rows()), cols = at(p.value.cols()), n = at(p.columns);
            if (n == 1) {
              const InVector X("apply", "x", x, cols);
              OutVector Y("apply", "out", out, rows);
              Y.apart_from(X);
              run_long([&] { p.value.apply(X, Y); });
              return Y.take();
            }
            const InMatrix X("apply", "x", x, cols, n);
            OutMatrix2 Y("apply", "out", out, rows, n);
            if (Y.view().stride() != n) throw nb::value_error("apply: out must be contiguous");
            const VectorView<const double> numbers(X.data(), cols * n);
            Y.apart_from(numbers);
            run_long([&] { p.value.apply(numbers, {Y.data(), rows * n}); });
            return Y.take();
          },
          "x"_a, optional_array("out"), "y = X x; with several columns both are matrices.")
      .def_prop_ro(
          "rows", [](const P& p) { return p.value.rows(); }, "Numbers in y.")
      .def_prop_ro(
          "cols", [](const P& p) { return p.value.cols(); }, "Numbers in x.")
      .def_prop_ro(
          "multiplications", [](const P& p) { return p.value.multiplications(); }, "Of one column.")
      .def_prop_ro(
          "additions", [](const P& p) { return p.value.additions(); }, "Of one column.")
      .def(
          "describe", [](const P& p) { return p.value.describe(); },
          "The formula, the recursions in the order in which they run, and the cost.")
      .def("__repr__", [](const P& p) {
        return "<Application " + std::to_string(p.value.rows()) + " x " + std::to_string(p.value.cols()) + ">";
      });
  m.def(
      "materialise",
      [](const std::shared_ptr<PyAlgebra>& a, const PyOperator& x) {
        check_updated("materialise", *a);
        const UseSko use("materialise", *a->sko);
        const sko::Application<double> size(a->value, Any(x.e));
        const std::vector<double> dense = run_long([&] { return sko::materialise(a->value, Any(x.e)); });
        return copy_matrix(dense, at(size.rows()), at(size.cols()));
      },
      "algebra"_a, "x"_a, "The whole matrix of an expression, column by column, O(N) each.");
}

}  // namespace

void bind_operator_expressions(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_operator(m);
  bind_algebra(m);
  bind_points(m);
  bind_application(m);
}

}  // namespace sinew::py
