// src/sim/movement_slopes.hpp - derivatives of where a step ends, joint by joint
// A step has the velocity u at its end, along the axes at its start; sim/free_flight.hpp moves by it:
//   q+ = q+(q, u),  v+ = v+(q, u);   of single bodies that touch nothing both depend on v too, by their free spin.
// Joints do not mix here. In tangent coordinates, by dual numbers, but for joints whose coordinates just add up.
#pragma once
#include <array>
#include <vector>

#include "sinew/sim/free_flight.hpp"

namespace sinew::stepping {

class MovementSlopes {
 public:
  using Block = std::array<std::array<double, 6>, 6>;
  // Of one joint: out x in.
  struct Joint {
    int node = 0, v = 0, nv = 0;
    Block q_by_q{}, q_by_u{}, q_by_v{}, v_by_q{}, v_by_u{}, v_by_v{};
    Block q_by_back{}, v_by_back{};  // of impacts: see calc
    bool single = false, touches = false, falls = false;
    Sym3<double> I{};  // of a single body: as in FreeFlight
    Vec3<double> centre{}, gravity{};
    Mat3<double> torque_by_v{};  // of a single body: d(torque of its free spin)/d(spin)
    Vec3<double> torque{};
  };

  // The model must outlive it. Throws std::invalid_argument naming a joint of a user.
  MovementSlopes(const Model&, double dt, SingleBodies = SingleBodies::spin_exactly);

  // From q and v to q_after, by u. touches: (nodes) something is near. back: (nv) how much less far the step ends
  // because of impacts (Movement::displace); or empty.
  void calc(In<double> q, In<double> v, In<double> u, In<double> q_after, const std::vector<char>& touches,
            In<double> back = {});
  // Those that are not simple; the others have q+ = q + dt u, v+ = u.
  const std::vector<Joint>& joints() const { return joints_; }
  const FreeFlight& flight() const { return flight_; }

  // Of one joint: from q by a way to another place, FreeFlight::shift, and velocities along the axes at both,
  // FreeFlight::turn. All numbers along the axes at q, but for v_there.
  struct Shift {
    Block q_by_q{}, q_by_way{};                        // of the other place
    Block there_by_q{}, there_by_way{}, there_by_v{};  // of a velocity v, seen there
    Block back_by_q{}, back_by_there{}, back_by_v{};   // of a velocity v_there, seen at q; there: by the place
  };
  void calc_shift(const Joint&, In<double> q, In<double> way, In<double> v, In<double> v_there, Shift&) const;

 private:
  void calc(Joint&, In<double> q, In<double> v, In<double> u, In<double> q_after, In<double> back);
  void spin(Joint&, const Vec3<double>& w);

  const Model& model_;
  double dt_;
  FreeFlight flight_;
  std::vector<Joint> joints_;
  // Of the free spin of one body.
  Vec3<double> after_{};
  Mat3<double> after_by_w_{};
};

}  // namespace sinew::stepping
