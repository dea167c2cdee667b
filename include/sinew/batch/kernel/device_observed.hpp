// sinew/batch/kernel/device_observed.hpp - which numbers of a world are read: a table, made by
// src/batch/observation_tables.cpp
#pragma once
#include <cstdint>

#include "sinew/model/shape_spec.hpp"
#include "sinew/spatial/transform.hpp"

namespace sinew::device {

enum class Observed : std::uint8_t {
  q,
  v,
  control,
  force,  // of an actuator
  time,
  contact_force,  // on a body, from all its contacts
  touch,          // normal forces of those that a zone holds
  actuator_length,
  actuator_speed,
  joint_force,  // of all actuators of a freedom
  field,        // a vector of the world, along the axes of a place
  // Of a place, relative to another one where there is one:
  position,
  coordinate,  // of that
  turn,
  axis,
  velocity,
  angular_velocity,
  // Of a place, along its own axes:
  gyro,
  velocimeter,
  accelerometer,
  // Along the axes of the world:
  acceleration,
  angular_acceleration
};

// Some numbers of a row.
template <class R>
struct ObservedItem {
  Observed kind = Observed::q;
  int first = 0, size = 0;  // in the row
  int index = 0;            // of a coordinate, an actuator, a body, an axis or a freedom
  int dof = 0;              // of an actuator: its place in v
  int node = 0, from = -1;  // of the place, and of the one that it is relative to; -1: none
  Transform<R> place, base;
  Vec3<R> vector;
  ShapeKind zone = ShapeKind::sphere;
  R zone_size[3]{};
  R cutoff{};  // above 0: numbers are held within
};

// Items of each variant, one set after the other.
template <class R>
struct ObservationTable {
  int items = 0, width = 0;  // numbers of a row
  bool moves = false;        // some are of places
  const ObservedItem<R>* item = nullptr;
  const int* shape_body = nullptr;  // (shapes)
};

}  // namespace sinew::device
