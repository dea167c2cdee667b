// src/batch/device_library.cpp
#include "sinew/batch/device_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#include "cuda/library.hpp"

namespace sinew::device {
namespace {

constexpr const char* kCudaLibrary = "libsinew_cuda.so";
constexpr const char* kHowToBuild = "build it with `make cuda-library` and set SINEW_CUDA_LIBRARY to its path";

template <class F>
F* find_symbol(void* library, const std::string& path, const char* name) {
  F* out = reinterpret_cast<F*>(dlsym(library, name));
  if (!out) throw std::runtime_error("make_cuda_backend: " + path + " has no '" + name + "'; " + kHowToBuild);
  return out;
}

// Stays loaded: backends have their code in it.
void* load_cuda_library(std::string& path) {
  std::string tried;
  for (const std::string& name : list_cuda_libraries()) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      path = name;
      return library;
    }
    const char* why = dlerror();
    tried += (tried.empty() ? "" : "; ") + (why ? std::string(why) : name);
  }
  throw std::runtime_error("make_cuda_backend: the kernels were not found (" + tried + "); " + kHowToBuild);
}

}  // namespace

std::vector<std::string> list_cuda_libraries() {
  if (const char* set = std::getenv("SINEW_CUDA_LIBRARY"); set && *set != '\0') return {set};
  std::vector<std::string> out;
  Dl_info own{};
  static const char here = 0;
  if (dladdr(&here, &own) != 0 && own.dli_fname) {
    const std::string module = own.dli_fname;
    const std::size_t slash = module.rfind('/');
    out.push_back((slash == std::string::npos ? "./" : module.substr(0, slash + 1)) + kCudaLibrary);
  }
  out.emplace_back(kCudaLibrary);
  return out;
}

unsigned calc_layout() { return calc_shared_layout(); }

template <class R>
std::unique_ptr<Backend<R>> make_cuda_backend(int device) {
  std::string path;
  void* library = load_cuda_library(path);
  if (find_symbol<unsigned()>(library, path, "sinew_cuda_layout")() != calc_layout())
    throw std::runtime_error("make_cuda_backend: " + path + " belongs to another version of Sinew; " + kHowToBuild);
  const char* name = sizeof(R) == 4 ? "sinew_cuda_make_float" : "sinew_cuda_make_double";
  char error[512] = "";
  Backend<R>* out = find_symbol<Backend<R>*(int, char*, std::size_t)>(library, path, name)(device, error, sizeof error);
  if (!out) throw std::runtime_error("make_cuda_backend: " + std::string(error) + " (" + path + ")");
  return std::unique_ptr<Backend<R>>(out);
}

template std::unique_ptr<Backend<float>> make_cuda_backend(int);
template std::unique_ptr<Backend<double>> make_cuda_backend(int);

}  // namespace sinew::device
