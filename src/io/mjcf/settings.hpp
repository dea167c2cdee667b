// src/io/mjcf/settings.hpp - what <compiler> and <option> say, and poses read by those rules
#pragma once
#include <array>
#include <numbers>

#include "io/mjcf/reader.hpp"
#include "sinew/model/spec.hpp"

namespace sinew::mjcf {

// Pose of a frame: origin and rotation. Composition keeps the quaternion.
struct Frame {
  Vec3<double> pos;
  Quaternion<double> quat;
};
Frame operator*(const Frame& parent, const Frame& child);
Frame inverse(const Frame&);
Vec3<double> turn(const Quaternion<double>&, const Vec3<double>&);
inline Pose to_pose(const Frame& f) { return make_pose(f.pos, f.quat); }

enum class InertiaFrom { inertial, geoms, automatic };

struct Settings {
  double angle_unit = std::numbers::pi / 180;
  std::string eulerseq = "xyz";
  bool autolimits = true, strippath = false, fitaabb = false, balanceinertia = false, alignfree = false;
  double boundmass = 0, boundinertia = 0, settotalmass = -1;
  InertiaFrom inertia_from = InertiaFrom::automatic;
  std::array<int, 2> inertia_groups{0, 5};
  std::string meshdir;
  Vec3<double> gravity{0, 0, -9.81};
  MediumSpec medium;
  Vec3<double> magnetic{0, -0.5, 0};
  double timestep = 0.002;
  bool contact = true;
};

Settings read_settings(const Node& root, Remarks&, Diagnostics&);

// Two end points: the middle, z towards the first. An error if it has no length, or if pos is given too.
std::optional<Frame> read_fromto(const Reader&, double& length);
// From quat, axisangle, xyaxes, zaxis or euler: at most one of them.
Quaternion<double> read_orientation(const Reader&, const Settings&);
Frame read_frame(const Reader&, const Settings&);
// The least turn that carries z onto the direction.
Quaternion<double> turn_z_to(const Vec3<double>& direction);
Quaternion<double> from_euler(const std::array<double, 3>& angles, const Settings&);

}  // namespace sinew::mjcf
