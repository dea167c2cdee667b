// tests/support/beam_elements.hpp - finite elements of a straight beam along x: Hermite's cubics, consistent mass
#pragma once
#include <array>
#include <string>

#include "sinew/operators/beam.hpp"
#include "sinew/operators/finite_elements.hpp"

namespace sinew::test {

inline sko::FiniteElements beam_elements(const sko::BeamSpec& o, int elements) {
  sko::FiniteElements e;
  e.body = o.body;
  const double l = o.length / elements, m = o.mass / elements;
  for (int i = 0; i <= elements; ++i) e.nodes.push_back({l * i, 0, 0});
  e.rows = 6 * (elements + 1);
  const auto add = [&](int element, const std::array<int, 4>& rows, const std::array<double, 16>& K,
                       const std::array<double, 16>& M, double k, double mass, int count) {
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) {
        const int r = 6 * element + rows[static_cast<std::size_t>(i)],
                  c = 6 * element + rows[static_cast<std::size_t>(j)];
        e.stiffness.push_back({r, c, k * K[static_cast<std::size_t>(count * i + j)]});
        e.mass.push_back({r, c, mass * M[static_cast<std::size_t>(count * i + j)]});
      }
  };
  const std::array<double, 16> bar_K{1, -1, -1, 1}, bar_M{2, 1, 1, 2};
  const auto bend = [&](double s) {  // s: sign of the slope in terms of the turn
    const std::array<double, 16> K{12,  6 * l * s,  -12, 6 * l * s,  6 * l * s, 4 * l * l, -6 * l * s, 2 * l * l,
                                   -12, -6 * l * s, 12,  -6 * l * s, 6 * l * s, 2 * l * l, -6 * l * s, 4 * l * l};
    const std::array<double, 16> M{156, 22 * l * s, 54,  -13 * l * s, 22 * l * s,  4 * l * l,  13 * l * s,  -3 * l * l,
                                   54,  13 * l * s, 156, -22 * l * s, -13 * l * s, -3 * l * l, -22 * l * s, 4 * l * l};
    return std::pair{K, M};
  };
  const auto [Ky, My] = bend(1);
  const auto [Kz, Mz] = bend(-1);
  for (int i = 0; i < elements; ++i) {
    add(i, {0, 6}, bar_K, bar_M, o.axial / l, m / 6, 2);
    add(i, {3, 9}, bar_K, bar_M, o.torsion / l, m * (o.section_y + o.section_z) / 6, 2);
    add(i, {1, 5, 7, 11}, Ky, My, o.bending_y / (l * l * l), m / 420, 4);
    add(i, {2, 4, 8, 10}, Kz, Mz, o.bending_z / (l * l * l), m / 420, 4);
  }
  e.root = {0};
  e.interfaces = {{"tip", {elements}}};
  e.lines.emplace_back();
  for (int i = 0; i <= elements; ++i) e.lines[0].push_back(i);
  return e;
}

}  // namespace sinew::test
