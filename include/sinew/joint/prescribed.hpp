// sinew/joint/prescribed.hpp - a one-axis joint that moves as a given function of time (rheonomic)
// It has no coordinates: X(t) and v = S qd(t) are inputs, c = S qdd(t) their acceleration [F08 section 3.5]. A joint
// that is partly prescribed is a composite of a prescribed and a free part.
#pragma once
#include <functional>

namespace sinew {

// The prescribed coordinate at one time.
struct MotionSample {
  double position = 0, velocity = 0, acceleration = 0;
};
using MotionLaw = std::function<MotionSample(double t)>;

}  // namespace sinew
