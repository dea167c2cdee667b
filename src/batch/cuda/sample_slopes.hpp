// src/batch/cuda/sample_slopes.hpp - derivatives of inverse and forward dynamics of one sample, as a thread works on it
// The kernels of derivative/, with arrays component by component and scratch of a fixed size. It compiles for the host,
// where a test compares it with the library (tests/batch/sample_slopes_test.cpp).
#pragma once
#include "batch/cuda/device_model.cuh"
#include "sinew/derivative/kernel/forward_slopes.hpp"
#include "sinew/derivative/kernel/slope_responses.hpp"
#include "sinew/derivative/kernel/slope_rows.hpp"

namespace sinew::cuda {

// What the shape of a tree decides: RneaDerivativesWorkspace and AbaDerivativesWorkspace of the model have it.
struct SlopeTables {
  const int* slopes_of = nullptr;      // (nodes)
  const int* first_segment = nullptr;  // (freedoms and one more)
  const RowSegment* segments = nullptr;
  const int* torques_of = nullptr;  // (nodes)
  const unsigned char* branches = nullptr;
};

// Sample k of n: number i stands at [i * n].
template <class R>
struct SlopeSample {
  Strided<const R> q, v, x;  // x: accelerations or forces
  Strided<R> y;              // forces or accelerations
  Strided<R> dq, dv, M;      // by rows; M^-1 of forward dynamics
};

template <class R>
struct DeviceSlopes {
  Strided<const R> q, v;
  SINEW_HD void operator()(int, const Link<R>& l, JointSlopes<R>& out) const {
    R qj[7], vj[kMaxJointDofs];
    for (int k = 0; k < l.nq; ++k) qj[k] = q[l.q + k];
    for (int k = 0; k < l.nv; ++k) vj[k] = v[l.v + k];
    calc_primitive_slopes(l.kind, l.parameter, qj, vj, out);
  }
};

// Columns of a row with room for whole registers; on a device a register is one number.
template <class R, int kDofs>
inline constexpr int kSlopeStride =
    (kDofs / AlignedPack<R>::kLanes + (AlignedPack<R>::kLanes > 1 ? 2 : 0)) * AlignedPack<R>::kLanes;

// Scratch of both.
template <class R, int kLinks, int kDofs, int kJoints>
struct SlopeRoom {
  static constexpr int kStride = kSlopeStride<R, kDofs>;
  SlopeNode<R> nodes[kLinks];
  SlopeJoint<R> joints[kJoints];
  JointSlopes<R> slopes[kJoints];
  R columns[8 * 6 * kStride];

  SINEW_HD SlopeScratch<R> place(const DeviceModel<R>& m, const SlopeTables& tables, const SlopeSample<R>& sample) {
    const auto block = [&](int k) { return SpatialColumns<R>{columns + 6 * kStride * k, kStride}; };
    const SlopeScratch<R> ws{nodes,    joints,   slopes,   tables.slopes_of, nullptr,  block(0), block(1),
                             block(2), block(3), block(4), block(5),         block(6), block(7)};
    place_slope_nodes<R>(m.links, m.nodes, ws, m.gravity, sample.v, FreshTurns<R, Strided<const R>>{sample.q},
                         DeviceShift<R>{sample.q}, DeviceJoint<R>{sample.q, sample.v},
                         DeviceSlopes<R>{sample.q, sample.v});
    return ws;
  }
};

template <class R, int kLinks, int kDofs, int kJoints>
SINEW_HD void calc_inverse_slopes(const DeviceModel<R>& m, const SlopeTables& tables, const SlopeSample<R>& sample) {
  SlopeRoom<R, kLinks, kDofs, kJoints> room;
  constexpr int kStride = decltype(room)::kStride;
  R rows[3 * kStride];
  const SlopeScratch<R> ws = room.place(m, tables, sample);
  const auto acc = [&](int k) { return sample.x[k]; };
  sum_slope_nodes(m.links, m.nodes, ws, sample.v, acc);
  calc_slope_momenta(m.links, m.nodes, ws);
  calc_slope_columns(m.links, m.nodes, ws, sample.v, acc);
  calc_slope_forces(m.links, m.nodes, ws, m.armature, sample.v, acc, sample.y);
  fill_slope_rows<R>(
      m.links, m.nodes, ws, {tables.first_segment, tables.segments},
      [&](int) {
        return SlopeRow<R>{rows, rows + kStride, rows + 2 * kStride};
      },
      [&](int k) {
        const int row = m.velocity[k];
        rows[2 * kStride + row] += static_cast<R>(m.armature[row]);
        for (int j = 0; j < m.freedoms; ++j) {
          sample.dq[row * m.freedoms + j] = rows[j];
          sample.dv[row * m.freedoms + j] = rows[kStride + j];
          sample.M[row * m.freedoms + j] = rows[2 * kStride + j];
        }
      });
  for (int i = 1; i < m.nodes; ++i) {
    const Link<R>& l = m.links[i];
    add_armature_slopes_of<R>(l, m.armature, sample.v, [&](int k, int h, const R& x) {
      sample.dv[m.velocity[l.dof + k] * m.freedoms + m.velocity[l.dof + h]] += x;
    });
  }
}

// Entries between different trees are not written: they are zero.
template <class R, int kLinks, int kDofs, int kSlots, int kJoints>
SINEW_HD void calc_forward_slopes(const DeviceModel<R>& m, const SlopeTables& tables, const SlopeSample<R>& sample) {
  SlopeRoom<R, kLinks, kDofs, kJoints> room;
  constexpr int kStride = decltype(room)::kStride;
  ArticulatedSlopeNode<R> nodes[kLinks];
  ArticulatedFreedom<R> freedoms[kDofs];
  JointTorques<R> torques[kJoints];
  R columns[(9 + 6 + 6 * kSlots) * kStride], matrices[3 * kDofs * kStride];
  nodes[0] = {};  // the world stands still
  const SlopeScratch<R> ws = room.place(m, tables, sample);
  const SlopeResponses<R> to{{nodes, freedoms, torques, tables.torques_of},
                             columns,
                             columns + 9 * kStride,
                             columns + 15 * kStride,
                             tables.branches,
                             matrices,
                             matrices + kDofs * kStride,
                             matrices + 2 * kDofs * kStride,
                             kStride};
  solve_slope_nodes(m.links, m.nodes, ws, to.art, m.armature, sample.v, sample.x, sample.y);
  answer_inward<ColumnPack<R>>(m.links, m.nodes, to);
  answer_outward<ColumnPack<R>>(m.links, m.nodes, to);
  for (int root = 0; root < m.freedoms; root = m.ends[root])
    for (int k = root; k < m.ends[root]; ++k)
      for (int i = root; i < m.ends[root]; ++i) {
        const int entry = m.velocity[i] * m.freedoms + m.velocity[k];
        sample.dq[entry] = to.row(to.q, k)[i];  // transposed there
        sample.dv[entry] = to.row(to.v, k)[i];
        sample.M[entry] = i < k ? to.row(to.N, i)[k] : to.row(to.N, k)[i];
      }
}

}  // namespace sinew::cuda
