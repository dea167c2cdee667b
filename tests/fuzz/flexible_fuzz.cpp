// tests/fuzz/flexible_fuzz.cpp - any bytes as flexible bodies of a small arm: refused with an error, or bodies that
// hold together
#include <cstddef>
#include <cstdint>

#include "sinew/io/flexible.hpp"
#include "sinew/io/urdf.hpp"
#include "sinew/model/model.hpp"

namespace {

const sinew::Model& arm() {
  static const sinew::Model model = *sinew::compile(*sinew::parse_urdf(
      "<robot name='r'><link name='base'/><link name='beam'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='tip'><inertial><mass value='1'/><inertia "
      "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='a' type='continuous'><parent "
      "link='base'/><child link='beam'/></joint><joint name='b' type='fixed'><parent link='beam'/><child link='tip'/>"
      "<origin xyz='1 0 0'/></joint></robot>"));
  return model;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)sinew::parse_flexible(text, "/nowhere/fuzz.json", arm());
  return 0;
}
