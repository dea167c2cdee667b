// python/src/model.cpp - the compiled model, its entries, and configurations
#include "sinew/model/model.hpp"

#include "entries.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/model/model_hash.hpp"
#include "spec.hpp"

namespace sinew::py {
namespace {

template <class Entries>
std::vector<std::string> names_of(const Entries& entries) {
  std::vector<std::string> out;
  for (const auto& e : entries) out.push_back(e.name);
  return out;
}

template <class Entry>
std::vector<PyEntry<Entry>> list_entries(const Model& m, std::span<const Entry> entries) {
  std::vector<PyEntry<Entry>> out;
  for (std::size_t i = 0; i < entries.size(); ++i) out.push_back({entries[i], static_cast<int>(i), m.identity()});
  return out;
}

template <class Entry>
void check_model(const char* call, const Model& m, const PyEntry<Entry>& e) {
  if (!e.model.is_same(m.identity()))
    throw nb::value_error((std::string(call) + ": '" + e.entry.name + "' is of another model").c_str());
}

[[noreturn]] void refuse_name(const char* call, const char* what, const std::string& name,
                              const std::vector<std::string>& known) {
  throw nb::value_error(
      (std::string(call) + ": there is no " + what + " '" + name + "'" + suggest_name(name, known)).c_str());
}
[[noreturn]] void refuse_number(const char* call, const char* what, nb::handle h, std::size_t count) {
  throw nb::value_error(
      (std::string(call) + ": there is no " + what + " " + nb::repr(h).c_str() + ", there are " + std::to_string(count))
          .c_str());
}

// The number that h stands for; none: it is not an integer.
std::optional<int> read_index(const char* call, const char* what, nb::handle h, std::size_t count) {
  if (!PyIndex_Check(h.ptr()) || PyBool_Check(h.ptr())) return {};
  const nb::object number = nb::steal(PyNumber_Index(h.ptr()));
  if (!number) throw nb::python_error();
  int i = 0;
  if (!nb::try_cast(number, i) || i < 0 || at(i) >= count) refuse_number(call, what, h, count);
  return i;
}

std::string range_text(int first, int count) {
  if (count == 0) return "";
  return count == 1 ? std::to_string(first) : std::to_string(first) + " .. " + std::to_string(first + count - 1);
}

std::string summary(const Model& m) {
  return "Model '" + m.name() + "': " + std::to_string(m.bodies().size() - 1) + " bodies, " +
         std::to_string(m.joints().size()) + " joints, nq " + std::to_string(m.nq()) + ", nv " +
         std::to_string(m.nv()) + (m.loops().empty() ? "" : ", " + std::to_string(m.loops().size()) + " loops") +
         (m.spec().actuators.empty() ? "" : ", " + std::to_string(m.spec().actuators.size()) + " actuators");
}

std::string to_html(const Model& m) {
  constexpr std::size_t kMost = 60;
  std::string s = "<b>" + html_escape(summary(m)) + "</b><table><tr><th>joint</th><th>kind</th><th>parent</th>" +
                  "<th>child</th><th>q</th><th>v</th><th>mass of the child [kg]</th></tr>";
  for (std::size_t i = 0; i < m.joints().size() && i < kMost; ++i) {
    const JointEntry& j = m.joints()[i];
    const BodyEntry& child = m.bodies()[at(j.child)];
    char mass[32];
    std::snprintf(mass, sizeof mass, "%.4g", child.inertia.m);
    s += "<tr><td>" + html_escape(j.name) + "</td><td>" + std::string(to_string(j.kind)) + "</td><td>" +
         html_escape(m.bodies()[at(j.parent)].name) + "</td><td>" + html_escape(child.name) + "</td><td>" +
         range_text(j.q, j.nq) + "</td><td>" + range_text(j.v, j.nv) + "</td><td>" + mass + "</td></tr>";
  }
  s += "</table>";
  if (m.joints().size() > kMost) s += "and " + std::to_string(m.joints().size() - kMost) + " more joints";
  return s;
}

void bind_entries(nb::module_& m) {
  nb::class_<PyBody>(m, "BodyEntry", "A body of a compiled model; body 0 is the world.")
      .def_prop_ro(
          "name", [](const PyBody& b) { return b.entry.name; }, "As in the specification.")
      .def_prop_ro(
          "index", [](const PyBody& b) { return b.index; }, "Its number among the bodies; the world has 0.")
      .def_prop_ro(
          "parent", [](const PyBody& b) { return b.entry.parent; }, "Body; -1 for the world.")
      .def_prop_ro(
          "joint", [](const PyBody& b) { return b.entry.joint; }, "That moves it; -1 for the world.")
      .def_prop_ro(
          "mass", [](const PyBody& b) { return b.entry.inertia.m; }, "[kg]")
      .def_prop_ro(
          "com",
          [](const PyBody& b) { return b.entry.inertia.m > 0 ? centre_of_mass(b.entry.inertia) : Vec3<double>{}; },
          "Centre of mass in its frame [m].")
      .def_prop_ro(
          "inertia", [](const PyBody& b) { return b.entry.inertia.I; },
          "3 x 3, about the origin of its frame [kg m^2].")
      .def("__repr__", [](const PyBody& b) { return "<body " + std::to_string(b.index) + " '" + b.entry.name + "'>"; });
  nb::class_<PyJoint>(m, "JointEntry", "A joint of a compiled model: q[entry.q : entry.q + entry.nq] is its position.")
      .def_prop_ro(
          "name", [](const PyJoint& j) { return j.entry.name; }, "As in the specification.")
      .def_prop_ro(
          "index", [](const PyJoint& j) { return j.index; }, "Its number among the joints.")
      .def_prop_ro(
          "kind", [](const PyJoint& j) { return j.entry.kind; }, "Its JointKind.")
      .def_prop_ro(
          "parent", [](const PyJoint& j) { return j.entry.parent; }, "Body.")
      .def_prop_ro(
          "child", [](const PyJoint& j) { return j.entry.child; }, "Body.")
      .def_prop_ro(
          "q", [](const PyJoint& j) { return j.entry.q; }, "First of its position coordinates.")
      .def_prop_ro(
          "nq", [](const PyJoint& j) { return j.entry.nq; }, "Position coordinates.")
      .def_prop_ro(
          "v", [](const PyJoint& j) { return j.entry.v; }, "First of its velocity coordinates.")
      .def_prop_ro(
          "nv", [](const PyJoint& j) { return j.entry.nv; }, "Velocity coordinates.")
      .def_prop_ro(
          "parts",
          [](const PyJoint& j) {
            std::vector<PyJoint> out;
            for (const JointEntry& part : j.entry.parts) out.push_back({part, -1, j.model});
            return out;
          },
          "Of a composite.")
      .def("__repr__", [](const PyJoint& j) {
        return "<joint " + std::to_string(j.index) + " '" + j.entry.name + "' " + std::string(to_string(j.entry.kind)) +
               ">";
      });
  nb::class_<PyFrame>(m, "FrameEntry", "A named place on a body of a compiled model.")
      .def_prop_ro(
          "name", [](const PyFrame& f) { return f.entry.name; }, "As in the specification.")
      .def_prop_ro(
          "index", [](const PyFrame& f) { return f.index; }, "Its number among the frames.")
      .def_prop_ro(
          "body", [](const PyFrame& f) { return f.entry.body; }, "Number of the body that it is fixed to.")
      .def("__repr__",
           [](const PyFrame& f) { return "<frame " + std::to_string(f.index) + " '" + f.entry.name + "'>"; });
}

void bind_configurations(nb::module_& m) {
  m.def(
      "random_configuration",
      [](const PyModel& model, std::uint64_t seed, double reach) {
        Random random(seed);
        return copy_vector(random_configuration(model, random, reach));
      },
      "model"_a, "seed"_a, "reach"_a = 1.,
      "A position within the joint limits; where there are none, angles within +-pi and lengths within +-reach [m].\n"
      "The same seed gives the same bits everywhere.");
  m.def(
      "integrate",
      [](const PyModel& model, ArrayIn q, ArrayIn v, double dt, ArrayOut out) {
        const char* call = "integrate";
        const InVector Q(call, "q", q, at(model.nq())), V(call, "v", v, at(model.nv()));
        OutVector O(call, "out", out, at(model.nq()));
        O.apart_from(V);
        if (O.data() != Q.data()) O.apart_from(Q);
        run(model, [&] { integrate<double>(model, Q, V, dt, O); });
        return O.take();
      },
      "model"_a, "q"_a, "v"_a, "dt"_a, optional_array("out"),
      "q moved along the constant velocity v for the time dt; quaternions stay unit. out may be q itself.");
  m.def(
      "difference",
      [](const PyModel& model, ArrayIn q0, ArrayIn q1, ArrayOut out) {
        const char* call = "difference";
        const InVector A(call, "q0", q0, at(model.nq())), B(call, "q1", q1, at(model.nq()));
        OutVector O(call, "out", out, at(model.nv()));
        O.apart_from(A, B);
        run(model, [&] { difference<double>(model, A, B, O); });
        return O.take();
      },
      "model"_a, "q0"_a, "q1"_a, optional_array("out"),
      "The constant velocity that leads from q0 to q1 in unit time, by the shortest way.");
  m.def(
      "calc_rate",
      [](const PyModel& model, ArrayIn q, ArrayIn v, ArrayOut out) {
        const char* call = "calc_rate";
        const InVector Q(call, "q", q, at(model.nq())), V(call, "v", v, at(model.nv()));
        OutVector O(call, "out", out, at(model.nq()));
        O.apart_from(Q, V);
        calc_rate<double>(model, Q, V, O);
        return O.take();
      },
      "model"_a, "q"_a, "v"_a, optional_array("out"), "dq/dt at q and v [F08 3.7].");
  m.def(
      "normalize",
      [](const PyModel& model, ArrayIn q, ArrayOut out) {
        const char* call = "normalize";
        const InVector Q(call, "q", q, at(model.nq()));
        OutVector O(call, "out", out, at(model.nq()));
        if (O.data() != Q.data()) {
          O.apart_from(Q);
          std::copy(Q.data(), Q.data() + Q.size(), O.data());
        }
        normalize<double>(model, O);
        return O.take();
      },
      "model"_a, "q"_a, optional_array("out"), "q with unit quaternions. out may be q itself.");
}

void bind_convention(nb::module_& m) {
  nb::enum_<Convention>(m, "Convention", "Whose order and meaning of coordinates.")
      .value("sinew", Convention::sinew,
             "Our own: quaternion w x y z, position; angular before linear, both in the body.")
      .value("pinocchio", Convention::pinocchio,
             "Pinocchio's: joints depth first; position, quaternion x y z w; linear before angular.")
      .value("mujoco", Convention::mujoco,
             "MuJoCo's: position, quaternion w x y z; linear velocity in the world, angular in the body.");
  using C = ConventionMap;
  // Sizes of one kind of vector: ours, and the other's.
  struct PyMap {
    C map;
    int nq, nv;
  };
  const auto convert = [](const char* call, ArrayIn in, std::size_t from, ArrayOut out, std::size_t to, auto&& f) {
    const InVector X(call, "x", in, from);
    OutVector O(call, "out", out, to);
    O.apart_from(X);
    f(X, O);
    return O.take();
  };
  nb::class_<PyMap>(m, "ConventionMap", "Coordinates of Pinocchio or MuJoCo, to and from ours (docs/conventions.md).")
      .def(
          "__init__",
          [](PyMap* self, const PyModel& model, Convention c) {
            new (self) PyMap{C(model, c), model.nq(), model.nv()};
          },
          "model"_a, "convention"_a)
      .def_prop_ro(
          "nq", [](const PyMap& p) { return p.map.nq(); }, "In the other convention; nv is the same in all.")
      .def_prop_ro(
          "nv", [](const PyMap& p) { return p.map.nv(); }, "Velocity coordinates: the same in all conventions.")
      .def(
          "to_other_q",
          [=](const PyMap& p, ArrayIn q, ArrayOut out) {
            return convert("to_other_q", q, at(p.nq), out, at(p.map.nq()),
                           [&](auto& x, auto& o) { p.map.to_other_q(x, o); });
          },
          "q"_a, optional_array("out"), "Our positions as the other convention has them.")
      .def(
          "from_other_q",
          [=](const PyMap& p, ArrayIn q, ArrayOut out) {
            return convert("from_other_q", q, at(p.map.nq()), out, at(p.nq),
                           [&](auto& x, auto& o) { p.map.from_other_q(x, o); });
          },
          "other"_a, optional_array("out"), "Positions of the other convention as ours.")
      .def(
          "to_other_v",
          [=](const PyMap& p, ArrayIn q, ArrayIn v, ArrayOut out) {
            const InVector Q("to_other_v", "q", q, at(p.nq));
            return convert("to_other_v", v, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.to_other_v(Q, x, o); });
          },
          "q"_a, "v"_a, optional_array("out"), "At our position q.")
      .def(
          "from_other_v",
          [=](const PyMap& p, ArrayIn q, ArrayIn v, ArrayOut out) {
            const InVector Q("from_other_v", "q", q, at(p.nq));
            return convert("from_other_v", v, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.from_other_v(Q, x, o); });
          },
          "q"_a, "other"_a, optional_array("out"), "At our position q.")
      .def(
          "to_other_a",
          [=](const PyMap& p, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out) {
            const InVector Q("to_other_a", "q", q, at(p.nq)), V("to_other_a", "v", v, at(p.nv));
            return convert("to_other_a", a, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.to_other_a(Q, V, x, o); });
          },
          "q"_a, "v"_a, "a"_a, optional_array("out"), "Our dv/dt as the other convention has it.")
      .def(
          "from_other_a",
          [=](const PyMap& p, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out) {
            const InVector Q("from_other_a", "q", q, at(p.nq)), V("from_other_a", "v", v, at(p.nv));
            return convert("from_other_a", a, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.from_other_a(Q, V, x, o); });
          },
          "q"_a, "v"_a, "other"_a, optional_array("out"),
          "Acceleration dv/dt of the other convention as ours, at the state q, v of the other.")
      .def(
          "to_other_tau",
          [=](const PyMap& p, ArrayIn q, ArrayIn t, ArrayOut out) {
            const InVector Q("to_other_tau", "q", q, at(p.nq));
            return convert("to_other_tau", t, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.to_other_tau(Q, x, o); });
          },
          "q"_a, "tau"_a, optional_array("out"), "Our joint forces as the other convention has them.")
      .def(
          "from_other_tau",
          [=](const PyMap& p, ArrayIn q, ArrayIn t, ArrayOut out) {
            const InVector Q("from_other_tau", "q", q, at(p.nq));
            return convert("from_other_tau", t, at(p.nv), out, at(p.nv),
                           [&](auto& x, auto& o) { p.map.from_other_tau(Q, x, o); });
          },
          "q"_a, "other"_a, optional_array("out"), "Joint forces of the other convention as ours.")
      .def(
          "other_v_index", [](const PyMap& p, int i) { return p.map.other_v_index(i); }, "i"_a,
          "Velocity coordinate of the other convention for one of ours.");
}

}  // namespace

