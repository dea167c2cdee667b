// python/src/spatial.cpp - small values as arrays, and Transform
#include <nanobind/operators.h>

#include <cmath>

#include "common.hpp"
#include "sinew/model/builder.hpp"

namespace sinew::py {
namespace {

// Numbers of an array with this shape; false: it is something else, and no Python error is set.
bool read(nb::handle h, std::initializer_list<npy_intp> shape, double* out) noexcept {
  PyObject* o = PyArray_FromAny(h.ptr(), PyArray_DescrFromType(NPY_DOUBLE), 0, 0,
                                NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED, nullptr);
  if (!o) {
    PyErr_Clear();
    return false;
  }
  auto* a = reinterpret_cast<PyArrayObject*>(o);
  bool fits = PyArray_NDIM(a) == static_cast<int>(shape.size());
  for (int i = 0; fits && i < PyArray_NDIM(a); ++i) fits = PyArray_DIM(a, i) == shape.begin()[i];
  if (fits) {
    const auto* p = static_cast<const double*>(PyArray_DATA(a));
    std::copy(p, p + PyArray_SIZE(a), out);
  }
  Py_DECREF(o);
  return fits;
}

nb::handle write(std::initializer_list<npy_intp> shape, std::initializer_list<double> numbers) noexcept {
  PyObject* o = PyArray_SimpleNew(static_cast<int>(shape.size()), shape.begin(), NPY_DOUBLE);
  if (!o) return {};
  auto* a = reinterpret_cast<PyArrayObject*>(o);
  std::copy(numbers.begin(), numbers.end(), static_cast<double*>(PyArray_DATA(a)));
  PyArray_CLEARFLAGS(a, NPY_ARRAY_WRITEABLE);
  return o;
}

// A rotation as a caller may give it, up to rounding.
void check_rotation(const Rotation<double>& E) {
  const Mat3<double>& m = E.m;
  const double rows[3][3] = {{m.xx, m.xy, m.xz}, {m.yx, m.yy, m.yz}, {m.zx, m.zy, m.zz}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += rows[i][k] * rows[j][k];
      if (!(std::abs(dot - (i == j)) < 1e-9))
        throw nb::value_error("Transform: E is not a rotation, its rows must be orthogonal unit vectors");
    }
  const Vec3<double> x{m.xx, m.xy, m.xz}, y{m.yx, m.yy, m.yz}, z{m.zx, m.zy, m.zz};
  if (dot(cross(x, y), z) < 0) throw nb::value_error("Transform: E mirrors, its determinant must be 1");
}

Quaternion<double> check_quaternion(const Quaternion<double>& q) {
  const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(n > 0) || !std::isfinite(n)) throw nb::value_error("Transform: the quaternion must not be zero, and finite");
  return normalized(q);
}

std::array<double, 16> to_matrix(const Transform<double>& X) {
  const Mat3<double>& m = X.E.m;
  return {m.xx, m.yx, m.zx, X.r.x, m.xy, m.yy, m.zy, X.r.y, m.xz, m.yz, m.zz, X.r.z, 0, 0, 0, 1};
}

}  // namespace

