// python/src/reports.cpp - what steps did: reports, totals, certificates
#include "sinew/sim/report.hpp"

#include "common.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew::py {

namespace {

// Six digits of a number, numbers of an array in brackets; anything else as it shows itself.
std::string value_text(nb::handle value) {
  if (PyFloat_Check(value.ptr())) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", PyFloat_AS_DOUBLE(value.ptr()));
    return text;
  }
  if (!nb::isinstance<Array>(value)) return nb::repr(value).c_str();
  std::string s = "[";
  for (const nb::handle x : nb::object(value.attr("tolist")())) s += (s.size() == 1 ? "" : ", ") + value_text(x);
  return s + "]";
}

// Names and values of the attributes that are not zero.
std::vector<std::pair<std::string, nb::object>> list_attributes(nb::handle self) {
  std::vector<std::pair<std::string, nb::object>> out;
  for (const nb::handle name : nb::steal<nb::list>(PyObject_Dir(self.ptr()))) {
    const auto n = nb::cast<std::string>(name);
    if (n.starts_with("_")) continue;
    nb::object value = self.attr(name);
    if (PyCallable_Check(value.ptr())) continue;
    const bool number = PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr());
    if (number && PyObject_IsTrue(value.ptr()) == 0) continue;
    out.emplace_back(n, std::move(value));
  }
  return out;
}

template <class Class>
void add_texts(Class& c, const char* type) {
  c.def("__repr__", [type](nb::handle h) { return attributes_text(h, type); });
  c.def("_repr_html_", [type](nb::handle h) { return attributes_html(h, type); });
}

}  // namespace

