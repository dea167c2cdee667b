// src/sim/contact_row_slopes.hpp - rows of contacts and how they change with the position
// A change of q moves the two bodies of a contact by twists, a against b by xi = (w, y) at the contact point x. Seen
// from b the point and the normal then move by dx(xi), dn(xi) (contact/touch_slopes.hpp). The axes A of the contact
// turn with the normal, by t = n x dn: any frame will do, since friction is the same in all directions. So with the
// impulse F
//   A^T (velocity of a against b at x)   changes by   A^T (d(velocity) + w_r x dx - t x velocity)      all seen from b
//   the force on b at x, -F               by  t x F, at a point that moves by dx
//   the force on a at x, F                by  (t - w) x F, at a point that moves by dx - y              both seen from
//   a
// What stays as it is on its body is an external force of rnea_derivatives; the rest comes from here.
#pragma once
#include <array>
#include <vector>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/touch_slopes.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew::stepping {

class ContactRowSlopes {
 public:
  explicit ContactRowSlopes(const Model&);
  // Where everything stands, and how it moves at the velocity u.
  void place(In<double> q, In<double> u, double time);
  // (3 contacts) velocities of contacts, normal, tangent, tangent; after place.
  void find_velocities(std::span<const ContactPoint>, std::vector<double>& out) const;

  // Row-major. Only the columns of `coordinates` are written.
  struct Result {
    double *J, *d_velocity;  // (rows x nv) of the contact, and d(J u)/dq; set
    double* d_gap;           // (nv) d(gap)/dq; set
    double* d_force;         // (nv x nv) d(J^T F)/dq but for what stays on its body; added
    int stride = 0;          // of their rows
    int rows = 3;            // 1: the normal only
  };
  // False where the contact has no derivatives. tie: as in TouchSlopes. The rows must be zero.
  bool add(const ContactShapes&, const ContactPoint&, const Vec3<double>& F, const Result&, bool& tie);

  // The same for a shape that moves on its body: six columns, turns about the axes of the body's frame through its
  // origin, then shifts. d_velocity: (rows x 6), d_gap: (6), both set; d_force: (nv x 6), added. False if the contact
  // has none.
  bool add_placement(const ContactShapes&, const ContactPoint&, const Vec3<double>& F, bool of_a, const Result&);

  // Those that move the bodies of the last contact.
  std::span<const int> coordinates() const { return coordinates_; }

  const Transform<double>& pose(int node) const { return motion_.kinematics.X[at(node)]; }
  // Velocity of a force's direction, given in the node's frame, for unit velocity k of its joint.
  double project(int node, int k, const Force<double>& direction) const;

 private:
  struct OfShape {
    PlacedShape placed;
    Transform<double> in_node, body_in_node;
    int node = 0;
  };
  // Velocities of the two bodies at the point of a contact, for unit velocity of one coordinate.
  struct Column {
    Motion<double> a, b;  // world axes, about the point
    bool moves_a = false, moves_b = false;
  };
  // What motions of the two bodies change: gap, velocity at the point, forces on both (moment about the point, force).
  struct Change {
    double gap = 0;
    Vec3<double> velocity{};
    Force<double> on_a{}, on_b{};
  };
  // What follows from the touching of two shapes alone: of point and axes as b sees them.
  struct TouchChange {
    double gap = 0;
    Vec3<double> point{}, turn{};
  };
  static TouchChange calc_touch_change(const ContactPoint&, const TouchSlopes&, const Motion<double>& xi);
  Change calc_change(const ContactPoint&, const TouchSlopes&, const Motion<double>& a, const Motion<double>& b,
                     const Motion<double>& va, const Motion<double>& vb, const Vec3<double>& F) const;
  bool find_touch(const ContactShapes&, const ContactPoint&, TouchSlopes&);
  void find_columns(const ContactPoint&);
  void add_columns(int node, const Vec3<double>& point, bool of_a);
  Motion<double> motion_at(int node, const Vec3<double>& point) const;

  const Model& model_;
  VelocityWorkspace<double> motion_;
  std::vector<Motion<double>> S_,
      psi_;  // (nv) world axes, about the node's origin; psi: see kernel/dynamics_slopes.hpp
  std::vector<OfShape> shapes_;
  std::vector<int> coordinates_;
  std::vector<Column> columns_;             // of the coordinates
  std::vector<int> column_of_;              // (nv)
  std::vector<Force<double>> on_a_, on_b_;  // (columns) change of the forces: moments about the point, and forces
};

}  // namespace sinew::stepping
