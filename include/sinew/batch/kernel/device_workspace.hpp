// sinew/batch/kernel/device_workspace.hpp - what one world needs while it steps
// All of it is scratch. What loops use lies in the near memory, which the lanes of a team share on a device; what is
// read now and then, and the friction problem between its phases, lies in the far one. Of the near memory the first
// part is kept from one phase of a step to the next. Where problems are large, Y and A lie in a third block, that of
// the team that works on one, column by column, and W stays where it is in the far one.
#pragma once
#include "sinew/batch/kernel/device_law_data.hpp"
#include "sinew/batch/kernel/device_scene.hpp"
#include "sinew/batch/kernel/team.hpp"

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

// How far the friction problem of a step is.
template <class R>
struct Progress {
  int begun = 0;      // the working set has been chosen
  int solved = 0;     // how many times
  int corrected = 0;  // times in a row that rounding of W was taken out
  int hard = 0;       // the quick methods did not find the answer
  int singles = 0, contacts = 0;
  R scale{};
};

template <class R>
struct Workspace {
  // Far:
  Touch<R>* touch = nullptr;        // (contacts)
  StopRow<R>* stop = nullptr;       // (stops)
  const R* q = nullptr;             // (nq) at the start: the state of the world, set by the caller
  int* row_of = nullptr;            // (stops + contacts) first row in the problem
  int* of_row = nullptr;            // (rows) stop, or stops + contact
  Vec3<R>* place = nullptr;         // (nodes) their origins at the start, and
  Motion<R>* motion = nullptr;      // (nodes) their velocities about those
  Transform<R>* placed = nullptr;   // (shapes) shape <- world
  R* reach = nullptr;               // (shapes)
  Progress<R>* progress = nullptr;  // one
  R* limit = nullptr;  // (actuators + dofs) the force at which one, or all of a freedom, are held; infinite: none
  LawData<R> problem;
  // Near, kept. Vectors of freedoms are in the order of the nodes.
  R *v = nullptr, *next = nullptr;  // (dofs) velocities at the start; with contact forces
  R* free = nullptr;                // (dofs) without
  R* root = nullptr;                // (dofs) 1 / sqrt(D)
  Motion<R>* S = nullptr;           // (dofs) axes, about the origin of the tree
  Vec3<R>* origin = nullptr;        // (trees) of their coordinates: that of the root node
  R* M = nullptr;                   // (entries) then its factor: L, and D on the diagonal
  R* x = nullptr;                   // (dofs) scratch of solutions, behind M
  // Near, of the tree:
  Transform<R>* X = nullptr;            // (nodes) node <- world
  Motion<R>*V = nullptr, *A = nullptr;  // (nodes) velocity, acceleration without that of the joints; about the origin
  Load<R>* load = nullptr;              // (nodes)
  Force<R>* F = nullptr;                // (dofs) Ic S
  // Near, of collisions:
  int* close = nullptr;  // (pairs) whose balls are within reach
  int* keys = nullptr;   // (contacts) of those that pushed in the last step
  // Near, of the problem and of its answer:
  Motion<R>* now = nullptr;  // (nodes) velocities, about the origins of their trees
  R* Y = nullptr;            // (room x dofs | 1) D^-1/2 L^-T J^T; large: (dofs x room)
  Force<R>* push = nullptr;  // (2 room / 3) of the contacts on their bodies, about the origins of their trees
  LawData<R> law;            // near, of the solution
  R* q_after = nullptr;      // (nq) at the end of the step
};

