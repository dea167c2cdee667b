// python/src/mocap.cpp
#include "mocap.hpp"

namespace sinew::py {

void bind_mocap(nb::module_& m) {
  using M = PyMocap;
  nb::class_<M>(m, "MocapBodies", R"(Bodies that go where they are told, whatever pushes them.

    sim.mocap.move("hand", pose);  sim.step()

In the next step the body goes to that pose with constant velocity, which contacts and loops feel. Without a new pose it
stays from then on. Poses are body <- world: r is the position.)")
      .def_prop_ro(
          "bodies",
          [](const M& x) {
            std::vector<int> out;
            x.use("bodies", [&](MocapBodies& b, State&) { out = b.bodies(); });
            return out;
          },
          "Their numbers among the bodies of the model, in the order of its joints.")
      .def(
          "move",
          [](const M& x, PlaceIn body, const Transform<double>& pose) {
            const int i = find_body("move", *x.model, body);
            x.use("move", [&](MocapBodies& b, State&) { b.move(i, pose); });
          },
          "body"_a, "pose"_a,
          "Where the body is at the end of the next step. ValueError for a body that is none of them.")
      .def(
          "place",
          [](const M& x, PlaceIn body, const Transform<double>& pose) {
            const int i = find_body("place", *x.model, body);
            x.use("place", [&](MocapBodies& b, State& s) { b.place(s, i, pose); });
          },
          "body"_a, "pose"_a, "Puts it there now, at rest: q is changed.")
      .def_prop_ro(
          "moves",
          [](const M& x) {
            bool out = false;
            x.use("moves", [&](MocapBodies& b, State&) { out = b.moves(); });
            return out;
          },
          "True: a pose waits for the next step.")
      .def("__len__", [](const M& x) {
        std::size_t out = 0;
        x.use("bodies", [&](MocapBodies& b, State&) { out = b.bodies().size(); });
        return out;
      });
  nb::borrow<nb::class_<PySimulation>>(nb::type<PySimulation>())
      .def_prop_ro(
          "mocap",
          [](nb::handle_t<PySimulation> self) {
            auto& s = nb::cast<PySimulation&>(self);
            return M{nb::borrow(self), s.shared_model(), [&s](const char* call, const auto& f) {
                       const Access access(call, s);
                       s.push();
                       f(s.get().mocap, s.get().state);
                       s.pull();
                     }};
          },
          nb::for_getter(nb::sig("def mocap(self) -> MocapBodies")),
          "Its mocap bodies: where they go in the next step.");
}

}  // namespace sinew::py
