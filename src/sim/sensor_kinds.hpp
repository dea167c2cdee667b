// src/sim/sensor_kinds.hpp - the kinds of sensors that SensorReadings knows, and what its two files share
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "sinew/sim/sensor_readings.hpp"

namespace sinew {

enum class SensorReadings::Kind {
  accelerometer,
  velocimeter,
  gyro,
  framepos,
  framequat,
  framexaxis,
  frameyaxis,
  framezaxis,
  framelinvel,
  frameangvel,
  framelinacc,
  frameangacc,
  jointpos,
  jointvel,
  ballquat,
  ballangvel,
  subtreecom,
  subtreelinvel,
  subtreeangmom,
  actuatorfrc,
  clock,
  e_kinetic,
  e_potential,
  magnetometer,
  insidesite,
  force,
  torque,
  touch,
  rangefinder,
  distance,
  normal,
  fromto,
  actuatorpos,
  actuatorvel,
  jointactuatorfrc,
  jointlimitpos,
  jointlimitvel,
  jointlimitfrc,
  tendonpos,
  tendonvel,
  tendonactuatorfrc,
  tendonlimitpos,
  tendonlimitvel,
  tendonlimitfrc
};

// Word and how many numbers, in the order of Kind.
inline constexpr std::pair<std::string_view, std::size_t> kSensorKinds[] = {{"accelerometer", 3},
                                                                            {"velocimeter", 3},
                                                                            {"gyro", 3},
                                                                            {"framepos", 3},
                                                                            {"framequat", 4},
                                                                            {"framexaxis", 3},
                                                                            {"frameyaxis", 3},
                                                                            {"framezaxis", 3},
                                                                            {"framelinvel", 3},
                                                                            {"frameangvel", 3},
                                                                            {"framelinacc", 3},
                                                                            {"frameangacc", 3},
                                                                            {"jointpos", 1},
                                                                            {"jointvel", 1},
                                                                            {"ballquat", 4},
                                                                            {"ballangvel", 3},
                                                                            {"subtreecom", 3},
                                                                            {"subtreelinvel", 3},
                                                                            {"subtreeangmom", 3},
                                                                            {"actuatorfrc", 1},
                                                                            {"clock", 1},
                                                                            {"e_kinetic", 1},
                                                                            {"e_potential", 1},
                                                                            {"magnetometer", 3},
                                                                            {"insidesite", 1},
                                                                            {"force", 3},
                                                                            {"torque", 3},
                                                                            {"touch", 1},
                                                                            {"rangefinder", 1},
                                                                            {"distance", 1},
                                                                            {"normal", 3},
                                                                            {"fromto", 6},
                                                                            {"actuatorpos", 1},
                                                                            {"actuatorvel", 1},
                                                                            {"jointactuatorfrc", 1},
                                                                            {"jointlimitpos", 1},
                                                                            {"jointlimitvel", 1},
                                                                            {"jointlimitfrc", 1},
                                                                            {"tendonpos", 1},
                                                                            {"tendonvel", 1},
                                                                            {"tendonactuatorfrc", 1},
                                                                            {"tendonlimitpos", 1},
                                                                            {"tendonlimitvel", 1},
                                                                            {"tendonlimitfrc", 1}};

template <class List>
int find_by_name(const List& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

inline const MeshSpec& mesh_of(const ModelSpec& spec, const ShapeSpec& shape) {
  return spec.meshes[at(find_by_name(spec.meshes, shape.asset))];
}

}  // namespace sinew
