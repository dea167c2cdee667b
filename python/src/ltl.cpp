// python/src/ltl.cpp - packed factors of matrices with the sparsity of a tree (sinew.ltl)
#include "sinew/tree/ltl.hpp"

#include "common.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew::py {
namespace {

using Packed = std::vector<double>;

template <class F>
struct PyFactor {
  explicit PyFactor(std::shared_ptr<PyModel> m) : model(std::move(m)), value(model->dof_tree()) {}
  std::shared_ptr<PyModel> model;
  F value;
};

// The factor's own numbers as an array, which keeps it alive.
template <class F>
Array view_packed(nb::handle self) {
  Packed& p = nb::cast<PyFactor<F>&>(self).value.packed;
  const npy_intp n = detail::signed_size(p.size());
  PyObject* array = PyArray_SimpleNewFromData(1, &n, NPY_DOUBLE, p.data());
  if (!array) throw nb::python_error();
  Py_INCREF(self.ptr());
  PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), self.ptr());
  return nb::steal<Array>(array);
}

template <class F>
const DofTree& tree_of(const char* call, const PyModel& m, const PyFactor<F>& f) {
  if (f.value.shape != m.dof_tree().shape())
    throw nb::value_error((std::string(call) + ": the factor is of a model with another tree").c_str());
  return m.dof_tree();
}

template <class F>
void bind_factor(nb::module_& m, const char* type, const char* doc) {
  using P = PyFactor<F>;
  nb::class_<P>(m, type, doc)
      .def(nb::init<std::shared_ptr<PyModel>>(), "model"_a)
      .def_prop_ro(
          "packed", [](nb::handle self) { return view_packed<F>(self); },
          nb::sig("def packed(self) -> numpy.typing.NDArray[numpy.float64]"),
          "Its own numbers, to be filled with H (out= of crba_packed, from_dense); after factor, L.");
  m.def(
      "factor",
      [](const PyModel& x, P& f) {
        const DofTree& tree = tree_of("factor", x, f);
        run(x, [&] { factor(tree, f.value); });
      },
      "model"_a, "factor"_a, "L (and D) in the place of H; O(n d^2) [F08 Tables 6.3, 6.6].");
  const auto vector = [&](const char* name, auto f, const char* text) {
    m.def(
        name,
        [name, f](const PyModel& x, const P& p, ArrayIn in, ArrayOut out) {
          const DofTree& tree = tree_of(name, x, p);
          const InVector X(name, "x", in, at(tree.size()));
          OutVector O(name, "out", out, X.size());
          if (O.data() != X.data()) {
            O.apart_from(X);
            std::copy(X.data(), X.data() + X.size(), O.data());
          }
          run(x, [&] { f(tree, p.value, O); });
          return O.take();
        },
        "model"_a, "factor"_a, "x"_a, optional_array("out"), text);
  };
  vector(
      "multiply_by_l", [](auto&&... p) { multiply_by_l(p...); }, "L x. x in the tree's order; out may be x.");
  vector(
      "multiply_by_l_transpose", [](auto&&... p) { multiply_by_l_transpose(p...); }, "L^T x");
  vector(
      "solve_l", [](auto&&... p) { solve_l(p...); }, "L^-1 x");
  vector(
      "solve_l_transpose", [](auto&&... p) { solve_l_transpose(p...); }, "L^-T x");
  vector(
      "multiply", [](auto&&... p) { multiply(p...); }, "H x from the factor.");
  vector(
      "solve", [](auto&&... p) { solve(p...); }, "H^-1 x, O(n d) [F08 Table 6.5].");
  m.def(
      "calc_log_determinant",
      [](const PyModel& x, const P& f) { return calc_log_determinant(tree_of("calc_log_determinant", x, f), f.value); },
      "model"_a, "factor"_a, "ln det H");
  m.def(
      "invert_l",
      [](const PyModel& x, P& f) {
        const DofTree& tree = tree_of("invert_l", x, f);
        run(x, [&] { invert_l(tree, f.value); });
      },
      "model"_a, "factor"_a, "L^-1 in the place of L, with the same sparsity.");
  m.def(
      "to_dense_l",
      [](const PyModel& x, const P& f, ArrayOut out) {
        const DofTree& tree = tree_of("to_dense_l", x, f);
        OutMatrix2 O("to_dense_l", "out", out, at(tree.size()), at(tree.size()));
        to_dense_l(tree, f.value, O.view());
        return O.take();
      },
      "model"_a, "factor"_a, optional_array("out"), "L as a whole matrix in the tree's order: lower triangular.");
}

