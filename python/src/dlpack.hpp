// python/src/dlpack.hpp - memory that another package may share: capsules of DLPack 1.0 and of the versions before it
// https://dmlc.github.io/dlpack/latest/c_api.html has the structures, whose layout is fixed.
#pragma once
#include <cstdint>

#include "common.hpp"

namespace sinew::py::dlpack {

inline constexpr int kCpu = 1, kCuda = 2;  // kinds of devices

struct Tensor {
  void* data;
  std::int32_t device, device_id;
  std::int32_t dimensions;
  std::uint8_t code, bits;  // code 2: floating point
  std::uint16_t lanes;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct Versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
};

// A table of numbers, row by row, in the memory of a device.
struct Table {
  void* data = nullptr;
  int device = kCpu, device_id = 0;
  std::int64_t rows = 0, columns = 0;
  int bytes = 0;  // of a number
};

// A capsule that keeps `owner` until the package that takes it lets go of the memory.
nb::object make_capsule(const Table&, nb::handle owner, bool versioned);

}  // namespace sinew::py::dlpack
