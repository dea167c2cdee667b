// src/operators/task_points.cpp
#include "sinew/operators/task_points.hpp"

#include <algorithm>

#include "sinew/base/counted.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew::sko {
namespace {

template <class T>
std::shared_ptr<PointBlocks<T>> make_blocks(const SkoModel<T>& model, const std::vector<PickOff>& points) {
  const Shape& s = model.shape();
  auto out = std::make_shared<PointBlocks<T>>();
  for (const PickOff& p : points) {
    check_index("TaskPoints", "node", p.node, at(s.nodes()));
    if (p.columns < 0)
      throw std::invalid_argument("TaskPoints: a point of " + s.describe(p.node) + " has " + std::to_string(p.columns) +
                                  " columns; 0 or more are needed");
    check_size("TaskPoints", "a block of B", p.block.size(), at(s.size(p.node) * p.columns));
    out->node.push_back(p.node);
    out->begin.push_back(out->size);
    out->size += p.columns;
    out->blocks.add(s.size(p.node), p.columns);
    std::transform(p.block.begin(), p.block.end(), out->blocks[out->blocks.count() - 1],
                   [](double x) { return lit<T>(x); });
  }
  return out;
}

template <class T>
Operator<Nodes, Points> make_pick_off_operator(const SkoModel<T>& model, const std::shared_ptr<PointBlocks<T>>& points,
                                               const std::string& name) {
  Expression e;
  e.kind = Expression::Kind::letter, e.letter = Letter::B, e.name = name, e.model = &model;
  e.rows = side_of<Nodes>(), e.cols = {Side::Space::points, points};
  return Operator<Nodes, Points>(std::make_shared<const Expression>(std::move(e)));
}

}  // namespace

template <class T>
TaskPoints<T>::TaskPoints(const SkoModel<T>& model, const std::vector<PickOff>& points, const std::string& name)
    : data_(make_blocks(model, points)), B(make_pick_off_operator(model, data_, name)) {}

template <class T>
int TaskPoints<T>::node(int i) const {
  check_index("TaskPoints", "point", i, data_->node.size());
  return data_->node[at(i)];
}

template <class T>
void TaskPoints<T>::set_block(int i, In<T> block) {
  check_index("TaskPoints", "point", i, data_->node.size());
  check_size("TaskPoints", "the block", block.size(), at(data_->blocks.rows(i) * data_->blocks.cols(i)));
  std::copy(block.begin(), block.end(), data_->blocks[i]);
}

PickOff make_pick_off(const RigidSko& r, const Place& place) {
  const int nodes = r.sko.shape().nodes();
  check_index("make_pick_off", "node", place.node - 1, at(nodes));  // the world does not move
  PickOff out{place.node - 1, 6, {}};
  out.block.assign(at(6 * r.sko.shape().size(out.node)), 0.0);
  const Mat6<double> X = to_dense(place.in_node);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out.block[at(6 * i + j)] = X(j, i);  // phi(O, C) [R92 0.17]
  return out;
}

template class TaskPoints<double>;
template class TaskPoints<Counted>;

}  // namespace sinew::sko
