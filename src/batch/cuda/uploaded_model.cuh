// src/batch/cuda/uploaded_model.cuh - a model on the device
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "batch/cuda/launch.cuh"
#include "sinew/model/model.hpp"

namespace sinew::cuda {

inline void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA, ") + what + ": " + cudaGetErrorString(e));
}

template <class V>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n) : size_(n) { check(cudaMalloc(&data_, n * sizeof(V)), "allocate"); }
  template <class C>
  explicit DeviceArray(const C& host) : DeviceArray(host.size()) {
    check(cudaMemcpy(data_, host.data(), size_ * sizeof(V), cudaMemcpyHostToDevice), "copy to the device");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  V* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<V> get() const {
    std::vector<V> out(size_);
    check(cudaMemcpy(out.data(), data_, size_ * sizeof(V), cudaMemcpyDeviceToHost), "copy from the device");
    return out;
  }

 private:
  V* data_ = nullptr;
  std::size_t size_ = 0;
};

// The model must outlive it.
template <class R>
class UploadedModel {
 public:
  explicit UploadedModel(const Model& m)
      : links_(m.links<R>()),
        armature_(m.armature()),
        velocity_(m.dof_tree().velocities()),
        ends_(m.dof_tree().ends()),
        model_{m.links<R>().data(),
               links_.data(),
               armature_.data(),
               velocity_.data(),
               ends_.data(),
               static_cast<int>(m.nodes().size()),
               m.nv(),
               m.branch_slots(),
               m.general_joints(),
               cast<R>(m.gravity())} {
    for (std::size_t i = 1; i < m.nodes().size(); ++i) {
      const Joint& j = m.nodes()[i].joint;
      if (j.reversed || j.kind == JointKind::prescribed || j.kind == JointKind::user)
        throw std::invalid_argument("a " + std::string(j.reversed ? "reversed " : "") + std::string(to_string(j.kind)) +
                                    " joint cannot run on the device: use primitive joints, not reversed");
    }
  }
  operator const DeviceModel<R>&() const { return model_; }

 private:
  DeviceArray<Link<R>> links_;
  DeviceArray<double> armature_;
  DeviceArray<int> velocity_, ends_;
  DeviceModel<R> model_;
};

}  // namespace sinew::cuda
