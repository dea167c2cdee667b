// src/batch/cuda/device_model.cuh - what a kernel reads of a model and of its sample
// Compiles for the host too, where tests take the place of threads.
#pragma once
#include <cstddef>

#include "sinew/joint/joint.hpp"
#include "sinew/model/link.hpp"

namespace sinew::cuda {

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
  SINEW_HD R& operator[](int i) const { return data[static_cast<std::size_t>(i) * stride]; }
};

template <class R>
struct DeviceShift {
  Strided<const R> q;
  SINEW_HD R operator()(const Link<R>& l) const { return l.d + l.slides * q[l.q]; }
};
template <class R>
struct DeviceJoint {
  Strided<const R> q, v;
  SINEW_HD void operator()(int, const Link<R>& l, JointMotion<R>& out) const {
    R qj[7], vj[kMaxJointDofs];
    for (int k = 0; k < l.nq; ++k) qj[k] = q[l.q + k];
    for (int k = 0; k < l.nv; ++k) vj[k] = v[l.v + k];
    visit_primitive(l.kind, [&](auto joint) { joint.calc(l.parameter, qj, vj, out); });
  }
};

}  // namespace sinew::cuda