std::shared_ptr<PyModel> compile_model(const ModelSpec& spec, const Diagnostics& before, bool strict) {
  Result<Model> r = compile(spec, {.strict = strict});
  std::vector<Diagnostic> remarks = before.list();
  for (const Diagnostic& d : r.diagnostics()) remarks.push_back(d);
  return std::make_shared<PyModel>(unwrap(std::move(r)), std::move(remarks));
}

int find_body(const char* call, const Model& m, PlaceIn in) {
  const nb::handle h = in.object;
  PyBody* b = nullptr;
  if (nb::try_cast(h, b) && b) return check_model(call, m, *b), b->index;
  if (const auto i = read_index(call, "body", h, m.bodies().size())) return *i;
  std::string name;
  if (!nb::try_cast(h, name))
    throw nb::type_error((std::string(call) + ": body must be a number, a name or a BodyEntry").c_str());
  const auto i = m.find_body(name);
  if (!i) refuse_name(call, "body", name, names_of(m.bodies()));
  return *i;
}

Place find_place(const char* call, const Model& m, PlaceIn in) {
  const nb::handle h = in.object;
  PyFrame* f = nullptr;
  if (nb::try_cast(h, f) && f) return check_model(call, m, *f), f->entry;
  std::string name;
  if (nb::try_cast(h, name)) {
    const auto found = m.find_frame(name);
    if (!found) {
      std::vector<std::string> known = names_of(m.frames());
      for (const BodyEntry& b : m.bodies()) known.push_back(b.name);
      refuse_name(call, "frame or body", name, known);
    }
    return *found;
  }
  return m.bodies()[at(find_body(call, m, in))];
}

