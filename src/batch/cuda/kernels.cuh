// src/batch/cuda/kernels.cuh - the sweeps of tree/ as kernels, one thread per sample
// Scratch is the thread's local memory, which the device interleaves by itself; its traffic decides the speed. So it
// holds only what tree/*_steps.hpp remembers of a link, 12 numbers in aba and 6 in rnea, and sines and cosines are
// calculated each time they are needed.
#pragma once
#include <cuda_runtime.h>

#include "batch/cuda/device_model.cuh"
#include "sinew/tree/kernel/aba_sweeps.hpp"
#include "sinew/tree/kernel/crba_sweeps.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"
#include "sinew/tree/kernel/mass_inverse_sweeps.hpp"
#include "sinew/tree/kernel/rnea_steps.hpp"

namespace sinew::cuda {

// 1024 threads per multiprocessor in float and 512 in double (64 and 128 registers each): measured on an H200, fewer
// leave memory waiting and more spill.
inline constexpr int kBlock = 128;
template <class R>
inline constexpr int kBlocks = 32 / int(sizeof(R));

template <class R, int kLinks, int kSlots, int kJoints>
__global__ void __launch_bounds__(kBlock, kBlocks<R>) aba_kernel(const __grid_constant__ DeviceModel<R> m, const R* q,
                                                                 const R* v, const R* tau, R* a, std::size_t samples) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k >= samples) return;
  AbaLink<R> links[kLinks];
  Vec3<R> rates[kSlots];
  AbaLoad<R> loads[kSlots];
  Motion<R> motions[kSlots];
  GeneralJoint<R> general[kJoints];
  AbaJoint<R> joints[kJoints];
  const AbaScratch<R> ws{links, rates, loads, motions, general, joints, nullptr};
  const Strided<const R> Q{q + k, samples}, V{v + k, samples}, T{tau + k, samples};
  aba_sweeps<R>(m.links, m.nodes, ws, m.gravity, true, V, T, m.armature, Strided<R>{a + k, samples},
                FreshTurns<R, Strided<const R>>{Q}, DeviceShift<R>{Q}, DeviceJoint<R>{Q, V});
}

template <class R, class Table, int kLinks, int kSlots, int kJoints>
__global__ void __launch_bounds__(kBlock, kBlocks<R>)
    rnea_kernel(const __grid_constant__ DeviceModel<R> m, const __grid_constant__ Table table, const R* q, const R* v,
                const R* a, R* tau, std::size_t samples) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k >= samples) return;
  const Link<R>* nodes = m.links;
  if constexpr (std::is_same_v<Table, LinkTable<R>>) nodes = table.links;
  Force<R> f[kLinks], loads[kSlots];
  RneaState<R> slots[kSlots];
  GeneralJoint<R> general[kJoints];
  const RneaScratch<R> ws{f, slots, loads, general, nullptr};
  const Strided<const R> Q{q + k, samples}, V{v + k, samples}, A{a + k, samples};
  rnea_sweeps<R>(nodes, m.nodes, ws, m.gravity, true, V, A, m.armature, Strided<R>{tau + k, samples},
                 FreshTurns<R, Strided<const R>>{Q}, DeviceShift<R>{Q}, DeviceJoint<R>{Q, V});
}

// X and S of joints that are not of one axis.
template <class R>
__device__ __forceinline__ void fill_general(const DeviceModel<R>& m, const Strided<const R>& q,
                                             GeneralJoint<R>* general) {
  const R rest[kMaxJointDofs] = {};
  for (int i = 1; i < m.nodes && m.general_joints > 0; ++i) {
    const Link<R>& l = m.links[i];
    if (l.extra < 0) continue;
    JointMotion<R> motion;
    DeviceJoint<R>{q, Strided<const R>{rest, 0}}(i, l, motion);
    general[l.extra].X = motion.X * l.placement;
    for (int k = 0; k < l.nv; ++k) general[l.extra].S[k] = motion.S[k];
  }
}