// Hands out parts of a block of memory, in units of 16 bytes.
class Carver {
 public:
  SINEW_HD explicit Carver(char* base) : base_(base) {}
  template <class T>
  SINEW_HD T* take(int n) {
    T* p = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    used_ += (static_cast<std::size_t>(n) * sizeof(T) + 15) / 16 * 16;
    return p;
  }
  SINEW_HD std::size_t used() const { return used_; }
  SINEW_HD void go_back(std::size_t to) { used_ = to; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

inline constexpr int kMostSmall = 48;                // rows of the largest room but the last
inline constexpr std::size_t kMostNear = 96 * 1024;  // [bytes] of near memory; with more, problems are large

struct WorkspaceBytes {
  std::size_t far = 0;
  // Of the far memory: the contacts, which come first; with all else that the check of an answer needs but for W.
  std::size_t touches = 0, answer = 0;
  std::size_t matrices = 0;  // of large problems
  std::size_t kept = 0;      // of the near memory, from one phase to the next
  std::size_t prepare = 0, collide = 0, pose = 0, law = 0, check = 0, rest = 0,
              finish = 0;  // near memory of each phase
  SINEW_HD std::size_t near() const {
    const std::size_t most = prepare > rest ? prepare : rest;
    return most > collide ? most : collide;
  }
};
// Lays the workspace out in two blocks of memory, and a third where problems are large; returns how many bytes they
// take. All null: only that. Collisions and the law need nothing of what is kept: `alone`, they begin where the others
// do; else behind it.
template <class R>
SINEW_HD WorkspaceBytes lay_out(const Scene<R>& s, char* near, char* far, Workspace<R>& w, bool alone = false,
                                char* matrices = nullptr) {
  WorkspaceBytes size;
  Carver m(matrices);
  Carver f(far);
  w.touch = f.take<Touch<R>>(s.contacts);
  size.touches = f.used();
  w.stop = f.take<StopRow<R>>(s.stops), w.row_of = f.take<int>(s.stops + s.contacts), w.of_row = f.take<int>(s.rows);
  w.progress = f.take<Progress<R>>(1), w.limit = f.take<R>(s.actuators + s.dofs);
  LawData<R>& p = w.problem;
  p.q = f.take<R>(s.rows), p.lower = f.take<R>(s.rows), p.upper = f.take<R>(s.rows), p.mu = f.take<R>(s.contacts);
  p.z = f.take<R>(s.rows), p.u = f.take<R>(s.rows);
  size.answer = f.used();
  w.place = f.take<Vec3<R>>(s.nodes), w.motion = f.take<Motion<R>>(s.nodes);
  w.placed = f.take<Transform<R>>(s.shapes), w.reach = f.take<R>(s.shapes);
  p.W = f.take<R>(s.rows * s.rows);
  size.far = f.used();
  Carver c(near);
  w.v = c.take<R>(s.dofs), w.next = c.take<R>(s.dofs);
  w.free = c.take<R>(s.dofs), w.root = c.take<R>(s.dofs), w.S = c.take<Motion<R>>(s.dofs);
  w.origin = c.take<Vec3<R>>(s.trees), w.M = c.take<R>(s.entries + s.dofs);
  w.x = w.M == nullptr ? nullptr : w.M + s.entries;
  size.kept = c.used();
  // prepare_step
  w.X = c.take<Transform<R>>(s.nodes), w.V = c.take<Motion<R>>(s.nodes), w.A = c.take<Motion<R>>(s.nodes);
  w.load = c.take<Load<R>>(s.nodes), w.F = c.take<Force<R>>(s.dofs);
  size.prepare = c.used();
  // collide_step
  const std::size_t base = alone ? 0 : size.kept;
  c.go_back(base);
  w.close = c.take<int>(s.pairs), w.keys = c.take<int>(s.contacts);
  size.collide = c.used();
  // pose_problem
  c.go_back(size.kept);
  w.now = c.take<Motion<R>>(s.nodes), w.Y = s.large ? m.take<R>(s.room * s.dofs) : c.take<R>(s.room * (s.dofs | 1));
  size.pose = c.used(), size.matrices = m.used();
  // check_answer, finish_step
  const auto larger = [](std::size_t x, std::size_t y) { return x > y ? x : y; };
  c.go_back(size.kept);
  w.q_after = c.take<R>(s.nq);
  const std::size_t finish = c.used();
  c.go_back(size.kept);
  w.now = c.take<Motion<R>>(s.nodes), w.push = c.take<Force<R>>(2 * (s.room / 3));
  size.check = larger(finish, c.used());
  // solve_problem
  c.go_back(base);
  LawData<R>& l = w.law;
  l.stride = l.stride_of_A = s.large ? s.room : (s.room + 1) | 1;
  m.go_back(0);
  if (s.large)
    l.A = m.take<R>((s.room + 1) * s.room), l.panel = c.take<R>(kPanel * (2 * s.room + 1)), l.motions = s.dofs;
  else
    l.W = c.take<R>(s.room * l.stride), l.A = c.take<R>(s.room * l.stride);
  size.matrices = m.used() > size.matrices ? m.used() : size.matrices;
  l.q = c.take<R>(s.room), l.lower = c.take<R>(s.room), l.upper = c.take<R>(s.room), l.mu = c.take<R>(s.room / 3);
  l.z = c.take<R>(s.room), l.other = c.take<R>(s.room), l.u = c.take<R>(s.room);
  l.block = c.take<LawBlock<R>>(s.room), l.unknown = c.take<LawUnknown<R>>(s.room);
  l.pivot = c.take<int>(s.room), l.used = c.take<int>(s.room), l.line = c.take<R>(kRow);
  size.law = c.used();
  // solve_rest
  l.next = c.take<R>(s.room), l.held = c.take<R>(s.room);
  l.x = c.take<R>(s.room), l.y = c.take<R>(s.room), l.unit = c.take<R>(s.room);
  l.inside = c.take<InteriorBlock<R>>(s.room);
  size.rest = larger(c.used(), larger(size.pose, size.check));
  return size;
}

}  // namespace sinew::device
