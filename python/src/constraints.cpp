// python/src/constraints.cpp - constraints as rows, constrained dynamics, mobility, actuation
#include "constraints.hpp"

#include "callable.hpp"
#include "sinew/constraint/rank/mobility.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/constraint/solve/inverse_dynamics.hpp"
#include "spec.hpp"

namespace sinew::py {

void check_set(const char* call, const PyModel& m, const PySet& s) {
  if (!m.identity().is_same(s.model->identity()))
    throw nb::value_error((std::string(call) + ": the constraint set is of another model").c_str());
}

ConstrainedOptions read_options(const char* call, const PyModel& model, ConstrainedMethod method, double period,
                                IntegersIn independent) {
  ConstrainedOptions o;
  o.method = method, o.stabilization.period = period;
  o.independent = read_integers(call, "independent", independent);
  for (const int i : o.independent) check_index(call, "velocity coordinate", i, at(model.nv()));
  if (!(period >= 0)) throw nb::value_error((std::string(call) + ": the period must not be negative").c_str());
  return o;
}

namespace {

using Spec = std::variant<Item<LoopSpec>, Item<CouplingSpec>, Item<MaskConstraint>, Item<RollingConstraint>, PyCustom>;

ConstraintSpec take_spec(const PyCustom& c) { return c.constraint; }
template <class T>
ConstraintSpec take_spec(const Item<T>& i) {
  return i.get();
}

// Laws of a mask: a function or None per blocked axis.
std::vector<MotionLaw> read_laws(nb::handle h) {
  if (!PySequence_Check(h.ptr())) throw nb::type_error("MaskConstraint: laws must be a list of functions and Nones");
  std::vector<MotionLaw> out;
  for (nb::handle f : nb::list(h)) out.push_back(read_law("MaskConstraint", f));
  return out;
}
nb::list show_laws(const MaskConstraint& m) {
  nb::list out;
  for (const MotionLaw& l : m.laws) out.append(show_law(l));
  return out;
}
using Workspace = ConstrainedWorkspace;
using Actuation = ActuationWorkspace;

void bind_set(nb::module_& m) {
  SpecClass<MaskConstraint> mask(
      m, "MaskConstraint",
      "Two frames that may not move relative to each other along some of the six axes of frame b,\n"
      "angular ones first. All six: a weld. The last three: a point held.");
  mask.field("name", &MaskConstraint::name, "Not that of another constraint.")
      .field("body_a", &MaskConstraint::body_a, "Body or frame; empty: the world.")
      .field("body_b", &MaskConstraint::body_b, "Body or frame that is held.")
      .field("pose_a", &MaskConstraint::pose_a, "Where frame a stands in body a.")
      .field("pose_b", &MaskConstraint::pose_b, "Where frame b stands in body b.")
      .field("blocked", &MaskConstraint::blocked, "Six bools: three turns, three shifts.")
      .field("world_axes", &MaskConstraint::world_axes,
             "True: along the axes of the world instead; then without laws.");
  mask.get().def_prop_rw(
      "laws", [](const Item<MaskConstraint>& i) { return show_laws(i.get()); },
      [](Item<MaskConstraint>& i, const nb::object& v) { i.edit().laws = read_laws(v); },
      nb::for_getter(nb::sig("def laws(self) -> list[collections.abc.Callable[[float], tuple[float, float, float]] | "
                             "None]")),
      nb::for_setter(nb::sig("def laws(self, value: collections.abc.Sequence[collections.abc.Callable[[float], "
                             "tuple[float, float, float]] | None], /) -> None")),
      "None, or per blocked axis f(t) -> position, velocity, acceleration; None holds the axis still. They move the "
      "pose\n"
      "at which b is held, along the axes of a: shifts first, then at most one turn.");
  mask.table("laws", [](MaskConstraint& x, nb::handle h) { x.laws = read_laws(h); });
  SpecClass<RollingConstraint>(m, "RollingConstraint",
                               "A sphere on body b that rolls without slip on a plane of body a.")
      .field("name", &RollingConstraint::name, "Not that of another constraint.")
      .field("body_a", &RollingConstraint::body_a, "The body that has the plane, by name.")
      .field("body_b", &RollingConstraint::body_b, "The body that has the sphere, by name.")
      .field("point", &RollingConstraint::point, "Of the plane, in body a [m].")
      .field("normal", &RollingConstraint::normal, "Of the plane, in body a.")
      .field("centre", &RollingConstraint::centre, "Of the sphere, in body b [m].")
      .field("radius", &RollingConstraint::radius, "[m]");
  using S = PySet;
  nb::class_<S>(
      m, "ConstraintSet",
      "Constraints as rows: K(q, t) qdd = k(q, v, t) [F08 sections 8.2, 8.3]. The model's own active loops and\n"
      "couplings, and more. H qdd + C = tau + K^T lambda.")
      .def(
          "__init__",
          [](S* self, std::shared_ptr<PyModel> model, const std::vector<Spec>& more, bool own) {
            std::vector<ConstraintSpec> specs;
            for (const Spec& s : more) std::visit([&](const auto& item) { specs.push_back(take_spec(item)); }, s);
            ConstraintSet set(*model, std::move(specs), own);
            new (self) S{std::move(model), std::move(set)};
          },
          "model"_a, "more"_a = std::vector<Spec>{}, "with_those_of_the_model"_a = true)
      .def_ro("model", &S::model, "The Model that it constrains.")
      .def_prop_ro(
          "rows", [](const S& s) { return s.set.rows(); }, "The number of rows of K.")
      .def_prop_ro(
          "names",
          [](const S& s) {
            std::vector<std::string> names;
            for (int i = 0; i < s.set.constraints(); ++i) names.push_back(s.set.constraint_name(i));
            return names;
          },
          "Of the constraints, in order.")
      .def_prop_ro(
          "row_names",
          [](const S& s) {
            std::vector<std::string> names;
            for (int i = 0; i < s.set.rows(); ++i) names.push_back(s.set.row_name(i));
            return names;
          },
          "Of each row: its constraint and direction.")
      .def("__repr__", [](const S& s) {
        return "<ConstraintSet of '" + s.model->name() + "': " + std::to_string(s.set.constraints()) +
               " constraints, " + std::to_string(s.set.rows()) + " rows>";
      });
}

void bind_rows(nb::module_& m) {
  using R = OfSet<Rows>;
  nb::class_<R>(m, "ConstraintRows", "The rows of a set at one state, after calc_constraint_rows.")
      .def(
          "__init__",
          [](R* self, const PyModel& model, std::shared_ptr<PySet> set) {
            check_set("ConstraintRows", model, *set);
            new (self) R(std::move(set));
          },
          "model"_a, "constraints"_a)
      .def_prop_ro(
          "k", [](R& r) { return copy_vector(Use<Rows>("k", r)->k); }, "Right side, without stabilization.")
      .def_prop_ro(
          "position", [](R& r) { return copy_vector(Use<Rows>("position", r)->position); }, "Errors [m or rad].")
      .def_prop_ro(
          "velocity", [](R& r) { return copy_vector(Use<Rows>("velocity", r)->velocity); }, "Errors.");
  m.def(
      "calc_constraint_rows",
      [](const PyModel& x, const PySet& s, R& rows, ArrayIn q, ArrayIn v, double time) {
        const char* call = "calc_constraint_rows";
        check(call, x, s, rows);
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Use<Rows> use(call, rows);
        run(x, [&] { calc_constraint_rows(x, s.set, *use, Q, V, time); });
      },
      "model"_a, "constraints"_a, "rows"_a, "q"_a, "v"_a, "time"_a = 0.,
      "Fills ConstraintRows at q, v and time: K, k and errors [F08 section 8.2].");
  m.def(
      "get_constraint_jacobian",
      [](const PyModel& x, const PySet& s, R& rows, ArrayOut out) {
        const char* call = "get_constraint_jacobian";
        check(call, x, s, rows);
        const Use<Rows> use(call, rows);
        OutMatrix2 O(call, "out", out, at(s.set.rows()), at(x.nv()));
        get_constraint_jacobian(x, s.set, *use, O.view());
        return O.take();
      },
      "model"_a, "constraints"_a, "rows"_a, optional_array("out"), "After calc_constraint_rows: K, rows x nv.");
  m.def(
      "multiply_by_constraint_jacobian_transpose",
      [](const PyModel& x, const PySet& s, R& rows, ArrayIn lambda, ArrayOut out) {
        const char* call = "multiply_by_constraint_jacobian_transpose";
        check(call, x, s, rows);
        const Use<Rows> use(call, rows);
        const InVector L(call, "multipliers", lambda, at(s.set.rows()));
        OutVector O(call, "out", out, at(x.nv()));
        O.apart_from(L);
        multiply_by_constraint_jacobian_transpose(x, s.set, *use, L, O);
        return O.take();
      },
      "model"_a, "constraints"_a, "rows"_a, "multipliers"_a, optional_array("out"), "K^T lambda without K.");
}

void bind_certificate(nb::module_& m) {
  nb::enum_<SolveStatus>(m, "SolveStatus", "How a constrained solve ended.")
      .value("solved", SolveStatus::solved, "Residuals and the error of the acceleration are within their tolerances.")
      .value("inconsistent", SolveStatus::inconsistent, "No acceleration obeys all rows; the answer is least squares.")
      .value("not_reached", SolveStatus::not_reached, "The answer is not known to be accurate enough.")
      .value("singular", SolveStatus::singular, "A motion has no inertia.")
      .value("non_finite", SolveStatus::non_finite, "A number is not finite.");
  using C = SolveCertificate;
  nb::class_<C>(m, "SolveCertificate",
                "What a constrained solve did, and how well; residuals are measured on the answer.")
      .def_ro("status", &C::status, "How it ended.")
      .def_ro("algorithm", &C::algorithm, "\"kkt\", \"multipliers\", \"projection\", \"pv\", \"sparse\", \"proximal\".")
      .def_ro("freedoms", &C::freedoms, "n.")
      .def_ro("rows", &C::rows, "m.")
      .def_ro("rank", &C::rank, "Of K, as found; -1: the algorithm does not determine it.")
      .def_ro("iterations", &C::iterations, "0 for direct methods.")
      .def_ro("tolerance", &C::tolerance, "Residual / scale that counts as solved.")
      .def_ro("dynamics_residual", &C::dynamics_residual, "Largest entry of H qdd + C - tau - K^T lambda [N or N m].")
      .def_ro("constraint_residual", &C::constraint_residual, "Largest entry of K qdd - k.")
      .def_ro("dynamics_scale", &C::dynamics_scale, "Largest term of H qdd + C = tau + K^T lambda.")
      .def_ro("constraint_scale", &C::constraint_scale,
              "Largest term of K qdd = k, and of K times the acceleration without constraints.")
      .def_ro("acceleration_error", &C::acceleration_error,
              "Estimated error of the acceleration, as a part of its scale.")
      .def_ro("acceleration_scale", &C::acceleration_scale,
              "Largest entry of the acceleration, with and without constraints.")
      .def_ro("energy_change", &C::energy_change, "Impulses only [J].")
      .def_ro("redundant", &C::redundant, "Rows that the others imply.")
      .def_ro("contradicting", &C::contradicting, "Rows that no acceleration obeys together.")
      .def_ro("culprit", &C::culprit,
              "What is to blame where it is not solved: \"q\", \"v\", \"inertia\", \"dependence\", ...")
      .def_ro("culprit_index", &C::culprit_index, "Entry, velocity coordinate or row of the culprit; -1: not known.")
      .def("__repr__", [](const C& c) {
        char text[128];
        std::snprintf(text, sizeof text, ", rank %d of %d rows, residuals %.3g and %.3g>", c.rank, c.rows,
                      c.dynamics_residual, c.constraint_residual);
        return "<SolveCertificate " + std::string(to_string(c.status)) + " by " + std::string(c.algorithm) + text;
      });
}

void bind_forward(nb::module_& m) {
  nb::enum_<ConstrainedMethod>(m, "ConstrainedMethod",
                               "How constrained dynamics is solved; docs/constraints.md compares them.")
      .value("kkt", ConstrainedMethod::kkt,
             "The augmented system [H K^T; K 0] directly; method 1 of [F08 section 8.5].")
      .value("multipliers", ConstrainedMethod::multipliers, "lambda from K H^-1 K^T, with its rank; the default.")
      .value("projection", ConstrainedMethod::projection,
             "Independent coordinates first; method 3 of [F08 section 8.5].")
      .value("sparse", ConstrainedMethod::sparse, "The whole system by a sparse factorization.")
      .value("proximal", ConstrainedMethod::proximal, "Proximal rounds, without deciding a rank.")
      .value("pv", ConstrainedMethod::pv, "Two sweeps of the tree after Popov and Vereshchagin, O(n + m^2).");
  using W = OfSet<Workspace>;
  nb::class_<W>(m, "ConstrainedWorkspace", "Scratch of constrained_forward_dynamics by one method.")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set, ConstrainedMethod method, double period,
             IntegersIn independent) {
            check_set("ConstrainedWorkspace", model, *set);
            new (self) W(std::move(set), read_options("ConstrainedWorkspace", model, method, period, independent));
          },
          "model"_a, "constraints"_a, nb::kw_only(), "method"_a = ConstrainedMethod::multipliers,
          "stabilization_period"_a = 0., "independent"_a = nb::make_tuple(),
          "stabilization_period [s]: Baumgarte's, alpha = beta = 1 / period; 0: none. independent: `projection` only.");
  m.def(
      "constrained_forward_dynamics",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn tau, ArrayOut out, ArrayOut out_lambda,
         ArrayIn external, double time) {
        const char* call = "constrained_forward_dynamics";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), T(call, "tau", tau, nv);
        const InForces E(call, "external", external, x.bodies().size());
        OutVector O(call, "out", out, nv), L(call, "out_multipliers", out_lambda, at(s.set.rows()));
        O.apart_from(Q, V, T, L), L.apart_from(Q, V, T);
        const Use<Workspace> use(call, ws);
        SolveCertificate c = run_long([&] {
          return constrained_forward_dynamics(x, s.set, *use, Q, V, T, O, L, {E.view(), time});
        });
        return std::tuple(O.take(), L.take(), std::move(c));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "tau"_a, optional_array("out"),
      optional_array("out_multipliers"), optional_array("external"), "time"_a = 0.,
      R"(qdd, lambda and a SolveCertificate of  H qdd + C = tau + K^T lambda,  K qdd = k + stabilization  [F08 8.34-8.36].

Redundant rows: qdd is unique, lambda is the shortest. Contradicting rows: least squares, and a certificate that says so.)");
  m.def(
      "constrained_impulse",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn before, ArrayIn impulse, ArrayIn target,
         ArrayOut out, ArrayOut out_impulse, double time) {
        const char* call = "constrained_impulse";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), B(call, "before", before, nv);
        std::optional<InVector> I, T;
        if (!impulse.is_none()) I.emplace(call, "impulse", impulse, nv);
        if (!target.is_none()) T.emplace(call, "target", target, at(s.set.rows()));
        OutVector O(call, "out", out, nv), P(call, "out_impulse", out_impulse, at(s.set.rows()));
        O.apart_from(Q, B, P), P.apart_from(Q, B);
        if (I) O.apart_from(*I), P.apart_from(*I);
        if (T) O.apart_from(*T), P.apart_from(*T);
        const Use<Workspace> use(call, ws);
        using View = VectorView<const double>;
        SolveCertificate c = run_long([&] {
          return constrained_impulse(x, s.set, *use, Q, B, I ? View(*I) : View(), T ? View(*T) : View(), O, P, time);
        });
        return std::tuple(O.take(), P.take(), std::move(c));
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "before"_a, optional_array("impulse"), optional_array("target"),
      optional_array("out"), optional_array("out_impulse"), "time"_a = 0.,
      "Velocities after, impulses P and a certificate of  H (after - before) = impulse + K^T P,  K after = target\n"
      "[F08 11.57].");
}

