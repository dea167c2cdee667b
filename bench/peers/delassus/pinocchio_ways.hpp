// bench/peers/delassus/pinocchio_ways.hpp - Pinocchio's ways to the Delassus matrix and to constrained accelerations,
// each instantiated from its headers in a file of its own
#pragma once
#include <memory>

#include "../pinocchio_calls.hpp"
#include "../pinocchio_model.hpp"

namespace peers {

// A way: what it keeps between calls, and the call.
class Way {
 public:
  virtual ~Way() = default;
  virtual void run(const EigenState&) = 0;
  virtual Eigen::MatrixXd W() const { return {}; }  // upper triangle
  virtual Eigen::VectorXd ddq() const { return {}; }
};
using WayPtr = std::unique_ptr<Way>;
using MakeWay = WayPtr(const pinocchio::Model&, const std::vector<Contact>&);

// The Delassus matrix. `full`: by the public interface, which factors it and multiplies the factors again.
MakeWay make_cholesky, make_cholesky_full, make_efpa, make_pv_osim;
// Accelerations. pv and constrained_aba take contacts of one kind only: null for others.
MakeWay make_constraint_dynamics, make_pv, make_constrained_aba;

}  // namespace peers
