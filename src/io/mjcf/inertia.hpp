// src/io/mjcf/inertia.hpp - mass, centre and inertia of shapes; principal axes
#pragma once
#include "io/mjcf/work.hpp"

namespace sinew::mjcf {

// Mass in a frame at its centre along its principal axes, moments from the largest to the least.
struct Principal {
  double mass = 0;
  Frame frame;
  std::array<double, 3> moments{};
};
Principal principal(const Inertial&);
Inertial from_principal(const Principal&);
// Half sides of the uniform box with the same mass and moments.
std::array<double, 3> equivalent_box(const Principal&);

// The mesh's own, for density 1; mass 0 and an error when it has none.
Principal mesh_axes(Work&, int mesh, const Node& user);

// Of a primitive at its own frame, for density 1: volume, or area when it is a shell.
double shape_size(const ShapeSpec&, bool shell);
std::array<double, 3> shape_moments(const ShapeSpec&, bool shell, double mass);

Inertial operator+(const Inertial&, const Inertial&);

}  // namespace sinew::mjcf