// Entry (i, j) of sample k at M[(i * nv + j) * samples + k].
template <class R, int kLinks, int kDofs, int kSlots, int kJoints>
__global__ void __launch_bounds__(kBlock)
    crba_kernel(const __grid_constant__ DeviceModel<R> m, const R* q, R* M, std::size_t samples) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k >= samples) return;
  Turn<R> turns[kLinks];
  CompositeInertia<R> loads[kSlots];
  GeneralJoint<R> general[kJoints];
  R columns[6 * kDofs], row[kDofs];
  const Strided<const R> Q{q + k, samples};
  calc_turns(m.links, m.nodes, Q, turns);
  fill_general(m, Q, general);
  const Strided<R> out{M + k, samples};
  const CrbaScratch<R> ws{turns, loads, general, {columns, kDofs}, row};
  crba_sweep<R>(m.links, m.nodes, ws, DeviceShift<R>{Q}, [&](int i, const R* entries) {
    out[m.velocity[i] * (m.freedoms + 1)] = entries[i] + static_cast<R>(m.armature[m.velocity[i]]);
    for (int j = i + 1; j < m.ends[i]; ++j) {
      out[m.velocity[i] * m.freedoms + m.velocity[j]] = entries[j];
      out[m.velocity[j] * m.freedoms + m.velocity[i]] = entries[j];
    }
  });
}

template <class R, int kLinks, int kDofs, int kSlots, int kJoints>
__global__ void __launch_bounds__(kBlock)
    mass_inverse_kernel(const __grid_constant__ DeviceModel<R> m, const R* q, R* Minv, std::size_t samples) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k >= samples) return;
  ArticulatedInertia<R> loads[kSlots];
  GeneralJoint<R> general[kJoints];
  Force<R> gains[kDofs];
  Transform<R> X[kLinks];
  PlacedFreedom<R> freedoms[kDofs];
  R Dinv[kDofs], columns[6 * kDofs * (2 + kSlots)], N[kDofs * kDofs];
  const Strided<const R> Q{q + k, samples};
  fill_general(m, Q, general);
  const MassInverseScratch<R> ws{{loads, general, gains, Dinv}, X, freedoms, columns, columns + 6 * kDofs,
                                 columns + 12 * kDofs,          N, kDofs};
  mass_inverse_sweeps<ColumnPack<R>, R>(m.links, m.nodes, ws, m.velocity, m.armature,
                                        FreshTurns<R, Strided<const R>>{Q}, DeviceShift<R>{Q});
  const Strided<R> out{Minv + k, samples};
  for (int c = 0; c < m.freedoms; c = m.ends[c])
    for (int i = c; i < m.ends[c]; ++i)
      for (int j = i; j < m.ends[c]; ++j) {
        out[m.velocity[i] * m.freedoms + m.velocity[j]] = N[i * kDofs + j];
        out[m.velocity[j] * m.freedoms + m.velocity[i]] = N[i * kDofs + j];
      }
}

// Node <- world of every node: nine numbers of E, row by row, and three of r; number i of node n at (12 n + i).
template <class R, int kLinks>
__global__ void __launch_bounds__(kBlock)
    kinematics_kernel(const __grid_constant__ DeviceModel<R> m, const R* q, R* poses, std::size_t samples) {
  const std::size_t k = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (k >= samples) return;
  Turn<R> turns[kLinks];
  Transform<R> X[kLinks];
  const Strided<const R> Q{q + k, samples};
  const R rest[kMaxJointDofs] = {};
  calc_turns(m.links, m.nodes, Q, turns);
  kinematics_sweep<R>(m.links, m.nodes, turns, X, DeviceShift<R>{Q}, [&](int i, const Link<R>& l) {
    JointMotion<R> motion;
    DeviceJoint<R>{Q, Strided<const R>{rest, 0}}(i, l, motion);
    return motion.X * l.placement;
  });
  const Strided<R> out{poses + k, samples};
  for (int i = 0; i < m.nodes; ++i) {
    const Mat3<R>& E = X[i].E.m;
    const R numbers[12] = {E.xx, E.xy, E.xz, E.yx, E.yy, E.yz, E.zx, E.zy, E.zz, X[i].r.x, X[i].r.y, X[i].r.z};
    for (int d = 0; d < 12; ++d) out[12 * i + d] = numbers[d];
  }
}

}  // namespace sinew::cuda
