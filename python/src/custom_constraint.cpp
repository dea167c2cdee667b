// python/src/custom_constraint.cpp - constraints whose rows are a Python function, and loops closed by any joint
#include "callable.hpp"
#include "constraints.hpp"
#include "sinew/constraint/rows/loop_joint.hpp"
#include "spec.hpp"

namespace sinew::py {
namespace {

// A state that lives during one call of the function.
struct PyState {
  const ConstraintState* now = nullptr;
  const ConstraintState& get() const {
    if (!now) throw std::runtime_error("ConstraintState: it can be asked only within the call that got it");
    return *now;
  }
};

using Body = std::variant<int, std::string>;

int find(const Model& m, const std::string& name, const Body& b) {
  const nb::object o = nb::cast(b);
  return find_body(("constraint '" + name + "'").c_str(), m, {o.ptr()});
}

class PythonConstraint final : public CustomConstraint {
 public:
  PythonConstraint(std::string name, int rows, std::vector<std::pair<int, Body>> entries, Callable calc)
      : name_(std::move(name)), rows_(rows), entries_(std::move(entries)), calc_(std::move(calc)) {}
  std::string name() const override { return name_; }
  int rows() const override { return rows_; }
  std::vector<delassus::Entry> entries(const Model& m) const override {
    const nb::gil_scoped_acquire gil;
    std::vector<delassus::Entry> out;
    for (const auto& [row, body] : entries_) out.push_back({row, m.bodies()[at(find(m, name_, body))].node});
    return out;
  }
  void calc(const ConstraintState& s, const ConstraintOutput& out) const override {
    const nb::gil_scoped_acquire gil;
    const nb::object state = nb::cast(PyState{&s});
    // What the function keeps of the state must not outlive it.
    struct End {
      PyState& state;
      ~End() { state.now = nullptr; }
    } const end{nb::cast<PyState&>(state)};
    const nb::object answer = calc_.get()(state);
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 4)
      throw nb::type_error(
          ("constraint '" + name_ + "': calc(state) must return K, k, position errors and velocity errors").c_str());
    const nb::object K = answer[0], k = answer[1], e0 = answer[2], e1 = answer[3];
    const auto n = at(rows_);
    const InMatrix F("calc", "K", {K.ptr()}, entries_.size(), 6);
    const InVector R("calc", "k", {k.ptr()}, n), P("calc", "position", {e0.ptr()}, n),
        V("calc", "velocity", {e1.ptr()}, n);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const double* x = F.data() + 6 * i;
      const Transform<double>& in_node = s.model.bodies()[at(find(s.model, name_, entries_[i].second))].in_node;
      out.K[i] = apply_inverse(in_node, Force<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
    for (std::size_t i = 0; i < n; ++i)
      out.k[i] = R.data()[i], out.position[i] = P.data()[i], out.velocity[i] = V.data()[i];
  }

 private:
  std::string name_;
  int rows_;
  std::vector<std::pair<int, Body>> entries_;
  Callable calc_;
};

void bind_constraint_state(nb::module_& m) {
  using S = PyState;
  nb::class_<S>(m, "ConstraintState", "What a CustomConstraint may look at, within its call.")
      .def_prop_ro(
          "q", [](const S& s) { return copy_vector(s.get().q); }, "Positions (nq).")
      .def_prop_ro(
          "v", [](const S& s) { return copy_vector(s.get().v); }, "Velocities (nv).")
      .def_prop_ro(
          "time", [](const S& s) { return s.get().time; }, "[s]")
      .def(
          "pose",
          [](const S& s, PlaceIn body) {
            const ConstraintState& x = s.get();
            return get_body_pose(x.model, x.motion.kinematics, find_body("pose", x.model, body));
          },
          "body"_a, "Transform body <- world: r is its position.")
      .def(
          "velocity",
          [](const S& s, PlaceIn p, ReferenceFrame r) {
            return get_velocity(s.get().motion, find_place("velocity", s.get().model, p), r);
          },
          "place"_a, "reference"_a = ReferenceFrame::mixed, "Angular above linear.")
      .def(
          "acceleration",
          [](const S& s, PlaceIn p, ReferenceFrame r) {
            return get_acceleration(s.get().motion, find_place("acceleration", s.get().model, p), r);
          },
          "place"_a, "reference"_a = ReferenceFrame::mixed, "The spatial acceleration where dv/dt = 0.");
}

}  // namespace

void bind_custom_constraint(nb::module_& m) {
  bind_constraint_state(m);
  nb::class_<PyCustom>(m, "CustomConstraint", R"(Rows of constraints written in Python.

    def calc(state):
        return K, k, position, velocity      # (entries, 6), (rows,), (rows,), (rows,)
    ConstraintSet(model, [CustomConstraint("name", 1, [(0, "hand")], calc)])

entries: row and body of each force. K: those forces, torque above force, each in the frame of its body; the velocity of
a row is the sum of f . v_body, and K qdd = k. position, velocity: errors of the rows. The function is called with the
GIL; what it raises comes out of the call that needed the rows.)")
      .def(
          "__init__",
          [](PyCustom* self, std::string name, int rows, std::vector<std::pair<int, Body>> entries, nb::object calc) {
            if (rows < 1) throw nb::value_error("CustomConstraint: rows must be 1 or more");
            for (const auto& [row, body] : entries) check_index("CustomConstraint", "row", row, at(rows));
            if (!PyCallable_Check(calc.ptr()))
              throw nb::type_error("CustomConstraint: calc must be a function of a state");
            new (self) PyCustom{std::make_shared<PythonConstraint>(std::move(name), rows, std::move(entries),
                                                                   Callable(std::move(calc)))};
          },
          "name"_a, "rows"_a, "entries"_a, "calc"_a,
          nb::sig("def __init__(self, name: str, rows: int, entries: collections.abc.Sequence[tuple[int, int | str]], "
                  "calc: collections.abc.Callable[[ConstraintState], tuple[numpy.typing.ArrayLike, "
                  "numpy.typing.ArrayLike, numpy.typing.ArrayLike, numpy.typing.ArrayLike]]) -> None"))
      .def_prop_ro(
          "name", [](const PyCustom& c) { return c.constraint->name(); }, "As it was given.")
      .def_prop_ro(
          "rows", [](const PyCustom& c) { return c.constraint->rows(); }, "How many it has.");
  m.def(
      "make_loop_joint",
      [](const PyModel& model, const Item<JointSpec>& joint) { return PyCustom{make_loop_joint(model, joint.get())}; },
      "model"_a, "joint"_a,
      "A loop closed by a joint of any kind (a user's, composite, prescribed, reversed), to add to a ConstraintSet:\n"
      "parent and child name the two bodies [F08 4.1.4, 8.2].");
}

}  // namespace sinew::py
