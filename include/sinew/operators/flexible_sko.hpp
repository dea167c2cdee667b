// sinew/operators/flexible_sko.hpp - a model with flexible bodies as an SKO model, O(N) per update [J11 section 8.1]
//   FlexibleSko f(flexible_model);  f.update(q, v);  forward_dynamics(f.sko, ws, f.stack(tau), qdd);
// Node k is part k of the FlexibleModel. The velocity of a part that bends is (v; eta'; joint rates where the joint has
// armature), its hinge has the freedoms of its joint and then its modes, H = diag(S^T, 1), and M is the mass of frame
// and modes at eta. The weight from a child to a part that bends is (6 + modes) x (size of the child): the child hangs
// on an interface node, at its deformed place. Bias terms follow from Lagrange's equations of
//   T = 1/2 w^T M(eta) w,  w = (v; eta'):   b_v = M' w + v x* (M w)_v,   b_eta = (M' w)_eta - dT/deta + K eta + D eta'
// M(eta) is that of a motion r = s + phi eta + (a + B s)(eta), where the second-order shapes are replaced by the
// nearest fields that are linear in s. Their momentum and their stiffening are the same, and M stays positive definite
// however far the body bends. An update costs O(modes^2) per body, whatever number of points made the body. The
// FlexibleModel must outlive it.
#pragma once
#include "sinew/operators/flexible_model.hpp"
#include "sinew/operators/sko_dynamics.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew::sko {

// A frame fixed to a part, or to an interface node of a part that bends.
struct FlexiblePlace {
  int part = 0;
  int node = -1;            // interface node; -1: the part's frame
  Transform<double> frame;  // the place <- the part's frame or the interface node
};

class FlexibleSko {
 public:
  explicit FlexibleSko(const FlexibleModel&);
  explicit FlexibleSko(const FlexibleModel&&) = delete;
  const FlexibleModel& flexible() const { return *model_; }

  // All blocks at q and v. External forces: one per body of the Model, in its frame and about its origin; on a body
  // that bends they act on its frame. With implicit_dt > 0 stiffness and damping of the modes are those at the end of a
  // step of that length: M grows by dt D + dt^2 K, and b by dt K eta'.
  void update(In<double> q, In<double> v, const Surroundings<double>& = {}, double implicit_dt = 0);

  // Of coordinate v of a joint of one coordinate that had armature when this was made.
  void set_armature(int v, double armature);

  std::vector<double> stack(In<double> by_coordinate) const;         // order of v -> order of the nodes
  std::vector<double> unstack(In<double> by_node) const;             // and back
  int coordinate(int freedom) const { return order_[at(freedom)]; }  // in v

  // Places: of a body or frame of the Model by name; of a node of a flexible body. Throw std::invalid_argument for
  // unknown names, and for a frame on a body that bends: it says which node to use.
  FlexiblePlace find_place(const std::string& name) const;
  FlexiblePlace find_place(const std::string& body, const std::string& node) const;

  // After update.
  Transform<double> get_pose(const FlexiblePlace&) const;   // place <- world
  Motion<double> get_velocity(const FlexiblePlace&) const;  // world axes, of the place's origin
  Transform<double> get_part_pose(int p) const;             // part <- world
  Motion<double> get_part_velocity(int p) const;            // in the part's frame
  double kinetic_energy() const { return kinetic_; }
  double elastic_energy() const { return elastic_; }
  double gravity_energy() const { return gravity_; }       // 0 with all mass at the world's origin
  double damping_power() const { return damping_power_; }  // [W] taken out by modal damping, not negative
  Force<double> momentum() const { return momentum_; }     // about the world's origin, along its axes
  Force<double> weight() const { return weight_; }         // [N m, N] of gravity, likewise
  // J, 6 x nv: angular and linear velocity of the place's origin along the axes of the world, columns in the order of
  // v.
  void calc_jacobian(const FlexiblePlace&, OutMatrix<double> J);
  // Adds J^T f to the forces, in the order of v: f at a place, in its coordinates; or between a part and its parent,
  // in the coordinates of the part. O(depth); allocate nothing.
  void add_force(const FlexiblePlace&, const Force<double>& f, Out<double> forces);
  void add_joint_force(int part, const Force<double>& f, Out<double> forces);
  // Six columns of B for calc_compliance: unit couples and forces at the place's origin, along the world's axes.
  PickOff make_pick_off(const FlexiblePlace&) const;

  SkoModel<double> sko;

 private:
  // Of one flexible body, in fields: its m shapes, then R of the form (a + b . s) e, e an axis of the frame, into which
  // the second-order shapes are projected. Their amplitudes are x = (eta, y), y_r = 1/2 sum_ij C_rij eta_i eta_j.
  struct Fields {
    int modes = 0, count = 0;            // m, m + R
    std::vector<double> mass;            // (count^2)
    std::vector<double> C;               // (R m^2)
    std::vector<Vec3<double>> momentum;  // (count)
    std::vector<Vec3<double>> spin;      // (count) angular momentum
    std::vector<Sym3<double>> I1;        // (count) dI/dx_a, undeformed
    std::vector<Sym3<double>> I2;        // (count^2) d2I/dx_a dx_b
    std::vector<Vec3<double>> C1;        // (count^2) d c_a / dx_b, c_a = sum r x dr/dx_a
    // At the last update.
    std::vector<double> x, rate, bias;  // (count) amplitudes, their rates, forces
    std::vector<double> Z, y_bias;      // (R m) dy/deta; (R) y'' at eta'' = 0
    std::vector<double> T;              // (count m) mass times dx/deta
    std::vector<Vec3<double>> c;        // (count)
  };
  struct Interface {                // of one interface node, at eta
    Transform<double> X;            // node <- the body's frame
    std::vector<Motion<double>> E;  // (m) motion of the node, in the node's frame, per mode
    Motion<double> v, bias;         // of the node in its frame; bias: of its acceleration
  };
  static Fields make_fields(const FlexibleBody&);
  void calc_part(int k, In<double> q, In<double> v, double time);
  void add_weight(double mass, const Vec3<double>& moment);
  void calc_rigid(int k);
  void calc_flexible(int k, In<double> q, In<double> v, double implicit_dt);
  void calc_interface(int k, int node, In<double> q, In<double> v, Interface& out) const;
  const FlexiblePart& part(int k) const { return model_->parts()[at(k)]; }
  Interface& interface_of(int k, int node);
  void check_place(const char* call, const FlexiblePlace&) const;

  const FlexibleModel* model_;
  std::vector<int> order_;                     // coordinate in v of each freedom
  std::vector<Fields> fields_;                 // (flexible bodies)
  std::vector<std::vector<Interface>> nodes_;  // (flexible bodies) its interface nodes
  std::vector<Transform<double>> X_;           // (parts) part <- world
  std::vector<Motion<double>> v_;              // (parts) in its frame
  std::vector<Force<double>> external_;        // (parts) in its frame
  double kinetic_ = 0, elastic_ = 0, gravity_ = 0, damping_power_ = 0;
  Force<double> momentum_{}, weight_{};
  std::vector<double> up_, next_;  // (largest size of a part) scratch of add_force
};

}  // namespace sinew::sko
