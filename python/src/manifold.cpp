// python/src/manifold.cpp - states onto their constraints; how places of a tree respond to forces
#include "sinew/constraint/closure/manifold.hpp"

#include "constraints.hpp"
#include "sinew/tree/projection.hpp"

namespace sinew::py {
namespace {

using Manifold = ManifoldWorkspace;
using Step = StepWorkspace;
using Projection = ProjectionWorkspace<double>;

ManifoldOptions read_options(double position, double velocity, int iterations) {
  ManifoldOptions o;
  o.position_tolerance = position, o.velocity_tolerance = velocity, o.max_iterations = iterations;
  return o;
}
// An output that begins as the input, or is the input.
void begin_as(OutVector& o, const InVector& in) {
  if (o.data() == in.data()) return;
  o.apart_from(in);
  std::copy(in.data(), in.data() + in.size(), o.data());
}

void bind_reports_of(nb::module_& m) {
  using R = ManifoldReport;
  nb::class_<R>(m, "ManifoldReport", "How a projection went.")
      .def_ro("reached", &R::reached, "True: the errors are within the tolerance.")
      .def_ro("iterations", &R::iterations, "Of Newton's method.")
      .def_ro("distance", &R::distance, "Largest error at first [m or rad, or per second].")
      .def_ro("residual", &R::residual, "And at the end.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ManifoldReport"); });
  using S = ProjectedStepReport;
  nb::class_<S>(m, "ProjectedStepReport", "What step_rk4_projected did.")
      .def_ro("status", &S::status, "The worst of the stages.")
      .def_ro("stages_reached", &S::stages_reached, "True: each stage could be projected.")
      .def_ro("stage_distance", &S::stage_distance, "Largest position error of a stage before its projection.")
      .def_ro("position", &S::position, "ManifoldReport of the answer's position.")
      .def_ro("velocity", &S::velocity, "ManifoldReport of the answer's velocity.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ProjectedStepReport"); });
}

void bind_projections(nb::module_& m) {
  using W = OfSet<Manifold>;
  nb::class_<W>(m, "ManifoldWorkspace", "Scratch of project_position and project_velocity.")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set, double position, double velocity, int n) {
            check_set("ManifoldWorkspace", model, *set);
            new (self) W(std::move(set), read_options(position, velocity, n));
          },
          "model"_a, "constraints"_a, nb::kw_only(), "position_tolerance"_a = ManifoldOptions{}.position_tolerance,
          "velocity_tolerance"_a = ManifoldOptions{}.velocity_tolerance,
          "max_iterations"_a = ManifoldOptions{}.max_iterations);
  m.def(
      "project_position",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "project_position";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq()));
        OutVector O(call, "out", out, Q.size());
        begin_as(O, Q);
        const Use<Manifold> use(call, ws);
        const ManifoldReport r = run_long([&] { return project_position(x, s.set, *use, O, time); });
        return std::pair(O.take(), r);
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "q with e0(q) = 0, by Newton's method with steps dq = -H^-1 K^T A^+ e0, and a report. out may be q.");
  m.def(
      "project_velocity",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        const char* call = "project_velocity";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        OutVector O(call, "out", out, V.size());
        O.apart_from(Q);
        begin_as(O, V);
        const Use<Manifold> use(call, ws);
        const ManifoldReport r = run_long([&] { return project_velocity(x, s.set, *use, Q, O, time); });
        return std::pair(O.take(), r);
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0.,
      "v - H^-1 K^T A^+ e1, the least change of kinetic energy that gives K v its target [F08 11.57], and a report.\n"
      "out may be v.");
  using P = OfSet<Step>;
  nb::class_<P>(m, "StepWorkspace", "Scratch of step_rk4_projected.")
      .def(
          "__init__",
          [](P* self, const PyModel& model, std::shared_ptr<PySet> set, double position, double velocity, int n) {
            check_set("StepWorkspace", model, *set);
            new (self)
                P(std::move(set), ConstrainedOptions{.rank = kManifoldRank}, read_options(position, velocity, n));
          },
          "model"_a, "constraints"_a, nb::kw_only(), "position_tolerance"_a = ManifoldOptions{}.position_tolerance,
          "velocity_tolerance"_a = ManifoldOptions{}.velocity_tolerance,
          "max_iterations"_a = ManifoldOptions{}.max_iterations);
  m.def(
      "step_rk4_projected",
      [](const PyModel& x, const PySet& s, P& ws, ArrayIn q, ArrayIn v, ArrayIn tau, double dt, ArrayOut out_q,
         ArrayOut out_v, double time) {
        const char* call = "step_rk4_projected";
        check(call, x, s, ws);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv())), T(call, "tau", tau, at(x.nv()));
        OutVector A(call, "out_q", out_q, Q.size()), B(call, "out_v", out_v, V.size());
        A.apart_from(V, T, B), B.apart_from(Q, T);
        begin_as(A, Q), begin_as(B, V);
        State state;
        state.q.assign(Q.data(), Q.data() + Q.size()), state.v.assign(V.data(), V.data() + V.size());
        state.time = time;
        const Use<Step> use(call, ws);
        const ProjectedStepReport r = run_long([&] { return step_rk4_projected(x, s.set, *use, state, T, dt); });
        std::copy(state.q.begin(), state.q.end(), A.data());
        std::copy(state.v.begin(), state.v.end(), B.data());
        return std::tuple(A.take(), B.take(), r);
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, "dt"_a, optional_array("out_q"),
      optional_array("out_v"), "time"_a = 0.,
      "q, v and a report after one step of the Runge-Kutta method of order 4 on the manifold: stages and answer are\n"
      "projected. tau is held. out_q may be q, out_v v.");
}

void bind_handles(nb::module_& m) {
  nb::class_<Held<Projection>>(m, "ProjectionWorkspace", "Scratch of project, for these bodies or frames (handles).")
      .def(
          "__init__",
          [](Held<Projection>* self, const PyModel& x, const std::vector<nb::object>& handles) {
            std::vector<Place> places;
            for (const nb::object& p : handles) places.push_back(find_place("ProjectionWorkspace", x, {p.ptr()}));
            new (self) Held<Projection>(x, std::move(places));
          },
          "model"_a, "handles"_a,
          nb::sig("def __init__(self, model: Model, handles: collections.abc.Sequence[int | str | BodyEntry | "
                  "FrameEntry]) -> None"));
  m.def(
      "project",
      [](const PyModel& x, Held<Projection>& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_b,
         ArrayIn external, double time) {
        const char* call = "project";
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        const Use<Projection> use(call, ws);
        const auto n = 6 * use->handles.size();
        OutMatrix2 Phi(call, "out", out, n, n);
        OutVector B(call, "out_b", out_b, n);
        Phi.apart_from(Q, V, T, B), B.apart_from(Q, V, T);
        run(x, [&] { project<double>(x, *use, Q, V, T, Phi.view(), B, {E.view(), time}); });
        return std::pair(Phi.take(), B.take());
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"), optional_array("out_b"),
      optional_array("external"), "time"_a = 0.,
      R"(Phi and b of  a = Phi f + b,  Phi = J M^-1 J^T,  b = dJ/dt v + J M^-1 (tau - h)  [F08 7.4-7.14].

f: forces on the handles; a: their spatial accelerations, in each handle's frame. Where one handle has six freedoms
its articulated-body inertia is Phi^-1.)");
}

}  // namespace

void bind_manifold(nb::module_& m) {
  bind_reports_of(m);
  bind_projections(m);
  bind_handles(m);
}

}  // namespace sinew::py
