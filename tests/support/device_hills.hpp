// tests/support/device_hills.hpp - a heightfield with solids on it, for a DeviceSimulation
#pragma once
#include <cmath>

#include "support/device_case.hpp"

namespace sinew::test::device_case {

// Convex solids on hills of n x n heights, 0.15 m apart. friction: of all; hills differ with it.
inline Model make_hills(int n, double friction) {
  ModelSpec spec = parse_mjcf(R"(
<mujoco>
  <option timestep="0.002"/>
  <asset>
    <hfield name="hills" nrow="2" ncol="2" size="1.5 1.5 0.3 0.1"/>
    <mesh name="wedge" vertex="-.2 -.2 0  .2 -.2 0  .2 .2 0  -.2 .2 0  -.2 -.2 .1  -.2 .2 .1"/>
  </asset>
  <worldbody>
    <geom name="hills" type="hfield" hfield="hills"/>
    <body name="box" pos="0 0 0.35"><freejoint/><geom type="box" size="0.2 0.15 0.1" mass="2"/></body>
    <body name="ball" pos="0.6 0 0.3"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
    <body name="pill" pos="-0.6 0 0.3"><freejoint/>
      <geom type="capsule" size="0.06 0.15" euler="90 0 0" mass="0.5"/></body>
    <body name="drum" pos="0 0.6 0.4"><freejoint/><geom type="cylinder" size="0.1 0.1" mass="1"/></body>
    <body name="egg" pos="0 -0.6 0.3"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.12" mass="1"/></body>
    <body name="wedge" pos="0.7 0.7 0.3"><freejoint/><geom type="mesh" mesh="wedge" mass="1"/></body>
  </worldbody>
</mujoco>)")
                       .value();
  HeightfieldSpec& h = spec.heightfields.at(0);
  h.rows = h.cols = n, h.size[0] = h.size[1] = 0.075 * (n - 1), h.elevation.clear();
  const auto phase = [&](int i) { return 0.4 * i - 0.2 * (n - 1); };  // 0 in the middle
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) h.elevation.push_back(0.4 + 0.4 * std::sin(phase(r) + friction) * std::cos(phase(c)));
  for (ShapeSpec& s : spec.shapes) s.friction = friction;
  return compile(spec).value();
}

}  // namespace sinew::test::device_case
