// python/src/delassus.cpp - J M^-1 J^T by every algorithm (sinew.delassus), and the operator identities
#include "delassus.hpp"

#include "constraints.hpp"
#include "sinew/delassus/algorithm.hpp"
#include "sinew/delassus/cost.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/operators/rigid_sko.hpp"

namespace sinew::py {

std::vector<Place> read_places(const PyModel& m, const DelassusEntries& entries) {
  std::vector<Place> out;
  for (const auto& [row, place] : entries) out.push_back(find_place("Delassus", m, {place.ptr()}));
  return out;
}
delassus::Problem make_problem(const PyModel& m, int rows, const DelassusEntries& entries,
                               const std::vector<Place>& places) {
  if (rows < 0 || rows > 1000000) throw nb::value_error("Delassus: rows must be between 0 and a million");
  std::vector<delassus::Entry> list;
  for (std::size_t i = 0; i < entries.size(); ++i) list.push_back({entries[i].first, places[i].node});
  return {m, rows, list};
}

namespace {

using delassus::Algorithm;
using Entries = DelassusEntries;

// Rows as forces on places of the model, given in the frames of the places.
struct PyDelassus {
  std::shared_ptr<PyModel> model;
  std::vector<Place> places;  // one per entry
  delassus::Problem problem;
  delassus::Delassus<double> solver;
  std::vector<Force<double>> K;  // (entries) in the coordinates of the nodes
  Busy busy;
};

}  // namespace

void bind_delassus(nb::module_& top) {
  nb::module_ m = top.def_submodule("delassus", "W = J M^-1 J^T, the inverse inertia that rows of forces meet [S23].");
  nb::enum_<Algorithm>(m, "Algorithm", "Algorithms for W = J M^-1 J^T; docs/delassus.md compares them.")
      .value("dense", Algorithm::dense, "Dense matrices, zeros included.")
      .value("ltl", Algorithm::ltl, "Through the sparse factor of the mass matrix [S23 section II-A].")
      .value("kjr", Algorithm::kjr, "The recursion of Kreutz-Delgado, Jain and Rodriguez, O(n + m^2 d).")
      .value("chang_khatib", Algorithm::chang_khatib, "Chang and Khatib 2001, O(n + m n + m^2).")
      .value("efpa", Algorithm::efpa, "The extended-force-propagator algorithm, O(n + m d + m^2) [S23 Alg. 2].")
      .value("pv", Algorithm::pv, "All rows travel to the base, O(n + m^2 d) [S23 Alg. 1].")
      .value("pvr", Algorithm::pvr, "At most six columns travel, O(n + m^2) [S23 Alg. 3].")
      .value("mixed", Algorithm::mixed, "As pvr, with stations only where they pay.");
  using D = PyDelassus;
  nb::class_<D>(m, "Delassus", R"(The Delassus matrix of rows, each a force on one or more places.

    d = sinew.delassus.Delassus(model, 6, [(i, "left_sole") for i in range(6)], sinew.delassus.Algorithm.pvr)
    W = d.calc(q, numpy.eye(6))     # torque above force in the frame of each place, one row per entry)")
      .def(
          "__init__",
          [](D* self, std::shared_ptr<PyModel> model, int rows, const Entries& entries, Algorithm a) {
            std::vector<Place> places = read_places(*model, entries);
            delassus::Problem p = make_problem(*model, rows, entries, places);
            delassus::Delassus<double> solver(*model, p, a);
            std::vector<Force<double>> K(places.size());
            new (self) D{std::move(model), std::move(places), std::move(p), std::move(solver), std::move(K), {}};
          },
          "model"_a, "rows"_a, "entries"_a, "algorithm"_a = Algorithm::pvr)
      .def_prop_ro(
          "rows", [](const D& d) { return d.problem.rows(); }, "Of W.")
      .def_prop_ro(
          "algorithm", [](const D& d) { return d.solver.algorithm(); }, "Which one it uses.")
      .def(
          "calc",
          [](D& d, ArrayIn q, ArrayIn K, ArrayOut out, double time) {
            const char* call = "calc";
            const InVector Q(call, "q", q, at(d.model->nq()));
            const InForces F(call, "K", K, d.places.size());
            const auto n = at(d.problem.rows());
            OutMatrix2 W(call, "out", out, n, n);
            W.apart_from(Q);
            const Taken taken(call, d.busy, "the object");
            for (std::size_t i = 0; i < d.places.size(); ++i) d.K[i] = apply_inverse(d.places[i].in_node, F.view()[i]);
            run(*d.model, [&] { d.solver.calc(Q, d.K, W.view(), time); });
            return W.take();
          },
          "q"_a, "K"_a, optional_array("out"), "time"_a = 0.,
          "W at q. K: torque above force of each entry, in the frame of its place.");
  m.def(
      "best",
      [](const std::shared_ptr<PyModel>& model, int rows, const Entries& entries) {
        const delassus::Problem p = make_problem(*model, rows, entries, read_places(*model, entries));
        const delassus::Choice c = run_long([&] { return delassus::best(*model, p); });
        return std::pair(c.algorithm, c.reason);
      },
      "model"_a, "rows"_a, "entries"_a,
      "The cheapest algorithm, and why: operations are counted on the problem itself.");
}

void bind_operators(nb::module_& top) {
  nb::module_ m = top.def_submodule("operators", "The spatial operator algebra [J11, R92].");
  m.def(
      "check_identities",
      [](const PyModel& x, ArrayIn q, ArrayIn v, std::uint64_t seed) {
        const InVector Q("check_identities", "q", q, at(x.nq())), V("check_identities", "v", v, at(x.nv()));
        std::vector<std::tuple<std::string, std::string, double>> out;
        run_long([&] {
          sko::RigidSko rigid(x);
          rigid.update(Q, V);
          sko::OperatorAlgebra<double> algebra(rigid.sko);
          algebra.update();
          Random random(seed);
          for (const sko::CheckedIdentity& i : sko::check_identities(algebra, random))
            out.emplace_back(i.equation, i.formula, i.residual);
        });
        return out;
      },
      "model"_a, "q"_a, "v"_a, "seed"_a = 1,
      "Equation, formula and relative residual of every operator identity, both sides applied to a random vector.");
}

}  // namespace sinew::py
