// sinew/tree/planar_dynamics.hpp - the three basic algorithms for trees that move in a plane [F08 section 2.16]
// The same recursions with planar vectors, three numbers instead of six, for linkages and for teaching:
//   planar_rnea   tau = M a + h                          [F08 Table 5.1]
//   planar_crba   M                                      [F08 Table 6.2]
//   planar_aba    a with M a + h = tau                   [F08 Table 7.1]
// A revolute joint turns about the normal of the plane, a prismatic one slides along x of its frame. One coordinate per
// link, in the order of the links. Gravity enters as a_0 = -g.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/spatial/planar_inertia.hpp"

namespace sinew {

// The joints that planar models have.
enum class PlanarJointKind { revolute, prismatic };

// A link and the joint to its parent.
struct PlanarLink {
  int parent = -1;  // link; -1: the ground
  PlanarJointKind kind = PlanarJointKind::revolute;
  PlanarTransform<double> placement;   // joint's frame at q = 0 <- parent's frame
  PlanarRigidInertia<double> inertia;  // in the link's frame, which is the joint's
};
// Links, parents first, and gravity.
struct PlanarModel {
  // Throws std::invalid_argument, naming the link, unless parent < link.
  explicit PlanarModel(std::vector<PlanarLink> all_links, const Vec2<double>& g = {});
  std::vector<PlanarLink> links;
  Vec2<double> gravity;
  std::size_t size() const { return links.size(); }
};
// n equal uniform rods end to end along x at q = 0: length, mass; the chain of [F08 section 10.2].
PlanarModel planar_rods(int n, double length = 1, double mass = 1, const Vec2<double>& gravity = {});

// Scratch of the calls below.
template <class T>
struct PlanarWorkspace {
  explicit PlanarWorkspace(const PlanarModel&);
  std::vector<PlanarTransform<T>> X;            // (links) link <- parent
  std::vector<PlanarMotion<T>> v, c, a;         // (links) velocity; joint's own acceleration; acceleration
  std::vector<PlanarForce<T>> f;                // (links) transmitted force; bias force
  std::vector<PlanarRigidInertia<T>> Ic;        // (links) composite
  std::vector<PlanarArticulatedInertia<T>> IA;  // (links) articulated
  std::vector<PlanarForce<T>> U;                // (links) IA S
  std::vector<T> w, u;                          // (links) 1 / D; tau - S^T pA
};

// For every scalar of the closed set.
template <class T>
void planar_rnea(const PlanarModel&, PlanarWorkspace<T>&, In<T> q, In<T> v, In<T> a, Out<T> tau);
template <class T>
void planar_crba(const PlanarModel&, PlanarWorkspace<T>&, In<T> q, OutMatrix<T> M);
template <class T>
void planar_aba(const PlanarModel&, PlanarWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a);

}  // namespace sinew
