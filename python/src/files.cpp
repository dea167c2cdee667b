// python/src/files.cpp - meshes and sparse matrices as files
#include "sinew/io/matrix_market.hpp"
#include "sinew/io/mesh.hpp"
#include "spec.hpp"

namespace sinew::py {
namespace {

std::vector<Vec3<double>> read_points(const char* call, const char* name, ArrayIn in) {
  const nb::object array = read_array(call, name, in, 2);
  const auto rows = nb::cast<std::size_t>(array.attr("shape")[0]);
  const InMatrix x(call, name, {array.ptr()}, rows, 3);
  std::vector<Vec3<double>> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back({x.view()(i, 0), x.view()(i, 1), x.view()(i, 2)});
  return out;
}

// Triangles and objects must be there: the calculations do not look again.
void check_mesh(const char* call, const TriangleMesh& x) {
  for (const auto& t : x.triangles)
    for (const int i : t) check_index(call, "vertex", i, x.vertices.size());
  std::size_t last = 0;
  for (const std::size_t first : x.objects) {
    if (first < last || first >= x.triangles.size())
      throw nb::value_error((std::string(call) + ": objects must be numbers of triangles, ascending").c_str());
    last = first;
  }
}

void bind_meshes(nb::module_& m) {
  nb::enum_<MeshFormat>(m, "MeshFormat", "Formats of mesh files.")
      .value("stl", MeshFormat::stl, "binary or ASCII")
      .value("obj", MeshFormat::obj, "Wavefront.")
      .value("msh", MeshFormat::msh, "MuJoCo's")
      .value("dae", MeshFormat::dae, "COLLADA");
  nb::enum_<MeshMatter>(m, "MeshMatter", "Where the mass of a mesh is.")
      .value("signed_volume", MeshMatter::signed_volume, "inside; exact for a closed mesh")
      .value("unsigned_volume", MeshMatter::unsigned_volume, "inside, pyramids without sign: MuJoCo's legacy rule")
      .value("surface", MeshMatter::surface, "on the triangles");
  using M = TriangleMesh;
  nb::class_<M>(m, "TriangleMesh", "Vertices and triangles, counter-clockwise seen from outside.")
      .def(
          "__init__",
          [](M* self, ArrayIn vertices, std::vector<std::array<int, 3>> triangles, std::vector<std::size_t> objects) {
            M x{read_points("TriangleMesh", "vertices", vertices), std::move(triangles), std::move(objects)};
            check_mesh("TriangleMesh", x);
            new (self) M(std::move(x));
          },
          "vertices"_a, "triangles"_a, "objects"_a = std::vector<std::size_t>{})
      .def_prop_ro(
          "vertices",
          [](const M& x) {
            return freeze(copy_matrix({x.vertices.empty() ? nullptr : &x.vertices[0].x, 3 * x.vertices.size()},
                                      x.vertices.size(), 3));
          },
          "n x 3 [m]")
      .def_ro("triangles", &M::triangles, "Three numbers of vertices each; none: a cloud of points.")
      .def_ro("objects", &M::objects, "First triangle of each object of a file with several; none: one object.")
      .def("__repr__", [](const M& x) {
        return "<TriangleMesh, " + std::to_string(x.vertices.size()) + " vertices, " +
               std::to_string(x.triangles.size()) + " triangles>";
      });
  m.def(
      "read_mesh", [](const PathIn& file) { return unwrap(run_long([&] { return read_mesh(file.path); })); }, "file"_a,
      "A TriangleMesh from STL, OBJ, COLLADA or MSH, told apart by the extension. LoadError says what is wrong with "
      "it.");
  m.def(
      "parse_mesh",
      [](const nb::bytes& data, MeshFormat format, const std::string& file) {
        const std::string_view text(static_cast<const char*>(data.data()), data.size());
        return unwrap(run_long([&] { return parse_mesh(text, format, file); }));
      },
      "data"_a, "format"_a, "file"_a = "", "From bytes; `file` is the name in diagnostics.");
  m.def(
      "convex_hull",
      [](ArrayIn points) {
        const auto p = read_points("convex_hull", "points", points);
        return unwrap(run_long([&] { return convex_hull(p); }));
      },
      "points"_a, "The smallest convex TriangleMesh around n x 3 points; LoadError where they lie in one plane.");
  using N = MeshMoments;
  nb::class_<N>(m, "MeshMoments", "Size, centre and inertia of a mesh.")
      .def_ro("size", &N::size, "Volume [m^3], or area [m^2] for `surface`.")
      .def_prop_ro(
          "centre", [](const N& x) { return x.centre; }, "Of mass [m].")
      .def_prop_ro(
          "inertia", [](const N& x) { return x.inertia; }, "3 x 3, about the centre, for density 1.");
  m.def(
      "calc_moments", [](const M& mesh, MeshMatter matter) { return calc_moments(mesh, matter); }, "mesh"_a, "matter"_a,
      "Size, centre and inertia of a mesh, its objects one by one and added. A flat or inside-out one has a size <= "
      "0.");
}

void bind_matrices(nb::module_& m) {
  using S = SparseMatrix;
  nb::class_<S>(m, "SparseMatrix", "Entries of a matrix with their places, counted from 0.")
      .def_ro("rows", &S::rows, "The number of rows.")
      .def_ro("cols", &S::cols, "The number of columns.")
      .def_prop_ro(
          "entries",
          [](const S& s) {
            std::vector<int> row, col;
            std::vector<double> value;
            for (const auto& e : s.entries) row.push_back(e.row), col.push_back(e.col), value.push_back(e.value);
            return std::tuple(copy_integers(row), copy_integers(col), copy_vector(value));
          },
          "Rows, columns, values: scipy.sparse.coo_array((values, (rows, columns))).")
      .def(
          "to_dense",
          [](const S& s, ArrayOut out) {
            OutMatrix2 O("to_dense", "out", out, at(s.rows), at(s.cols));
            for (std::size_t i = 0; i < at(s.rows); ++i)
              for (std::size_t j = 0; j < at(s.cols); ++j) O.view()(i, j) = 0;
            for (const auto& e : s.entries) O.view()(at(e.row), at(e.col)) += e.value;
            return O.take();
          },
          optional_array("out"), "Entries at the same place are added.")
      .def("__repr__", [](const S& s) {
        return "<SparseMatrix " + std::to_string(s.rows) + " x " + std::to_string(s.cols) + ", " +
               std::to_string(s.entries.size()) + " entries>";
      });
  m.def(
      "load_matrix_market",
      [](const PathIn& file) { return unwrap(run_long([&] { return load_matrix_market(file.path); })); }, "file"_a,
      "A SparseMatrix of a Matrix Market file: coordinate, real or integer, general or symmetric (the answer has both\n"
      "triangles). LoadError with the line otherwise.");
  m.def(
      "parse_matrix_market",
      [](std::string_view text, const PathIn& name) { return unwrap(parse_matrix_market(text, name.path)); }, "text"_a,
      "name"_a = "", "From text; `name` is the file's in diagnostics.");
}

}  // namespace

void bind_files(nb::module_& m) {
  bind_meshes(m);
  bind_matrices(m);
}

}  // namespace sinew::py
