// src/io/mjcf/scale.hpp - <frame scale massscale scaling>: lengths and masses in it grow, time stays
// With lengths times L and masses times M, forces grow by M L and torques by M L^2: the same motion in other units.
// Frames with scaling="geometry" change lengths and masses, but no force, gain or stiffness. Elements outside the tree
// follow what they refer to. docs/mjcf.md has the rule for each kind.
#pragma once
#include <string_view>

#include "io/mjcf/elements.hpp"

namespace sinew::mjcf {

struct Scale {
  double length = 1, mass = 1;              // of all frames around
  double force_length = 1, force_mass = 1;  // of those that change forces
};
Scale geometric_mean(const Scale&, const Scale&);  // for what lies between two elements

// What the coordinate of a joint, tendon or actuator is measured in: a length or an angle.
struct Unit {
  Scale scale;
  bool is_length = false;

  double position() const { return is_length ? scale.length : 1; }  // factor of the coordinate and of its rate
  // Factor of c in a force c x^power along the coordinate x. 1: stiffness, damping and inertia.
  double force(int power = 0) const;
  double torque() const { return scale.force_mass * scale.force_length * scale.force_length; }
};

// The frames that scale, as a tree; 0 is the file itself. Elements keep the index of the innermost one around them.
class Scales {
 public:
  // A frame inside another: its own factors, and where it stands in the world.
  int add(int parent, const Scale& own, const Vec3<double>& origin);
  const Scale& operator[](int i) const { return frames_[at(i)].scale; }
  // The innermost frame around both.
  int common(int a, int b) const;
  // Where a point in the frame comes to that stands at p in the world while nothing is scaled.
  Vec3<double> moved(int i, const Vec3<double>& p) const {
    return frames_[at(i)].scale.length * p + frames_[at(i)].shift;
  }

 private:
  struct Entry {
    Scale scale;
    int parent = 0;
    Vec3<double> shift;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<Entry> frames_{{}};
};

// The factors of a <frame> inside `outer`, its own alone; an error and ones where they are bad.
Scale read_scale(const Reader&, const Scale& outer);

// The enclosing <frame>s of an element, in its body.
struct Surroundings {
  Frame frame;
  int scale = 0;  // index into Scales
};
// The frame of an element as its attributes have it, seen from the body.
Frame place(const Surroundings&, const Scales&, const Frame& own);

Unit unit_of(const Joint&, const Scales&);  // of a free joint: length
void scale_joint(Joint&, const Unit&);      // all but pos and axis; a free joint keeps its numbers, as in MuJoCo
void scale_inertial(Inertial&, const Scale&);
void scale_geom(Geom&, const Scale&, bool of_surface);  // of_surface: density is that of an area
void scale_tendon(TendonSpec&, const Unit&);            // all but the factors of joints
// c of y = sum of c[k] x^k.
void scale_polynomial(std::span<double> c, const Unit& y, const Unit& x);
void scale_actuator(ActuatorSpec&, const Unit&);
double control_factor(const ActuatorSpec&, const Unit&);  // of its control and its activation
// Of the cutoff of a sensor whose object has this unit, or lies in this scale.
double cutoff_factor(std::string_view kind, const Unit&);

}  // namespace sinew::mjcf
