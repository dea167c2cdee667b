// src/batch/cuda/launch.cuh - launches the sweeps of tree/ on a CUDA device
// Arrays are component by component, the samples of one component side by side: x[i * samples + k].
// Joints: every primitive kind, not reversed. Compiled for models of up to kMaxLinks nodes.
#pragma once
#include <type_traits>

#include "batch/cuda/kernels.cuh"

namespace sinew::cuda {

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