Packed read_packed(const char* call, const PyModel& x, ArrayIn H) {
  const InVector P(call, "H", H, x.dof_tree().packed_size());
  return {P.data(), P.data() + P.size()};
}

void bind_packed(nb::module_& m) {
  m.def(
      "crba_packed",
      [](const PyModel& x, Held<CrbaWorkspace<double>>& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "crba_packed";
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, x.dof_tree().packed_size());
        O.apart_from(Q);
        const Use<CrbaWorkspace<double>> use(call, ws);
        run(x, [&] { crba_packed<double>(x, *use, Q, O, time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "The mass matrix without what is zero by the shape of the tree: one row per freedom, its ancestors from the "
      "root\n"
      "to itself. O(n d) [F08 Table 6.2].");
  m.def(
      "multiply_by_packed",
      [](const PyModel& x, ArrayIn H, ArrayIn in, ArrayOut out) {
        const char* call = "multiply_by_packed";
        const Packed P = read_packed(call, x, H);
        const InVector X(call, "x", in, at(x.dof_tree().size()));
        OutVector O(call, "out", out, X.size());
        O.apart_from(X);
        multiply_by_packed<double>(x.dof_tree(), P, X, O);
        return O.take();
      },
      "model"_a, "H"_a, "x"_a, optional_array("out"), "H x with H itself, packed; x in the tree's order.");
  m.def(
      "to_dense",
      [](const PyModel& x, ArrayIn H, ArrayOut out) {
        const Packed P = read_packed("to_dense", x, H);
        OutMatrix2 O("to_dense", "out", out, at(x.nv()), at(x.nv()));
        O.apart_from(P);
        to_dense<double>(x.dof_tree(), P, O.view());
        return O.take();
      },
      "model"_a, "H"_a, optional_array("out"), "The whole symmetric matrix, in the order of v.");
  m.def(
      "from_dense",
      [](const PyModel& x, ArrayIn M, ArrayOut out) {
        const InMatrix A("from_dense", "M", M, at(x.nv()), at(x.nv()));
        OutVector O("from_dense", "out", out, x.dof_tree().packed_size());
        Packed P(O.size());
        from_dense<double>(x.dof_tree(), A.view(), P);
        std::copy(P.begin(), P.end(), O.data());
        return O.take();
      },
      "model"_a, "M"_a, optional_array("out"), "Packed, from a whole matrix in the order of v.");
  m.def(
      "to_tree_order",
      [](const PyModel& x, ArrayIn v, ArrayOut out) {
        const InVector V("to_tree_order", "v", v, at(x.nv()));
        OutVector O("to_tree_order", "out", out, at(x.dof_tree().size()));
        Packed P(O.size());
        to_tree_order<double>(x.dof_tree(), V, P);
        std::copy(P.begin(), P.end(), O.data());
        return O.take();
      },
      "model"_a, "v"_a, optional_array("out"), "A vector by velocity coordinate in the order of the tree's freedoms.");
  m.def(
      "to_velocity_order",
      [](const PyModel& x, ArrayIn in, ArrayOut out) {
        const InVector X("to_velocity_order", "x", in, at(x.dof_tree().size()));
        OutVector O("to_velocity_order", "out", out, at(x.nv()));
        const Packed P(X.data(), X.data() + X.size());
        to_velocity_order<double>(x.dof_tree(), P, O);
        return O.take();
      },
      "model"_a, "x"_a, optional_array("out"), "A vector in the order of the tree's freedoms by velocity coordinate.");
}

}  // namespace

void bind_ltl(nb::module_& top) {
  nb::module_ m = top.def_submodule(
      "ltl", "Factors L^T L and L^T D L without fill-in of matrices with the sparsity of a tree [F08 section 6.5].");
  bind_packed(m);
  bind_factor<LtlFactor<double>>(m, "LtlFactor", R"(H, then L with H = L^T L.

    f = LtlFactor(model);  crba_packed(model, CrbaWorkspace(model), q, f.packed);  factor(model, f);  solve(model, f, x)

Vectors are in the tree's order: to_tree_order, to_velocity_order.)");
  bind_factor<LtdlFactor<double>>(m, "LtdlFactor",
                                  "H, then D on the diagonal and the rest of L, whose own diagonal is 1: H = L^T D L.");
}

}  // namespace sinew::py
