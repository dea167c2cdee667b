// src/batch/cpu_backend_float.cpp - in float
#include "cpu_backend.hpp"

namespace sinew::device {

template std::unique_ptr<Backend<float>> make_cpu_backend(Order);
template std::unique_ptr<Backend<float>> make_cpu_backend();

}  // namespace sinew::device
