// src/batch/cuda/uploaded_slopes.cuh - the tables of slope_kernels.cuh of a model, on the device
#pragma once
#include "batch/cuda/slope_kernels.cuh"
#include "batch/cuda/uploaded_model.cuh"
#include "sinew/derivative/aba_derivatives.hpp"

namespace sinew::cuda {

class UploadedSlopes {
 public:
  explicit UploadedSlopes(const Model& m) : UploadedSlopes(AbaDerivativesWorkspace<double>(m)) {}
  operator SlopeTables() const {
    return {slopes_of_.data(), first_segment_.data(), segments_.data(), torques_of_.data(), branches_.data()};
  }

 private:
  explicit UploadedSlopes(const AbaDerivativesWorkspace<double>& host)
      : slopes_of_(host.inverse.slopes_of),
        first_segment_(host.inverse.first_segment),
        segments_(host.inverse.segments),
        torques_of_(host.torques_of),
        branches_(host.branches) {}

  DeviceArray<int> slopes_of_, first_segment_;
  DeviceArray<RowSegment> segments_;
  DeviceArray<int> torques_of_;
  DeviceArray<unsigned char> branches_;
};

}  // namespace sinew::cuda
