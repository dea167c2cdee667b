// python/src/flexible_body.cpp - data of bodies that bend: nodes, material points, matrices, beams, finite elements
#include <cstring>

#include "common.hpp"
#include "sinew/io/matrix_market.hpp"
#include "sinew/model/solids.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/operators/finite_elements.hpp"

namespace sinew::py {
namespace {

using sko::FlexibleBody;
using sko::FlexibleNode;
using sko::MaterialPoint;
using Vectors = std::vector<Vec3<double>>;

// Lists of vectors and matrices as arrays, numbers one after the other.
template <int kDimensions, class T>
std::vector<T> read_list(const char* call, const char* name, ArrayIn in, const npy_intp (&shape)[kDimensions]) {
  const Read<kDimensions> x(call, name, in, shape);
  npy_intp count = 1;
  for (const npy_intp n : shape) count *= n;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  std::vector<T> out(static_cast<std::size_t>(count) * sizeof(double) / sizeof(T));
  if (!out.empty()) std::memcpy(static_cast<void*>(out.data()), x.data(), out.size() * sizeof(T));
  return out;
}
template <class T>
Array show_list(const std::vector<T>& list, const std::vector<npy_intp>& shape) {
  const Array out =
      nb::steal<Array>(reinterpret_cast<PyObject*>(detail::make(static_cast<int>(shape.size()), shape.data())));
  if (!list.empty())
    std::memcpy(PyArray_DATA(reinterpret_cast<PyArrayObject*>(out.ptr())), list.data(), list.size() * sizeof(T));
  return freeze(out);
}
npy_intp count_of(const Vectors& list) { return detail::signed_size(list.size()); }

// Rows of three numbers: one per mode.
Vectors read_shifts(const char* call, const char* name, ArrayIn in) {
  const nb::object held = read_array(call, name, in, 2);
  const npy_intp rows = PyArray_DIM(reinterpret_cast<PyArrayObject*>(held.ptr()), 0);
  return read_list<2, Vec3<double>>(call, name, {held.ptr()}, {rows, 3});
}
// None: no second order.
Vectors read_second(const char* call, ArrayIn in, npy_intp modes) {
  if (in.is_none()) return {};
  return read_list<3, Vec3<double>>(call, "second", in, {modes, modes, 3});
}
nb::object show_second(const Vectors& second, npy_intp modes) {
  if (second.empty()) return nb::none();
  return show_list(second, {modes, modes, 3});
}

void bind_points(nb::module_& m) {
  using N = FlexibleNode;
  constexpr const char* kSecond = "Second-order shapes q_ij (modes, modes, 3), symmetric in the modes; None: none.";
  const nb::sig second("def second(self) -> numpy.typing.NDArray[numpy.float64] | None");
  nb::class_<N>(
      m, "FlexibleNode",
      "A place on a body that bends, where joints, loads and contacts may be. Turns: exp(sum_i turn_i eta_i).")
      .def(
          "__init__",
          [](N* self, std::string name, const Vec3<double>& position, ArrayIn shift, ArrayIn turn,
             ArrayIn second_order) {
            N n{std::move(name), position, read_shifts("FlexibleNode", "shift", shift), {}, {}};
            n.turn = read_list<2, Vec3<double>>("FlexibleNode", "turn", turn, {count_of(n.shift), 3});
            n.second = read_second("FlexibleNode", second_order, count_of(n.shift));
            new (self) N(std::move(n));
          },
          "name"_a, "position"_a, "shift"_a, "turn"_a, optional_array("second"),
          nb::sig("def __init__(self, name: str, position: numpy.typing.ArrayLike, shift: numpy.typing.ArrayLike, "
                  "turn: numpy.typing.ArrayLike, second: numpy.typing.ArrayLike | None = None) -> None"))
      .def_ro("name", &N::name, "By which joints and places find it.")
      .def_prop_ro(
          "position", [](const N& n) { return n.position; }, "Undeformed, in the body's frame [m].")
      .def_prop_ro(
          "shift",
          [](const N& n) {
            return show_list(n.shift, {count_of(n.shift), 3});
          },
          "phi (modes, 3).")
      .def_prop_ro(
          "turn",
          [](const N& n) {
            return show_list(n.turn, {count_of(n.turn), 3});
          },
          "[rad] (modes, 3).")
      .def_prop_ro(
          "second", [](const N& n) { return show_second(n.second, count_of(n.shift)); }, nb::for_getter(second),
          kSecond)
      .def("__repr__",
           [](const N& n) { return "<FlexibleNode '" + n.name + "': " + std::to_string(n.shift.size()) + " modes>"; });
  using P = MaterialPoint;
  nb::class_<P>(m, "MaterialPoint", "A piece of a body that bends: one of many that make up its mass.")
      .def(
          "__init__",
          [](P* self, double mass, const Vec3<double>& position, ArrayIn shift, ArrayIn second_order) {
            P p{mass, position, read_shifts("MaterialPoint", "shift", shift), {}};
            p.second = read_second("MaterialPoint", second_order, count_of(p.shift));
            new (self) P(std::move(p));
          },
          "mass"_a, "position"_a, "shift"_a, optional_array("second"),
          nb::sig("def __init__(self, mass: float, position: numpy.typing.ArrayLike, shift: numpy.typing.ArrayLike, "
                  "second: numpy.typing.ArrayLike | None = None) -> None"))
      .def_ro("mass", &P::mass, "[kg]")
      .def_prop_ro(
          "position", [](const P& p) { return p.position; }, "Undeformed, in the body's frame [m].")
      .def_prop_ro(
          "shift",
          [](const P& p) {
            return show_list(p.shift, {count_of(p.shift), 3});
          },
          "phi (modes, 3).")
      .def_prop_ro(
          "second", [](const P& p) { return show_second(p.second, count_of(p.shift)); }, nb::for_getter(second),
          kSecond);
}

// How many numbers an entry has, as the last dimensions of its array.
template <class T>
std::vector<npy_intp> shape_of(int modes, int of_modes) {
  std::vector<npy_intp> out(static_cast<std::size_t>(of_modes), modes);
  if constexpr (!std::is_same_v<T, double>) out.push_back(3);
  if constexpr (std::is_same_v<T, Mat3<double>>) out.push_back(3);
  return out;
}

// A field with an entry per mode, or per pair of modes. may_lack: None stands for an empty list.
template <int kModes, bool kMayLack = false, class T>
void add_field(nb::class_<FlexibleBody>& c, const char* name, std::vector<T> FlexibleBody::*member, const char* doc) {
  using B = FlexibleBody;
  constexpr int kDimensions = kModes + (std::is_same_v<T, double> ? 0 : std::is_same_v<T, Mat3<double>> ? 2 : 1);
  const std::string type = kMayLack ? " | None" : "";
  const std::string get = "def " + std::string(name) + "(self) -> numpy.typing.NDArray[numpy.float64]" + type,
                    set = "def " + std::string(name) + "(self, value: numpy.typing.ArrayLike" + type + ", /) -> None";
  c.def_prop_rw(
      name,
      [member](const B& b) -> nb::object {
        if (kMayLack && (b.*member).empty()) return nb::none();
        return show_list(b.*member, shape_of<T>(b.modes, kModes));
      },
      [name, member](B& b, ArrayIn value) {
        if (kMayLack && value.is_none()) {
          (b.*member).clear();
          return;
        }
        npy_intp shape[kDimensions];
        const std::vector<npy_intp> wanted = shape_of<T>(b.modes, kModes);
        std::copy(wanted.begin(), wanted.end(), shape);
        b.*member = read_list<kDimensions, T>("FlexibleBody", name, value, shape);
      },
      nb::for_getter(nb::sig(get.c_str())), nb::for_setter(nb::arg("value").none()),
      nb::for_setter(nb::sig(set.c_str())), doc);
}

void check_modes(const FlexibleBody& b, const FlexibleNode& n) {
  const auto m = at(b.modes);
  if (n.shift.size() != m)
    throw nb::value_error(("FlexibleBody: node '" + n.name + "' has shift with shape (" +
                           std::to_string(n.shift.size()) + ", 3), it must be (" + std::to_string(m) + ", 3)")
                              .c_str());
}

void bind_body(nb::module_& m) {
  using B = FlexibleBody;
  nb::class_<B> c(m, "FlexibleBody", R"(A body that bends: modes, their stiffness, and the integrals of its mass.

    r = s + sum_i phi_i eta_i + 1/2 sum_ij q_ij eta_i eta_j        [Wallrapp, Schwertassek 1991]

All in the body's frame; sums are over the points of the body, with their masses. Made by make_beam, make_flexible_body
and load_flexible; or FlexibleBody(name, modes), filled by set_material or field by field: arrays are assigned as a
whole, with a row per mode. check_flexible_body says what is missing.)");
  c.def(
       "__init__",
       [](B* self, std::string body, int modes) {
         if (modes < 1 || modes > 1000) throw nb::value_error("FlexibleBody: modes must be between 1 and 1000");
         B b;
         b.body = std::move(body);
         sko::set_material(b, modes, {});
         b.stiffness.assign(at(modes) * at(modes), 0.0);
         new (self) B(std::move(b));
       },
       "body"_a, "modes"_a)
      .def_ro("body", &B::body, "Its name in the Model.")
      .def_ro("modes", &B::modes, "How many ways it can bend: m below.");
  add_field<2>(c, "mass", &B::mass, "Modal mass (m, m): sum phi_i . phi_j [kg].");
  add_field<2>(c, "stiffness", &B::stiffness, "(m, m) [N/m].");
  c.def_prop_rw(
      "damping",
      [](const B& b) {
        const auto n = at(b.modes);
        return show_list(b.damping.empty() ? std::vector<double>(n * n) : b.damping, {b.modes, b.modes});
      },
      [](B& b, ArrayIn value) {
        b.damping = read_list<2, double>("FlexibleBody", "damping", value, {b.modes, b.modes});
      },
      "(m, m) [N s/m].");
  c.def_prop_rw(
      "rigid",
      [](const B& b) {
        const auto& I = b.rigid;
        if (!(I.m > 0)) return MassProperties{I.m, {}, I.I};
        return MassProperties{I.m, centre_of_mass(I), inertia_about_centre(I)};
      },
      [](B& b, const MassProperties& p) { b.rigid = make_inertia(p.mass, p.com, p.inertia); },
      "MassProperties of the undeformed body.");
  add_field<1>(c, "momentum", &B::momentum, "(m, 3): sum phi_i.");
  add_field<1>(c, "angular_momentum", &B::angular_momentum, "(m, 3): sum s x phi_i.");
  add_field<1>(c, "first_moments", &B::first_moments, "(m, 3, 3): sum s phi_i^T.");
  add_field<2>(c, "second_moments", &B::second_moments, "(m, m, 3, 3): sum phi_i phi_j^T.");
  add_field<2, true>(c, "second_momentum", &B::second_momentum, "(m, m, 3): sum q_ij; None: none.");
  add_field<2, true>(c, "stiffening", &B::stiffening, "(m, m, 3, 3): sum s q_ij^T; None: no geometric stiffening.");
  c.def_prop_rw(
       "nodes", [](const B& b) { return b.nodes; },
       [](B& b, std::vector<FlexibleNode> nodes) {
         for (const FlexibleNode& n : nodes) check_modes(b, n);
         b.nodes = std::move(nodes);
       },
       "FlexibleNodes: interfaces, where joints, loads and contacts may be. Assign the whole list.")
      .def_prop_rw(
          "root", [](const B& b) { return b.root; },
          [](B& b, FlexibleNode n) { check_modes(b, n), b.root = std::move(n); },
          "FlexibleNode: how the material at the body's joint moves in the modes; no modes: it is clamped.")
      .def_prop_ro(
          "node_names",
          [](const B& b) {
            std::vector<std::string> out;
            for (const FlexibleNode& n : b.nodes) out.push_back(n.name);
            return out;
          },
          "Names of the interface nodes.")
      .def_rw("replaces_inertia", &B::replaces_inertia, "False: its inertia must agree with the model's.")
      .def("__repr__",
           [](const B& b) { return "<FlexibleBody '" + b.body + "': " + std::to_string(b.modes) + " modes>"; });
  m.def(
      "set_material",
      [](B& b, int modes, const std::vector<MaterialPoint>& points) {
        if (modes != b.modes)
          throw nb::value_error(("set_material: the body has " + std::to_string(b.modes) + " modes, not " +
                                 std::to_string(modes) + "; make FlexibleBody(body, " + std::to_string(modes) + ")")
                                    .c_str());
        B filled = b;
        sko::set_material(filled, modes, points);
        b = std::move(filled);
      },
      "body"_a, "modes"_a, "points"_a,
      "Fills mass, rigid, momentum and all other sums of a body from MaterialPoints; O(points m^2). Stiffness, "
      "damping\n"
      "and nodes stay.");
  m.def(
      "set_damping_ratio", [](B& b, double ratio) { sko::set_damping_ratio(b, ratio); }, "body"_a, "ratio"_a,
      "D = 2 ratio sqrt(K M) for each mode; for modes that are orthogonal in both.");
  m.def(
      "check_flexible_body", [](const B& b) { sko::check_flexible_body(b); }, "body"_a,
      "ValueError naming the body and what is wrong: numbers that are not finite, a mass, stiffness or damping that "
      "is\n"
      "not symmetric, a modal mass that is not positive definite, a negative stiffness or damping.");
}

void bind_beam(nb::module_& m) {
  nb::enum_<sko::BeamSupport>(m, "BeamSupport", "How a beam's modes are held at its ends.")
      .value("cantilever", sko::BeamSupport::cantilever, "Clamped to the body's frame at x = 0, free at the other end.")
      .value("pinned", sko::BeamSupport::pinned, "Both ends stay on the x axis and may turn; the far one slides.")
      .value("free_free", sko::BeamSupport::free_free, "About the mean axis, for bodies that float freely.");
  m.def(
      "make_beam",
      [](std::string body, sko::BeamSupport support, double length, double mass, double by, double bz, double axial,
         double torsion, double sy, double sz, int my, int mz, int ma, int mt, double damping,
         std::vector<std::pair<std::string, double>> stations, const Transform<double>& placement) {
        return sko::make_beam({std::move(body), support, length, mass, by, bz, axial, torsion, sy, sz, my, mz, ma, mt,
                               damping, std::move(stations), placement});
      },
      "body"_a, nb::kw_only(), "support"_a = sko::BeamSupport::cantilever, "length"_a = 1., "mass"_a = 1.,
      "bending_y"_a = 0., "bending_z"_a = 0., "axial"_a = 0., "torsion"_a = 0., "section_y"_a = 0., "section_z"_a = 0.,
      "modes_y"_a = 0, "modes_z"_a = 0, "modes_axial"_a = 0, "modes_torsion"_a = 0, "damping_ratio"_a = 0.,
      "stations"_a = std::vector<std::pair<std::string, double>>{}, "placement"_a = Transform<double>{},
      R"(A uniform beam after Euler and Bernoulli, along x of its own frame from 0 to length.

bending: E I [N m^2] for displacements along y and z; axial: E A [N]; torsion: G J [N m^2]; sections: mean of y^2 and
z^2 over the section's mass [m^2]; stations: names of interface nodes and their x.)");
}

// A SparseMatrix, a matrix of scipy.sparse, or a dense one.
std::vector<linear::SparseEntry> read_square(const char* name, nb::handle h, std::size_t rows) {
  const char* call = "make_flexible_body";
  const auto refuse = [&](const std::string& shape) {
    const std::string n = std::to_string(rows);
    throw nb::value_error((std::string(call) + ": " + name + " has shape " + shape + ", it must be (" + n + ", " + n +
                           "), freedoms times nodes")
                              .c_str());
  };
  std::vector<linear::SparseEntry> out;
  if (SparseMatrix* given = nullptr; nb::try_cast(h, given) && given) {
    if (at(given->rows) != rows || at(given->cols) != rows)
      refuse("(" + std::to_string(given->rows) + ", " + std::to_string(given->cols) + ")");
    return given->entries;
  }
  if (nb::hasattr(h, "tocoo")) {
    const nb::object coo = h.attr("tocoo")();
    const nb::object shape = coo.attr("shape"), wanted = nb::make_tuple(rows, rows);
    if (!shape.equal(wanted)) refuse(nb::repr(shape).c_str());
    const nb::object r = coo.attr("row"), c = coo.attr("col"), v = coo.attr("data");
    const std::vector<int> row = read_integers(call, name, {r.ptr()}), col = read_integers(call, name, {c.ptr()});
    const std::vector<double> value = read_numbers(call, name, {v.ptr()});
    if (row.size() != value.size() || col.size() != value.size())
      throw nb::value_error(
          "make_flexible_body: a sparse "
          "matrix needs as many places as numbers");
    for (std::size_t i = 0; i < value.size(); ++i) {
      check_index(call, "row", row[i], rows), check_index(call, "column", col[i], rows);
      out.push_back({row[i], col[i], value[i]});
    }
    return out;
  }
  const InMatrix x(call, name, {h.ptr()}, rows, rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j)
      if (x.view()(i, j) != 0) out.push_back({static_cast<int>(i), static_cast<int>(j), x.view()(i, j)});
  return out;
}

void bind_elements(nb::module_& m) {
  using Named = std::vector<std::pair<std::string, std::vector<int>>>;
  const sko::FiniteElements standard;
  m.def(
      "make_flexible_body",
      [](std::string body, ArrayIn nodes, const nb::object& mass, const nb::object& stiffness, std::vector<int> root,
         const Named& interfaces, std::vector<std::vector<int>> lines, int freedoms, int inner_modes, int modes,
         double damping_ratio) {
        const char* call = "make_flexible_body";
        if (freedoms != 3 && freedoms != 6) throw nb::value_error("make_flexible_body: freedoms must be 3 or 6");
        sko::FiniteElements e;
        e.body = std::move(body), e.nodes = read_shifts(call, "nodes", nodes), e.freedoms = freedoms;
        const std::size_t rows = at(freedoms) * e.nodes.size();
        e.rows = static_cast<int>(rows);
        e.mass = read_square("mass", mass, rows), e.stiffness = read_square("stiffness", stiffness, rows);
        e.root = std::move(root), e.lines = std::move(lines), e.inner_modes = inner_modes, e.modes = modes;
        for (const auto& [name, list] : interfaces) e.interfaces.push_back({name, list});
        e.damping_ratio = damping_ratio;
        return run_long([&] { return sko::make_flexible_body(e); });
      },
      "body"_a, "nodes"_a, "mass"_a, "stiffness"_a, "root"_a, "interfaces"_a = Named{},
      "lines"_a = std::vector<std::vector<int>>{}, nb::kw_only(), "freedoms"_a = standard.freedoms,
      "inner_modes"_a = standard.inner_modes, "modes"_a = standard.modes, "damping_ratio"_a = standard.damping_ratio,
      nb::sig("def make_flexible_body(body: str, nodes: numpy.typing.ArrayLike, mass: sinew._core.SparseMatrix | "
              "typing.Any, stiffness: sinew._core.SparseMatrix | typing.Any, root: collections.abc.Sequence[int], "
              "interfaces: collections.abc.Sequence[tuple[str, collections.abc.Sequence[int]]] = ..., lines: "
              "collections.abc.Sequence[collections.abc.Sequence[int]] = ..., *, freedoms: int = 6, inner_modes: int = "
              "10, modes: int = 6, damping_ratio: float = 0.0) -> FlexibleBody"),
      R"(A FlexibleBody from a finite-element pair M, K, reduced after Craig and Bampton.

nodes: places (n, 3) in the body's frame [m]. mass, stiffness: both triangles, freedoms n squared, dense, of scipy.sparse
or a SparseMatrix; freedom f of node i is row freedoms i + f: shifts, then turns. root: nodes clamped to the body's frame.
interfaces: names with their nodes. lines: chains of nodes that are beams, outwards; they give geometric stiffening.)");
}

}  // namespace

void bind_flexible_bodies(nb::module_& top) {
  nb::module_ m = nb::borrow<nb::module_>(top.attr("operators"));
  bind_points(m);
  bind_body(m);
  bind_beam(m);
  bind_elements(m);
}

}  // namespace sinew::py
