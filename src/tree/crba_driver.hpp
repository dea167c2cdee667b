// src/tree/crba_driver.hpp - the composite-rigid-body sweep over a model
#pragma once
#include "driver.hpp"
#include "sinew/base/scalars.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew {

inline int padded_columns(const Model& m) { return m.nv() + 16; }  // one register more

// row(i, entries) as in crba_sweep, with the armature added.
template <class T, class RowFn>
void run_crba(const Model& m, CrbaWorkspace<T>& ws, const T* q, double time, RowFn&& row) {
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const T rest[kMaxJointDofs] = {};
  calc_turns(links.data(), n, q, ws.angles.data(), ws.turns.data());
  for (int i = 1; i < n && m.general_joints() > 0; ++i) {
    const auto& l = links[static_cast<std::size_t>(i)];
    if (l.extra < 0) continue;
    JointMotion<T> motion;
    calc_joint(m.nodes()[static_cast<std::size_t>(i)].joint, q + l.q, rest, time, motion);
    GeneralJoint<T>& g = ws.general[static_cast<std::size_t>(l.extra)];
    g.X = motion.X * cast<T>(l.placement);
    for (int k = 0; k < l.nv; ++k) g.S[k] = motion.S[k];
  }
  const CrbaScratch<T> scratch{
      ws.turns.data(), ws.slot_loads.data(), ws.general.data(), {ws.columns.data(), padded_columns(m)}, ws.row.data()};
  const double* armature = m.armature().data();
  const DofTree& tree = m.dof_tree();
  crba_sweep<T>(links.data(), n, scratch, ShiftOf<T>{q}, [&](int i, T* entries) SINEW_INLINE_LAMBDA {
    const double more = armature[tree.velocity(i)];
    if (more != 0) entries[i] = entries[i] + lit<T>(more);
    row(i, entries);
  });
}

}  // namespace sinew
