// sinew/sim/control_track.hpp - controls of a run from a table over time
//   ControlTrack track(model, table);          // columns find their actuators and joints by name
//   track.set(s.state.time, s.control, s.applied), s.step();
// A column that has the name of an actuator is its control. One that has the name of a joint is the force of the joint
// [N m or N]; "name[k]" is that of its velocity coordinate k. A row holds until the time of the next; the first holds
// before its time, the last for ever.
#pragma once
#include <string>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

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

 private:
  struct Target {
    bool actuator = false;
    std::size_t index = 0;
  };
  std::size_t actuators_, nv_;
  ControlTable table_;
  std::vector<Target> targets_;  // (columns)
};

}  // namespace sinew
