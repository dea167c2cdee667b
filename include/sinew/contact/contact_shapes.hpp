// sinew/contact/contact_shapes.hpp - which shapes of a model may touch, and where they do
// Two shapes are a pair if both collide, they are on different bodies that no joint joins (a joint to the world does
// not count, so a hanging link may hit the floor), no exclusion names their bodies and one's type shares a bit with the
// other's affinity; or if a PairSpec names them. A pair has the larger friction and the larger restitution of the two,
// a PairSpec its own friction. Which kinds can touch which: contact/collide.hpp.
#pragma once
#include <string>
#include <vector>

#include "sinew/contact/collide.hpp"
#include "sinew/contact/contact_point.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

class ContactShapes {
 public:
  // Throws std::invalid_argument that names a pair of shapes which may touch but are of kinds that are not handled.
  explicit ContactShapes(const Model&);

  int pairs() const { return static_cast<int>(pairs_.size()); }
  std::string pair_name(const ContactPoint&) const;  // "sphere 'ball' on plane 'floor'"

  // [m] No two shapes come closer than this within a step of dt at the velocities that they have, and as much again for
  // what impulses change. After calc_velocities.
  double calc_reach(const VelocityWorkspace<double>&, double dt) const;
  // Contacts whose gap is at most `reach` [m] more than the margin of their pair, in an order that depends on the
  // model alone. After calc_kinematics. Allocates nothing once there was as many contacts before.
  void find(const KinematicsWorkspace<double>&, double reach, std::vector<ContactPoint>& contacts);

 private:
  struct Shape {
    std::string name;  // "sphere 'ball'"
    int node = 0;
    Transform<double> in_node;  // shape <- node
    double bound = 0;           // radius of the ball about its origin that holds it; planes have none
    PlacedShape placed;         // where contacts were last looked for
  };
  struct Pair {
    int a = 0, b = 0;    // shapes
    bool plane = false;  // b is one
    double bound = 0;    // of both
    double margin = 0;
  };
  struct Surface {
    Collider collider;
    double friction = 0, restitution = 0;
  };
  std::vector<Shape> shapes_;
  std::vector<Pair> pairs_;
  std::vector<Surface> surfaces_;      // one a pair
  std::vector<Vec3<double>> centres_;  // world: of each shape, when contacts were last looked for
  std::vector<Vec3<double>> normals_;  // and of planes, their normals
};

}  // namespace sinew
