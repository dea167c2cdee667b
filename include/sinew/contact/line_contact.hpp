// sinew/contact/line_contact.hpp - contact along a straight line, with normals that may turn [F08 section 11.6,
// Fig 11.7] An edge on a plane has one normal and its two ends are enough. On a twisted surface, such as z = x tan(y),
// which touches the y axis, every point has a normal of its own and none follows from others: points on the line stand
// for all of it. Between two of them, h apart, the bodies can come closer at most at the speed
//   h^2 / 8 (t^2 u + 2 t w),   t: turn per metre, u: most speed of a point of the line, w: angular speed,
// so twice as many points are four times as good.
#pragma once
#include <vector>

#include "sinew/contact/contact_point.hpp"

namespace sinew {

struct LineContact {
  Vec3<double> from, to;  // world
  Vec3<double> normal;    // at `from`: unit, square to the line
  double turn = 0;        // [rad] by which the normal has turned at `to`, about the line, in equal steps; 0: a plane
  ContactPoint like;      // nodes, gap, friction and restitution of all points, and the id of the first
};

// `count` points, at least two, in equal distances from end to end. Throws std::invalid_argument for fewer, for a line
// without length, and for a normal that is not unit or not square to the line.
void add_line_contacts(const LineContact&, int count, std::vector<ContactPoint>& out);

// The bound above for so many points, and how many points keep it at `allowed` [m/s] or below.
double calc_line_closing(const LineContact&, int count, double speed, double spin);
int count_line_contacts(const LineContact&, double allowed, double speed, double spin);

}  // namespace sinew
