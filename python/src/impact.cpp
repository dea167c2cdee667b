// python/src/impact.cpp - impulses on two free bodies and on a body of a mechanism, in closed form
#include "sinew/contact/impact.hpp"

#include "common.hpp"

namespace sinew::py {
namespace {

// The body's frame and the node's, between which the kernels know nothing.
struct PyImpulse {
  PyImpulse(std::shared_ptr<PyModel> m, const BodyEntry& b)
      : model(std::move(m)), in_node(b.in_node), workspace(std::make_unique<ImpulseWorkspace>(*model, b.node)) {}
  std::shared_ptr<PyModel> model;
  Transform<double> in_node;
  std::unique_ptr<ImpulseWorkspace> workspace;
};

void check_model(const char* call, const PyModel& m, const PyImpulse& w) {
  if (!m.identity().is_same(w.model->identity()))
    throw nb::value_error((std::string(call) + ": the workspace is of another model").c_str());
}

void bind_two_bodies(nb::module_& m) {
  nb::class_<ImpactBody>(m, "ImpactBody",
                         "A free body in an impact. Everything of one impact is in the same coordinates.")
      .def(
          "__init__",
          [](ImpactBody* self, double mass, const Vec3<double>& com, const Sym3<double>& inertia,
             const Motion<double>& v) {
            if (!(mass > 0)) throw nb::value_error("ImpactBody: the mass must be positive");
            new (self) ImpactBody{make_inertia(mass, com, inertia), v};
          },
          "mass"_a, "com"_a, "inertia"_a, "v"_a,
          "mass [kg]; com: centre of mass [m]; inertia: 3 x 3 about it [kg m^2]; v: angular above linear, of the point "
          "at\n"
          "the origin.")
      .def_prop_ro(
          "v", [](const ImpactBody& b) { return b.v; }, "Velocity before: angular above linear.");
  nb::class_<TwoBodyImpact>(m, "TwoBodyImpact", "What an impact of two bodies does.")
      .def_ro("separation", &TwoBodyImpact::separation, "[m/s] along the normal before; negative: they approach")
      .def_prop_ro(
          "impulse", [](const TwoBodyImpact& t) { return freeze(copy_vector(t.impulse)); },
          "Coefficients of the impulse that goes from body 1 to body 2; the last: normal [N s].")
      .def_prop_ro(
          "v1", [](const TwoBodyImpact& t) { return t.v1; }, "After.")
      .def_prop_ro(
          "v2", [](const TwoBodyImpact& t) { return t.v2; }, "Velocity of body 2 after: angular above linear.");
  m.def(
      "collide_without_friction",
      [](const ImpactBody& a, const ImpactBody& b, const Force<double>& n, double e) {
        return collide_without_friction(a, b, n, e);
      },
      "body1"_a, "body2"_a, "n"_a, "e"_a,
      "The impulse n lambda, lambda >= 0, n a unit force along the normal from body 1 to body 2; e: restitution, 0 .. "
      "1.\n"
      "Bodies that separate get none [F08 11.60-11.65].");
  m.def(
      "collide_and_stick",
      [](const ImpactBody& a, const ImpactBody& b, const std::array<Force<double>, 3>& N, double e) {
        return collide_and_stick(a, b, N, e);
      },
      "body1"_a, "body2"_a, "N"_a, "e"_a,
      "N: unit forces along two tangents and the normal, through the point. They end without slip [F08 11.66-11.72].");
}

}  // namespace

void bind_impact(nb::module_& m) {
  bind_two_bodies(m);
  using W = Held<PyImpulse>;
  nb::class_<W>(m, "ImpulseWorkspace", "Scratch of impulses on one body of a mechanism.")
      .def(
          "__init__",
          [](W* self, std::shared_ptr<PyModel> model, PlaceIn body) {
            const BodyEntry& b = model->bodies()[at(find_body("ImpulseWorkspace", *model, body))];
            if (b.node == 0) throw nb::value_error(("ImpulseWorkspace: body '" + b.name + "' cannot move").c_str());
            new (self) W(std::move(model), b);
          },
          "model"_a, "body"_a);
  m.def(
      "calc_impulse_response",
      [](const PyModel& x, W& ws, ArrayIn q, const Force<double>& iota, ArrayOut out, double time) {
        const char* call = "calc_impulse_response";
        const Use<PyImpulse> use(call, ws);
        check_model(call, x, *use);
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(Q);
        Motion<double> dv;
        run(x, [&] { dv = calc_impulse_response(x, *use->workspace, Q, apply_inverse(use->in_node, iota), O, time); });
        return std::pair(O.take(), apply(use->in_node, dv));
      },
      "model"_a, "workspace"_a, "q"_a, "iota"_a, optional_array("out"), "time"_a = 0.,
      "The changes of joint velocities and of the body's velocity, dv = (I^A)^-1 iota, by the impulse iota (torque "
      "above\n"
      "force, in the body's frame) [F08 11.56-11.59].");
  m.def(
      "calc_handle_inverse_inertia",
      [](const PyModel& x, W& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_handle_inverse_inertia";
        const Use<PyImpulse> use(call, ws);
        check_model(call, x, *use);
        const InVector Q(call, "q", q, at(x.nq()));
        OutMatrix2 O(call, "out", out, 6, 6);
        O.apart_from(Q);
        std::array<double, 36> phi{};
        run(x, [&] { calc_handle_inverse_inertia(x, *use->workspace, Q, MatrixView<double>(phi.data(), 6, 6), time); });
        // From the node's frame into the body's: X Phi X^T, column by column.
        for (std::size_t k = 0; k < 6; ++k) {
          std::array<double, 6> e{};
          e[k] = 1;
          const Force<double> f = apply_inverse(use->in_node, Force<double>{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}});
          const double F[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
          std::array<double, 6> y{};
          for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 6; ++j) y[i] += phi[6 * i + j] * F[j];
          const Motion<double> v = apply(use->in_node, Motion<double>{{y[0], y[1], y[2]}, {y[3], y[4], y[5]}});
          const double V[] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
          for (std::size_t i = 0; i < 6; ++i) O.view()(i, k) = V[i];
        }
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "(I^A)^-1 of the body as a handle of the mechanism, 6 x 6 in its frame, angular above linear; singular where\n"
      "joints hold it [F08 11.56].");
}

}  // namespace sinew::py
