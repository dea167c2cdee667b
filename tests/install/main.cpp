// tests/install/main.cpp - calls the installed library: a good model, a broken one, a record that is not there, the
// pack width it was built for
#include <cstdio>
#include <stdexcept>

#include "sinew/base/config.hpp"
#include "sinew/io/record.hpp"
#include "sinew/io/urdf.hpp"

static_assert(SINEW_PACK_BYTES == EXPECTED_PACK_BYTES, "the target must say what the library was compiled with");

int main() {
  const auto pendulum = sinew::parse_urdf(R"(<?xml version="1.0"?>
<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>)");
  for (const auto& remark : pendulum.diagnostics()) std::puts(sinew::to_string(remark).c_str());
  if (!pendulum.ok()) return 1;

  const auto broken = sinew::parse_urdf("<robot name='half'><link name='base'>");
  if (broken.ok() || broken.diagnostics().empty()) {
    std::puts("a broken file was taken for a good one");
    return 1;
  }
  try {  // HDF5 is linked with it
    const sinew::RecordReader none("no_such_record.h5");
    return 1;
  } catch (const std::invalid_argument& e) {
    std::puts(e.what());
  }
  std::printf("consumer: %s; refused: %s\n", pendulum->name.c_str(),
              sinew::to_string(*broken.diagnostics().begin()).c_str());
  return 0;
}
