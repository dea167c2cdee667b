// sinew/operators/task_points.hpp - the pick-off operator B: places on the nodes of an SKO model where it is touched
//   TaskPoints<double> tips(rigid.sko, {make_pick_off(rigid, left_foot), make_pick_off(rigid, right_foot)});
//   const auto J = o.jacobian(tips.B);            // B* A* H*, maps theta' to the velocities at the points [R92 0.18]
//   const auto Lambda = o.compliance(tips.B);     // B* psi* H* D^-1 H psi B = J M^-1 J*               [J11 60, R92
//   0.34]
// Block (node, i) of B carries forces at point i to its node, its transpose carries the node's velocity to the point
// [R92 0.16, 0.17]. Several points may share a node; a point may have any number of components. Stacked vectors of
// points hold them in the order of the list. Operators keep the list alive; the model must outlive them.
// Errors: a node that does not exist, or a block that does not fit, throws std::invalid_argument.
#pragma once
#include "sinew/operators/operator.hpp"
#include "sinew/operators/sko_dynamics.hpp"

namespace sinew {
struct Place;
}
namespace sinew::sko {
class RigidSko;

// The blocks of one list of points, as the recursions read them.
template <class T>
struct PointBlocks {
  std::vector<int> node, begin;  // (points) where each lies; its first number in a stacked vector of points
  int size = 0;                  // numbers in such a vector
  Blocks<T> blocks;              // size of the node x columns
};

template <class T>
class TaskPoints {
  std::shared_ptr<PointBlocks<T>> data_;

 public:
  // `name` is how B is printed; give one where several lists meet in a formula.
  TaskPoints(const SkoModel<T>&, const std::vector<PickOff>&, const std::string& name = "B");
  TaskPoints(const SkoModel<T>&&, const std::vector<PickOff>&, const std::string& name = "B") = delete;

  int points() const { return static_cast<int>(data_->node.size()); }
  int size() const { return data_->size; }
  int node(int i) const;  // of a point
  // New numbers for the block of a point, row by row; every expression with B sees them.
  void set_block(int i, In<T> block);

  const Operator<Nodes, Points> B;
};

// A place on a rigid body: the spatial velocity there, in the axes of its frame. The block does not change with q.
PickOff make_pick_off(const RigidSko&, const Place&);

}  // namespace sinew::sko
