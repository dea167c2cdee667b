// src/model/mechanisms_parts.hpp - what the mechanisms are put together from
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::mechanisms {

using Point = Vec3<double>;

inline constexpr Point kRoll{1, 0, 0}, kPitch{0, 1, 0}, kYaw{0, 0, 1};
inline constexpr Point kTurnUp{0, -1, 0};    // the axis of planar linkages: turns x towards z
inline constexpr double kPivotHeight = 0.5;  // [m] of their fixed pivots

inline std::string numbered(const char* name, int i) { return name + std::to_string(i); }

// Throws std::invalid_argument: "mechanisms::pendulum: n is 0, must be in 1 .. 100000".
void check_range(const char* call, const char* name, double value, double lower, double upper);

// Matter and shape of one link, in its own frame. A rod is a capsule whose ends touch the origin and `tip`.
struct Solid {
  double mass = 0;
  double radius = 0;  // rod, ball
  Point tip;          // rod: its end; block and ball: the centre
  Point half;         // block: half sides
  bool collides = true;
};
constexpr Solid rod(double mass, double radius, const Point& tip) { return {mass, radius, tip, {}, true}; }
constexpr Solid block(double mass, const Point& half, const Point& centre) { return {mass, 0, centre, half, true}; }
constexpr Solid ball(double mass, double radius, const Point& centre = {}) {
  return {mass, radius, centre, {radius, radius, radius}, true};
}
// Seen, but takes no part in contact.
constexpr Solid quiet(const Solid& s) { return {s.mass, s.radius, s.tip, s.half, false}; }

void add_solid(ModelSpec&, BodyBuilder&, const Solid&);
void add_floor(ModelSpec&);  // the plane z = 0
void add_frame(ModelSpec&, const std::string& name, const std::string& body, const Pose& pose);

// One revolute joint of a robot and the link that it moves.
struct Segment {
  const char* joint;
  const char* body;
  Point at;  // the joint in the parent's frame
  Point axis;
  double lower, upper;   // [rad]
  double effort, speed;  // [N m], [rad/s]
  Solid solid;
  Point rpy{};  // turn of the joint's frame at `at`
};

// Names get the prefix; a mirrored chain is the image of the table in the plane y = 0, with equal coordinates.
struct Naming {
  std::string prefix;
  bool mirrored = false;
  std::string operator()(const std::string& name) const { return prefix + name; }
  Point place(const Point& p) const { return {p.x, mirrored ? -p.y : p.y, p.z}; }
  Point turn(const Point& a) const { return mirrored ? Point{-a.x, a.y, -a.z} : a; }  // axes and angles
};
// The segments one after the other, from `parent` outwards; gives the name of the last body.
std::string add_chain(ModelBuilder&, std::string parent, std::span<const Segment>, const Naming&);

// A hand of 24 dof whose forearm is fixed to `parent`; wrist at the forearm's far end, along z of `pose`.
void add_hand(ModelBuilder&, const std::string& parent, const Pose& pose, const Naming&);

// No contact between a body and the nearest one above it that has shapes to touch with, between links that fork from
// one point, or across a loop joint.
void exclude_neighbours(ModelSpec&);

}  // namespace sinew::mechanisms
