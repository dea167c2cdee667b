// apps/view/frame.cpp
#include "view/frame.hpp"

#include <bit>
#include <cstring>

namespace sinew::app {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

template <class T>
void append(std::string& out, const T* from, std::size_t count) {
  out.append(reinterpret_cast<const char*>(from), count * sizeof(T));
}

}  // namespace

std::string to_bytes(const FrameData& f) {
  const std::vector<float>* lists[] = {&f.poses, &f.positions, &f.controls, &f.contacts, &f.drags};
  std::string out = "SNW1";
  for (const std::vector<float>* list : lists) {
    const auto size = static_cast<std::uint32_t>(list->size());
    append(out, &size, 1);
  }
  const FrameHead& h = f.head;
  append(out, &h.flags, 1), append(out, &h.run, 1);
  const double numbers[] = {h.time,    h.step,  h.rate,        h.kinetic,  h.potential,  h.work,
                            h.dragged, h.edits, h.unaccounted, h.residual, h.penetration};
  append(out, numbers, std::size(numbers));
  for (const std::vector<float>* list : lists) append(out, list->data(), list->size());
  return out;
}

}  // namespace sinew::app
