// sinew/contact/contact_shapes.hpp - which shapes of a model may touch, and where they do
// Two shapes are a pair if both collide, they are on different bodies that no joint joins (a joint to the world does
// not count, so a hanging link may hit the floor), no exclusion names their bodies and one's type shares a bit with the
// other's affinity; or if a PairSpec names them. Two that nothing can push are no pair. A body welded to the world also
// touches bodies jointed to it, except for shapes that overlap in the model's neutral position: no motion parts them,
// and a remark names them. A pair has the larger restitution and margin of the two, and the larger friction or that of
// the higher priority; a PairSpec its own friction and margin. Contact points of each pair of kinds:
// contact/collide.hpp, docs/shapes.md.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/contact/collide.hpp"
#include "sinew/contact/contact_point.hpp"
#include "sinew/contact/loop.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

struct Bounds;  // contact/triangle_surface.hpp

class ContactShapes {
 public:
  // Throws std::invalid_argument that names a pair of shapes which may touch but are of kinds that are not handled, or
  // a mesh that has not been read.
  explicit ContactShapes(const Model&);
  ~ContactShapes();
  ContactShapes(ContactShapes&&) noexcept;
  ContactShapes& operator=(ContactShapes&&) noexcept;

  int pairs() const;  // how many may touch; counted at each call
  // A pair that may touch: shapes of the model's specification, a < b, and what they have together.
  struct Pair {
    int a = 0, b = 0;
    double friction = 0, restitution = 0, margin = 0;
  };
  std::vector<Pair> list_pairs() const;
  int usual_contacts() const;  // how many there are if each moving shape lies on a floor
  void reserve(int contacts);  // memory to find that many
  // From now on the hull of the mesh bulges between its vertices, with this radius of curvature [m], so that it rolls
  // without impacts (contact/polytope.hpp). Throws std::invalid_argument where no colliding shape is such a hull, or
  // its vertices do not fit into a ball of that radius.
  void round_mesh(const std::string& mesh, double radius);
  std::uint64_t revision() const { return revision_; }       // how many times that was called
  std::string pair_name(const ContactPoint&) const;          // "sphere 'ball' on plane 'floor'"
  std::pair<int, int> shapes_of(const ContactPoint&) const;  // a and b, among the shapes of the model's specification
  const Polytope* hull(int shape) const;            // a mesh that touches as a convex solid; null: any other shape
  const TriangleSurface* surface(int shape) const;  // of a heightfield, or of a mesh that touches as it is; else null
  double bound(int shape) const;  // [m] radius of the ball about its origin that holds it; 0: a plane, or never touches
  // A shape or pair whose friction resists spinning or rolling, by name; empty: none does.
  std::string find_spin_friction() const;
  // What a reader of the model may not expect, such as a mesh that touches with its hull and is not convex.
  const std::vector<std::string>& remarks() const { return remarks_; }

  Interrupt interrupt;  // looked at once per pair while contacts are found
  Loop loop;            // over shapes and pairs
  // Contacts of shapes that might meet within a step of dt: those whose gap is at most the margin of their pair plus
  // twice the distance that the two move or fall in dt. Islands in which no contact can close at the relative velocity
  // of its bodies are left out: nothing pushes there. In islands that nothing connects with the world, only motion
  // relative to the island counts. Order as below. After calc_velocities.
  void find_within(const VelocityWorkspace<double>&, double dt, std::vector<ContactPoint>& contacts);
  // Contacts whose gap is at most `reach` [m] more than the margin of their pair (and 1e-9 of their size more, so that
  // rounding loses none that touches), in an order that depends on the model only. After calc_kinematics. Allocates
  // nothing once it has found as many contacts.
  void find(const KinematicsWorkspace<double>&, double reach, std::vector<ContactPoint>& contacts);

