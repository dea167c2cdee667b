// src/batch/cuda/launch.cuh - the sweeps of tree/ on a CUDA device, one thread a sample
// Arrays are component by component, the samples of one component side by side: x[i * samples + k]. Scratch is the
// thread's local memory, which the device interleaves by itself; its traffic decides the speed. So it holds only what
// tree/*_steps.hpp remembers of a link, 12 numbers in aba and 6 in rnea, and sines and cosines are made anew each time.
// Joints: every primitive kind, not reversed. Compiled for models of up to kMaxLinks nodes.
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include "sinew/joint/joint.hpp"
#include "sinew/tree/aba_sweeps.hpp"
#include "sinew/tree/crba_sweeps.hpp"
#include "sinew/tree/kinematics_sweep.hpp"
#include "sinew/tree/mass_inverse_sweeps.hpp"
#include "sinew/tree/rnea_steps.hpp"

namespace sinew::cuda {

// 1024 threads a multiprocessor in float and 512 in double (64 and 128 registers each): measured on an H200, fewer
// leave memory waiting and more spill.
inline constexpr int kBlock = 128;
template <class R>
inline constexpr int kBlocks = 32 / int(sizeof(R));

// What a kernel reads of a model. In rnea the links of a small model travel as an argument of the kernel and so lie in
// constant memory: 5 % faster there, and slower in aba, which reads more of each link than that cache holds.
template <class R>
struct DeviceModel {
  const Link<R>* host_links = nullptr;
  const Link<R>* links = nullptr;  // these pointers are on the device
  const double* armature = nullptr;
  const int* velocity = nullptr;  // of each freedom of model.dof_tree()
  const int* ends = nullptr;      // of the subtree of each freedom
  int nodes = 0, freedoms = 0, branch_slots = 0, general_joints = 0;
  Vec3<R> gravity;
};

inline constexpr int kTableLinks = 48;
template <class R>
struct LinkTable {
  Link<R> links[kTableLinks];
};
struct NoTable {};

template <class R>
struct Strided {
  R* data;
  std::size_t stride;
  __device__ __forceinline__ R& operator[](int i) const { return data[static_cast<std::size_t>(i) * stride]; }
};

template <class R>
struct DeviceShift {
  Strided<const R> q;
  __device__ __forceinline__ R operator()(const Link<R>& l) const { return l.d + l.slides * q[l.q]; }
};
template <class R>
struct DeviceJoint {
  Strided<const R> q, v;
  __device__ __forceinline__ void operator()(int, const Link<R>& l, JointMotion<R>& out) const {
    R qj[7], vj[kMaxJointDofs];
    for (int k = 0; k < l.nq; ++k) qj[k] = q[l.q + k];
    for (int k = 0; k < l.nv; ++k) vj[k] = v[l.v + k];
    visit_primitive(l.kind, [&](auto joint) { joint.calc(l.parameter, qj, vj, out); });
  }
};

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
  R Dinv[kDofs], columns[6 * kDofs * (2 + kSlots)], N[kDofs * kDofs];
  SpatialColumns<R> slot_columns[kSlots];
  for (int s = 0; s < kSlots; ++s) slot_columns[s] = {columns + 6 * kDofs * (2 + s), kDofs};
  const Strided<const R> Q{q + k, samples};
  fill_general(m, Q, general);
  const MassInverseScratch<R> ws{
      {loads, general, gains, Dinv}, {columns, kDofs}, {columns + 6 * kDofs, kDofs}, slot_columns, N, kDofs};
  mass_inverse_sweeps<R>(m.links, m.nodes, ws, m.velocity, m.armature, FreshTurns<R, Strided<const R>>{Q},
                         DeviceShift<R>{Q});
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

// The sizes that kernels are compiled for; the first that fits is taken.
inline constexpr int kMaxLinks = 128, kMaxSlots = 24, kMaxJoints = 16, kMaxMassDofs = 64;

// Calls f with the sizes that fit a model, as compile-time constants, and the table of its links. False if none does.
template <class R, class F>
bool with_sizes(const DeviceModel<R>& m, F&& f) {
  using std::integral_constant;
  if (m.nodes <= kTableLinks && m.branch_slots <= 8 && m.general_joints <= 1) {
    LinkTable<R> table;
    for (int i = 0; i < m.nodes; ++i) table.links[i] = m.host_links[i];
    f(table, integral_constant<int, kTableLinks>{}, integral_constant<int, 8>{}, integral_constant<int, 1>{});
    return true;
  }
  if (m.nodes > kMaxLinks || m.branch_slots > kMaxSlots || m.general_joints > kMaxJoints) return false;
  f(NoTable{}, integral_constant<int, kMaxLinks>{}, integral_constant<int, kMaxSlots>{},
    integral_constant<int, kMaxJoints>{});
  return true;
}

inline unsigned blocks_for(std::size_t samples) { return static_cast<unsigned>((samples + kBlock - 1) / kBlock); }

// False if the model is larger than the kernels. Errors of the launch are left to cudaGetLastError.
template <class R>
bool launch_aba(const DeviceModel<R>& m, const R* q, const R* v, const R* tau, R* a, std::size_t samples,
                cudaStream_t stream = nullptr) {
  return with_sizes(m, [&](const auto&, auto n, auto s, auto j) {
    aba_kernel<R, n.value, s.value, j.value><<<blocks_for(samples), kBlock, 0, stream>>>(m, q, v, tau, a, samples);
  });
}
template <class R>
bool launch_rnea(const DeviceModel<R>& m, const R* q, const R* v, const R* a, R* tau, std::size_t samples,
                 cudaStream_t stream = nullptr) {
  return with_sizes(m, [&](const auto& table, auto n, auto s, auto j) {
    using Table = std::remove_cvref_t<decltype(table)>;
    rnea_kernel<R, Table, n.value, s.value, j.value>
        <<<blocks_for(samples), kBlock, 0, stream>>>(m, table, q, v, a, tau, samples);
  });
}

// Entries that are zero by the shape of the tree are not written: clear M once.
template <class R>
bool launch_crba(const DeviceModel<R>& m, const R* q, R* M, std::size_t samples, cudaStream_t stream = nullptr) {
  if (m.freedoms > kMaxMassDofs) return false;
  return with_sizes(m, [&](const auto&, auto n, auto s, auto j) {
    crba_kernel<R, n.value, kMaxMassDofs, s.value, j.value>
        <<<blocks_for(samples), kBlock, 0, stream>>>(m, q, M, samples);
  });
}
template <class R>
bool launch_mass_inverse(const DeviceModel<R>& m, const R* q, R* Minv, std::size_t samples,
                         cudaStream_t stream = nullptr) {
  if (m.freedoms > kMaxMassDofs) return false;
  return with_sizes(m, [&](const auto&, auto n, auto s, auto j) {
    mass_inverse_kernel<R, n.value, kMaxMassDofs, s.value, j.value>
        <<<blocks_for(samples), kBlock, 0, stream>>>(m, q, Minv, samples);
  });
}
template <class R>
bool launch_kinematics(const DeviceModel<R>& m, const R* q, R* poses, std::size_t samples,
                       cudaStream_t stream = nullptr) {
  return with_sizes(m, [&](const auto&, auto n, auto, auto) {
    kinematics_kernel<R, n.value><<<blocks_for(samples), kBlock, 0, stream>>>(m, q, poses, samples);
  });
}

}  // namespace sinew::cuda