void bind_spatial(nb::module_& m) {
  using X = Transform<double>;
  nb::class_<X>(m, "Transform", R"(Where a frame B stands in a frame A: X = rot(E) xlt(r)  [F08 section 2.8].

r is B's origin in A's coordinates; E takes the coordinates of a vector from A to B, so its rows are B's axes seen
from A. Values: nothing can be assigned to them.)")
      .def(
          "__init__",
          [](X* self, const Vec3<double>& r, const Rotation<double>& E) {
            check_rotation(E);
            new (self) X{E, r};
          },
          "r"_a = Vec3<double>{}, "E"_a = Rotation<double>{})
      .def_static(
          "from_rpy", [](const Vec3<double>& r, const Vec3<double>& rpy) { return make_placement(r, rpy); }, "r"_a,
          "rpy"_a, "Origin, and the turn by roll, pitch and yaw about the fixed axes, as in URDF.")
      .def_static(
          "from_quaternion",
          [](const Vec3<double>& r, const Quaternion<double>& turn) { return make_pose(r, check_quaternion(turn)); },
          "r"_a, "turn"_a, "Origin, and the turn w x y z that carries A's axes onto B's.")
      .def_static(
          "from_matrix",
          [](ArrayIn matrix) {
            const InMatrix in("Transform.from_matrix", "matrix", matrix, 4, 4);
            const MatrixView<const double> M = in.view();
            const X x{{{M(0, 0), M(1, 0), M(2, 0), M(0, 1), M(1, 1), M(2, 1), M(0, 2), M(1, 2), M(2, 2)}},
                      {M(0, 3), M(1, 3), M(2, 3)}};
            if (M(3, 0) != 0 || M(3, 1) != 0 || M(3, 2) != 0 || M(3, 3) != 1)
              throw nb::value_error("Transform.from_matrix: the last row must be 0 0 0 1");
            check_rotation(x.E);
            return x;
          },
          "matrix"_a, "From the 4 x 4 matrix that takes coordinates of points from B to A, as `matrix` gives it.")
      .def_prop_ro(
          "r", [](const X& x) { return x.r; }, "Origin of B in A [m].")
      .def_prop_ro(
          "E", [](const X& x) { return x.E; }, "3 x 3: from A's to B's coordinates.")
      .def_prop_ro(
          "matrix", [](const X& x) { return freeze(copy_matrix(to_matrix(x), 4, 4)); },
          "4 x 4: takes coordinates of points from B to A; its columns are B's axes and origin.")
      .def(
          "inverse", [](const X& x) { return inverse(x); }, "Where A stands in B.")
      .def(
          "__mul__", [](const X& a, const X& b) { return a * b; }, nb::is_operator(), "C in B, times B in A: C in A.")
      .def(
          "apply_to_point", [](const X& x, const Vec3<double>& p) { return apply_to_point(x, p); }, "p"_a,
          "A point: from A's coordinates to B's.")
      .def(
          "apply_inverse_to_point", [](const X& x, const Vec3<double>& p) { return apply_inverse_to_point(x, p); },
          "p"_a, "A point: from B's coordinates to A's.")
      .def(
          "__eq__", [](const X& a, const X& b) { return to_matrix(a) == to_matrix(b); }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const X& x) { return nb::hash(nb::cast(to_matrix(x))); })
      .def("__repr__",
           [](const X& x) {
             const nb::object matrix = nb::cast(to_matrix(x));
             return nb::str("Transform(r={}, E={})")
                 .format(nb::cast(x.r).attr("tolist")(), nb::cast(x.E).attr("tolist")());
           })
      .def("__getstate__", [](const X& x) { return to_matrix(x); })
      .def("__setstate__", [](X* self, const std::array<double, 16>& a) {
        new (self) X{{{a[0], a[4], a[8], a[1], a[5], a[9], a[2], a[6], a[10]}}, {a[3], a[7], a[11]}};
      });

  nb::enum_<ReferenceFrame>(m, "ReferenceFrame", "The place and the axes of a spatial quantity that is asked for.")
      .value("world", ReferenceFrame::world, "axes of the world, about its origin (Pinocchio: WORLD)")
      .value("body", ReferenceFrame::body, "axes of the place, about its origin (Pinocchio: LOCAL)")
      .value("mixed", ReferenceFrame::mixed,
             "axes of the world, about the origin of the place (Pinocchio: LOCAL_WORLD_ALIGNED)");
}

}  // namespace sinew::py

namespace nanobind::detail {

using namespace sinew;
using sinew::py::read;
using sinew::py::write;

bool type_caster<Vec3<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double x[3];
  if (!read(h, {3}, x)) return false;
  value = {x[0], x[1], x[2]};
  return true;
}
handle type_caster<Vec3<double>>::from_cpp(const Vec3<double>& v, rv_policy, cleanup_list*) noexcept {
  return write({3}, {v.x, v.y, v.z});
}

// Three numbers are a diagonal; a matrix must be symmetric.
bool type_caster<Sym3<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double a[9];
  if (read(h, {3}, a)) {
    value = Sym3<double>::diagonal(a[0], a[1], a[2]);
    return true;
  }
  if (!read(h, {3, 3}, a)) return false;
  const double scale = std::abs(a[0]) + std::abs(a[4]) + std::abs(a[8]);
  if (std::abs(a[1] - a[3]) + std::abs(a[2] - a[6]) + std::abs(a[5] - a[7]) > 1e-12 * scale) return false;
  value = {a[0], a[1], a[2], a[4], a[5], a[8]};
  return true;
}
handle type_caster<Sym3<double>>::from_cpp(const Sym3<double>& v, rv_policy, cleanup_list*) noexcept {
  return write({3, 3}, {v.xx, v.xy, v.xz, v.xy, v.yy, v.yz, v.xz, v.yz, v.zz});
}

bool type_caster<Quaternion<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double x[4];
  if (!read(h, {4}, x)) return false;
  value = {x[0], x[1], x[2], x[3]};
  return true;
}
handle type_caster<Quaternion<double>>::from_cpp(const Quaternion<double>& v, rv_policy, cleanup_list*) noexcept {
  return write({4}, {v.w, v.x, v.y, v.z});
}

bool type_caster<Rotation<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double a[9];
  if (!read(h, {3, 3}, a)) return false;
  value.m = {a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]};
  return true;
}
handle type_caster<Rotation<double>>::from_cpp(const Rotation<double>& E, rv_policy, cleanup_list*) noexcept {
  const Mat3<double>& v = E.m;
  return write({3, 3}, {v.xx, v.xy, v.xz, v.yx, v.yy, v.yz, v.zx, v.zy, v.zz});
}

bool type_caster<Force<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double x[6];
  if (!read(h, {6}, x)) return false;
  value = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  return true;
}
handle type_caster<Force<double>>::from_cpp(const Force<double>& f, rv_policy, cleanup_list*) noexcept {
  return write({6}, {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z});
}

bool type_caster<Motion<double>>::from_python(handle h, uint32_t, cleanup_list*) noexcept {
  double x[6];
  if (!read(h, {6}, x)) return false;
  value = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  return true;
}
handle type_caster<Motion<double>>::from_cpp(const Motion<double>& f, rv_policy, cleanup_list*) noexcept {
  return write({6}, {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z});
}

}  // namespace nanobind::detail
