// sinew/constraint/embedding/embedded_sko.hpp - a mechanism with embedded loops as an SKO model [J11 section 8.1]
// Each group of bodies that loops tie is one node (operators/aggregation.hpp) whose freedoms follow from the
// independent ones, theta' = X y' and theta'' = X y'' + g, so that
//   H(k) = X^* H,   a(k) = a + H^* g,   and A, M and b are those of the group
// and every operator of operators/ works on closed loops: identities, factorizations, compliances. The blocks of a
// group are dense, 6 numbers per body: this is for study and for checks; constraint/embedding/embedded_dynamics.hpp is
// the O(N) algorithm.
//   EmbeddingWorkspace ws(model, set);
//   close_loops(model, set, ws, q, v);
//   EmbeddedSko e(model, ws);
//   e.update(ws, q, v);
//   forward_dynamics(e.sko, dynamics, e.stack(ws, T), ydd);
// The model must outlive it.
#pragma once
#include "sinew/constraint/embedding/embedding.hpp"
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/rigid_sko.hpp"

namespace sinew {

class EmbeddedSko {
 public:
  // After prepare_embedding or close_loops, which choose coordinates.
  EmbeddedSko(const Model&, const EmbeddingWorkspace&);
  EmbeddedSko(const Model&&, const EmbeddingWorkspace&) = delete;
  EmbeddedSko(const EmbeddedSko&) = delete;
  EmbeddedSko& operator=(const EmbeddedSko&) = delete;

  // After prepare_embedding or close_loops at (q, v). Throws std::invalid_argument where a group has another number of
  // freedoms than when this was made.
  void update(const EmbeddingWorkspace&, In<double> q, In<double> v, const Surroundings<double>& = {});

  // Stacked vectors: the order of y, and that of the nodes of `sko`.
  std::vector<double> stack(const EmbeddingWorkspace&, In<double> y) const;
  std::vector<double> unstack(const EmbeddingWorkspace&, In<double> by_node) const;

 private:
  std::vector<int> find_order(const EmbeddingWorkspace&) const;  // place in y of each freedom

  sko::RigidSko rigid_;
  sko::Aggregation<double> groups_;

 public:
  sko::SkoModel<double> sko;
};

}  // namespace sinew