void bind_analysis(nb::module_& m) {
  nb::class_<Mobility>(m, "Mobility", "In how many ways a mechanism can move [F08 section 8.10].")
      .def_ro("freedoms", &Mobility::freedoms, "n, those of the tree.")
      .def_ro("rows", &Mobility::rows, "Of K.")
      .def_ro("rank", &Mobility::rank, "r of K, here.")
      .def_ro("instantaneous", &Mobility::instantaneous, "n - r, here")
      .def_ro("overconstraint", &Mobility::overconstraint, "rows - r, here")
      .def_ro("redundant", &Mobility::redundant, "Rows that the others imply here.")
      .def_ro("error", &Mobility::error, "Largest position error here [m or rad].")
      .def_ro("lowest", &Mobility::lowest, "At the assembled positions nearby.")
      .def_ro("highest", &Mobility::highest,
              "The most at the assembled positions nearby; equal to lowest unless motions branch here.")
      .def_ro("decided", &Mobility::decided, "True: lowest and highest are known.")
      .def_ro("how", &Mobility::how, "How lowest and highest were found.");
  m.def(
      "find_mobility",
      [](const PyModel& x, const PySet& s, ArrayIn q, double time) {
        check_set("find_mobility", x, s);
        const InVector Q("find_mobility", "q", q, at(x.nq()));
        return run_long([&] { return find_mobility(x, s.set, Q, time); });
      },
      "model"_a, "constraints"_a, "q"_a, "time"_a = 0., "mobility = n - r, r the rank of K [F08 8.52].");

  using A = ActuationReport;
  nb::class_<A>(m, "ActuationReport",
                "How well the actuators reach the motions that the constraints allow [F08 8.61-8.63].")
      .def_ro("mobility", &A::mobility, "n - r: the freedoms of motion.")
      .def_ro("actuators", &A::actuators, "Their number, p.")
      .def_ro("rank", &A::rank, "Of G_u: the freedoms that actuators reach.")
      .def_prop_ro("underactuated", &A::underactuated, "True: some motion is out of reach.")
      .def_prop_ro("redundantly_actuated", &A::redundantly_actuated,
                   "True: there are more actuators than freedoms they reach.")
      .def_prop_ro("properly_actuated", &A::properly_actuated,
                   "True: as many actuators as freedoms, and they reach all.")
      .def_ro("unreached", &A::unreached, "[N or N m]")
      .def_ro("constraint_residual", &A::constraint_residual,
              "Largest entry of K qdd - k; not 0 where the constraints do not allow qdd.");
  using W = OfSet<Actuation>;
  nb::class_<W>(m, "ActuationWorkspace", "Scratch of constrained_inverse_dynamics.")
      .def(
          "__init__",
          [](W* self, const PyModel& model, std::shared_ptr<PySet> set) {
            check_set("ActuationWorkspace", model, *set);
            new (self) W(std::move(set));
          },
          "model"_a, "constraints"_a);
  m.def(
      "constrained_inverse_dynamics",
      [](const PyModel& x, const PySet& s, W& ws, ArrayIn q, ArrayIn v, ArrayIn a, IntegersIn actuated, ArrayOut out,
         ArrayIn external, double time) {
        const char* call = "constrained_inverse_dynamics";
        check(call, x, s, ws);
        const auto nv = at(x.nv());
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, nv), A2(call, "qdd", a, nv);
        const InForces E(call, "external", external, x.bodies().size());
        const std::vector<int> which = read_integers(call, "actuated", actuated);
        OutVector O(call, "out", out, which.size());
        O.apart_from(Q, V, A2);
        const Use<Actuation> use(call, ws);
        const A r = run_long([&] {
          return constrained_inverse_dynamics(x, s.set, *use, Q, V, A2, which, O, {E.view(), time});
        });
        return std::pair(O.take(), r);
      },
      "model"_a, "constraints"_a, "workspace"_a, "q"_a, "v"_a, "qdd"_a, "actuated"_a, optional_array("out"),
      optional_array("external"), "time"_a = 0.,
      "u of the actuators at these velocity coordinates, and an ActuationReport: G_u^T u = G^T ID(q, v, qdd)\n"
      "[F08 8.61-8.63].");
}

}  // namespace

void bind_constraints(nb::module_& m) {
  bind_set(m);
  bind_rows(m);
  bind_certificate(m);
  bind_forward(m);
  bind_analysis(m);
}

}  // namespace sinew::py