std::string html_escape(const std::string& s) {
  std::string out;
  for (const char c : s) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string attributes_text(nb::handle self, const char* type) {
  std::string s = std::string(type) + "(";
  bool first = true;
  for (const auto& [name, value] : list_attributes(self)) {
    s += (first ? "" : ", ") + name + "=" + value_text(value);
    first = false;
  }
  return s + ")";
}

std::string attributes_html(nb::handle self, const std::string& title) {
  std::string s = "<b>" + html_escape(title) + "</b><table>";
  for (const auto& [name, value] : list_attributes(self))
    s += "<tr><td>" + html_escape(name) + "</td><td>" +
         (nb::hasattr(value, "_repr_html_") ? nb::cast<std::string>(value.attr("_repr_html_")())
                                            : html_escape(value_text(value))) +
         "</td></tr>";
  return s + "</table>";
}

void bind_reports(nb::module_& m) {
  nb::class_<WorkAccount> work(m, "WorkAccount", "Work on the mechanism, by its source [J].");
  work.def_ro("actuators", &WorkAccount::actuators, "Of actuators [J].")
      .def_ro("springs", &WorkAccount::springs, "Of springs of joints and tendons [J].")
      .def_ro("dampers", &WorkAccount::dampers, "Of dampers of joints and tendons [J].")
      .def_ro("applied", &WorkAccount::applied, "Of joint forces of the caller [J].")
      .def_ro("external", &WorkAccount::external,
              "Of forces on bodies, those of actuators at sites and of the medium too [J].")
      .def_ro("contact_normal", &WorkAccount::contact_normal, "Of normal forces in contacts [J].")
      .def_ro("contact_friction", &WorkAccount::contact_friction, "Of friction in contacts [J].")
      .def_ro("collisions", &WorkAccount::collisions, "Of collisions [J].")
      .def_ro("stops", &WorkAccount::stops, "Of end stops [J].")
      .def_ro("joint_friction", &WorkAccount::joint_friction, "Of dry friction of joints and tendons [J].")
      .def_ro("loops", &WorkAccount::loops, "Of loops and couplings [J].")
      .def_prop_ro("total", &WorkAccount::total, "The sum of all [J].");
  add_texts(work, "WorkAccount");
  nb::class_<ImpulseAccount> impulse(m, "ImpulseAccount",
                                     "What changed the momentum, about the world's origin [N m s, N s].");
  impulse
      .def_prop_ro(
          "weight", [](const ImpulseAccount& a) { return a.weight; }, "Of gravity.")
      .def_prop_ro(
          "external", [](const ImpulseAccount& a) { return a.external; }, "Of forces on bodies.")
      .def_prop_ro(
          "contacts", [](const ImpulseAccount& a) { return a.contacts; },
          "Of contacts with the world, in collisions too.")
      .def_prop_ro(
          "total", [](const ImpulseAccount& a) { return a.total(); }, "The sum of all.");
  add_texts(impulse, "ImpulseAccount");
  using R = StepReport;
  nb::class_<R> report(m, "StepReport", "What one step did. The certificate of its contact problems is part of it.");
  report.def_ro("contacts", &R::contacts, "In the step's problem.")
      .def_ro("joint_rows", &R::joint_rows, "Stops, frictions and drives in the step's problem.")
      .def_ro("size", &R::size, "Unknowns of the step's problem.")
      .def_ro("collisions", &R::collisions, "Rounds of collisions.")
      .def_ro("refinements", &R::refinements, "Times that the problem was solved again.")
      .def_ro("iterations", &R::iterations, "Pivots, sweeps and Newton steps of all problems.")
      .def_ro("slowed", &R::slowed, "Overlaps and stops that `recovery_speed` slows down.")
      .def_ro("stuck", &R::stuck, "Overlaps and stops left as they are, since the problem with them was not solved.")
      .def_ro("cut_short", &R::cut_short, "1: it had the most impacts of a step; what else would bounce was stopped.")
      .def_ro("close", &R::close, "Problems solved less well than asked.")
      .def_ro("unsolved", &R::unsolved, "Problems that were not solved.")
      .def_ro("out_of_time", &R::out_of_time, "Those of them for which `most_seconds` was too little.")
      .def_ro("wedged", &R::wedged, "Those of them whose contacts are proved to contradict.")
      .def_ro("asleep", &R::asleep, "All rests and nothing that acts has changed: the last step again, not calculated.")
      .def_ro("solver", &R::solver, "Whose answer the step took.")
      .def_ro("status", &R::status, "Of the step's problem.")
      .def_ro("residual", &R::residual, "Worst relative one of all problems of the step.")
      .def_ro("complementarity", &R::complementarity, "[J]")
      .def_ro("cone", &R::cone, "[N s]")
      .def_ro("penetration", &R::penetration, "Deepest overlap after the step [m].")
      .def_ro("violation", &R::violation, "Farthest beyond a stop [rad or m].")
      .def_ro("drift", &R::drift, "Largest position error of the loops.")
      .def_prop_ro(
          "work", [](const R& r) { return r.work; }, "By its source.")
      .def_prop_ro(
          "impulse", [](const R& r) { return r.impulse; }, "What changed the momentum.")
      .def_ro("collision_gain", &R::collision_gain, "[J]");
  add_texts(report, "StepReport");
  nb::class_<WedgedPart> part(m, "WedgedPart", "A contact or joint of a problem whose rows are proved to contradict.");
  part.def_ro("name", &WedgedPart::name, "\"sphere 'ball' on plane 'floor'\", \"joint 'knee'\", \"tendon 'cable'\"")
      .def_ro("share", &WedgedPart::share, "Of the largest impulse of the proof.");
  add_texts(part, "WedgedPart");
  using T = SimulationTotals;
  nb::class_<T> totals(m, "SimulationTotals", "Sums and extremes over all steps, and where the time went.");
  totals.def_ro("steps", &T::steps, "How many were made.")
      .def_ro("collisions", &T::collisions, "Rounds of collisions.")
      .def_ro("contact_steps", &T::contact_steps, "Steps with contacts.")
      .def_ro("problems", &T::problems, "Contact problems that were solved, or tried.")
      .def_ro("close", &T::close, "Problems solved less well than asked, within `acceptable`.")
      .def_ro("unsolved", &T::unsolved, "Problems that were not solved.")
      .def_ro("out_of_time", &T::out_of_time, "Those of them for which `most_seconds` was too little.")
      .def_ro("wedged", &T::wedged, "Those of them whose contacts are proved to contradict.")
      .def_ro("refinements", &T::refinements, "Times that a problem was solved again.")
      .def_ro("iterations", &T::iterations, "Pivots, sweeps and Newton steps.")
      .def_ro("slowed", &T::slowed, "Overlaps and stops that `recovery_speed` slowed down.")
      .def_ro("stuck", &T::stuck, "Overlaps and stops left as they were, since the problem with them was not solved.")
      .def_ro("cut_short", &T::cut_short, "Steps that had more impacts than a step may have.")
      .def_ro("most_contacts", &T::most_contacts, "At once.")
      .def_ro("largest_size", &T::largest_size, "Unknowns of the largest problem.")
      .def_ro("worst_residual", &T::worst_residual, "Largest relative residual of a problem.")
      .def_ro("worst_complementarity", &T::worst_complementarity, "Largest r_n (u_n + gap / dt) [J].")
      .def_ro("worst_cone", &T::worst_cone, "Farthest that an impulse of friction was outside its cone [N s].")
      .def_ro("deepest", &T::deepest, "Deepest overlap after a step [m].")
      .def_ro("worst_violation", &T::worst_violation, "Farthest beyond a stop [rad or m].")
      .def_ro("worst_drift", &T::worst_drift, "Largest position error of loops [m or rad].")
      .def_ro("largest_gain", &T::largest_gain, "Most energy that a collision gained [J].")
      .def_prop_ro(
          "work", [](const T& t) { return t.work; }, "By its source.")
      .def_prop_ro(
          "impulse", [](const T& t) { return t.impulse; }, "What changed the momentum.")
      .def_ro("start_energy", &T::start_energy, "Before the first step [J].")
      .def_prop_ro(
          "start_momentum", [](const T& t) { return t.start_momentum; },
          "Before the first step, about the world's origin [N m s, N s].")
      .def_ro("detection", &T::detection, "[s] of wall clock")
      .def_ro("assembly", &T::assembly, "Wall clock spent on assembling problems [s].")
      .def_ro("solution", &T::solution, "Wall clock spent on solving problems [s].")
      .def_ro("recovery", &T::recovery, "Wall clock spent on velocities and works from the answers [s].");
  add_texts(totals, "SimulationTotals");
}

}  // namespace sinew::py
