// src/sim/step_collisions.hpp - a phase of a step: bodies that meet and bounce, each impact at its own time
// Let v lead to v + dt a without the impacts. v is of its time, or of dt / 2 earlier where a body moves by the velocity
// at the end of its steps; with s = v + lag, of the start (FreeFlight::find_lag), a body is at time t of the step at
//   q + t (s + a t / 2)      with the velocity      s + a t.
// An impact at time t, found where a gap closes on that path, changes the velocity by D from then on. The step ends as
// if D had been there from its start, at a place that is less by t D:
//   v+ = v + D + dt a        q+ = q + dt v+ - t D
// So the phases after this one step from v + D, and movement, gaps and stops know the displacement, the sum of -t D.
// Contacts are found again where impacts happen: normals and points are those of the impact, and contacts that only an
// impact brings into reach are met too. Trees that no contact within reach connects go to impacts at different times in
// the same round. A step in which nothing may bounce costs one look at its contacts.
#pragma once
#include "impact_log.hpp"
#include "sinew/contact/collision.hpp"
#include "step_solution.hpp"

namespace sinew::stepping {

class Collisions {
 public:
  Collisions(const Setting&, Detection&, Rows&, Forces&, Movement&, Solution&);
  void reserve(const State&, int contacts, int rows);

  // Changes the velocity of the state, and then contacts, motion, the rows of stops, and the displacement.
  void run(const Step&);

  CollisionSolver solver;
  ImpactLog* log = nullptr;  // where one is given, impacts are written down

 private:
  void write_down(const CollisionAnswer&);
  void write_down_path(const Step&);
  bool may_bounce(const Step&);
  bool closes_fast(const ContactPoint&, double u) const;
  void collide_at_start(const Step&);  // without looking ahead
  void find_path(const Step&);
  bool find_next(const Step&);
  void go_on(const Step&);
  void place(const Step&);
  void look(const Step&);
  bool collide(const Step&);
  bool select_bouncing();
  const CollisionAnswer& solve(In<double> q, In<double> v, double time, const Step&);
  void finish(const Step&, bool any);
  void leave_out_bouncing(const Step&);
  double touch() const;
  void turn(const std::vector<double>& from, const std::vector<double>& to, std::vector<double>& v) const;
  int find_group(int tree);
  int group_of(const ContactPoint& c) { return find_group(root_of(c.node_a != 0 ? c.node_a : c.node_b)); }
  int root_of(int node) const { return together_ ? 0 : tree_of_[at(node)]; }
  bool join_groups();

  const Setting& set_;
  Detection& seen_;
  Rows& rows_;
  Forces& forces_;
  Movement& movement_;
  Solution& solution_;
  std::vector<int> tree_of_;                // (nodes) the root node of its tree; 0: the world
  bool together_ = false;                   // all trees have the same time
  std::vector<int> tree_of_v_;              // (nv) the tree of a coordinate; 0 where all are together
  std::vector<double> velocities_, later_;  // (3 contacts) now, and dt later
  std::vector<ContactPoint> touching_, near_;
  std::vector<bool> bouncing_, reached_;  // (touching contacts), (nodes)
  std::vector<JointRow> held_;            // stops that are reached
  Rows::Stuck stuck_;                     // before the path was found
  // Of the path, along the axes at the start: velocity there if all impacts had been before, acceleration; and the sums
  // of t D, of D and of t (dt - t) D / 2.
  std::vector<double> start_, rate_, passed_, gained_, late_;
  ContactMemory memory_;  // of the solver, before the path was found
  // Now: place, and velocity along the axes there.
  std::vector<double> q_, v_, change_;
  VelocityWorkspace<double> motion_;
  // A group of trees, at its root.
  struct Group {
    int joined = 0;                      // another root of the group, or itself
    int impacts = 0;                     // that it went to
    double time = 0;                     // [s] of the step, now
    double next = 0;                     // [s] of its next impact; while it goes there, how much later that is
    double from = 0, gap = 0;            // where it came from; of the contact that closes
    bool goes = false, bounces = false;  // now; something in it may bounce in this step
  };
  std::vector<Group> groups_;  // (nodes)
};

}  // namespace sinew::stepping
