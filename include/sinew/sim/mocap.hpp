// sinew/sim/mocap.hpp - bodies that go where they are told (joint/mocap.hpp), whatever pushes them
//   simulation.mocap.move(body, pose), simulation.step();
// In the next step the body goes to that pose with constant velocity, which contacts and loops feel: a platform carries
// what stands on it, a weld pulls what hangs on it. Without a new pose it stays from then on. Its velocity changes at
// once between two steps; bodies jointed to it feel that as one step's acceleration.
#pragma once
#include <array>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {

// Bodies that the caller moves.
class MocapBodies {
 public:
  explicit MocapBodies(const Model&);

  // Their numbers among the bodies of the model, in the order of its joints.
  const std::vector<int>& bodies() const { return bodies_; }
  // Pose: body <- world. Throws std::invalid_argument for a body that is none of them, or a pose that is not finite.
  void move(int body, const Transform<double>& pose);
  // Puts it there now, at rest, in the state.
  void place(State&, int body, const Transform<double>& pose) const;
  bool any() const { return !bodies_.empty(); }
  bool moves() const;  // a pose waits for the next step

  // Of a step of length dt, q and next_q those of the model: sets velocities and their rates in q; then moves what they
  // moved.
  void begin_step(Out<double> q, double dt);
  void end_step(In<double> q, double dt, Out<double> next_q) const;
  void forget();  // the poses that were reached

 private:
  struct Body {
    int q = 0;                        // first of its coordinates
    Transform<double> before, after;  // F_p <- world, body <- F_s
    bool told = false;                // a pose waits
    std::array<double, 7> target{};
  };
  std::array<double, 7> find_coordinates(const Body&, const Transform<double>& pose) const;
  std::size_t find(const char* call, int body, const Transform<double>& pose) const;

  std::size_t nq_, all_;  // coordinates and bodies of the model
  std::vector<int> bodies_;
  std::vector<Body> list_;
};

}  // namespace sinew
