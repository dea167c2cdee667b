// tests/fuzz/small_arm.hpp - the model that files about a model are read for
#pragma once
#include "sinew/io/urdf.hpp"
#include "sinew/model/model.hpp"

namespace sinew::fuzz {

inline const Model& small_arm() {
  static const Model model = *compile(*parse_urdf(
      "<robot name='r'><link name='base'/><link name='beam'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='tip'><inertial><mass value='1'/><inertia "
      "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='a' type='continuous'><parent "
      "link='base'/><child link='beam'/></joint><joint name='b' type='fixed'><parent link='beam'/><child link='tip'/>"
      "<origin xyz='1 0 0'/></joint></robot>"));
  return model;
}

}  // namespace sinew::fuzz
