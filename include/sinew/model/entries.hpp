// sinew/model/entries.hpp - the parts of a compiled model
// Nodes are what algorithms sweep over; bodies, joints and frames are what the user named. One node carries one
// primitive joint and everything that moves rigidly with it.
#pragma once
#include <string>
#include <vector>

#include "sinew/joint/joint.hpp"
#include "sinew/model/joint_spec.hpp"
#include "sinew/model/link.hpp"
#include "sinew/model/tendon_spec.hpp"
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// What algorithms sweep over: a body of the book, with one joint.
struct Node {
  int parent = -1;               // node
  Joint joint;                   // primitive, prescribed or user; canonical axes, in the node's frame
  int q = 0, nq = 0;             // its position coordinates: q .. q + nq - 1
  int v = 0, nv = 0;             // its velocity coordinates
  Transform<double> placement;   // F_p <- parent node's frame (X_T of [F08 section 4.2])
  RigidInertia<double> inertia;  // about the node's origin, in the node's frame
  AxialPlacement axial;          // the placement in axial screws, if the joint turns or slides along one axis
};

// A body that the user named.
struct BodyEntry {
  std::string name;
  int node = 0;
  Transform<double> in_node;     // body's frame <- node's frame
  int parent = -1;               // body; -1 for the world
  int joint = -1;                // the joint that moves it; -1 for the world
  RigidInertia<double> inertia;  // in the body's frame
};

// A joint that the user named.
struct JointEntry {
  std::string name;
  JointKind kind = JointKind::fixed;
  int parent = 0, child = 0;  // bodies
  int q = 0, nq = 0, v = 0, nv = 0;
  std::vector<int> nodes;         // from parent to child; empty where it was merged away
  std::vector<JointEntry> parts;  // composite: its parts, with coordinates of their own
};

// A named place on a body.
struct FrameEntry {
  std::string name;
  int body = 0;
  int node = 0;
  Transform<double> in_node;  // frame <- node's frame
};

// A loop joint [F08 4.1.4]: F_p on node a, F_s on node b, canonical axes.
struct LoopEntry {
  std::string name;
  Joint joint;
  int node_a = 0, node_b = 0;
  Transform<double> in_a, in_b;  // F_p <- node a, F_s <- node b
  bool active = true;
};

// q[dependent] = offset + sum of polynomials in other coordinates, see CouplingSpec.
struct CouplingEntry {
  // A polynomial in one coordinate.
  struct Term {
    int q = 0, v = 0;
    std::vector<double> coefficients;
    double reference = 0;
  };
  std::string name;
  int q = 0, v = 0;  // the dependent coordinate
  std::vector<Term> terms;
  double offset = 0;
  bool active = true;
};

// A tendon with names turned into nodes and coordinates, see TendonSpec.
struct TendonEntry {
  // One piece of its way.
  struct Part {
    TendonPartKind kind = TendonPartKind::site;
    double factor = 1;  // joint, pulley
    int node = 0;       // of the site, the shape or the joint
    // Site: its origin. Wrap: the shape's frame <- node, its z the axis of a cylinder.
    Transform<double> in_node;
    double radius = 0;  // wrap
    bool cylinder = false;
    int side_node = -1;  // wrap; -1: no side
    Vec3<double> side;   // in the side's node
    int q = 0, v = 0;    // joint
  };
  std::string name;
  std::vector<Part> parts;
  std::vector<int> nodes;  // that its forces act on, ascending, without the world
};

// See TendonCouplingSpec.
struct TendonCouplingEntry {
  std::string name;
  int dependent = 0, driver = -1;  // tendons
  std::vector<double> coefficients;
  double offset = 0;
  bool active = true;
};

}  // namespace sinew
