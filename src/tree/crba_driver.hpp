// src/tree/crba_driver.hpp - the composite-rigid-body sweep over a model
#pragma once
#include "driver.hpp"
#include "sinew/base/scalars.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/kernel/crba_sweeps.hpp"

namespace sinew {

inline int padded_columns(const Model& m) { return m.nv() + 16; }  // room for one more register

// X and S of the general joints; those of free bodies in the world only if `free_too`.
template <class T>
void calc_general_joints(const Model& m, const T* q, double time, std::vector<GeneralJoint<T>>& general,
                         bool free_too) {
  if (m.general_joints() == 0) return;
  const auto links = links_of<T>(m);
  const T rest[kMaxJointDofs] = {};
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    if (l.extra < 0 || (l.step == Step::free && !free_too)) continue;
    JointMotion<T> motion;
    calc_joint(m.nodes()[i].joint, q + l.q, rest, time, motion);
    GeneralJoint<T>& g = general[l.extra];
    g.X = motion.X * cast<T>(l.placement);
    for (int k = 0; k < l.nv; ++k) g.S[k] = motion.S[k];
  }
}

template <class T>
void calc_joints(const Model& m, std::span<const Link<ConstantOf<T>>> links, CrbaWorkspace<T>& ws, const T* q,
                 double time) {
  calc_turns(links.data(), static_cast<int>(links.size()), q, ws.angles.data(), ws.turns.data());
  calc_general_joints(m, q, time, ws.general, false);
}

// `links`: those of the model, or of a model that is equivalent to it. row(i, entries, M_ii) as in crba_sweep; the
// armature is part of M_ii only.
template <class T, class RowFn>
void run_crba(const Model& m, std::span<const Link<ConstantOf<T>>> links, CrbaWorkspace<T>& ws, const T* q, double time,
              RowFn&& row) {
  const int n = static_cast<int>(links.size());
  calc_joints(m, links, ws, q, time);
  const CrbaScratch<T> scratch{
      ws.turns.data(), ws.slot_loads.data(), ws.general.data(), {ws.columns.data(), padded_columns(m)}, ws.row.data()};
  const double* armature = m.armature().data();
  const int* velocity = m.dof_tree().velocities().data();
  crba_sweep<T>(links.data(), n, scratch, ShiftOf<T>{q}, [&](int i, const T* entries) SINEW_INLINE_LAMBDA {
    const double more = armature[velocity[i]];
    row(i, entries, more == 0 ? entries[i] : entries[i] + lit<T>(more));
  });
}

}  // namespace sinew
