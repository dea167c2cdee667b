// src/batch/cpu_backend.cpp - in double
#include "cpu_backend.hpp"

namespace sinew::device {

template std::unique_ptr<Backend<double>> make_cpu_backend(Order);
template std::unique_ptr<Backend<double>> make_cpu_backend();

}  // namespace sinew::device
