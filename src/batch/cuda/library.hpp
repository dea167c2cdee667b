// src/batch/cuda/library.hpp - what libsinew_cuda.so exports (batch/device_library.hpp)
#pragma once
#include <cstddef>

#include "sinew/batch/device_backend.hpp"
#include "sinew/batch/kernel/device_observation.hpp"
#include "sinew/batch/kernel/device_step.hpp"

namespace sinew::device {

// Of the structures that steps read and write. A library of another build may have others.
constexpr unsigned calc_shared_layout() {
  unsigned out = 2166136261u + 4;  // one more with every change of Backend
  for (const std::size_t size :
       {sizeof(Scene<float>), sizeof(Scene<double>), sizeof(SceneNode<float>), sizeof(SceneDof<float>),
        sizeof(SceneStop<float>), sizeof(SceneSpring<float>), sizeof(SceneActuator<float>), sizeof(SceneShape<float>),
        sizeof(ScenePair<float>), sizeof(SceneOptions<float>), sizeof(SceneUpdate), sizeof(SceneSurface),
        sizeof(contact::SurfaceFacet), sizeof(contact::SurfaceNode), sizeof(WorldArrays<float>),
        sizeof(WorldReport<float>), sizeof(WorldReport<double>), sizeof(ObservedItem<float>),
        sizeof(ObservationTable<float>)})
    out = (out ^ static_cast<unsigned>(size)) * 16777619u;
  return out;
}

}  // namespace sinew::device

// Hidden like the rest otherwise.
#define SINEW_EXPORT __attribute__((visibility("default")))
extern "C" {
SINEW_EXPORT unsigned sinew_cuda_layout();
// Null and a text if there is none.
SINEW_EXPORT sinew::device::Backend<float>* sinew_cuda_make_float(int device, char* error, std::size_t size);
SINEW_EXPORT sinew::device::Backend<double>* sinew_cuda_make_double(int device, char* error, std::size_t size);
}