int find_joint(const char* call, const Model& m, nb::handle h) {
  PyJoint* j = nullptr;
  if (nb::try_cast(h, j) && j && j->index >= 0) return check_model(call, m, *j), j->index;
  if (const auto i = read_index(call, "joint", h, m.joints().size())) return *i;
  std::string name;
  if (!nb::try_cast(h, name))
    throw nb::type_error((std::string(call) + ": joint must be a number, a name or a JointEntry").c_str());
  for (std::size_t i = 0; i < m.joints().size(); ++i)
    if (m.joints()[i].name == name) return static_cast<int>(i);
  refuse_name(call, "joint", name, names_of(m.joints()));
}

void bind_model(nb::module_& m) {
  bind_entries(m);
  nb::class_<PyModel>(m, "Model", R"(The compiled, immutable model. Share it between threads.

Body 0 is the world; bodies, joints and frames keep their names, order and frames. q lives on a manifold (quaternions
w x y z), v in its tangent space; both in the order of the joints.)")
      .def_prop_ro(
          "name", [](const PyModel& x) { return x.name(); }, "As in the specification.")
      .def_prop_ro(
          "nq", [](const PyModel& x) { return x.nq(); }, "Position coordinates.")
      .def_prop_ro(
          "nv", [](const PyModel& x) { return x.nv(); }, "Velocity coordinates.")
      .def_prop_ro(
          "mass", [](const PyModel& x) { return x.mass(); }, "Of all bodies but the world [kg].")
      .def_prop_ro(
          "gravity", [](const PyModel& x) { return x.gravity(); }, "[m/s^2]")
      .def_prop_ro(
          "timestep", [](const PyModel& x) { return x.spec().timestep; }, "[s]; 0: not stated")
      .def_prop_ro(
          "neutral", [](const PyModel& x) { return copy_vector(x.neutral()); },
          "The position the model was written in: a new array.")
      .def_prop_ro(
          "armature", [](const PyModel& x) { return copy_vector(x.armature()); }, "One per velocity coordinate.")
      .def_prop_ro(
          "bodies", [](const PyModel& x) { return list_entries(x, x.bodies()); }, "BodyEntries; body 0 is the world.")
      .def_prop_ro(
          "joints", [](const PyModel& x) { return list_entries(x, x.joints()); },
          "JointEntries, as in the specification: the order of q and v.")
      .def_prop_ro(
          "frames", [](const PyModel& x) { return list_entries(x, x.frames()); },
          "FrameEntries, as in the specification.")
      .def_prop_ro(
          "body_names", [](const PyModel& x) { return names_of(x.bodies()); }, "In the order of bodies.")
      .def_prop_ro(
          "joint_names", [](const PyModel& x) { return names_of(x.joints()); }, "In the order of joints.")
      .def_prop_ro(
          "frame_names", [](const PyModel& x) { return names_of(x.frames()); }, "In the order of frames.")
      .def_prop_ro(
          "actuator_names", [](const PyModel& x) { return names_of(x.spec().actuators); }, "In the order of control.")
      .def_prop_ro(
          "tendon_names", [](const PyModel& x) { return names_of(x.spec().tendons); }, "In the order of tendons.")
      .def_prop_ro(
          "sensor_names", [](const PyModel& x) { return names_of(x.spec().sensors); }, "In the order of sensors.")
      .def_prop_ro(
          "keyframe_names", [](const PyModel& x) { return names_of(x.spec().keyframes); }, "In the order of keyframes.")
      .def_prop_ro(
          "limits",
          [](const PyModel& x) {
            std::vector<double> lower, upper;
            for (const DofSpec& d : x.dofs()) lower.push_back(d.lower), upper.push_back(d.upper);
            return std::pair(copy_vector(lower), copy_vector(upper));
          },
          "Lower and upper, one per velocity coordinate [rad or m]; infinite where there is none.")
      .def_prop_ro(
          "effort_limits",
          [](const PyModel& x) {
            std::vector<double> most;
            for (const DofSpec& d : x.dofs()) most.push_back(d.max_effort);
            return copy_vector(most);
          },
          "One per velocity coordinate [N m or N].")
      .def(
          "find_body", [](const PyModel& x, std::string_view name) { return x.find_body(name); }, "name"_a,
          "Its number, or None.")
      .def(
          "find_joint",
          [](const PyModel& x, std::string_view name) -> std::optional<PyJoint> {
            const JointEntry* j = x.find_joint(name);
            if (!j) return {};
            const auto begin = x.joints().data(), end = begin + x.joints().size();
            return PyJoint{*j, j >= begin && j < end ? static_cast<int>(j - begin) : -1, x.identity()};
          },
          "name"_a, "A JointEntry, parts of composites too (index -1); or None.")
      .def(
          "find_frame",
          [](const PyModel& x, std::string_view name) -> std::optional<PyFrame> {
            const auto f = x.find_frame(name);
            if (!f) return {};
            int index = -1;
            for (std::size_t i = 0; i < x.frames().size(); ++i)
              if (x.frames()[i].name == name) index = static_cast<int>(i);
            return PyFrame{*f, index, x.identity()};
          },
          "name"_a, "A frame, or else a body by its name (index -1); or None.")
      .def(
          "find_tendon", [](const PyModel& x, std::string_view name) { return x.find_tendon(name); }, "name"_a,
          "Number of a tendon by its name; None: there is none.")
      .def_prop_ro(
          "spec",
          [](const PyModel& x) {
            return std::make_shared<PySpec>(PySpec{x.spec(), {}});
          },
          "A copy of what it was compiled from.")
      .def_ro("remarks", &PyModel::remarks, "What loader and compiler said about it: Diagnostics.")
      .def_prop_ro(
          "hash", [](const PyModel& x) { return calc_model_hash(x); },
          "One number for everything in it that decides how it moves.")
      .def("__repr__", [](const PyModel& x) { return "<" + summary(x) + ">"; })
      .def("_repr_html_", [](const PyModel& x) { return to_html(x); });
  m.def(
      "compile", [](const PySpec& s, bool strict) { return compile_model(s.spec, s.remarks, strict); }, "spec"_a,
      nb::kw_only(), "strict"_a = false,
      "Checks a ModelSpec against every law and builds what the algorithms need. LoadError with all diagnostics where\n"
      "a law is broken; strict: warnings are errors too.");
  bind_configurations(m);
  bind_convention(m);
}

}  // namespace sinew::py
