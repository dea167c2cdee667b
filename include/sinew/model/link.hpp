// sinew/model/link.hpp - a node as the sweeps read it: constants in one place, in the precision of the sweep
// Most joints of robots turn or slide along one axis, their z. Such a link reaches its joint by axial screws
// [F08 A.4]: from the parent's frame
//   Denavit-Hartenberg link:  x screw (alpha, a), then z screw (theta + q, d)
//   branch link:              shift r0, turn theta0 about z, alpha about x, theta + q about z
// compile() chooses the frames: the parent's x axis points at one of its children, which is a Denavit-Hartenberg link;
// its other children are branch links. In most machines alpha is 0 or 90 degrees, which costs no multiplication.
#pragma once
#include <cstdint>

#include "sinew/joint/kind.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// How a sweep crosses a joint.
enum class Step : std::uint8_t {
  revolute,  // about z
  axial,     // prismatic or helical along z
  free,      // six freedoms from the world
  general,   // any other joint, by its JointMotion
};
// The twist of a link.
enum class Twist : std::uint8_t { none, quarter, any };  // alpha: 0, +90 degrees, anything else

// One-axis placement of a joint, F_p <- parent = z(theta, d) x(alpha, a) z(theta0) shift(r0).
struct AxialPlacement {
  Twist twist = Twist::any;
  bool branch = true;  // a = d = 0; otherwise theta0 = 0 and r0 = 0
  double theta = 0, d = 0;
  double cos_alpha = 1, sin_alpha = 0, a = 0;
  double cos_theta0 = 1, sin_theta0 = 0;
  Vec3<double> r0;
};

template <class R>
struct Link {
  int parent = -1;        // node; 0 is the world
  int q = 0, v = 0;       // first coordinates
  int nq = 0, nv = 0;     // how many of each
  int dof = 0;            // first freedom in model.dof_tree()
  int dof_end = 0;        // the freedoms of the subtree are dof .. dof_end - 1
  int keep = -1;          // branch slot of this node, -1: it has no child but the next node
  int from = -1;          // branch slot of the parent, -1: the parent is the node before, or the world
  int extra = -1;         // place among the general joints, -1: none
  bool has_next = false;  // the next node is a child
  bool second = false;    // the parent is a revolute joint on the world
  bool opens = false;     // last child that uses the parent's slot on the way out, so the first one on the way back
  JointKind kind = JointKind::fixed;
  bool reversed = false;
  R parameter{};  // of the joint
  Step step = Step::general;
  Twist twist = Twist::any;
  bool branch = false, has_a = false, has_d = false;
  R theta{}, c{}, s{}, d{};   // z screw at q = 0
  R ca{}, sa{}, a{};          // x screw
  R ss{}, cs{}, cs2{}, c2{};  // sa^2, ca sa, 2 ca sa, 1 - 2 sa^2
  R c0{}, s0{};               // branch
  Vec3<R> r0;                 // branch
  R turns{}, slides{};        // S = (0 0 turns; 0 0 slides)
  R armature{};               // of a one-axis joint [kg m^2 or kg]
  R m{};                      // mass
  Vec3<R> h;                  // mass times centre of mass
  Sym3<R> I, J;               // about the origin: moments of inertia; second moments, J = tr(I)/2 - I
  R mc{};                     // mass of the subtree
  R mc_a{}, mc_d{};           // times a and d
  Rotation<R> E0;             // before the z turn <- parent, for links that start at the world
  Vec3<R> up;                 // -g there
  Transform<R> placement;     // F_p <- parent, for free and general joints
};

}  // namespace sinew
