// sinew/batch/kernel/device_workspace.hpp - what one world needs while it steps
// All of it is scratch. What loops use lies in the near memory, which the lanes of a team share on a device; what is
// read now and then lies in the far one. Of the near memory the first part is kept from one phase of a step to the
// next.
#pragma once
#include "sinew/batch/kernel/device_scene.hpp"

namespace sinew::device {

// A place where two shapes touch, or nearly do.
template <class R>
struct Touch {
  Vec3<R> point, normal;  // world; the normal from b to a
  R gap{}, bias{}, friction{};
  R free[3]{};  // velocity n t t without contact forces, with the bias
  R u[3]{};     // velocity now, with the bias
  R z[3]{};     // impulse
  int node_a = 0, node_b = 0;
  int key = 0;          // the same from step to step
  bool in_set = false;  // in the problem
  bool near = false;    // the step may close it: its bodies do not fly
};

// A stop or dry friction, in each step.
template <class R>
struct StopRow {
  R bias{}, free{}, u{}, z{};
  Vec3<R> along;  // of the freedoms: x of one, all of a spherical joint
  bool in_set = false;
};

// Inertia and force of a node, then of its subtree, in world axes about the origin of its tree.
template <class R>
struct Load {
  RigidInertia<R> I;
  Force<R> f;
};

// A row of its own, or the three rows of a contact, in a friction problem: see device_law.hpp.
template <class R>
struct LawBlock {
  R inverse{};   // 1 / W_nn; 0: nothing moves it
  R g1{}, g2{};  // W_tn / W_nn
  R mu{};
  R s11{}, s12{}, s22{};  // W_tt - g W_nt
  R ratio{};              // of slip to friction, in the last sweep
  // Of a Newton step:
  R scale{};                // of its unknowns
  R d1{}, d2{};             // direction of sliding
  R share{};                // of the radius of the cone in the point that is projected
  int kind = 0, first = 0;  // how many unknowns; the first
};
// An unknown of a Newton step, and its equation.
template <class R>
struct LawUnknown {
  int row = 0;         // of the problem: the first that both speak of
  R c0{}, c1{}, c2{};  // the change of z in that row and the next ones
  R l0{}, l1{};        // the sum of velocities there that is wanted zero
  R more{};            // on the diagonal
};
template <class R>
struct LawData {
  int singles = 0, contacts = 0, rows = 0, stride = 0;
  R scale = 1;                           // [m/s] residuals are relative to it
  R* W = nullptr;                        // (rows x stride)
  R* q = nullptr;                        // (rows) velocities without impulses
  R *lower = nullptr, *upper = nullptr;  // (rows) of singles
  R* z = nullptr;                        // (rows) the start, and the answer
  R* other = nullptr;                    // (rows) iterates of Newton's method
  R* u = nullptr;                        // (rows) velocities
  R* A = nullptr;                        // (rows x stride) of a Newton step, with its right-hand side
  LawBlock<R>* block = nullptr;          // (rows)
  LawUnknown<R>* unknown = nullptr;      // (rows)
  int* pivot = nullptr;                  // (rows) of a column
  int* used = nullptr;                   // (rows) as pivot
};

template <class R>
struct Workspace {
  // Vectors of freedoms are in the order of the nodes.
  R *q = nullptr, *v = nullptr;  // (nq), (dofs) at the start
  R* free = nullptr;             // (dofs) velocity without contact forces
  R* next = nullptr;             // (dofs) velocity now; at the end of the step
  R* x = nullptr;                // (dofs) scratch of solutions
  Motion<R>* S = nullptr;        // (dofs) axes, about the origin of the tree
  R* M = nullptr;                // (entries) then its factor: L, and D on the diagonal
  R* root = nullptr;             // (dofs) 1 / sqrt(D)
  R* q_after = nullptr;          // (nq) at the end of the step
  Vec3<R>* origin = nullptr;     // (trees) of their coordinates: that of the root node
  Touch<R>* touch = nullptr;     // (contacts)
  StopRow<R>* stop = nullptr;    // (stops)
  int* row_of = nullptr;         // (stops + contacts) first row in the problem
  int* of_row = nullptr;         // (rows) stop, or stops + contact
  Vec3<R>* push = nullptr;       // (contacts) impulses, in world axes
  R* Y = nullptr;                // (rows x dofs | 1) D^-1/2 L^-T J^T, until W is there; the space is then law.A
  LawData<R> law;
  // Until contacts are found; the space is then law.A.
  Transform<R>* X = nullptr;            // (nodes) node <- world
  Motion<R>*V = nullptr, *A = nullptr;  // (nodes) velocity, acceleration without that of the joints; about the origin
  Load<R>* load = nullptr;              // (nodes)
  Force<R>* F = nullptr;                // (dofs) Ic S
  Transform<R>* placed = nullptr;       // (shapes) shape <- world
  R* reach = nullptr;                   // (shapes)
};

// Hands out parts of a block of memory, in units of 8 bytes.
class Carver {
 public:
  SINEW_HD explicit Carver(char* base) : base_(base) {}
  template <class T>
  SINEW_HD T* take(int n) {
    T* p = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    used_ += (static_cast<std::size_t>(n) * sizeof(T) + 7) / 8 * 8;
    return p;
  }
  SINEW_HD std::size_t used() const { return used_; }
  SINEW_HD void go_back(std::size_t to) { used_ = to; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

struct WorkspaceBytes {
  std::size_t far = 0;
  std::size_t kept = 0;                            // of the near memory, from one phase to the next
  std::size_t prepare = 0, solve = 0, finish = 0;  // near memory of each phase, with what is kept
  SINEW_HD std::size_t near() const {
    const std::size_t most = prepare > solve ? prepare : solve;
    return most > finish ? most : finish;
  }
};
// Lays the workspace out in two blocks of memory; returns how many bytes they take. Both null: only that.
template <class R>
SINEW_HD WorkspaceBytes lay_out(const Scene<R>& s, char* near, char* far, Workspace<R>& w) {
  WorkspaceBytes size;
  Carver f(far);
  w.touch = f.take<Touch<R>>(s.contacts), w.stop = f.take<StopRow<R>>(s.stops);
  w.q = f.take<R>(s.nq), w.row_of = f.take<int>(s.stops + s.contacts);
  size.far = f.used();
  Carver c(near);
  w.v = c.take<R>(s.dofs), w.free = c.take<R>(s.dofs), w.next = c.take<R>(s.dofs), w.root = c.take<R>(s.dofs);
  w.S = c.take<Motion<R>>(s.dofs), w.M = c.take<R>(s.entries), w.origin = c.take<Vec3<R>>(s.trees);
  size.kept = c.used();
  // prepare_step: the tree and the shapes.
  w.x = c.take<R>(s.dofs);
  w.X = c.take<Transform<R>>(s.nodes), w.V = c.take<Motion<R>>(s.nodes), w.A = c.take<Motion<R>>(s.nodes);
  w.load = c.take<Load<R>>(s.nodes), w.F = c.take<Force<R>>(s.dofs);
  w.placed = c.take<Transform<R>>(s.shapes), w.reach = c.take<R>(s.shapes);
  size.prepare = c.used();
  // solve_step: the friction problem.
  c.go_back(size.kept);
  w.x = c.take<R>(s.dofs);
  LawData<R>& l = w.law;
  const int stride = (s.rows + 1) | 1, of_Y = s.rows * (s.dofs | 1), of_A = s.rows * stride;
  l.stride = stride;
  l.W = c.take<R>(s.rows * stride), w.Y = l.A = c.take<R>(of_Y > of_A ? of_Y : of_A);
  l.q = c.take<R>(s.rows), l.lower = c.take<R>(s.rows), l.upper = c.take<R>(s.rows);
  l.z = c.take<R>(s.rows), l.other = c.take<R>(s.rows), l.u = c.take<R>(s.rows);
  l.block = c.take<LawBlock<R>>(s.rows), l.unknown = c.take<LawUnknown<R>>(s.rows);
  l.pivot = c.take<int>(s.rows), l.used = c.take<int>(s.rows);
  w.push = c.take<Vec3<R>>(s.contacts), w.of_row = c.take<int>(s.rows);
  size.solve = c.used();
  // finish_step
  c.go_back(size.kept);
  w.q_after = c.take<R>(s.nq);
  size.finish = c.used();
  return size;
}

}  // namespace sinew::device