 private:
  struct Friction {
    FrictionLaw law = FrictionLaw::sliding;
    double sliding = 0, torsional = 0, rolling = 0;
  };
  struct Shape {
    int body = 0, node = 0, parent = 0;  // parent: the body above
    int type = 0, affinity = 0;          // 0 where it does not collide
    int priority = 0;
    bool held = true;    // nothing can push it: fixed to the world, or moved as prescribed
    bool named = false;  // by a PairSpec
    Friction friction;
    double restitution = 0, margin = 0;
    double bound = 0;           // radius of the ball about its origin that holds it; planes have none
    Vec3<double> middle, half;  // of the box, in its frame, that holds it
    double widest_margin = 0;   // of its pairs
    double reach = 0;           // [m] how far to look for others; the reaches of a pair add up
    Vec3<double> velocity;      // [m/s] of its origin, world
    double whirl = 0;           // [m/s] most speed of its points relative to its origin
    Transform<double> in_node;  // shape <- node
    PlacedShape placed;         // at the last search
  };
  struct Surface {
    Friction friction;
    double restitution = 0, margin = 0;
  };
  struct NamedPair {
    int a = 0, b = 0;  // a < b
    Friction friction;
    double margin = 0;
  };
  struct Assets;  // polytopes and surfaces
  struct Search;  // what is near, kept from one call to the next: it saves time and changes no result

  void add_shape(const Model&, const ShapeSpec&, int number, int parent);
  void add_named_pairs(const ModelSpec&);
  void check_pairs(const ModelSpec&) const;
  void leave_out_neutral_overlaps(const Model&);
  std::vector<NamedPair>::const_iterator find_named(int a, int b) const;
  bool is_named(int a, int b) const;
  bool may_touch(int a, int b) const;
  static Friction calc_friction(const Shape&, const Shape&);
  Surface calc_surface(int a, int b) const;
  void find_reaches(const VelocityWorkspace<double>&, double dt);
  void place(const KinematicsWorkspace<double>&);  // and finds the pairs that are near
  void touch_near(std::vector<ContactPoint>& contacts);
  struct Found;  // contacts of some pairs
  void touch(int a, int b, int slot, Found&);
  void find_near();
  void find_near_planes();
  template <class Body>  // by `loop` where there is one and it is worth it
  void run(std::size_t count, std::size_t few, const Body& body) const {
    if (loop && count > few)
      loop(count, std::cref(body));
    else
      body(0, count);
  }
  static Bounds calc_box(const Shape&);
  static bool is_above(const Shape&, const Shape& plane, double reach);
  double calc_approach(const Shape&, const Shape&) const;
  void join_trees(const Model&);
  int find_island(int tree);
  void join_islands(int node_a, int node_b);
  void shorten_reaches();
  void keep_closing_islands(std::vector<ContactPoint>& contacts);

  MadeFor made_for_;
  std::vector<Shape> shapes_;  // all of the model
  std::vector<std::string> names_, remarks_;
  std::uint64_t revision_ = 0;
  std::vector<int> planes_, others_;              // shapes that may touch anything
  std::vector<std::pair<int, int>> exclusions_;   // bodies, sorted
  std::vector<std::pair<int, int>> overlapping_;  // pairs left out at neutral, sorted
  std::vector<NamedPair> named_;                  // sorted
  int feature_bits_ = 0;
  double gravity_ = 0;        // [m/s^2]
  std::vector<int> tree_of_;  // (nodes) the root node of its tree; 0: the world
  // (nodes, used at roots) another tree that loops, couplings or tendons connect it with, or itself; the world pushes
  // it through a joint, loop or tendon
  std::vector<int> joined_;
  std::vector<bool> grounded_;
  std::unique_ptr<Assets> assets_;
  // While looking for contacts:
  std::unique_ptr<Search> search_;
  double dt_ = 0;
  std::vector<bool> closes_, flags_;  // (contacts), (trees) of an island: something near or closing is in it
  struct Drift {
    Vec3<double> sum{};  // [m/s] of velocities
    int shapes = 0;
  };
  std::vector<Drift> drift_;  // (trees) of an island
  std::vector<int> island_;   // (trees) another tree of its island, or itself
};

}  // namespace sinew
