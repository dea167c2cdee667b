// sinew/sim/control_track.hpp - controls of a run from a table over time
//   ControlTrack track(model, table);          // columns find their actuators and joints by name
//   track.set(s.state.time, s.control, s.applied), s.step();
// A column that has the name of an actuator is its control. One that has the name of a joint is the force of the joint
// [N m or N]; "name[k]" is that of its velocity coordinate k. A row holds until the time of the next; the first holds
// before its time, the last for ever.
// "name/pos.x" .y .z and "name/quat.w" .x .y .z are the place of the mocap body of that name (sim/mocap.hpp), linear
// from row to row; what has no column stays as it is in the neutral position.
//   track.move(s.state.time + s.step_length(), s.mocap)
#pragma once
#include <string>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/sim/mocap.hpp"

namespace sinew {

// Columns over time, as read from a file.
struct ControlTable {
  std::vector<double> time;        // [s] ascending
  std::vector<std::string> names;  // of the columns
  std::vector<double> values;      // rows x columns
};

class ControlTrack {
 public:
  // Throws std::invalid_argument naming a column that fits nothing, or a table that is no table.
  ControlTrack(const Model&, ControlTable);
  // Sets what the columns drive at that time, and leaves the rest as it is. control: one per actuator; applied: (nv).
  void set(double time, Out<double> control, Out<double> applied) const;

  // Tells the mocap bodies where to be at that time, which is the end of the next step.
  void move(double time, MocapBodies&) const;
  bool moves() const { return !places_.empty(); }  // mocap bodies

 private:
  struct Target {
    bool actuator = false;
    bool mocap = false;  // of places_
    std::size_t index = 0;
  };
  struct PlaceColumns {
    int body = 0;
    std::array<int, 7> columns{};  // quaternion w x y z, position; -1: none
    std::array<double, 7> rest{};  // in their place
  };
  bool add_place_column(const Model&, const std::string& name, int column);

  std::size_t actuators_, nv_;
  ControlTable table_;
  std::vector<Target> targets_;  // (columns)
  std::vector<PlaceColumns> places_;
};

}  // namespace sinew
