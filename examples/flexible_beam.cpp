// examples/flexible_beam.cpp - a beam on a spinning hub: how its frequencies rise with the speed
#include <fmt/format.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/operators/flexible_sko.hpp"

using namespace sinew;

// The lowest frequency of a symmetric pair K x = w^2 M x with diagonal M, by inverse iteration; K is 2 x 2 here.
double lowest(const double (&K)[2][2], const double (&M)[2]) {
  const double a = K[0][0] / M[0], d = K[1][1] / M[1], bc = K[0][1] * K[1][0] / (M[0] * M[1]);
  return std::sqrt(0.5 * (a + d) - std::sqrt(0.25 * (a - d) * (a - d) + bc));
}

int main() {
  ModelBuilder b("beam");
  b.gravity({});
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  b.revolute("hub", "world", "beam").axis({0, 0, 1});
  const Model model = b.build().value();
  // Two modes out of the plane of rotation, two in it; E I = m = L = 1.
  const sko::FlexibleModel flexible(
      model, {sko::make_beam({.body = "beam", .bending_y = 1, .bending_z = 1, .modes_y = 2, .modes_z = 2})});
  sko::FlexibleSko f(flexible);
  sko::SkoDynamics<double> ws(f.sko);

  fmt::print("speed  in plane  out of plane\n");
  bool right = true;
  for (const double speed : {0., 1., 2., 3., 4., 6.}) {
    double w[2];
    for (const int plane : {0, 1}) {  // y, then z
      double K[2][2], M[2];
      const auto force = [&](int mode, double eta, int row) {  // what holds the beam at eta while it spins
        std::vector<double> q(5, 0.0), v(5, 0.0), a(5, 0.0), tau(5);
        q[1 + mode] = eta, v[0] = speed;
        f.update(q, v);
        sko::inverse_dynamics<double>(f.sko, ws, f.stack(a), tau);
        return f.unstack(tau)[1 + row];
      };
      for (int i = 0; i < 2; ++i) {
        M[i] = flexible.bodies()[0].mass[5 * (2 * plane + i)];
        for (int j = 0; j < 2; ++j) K[i][j] = force(2 * plane + j, 1e-3, 2 * plane + i) / 1e-3;
      }
      w[plane] = lowest(K, M);
    }
    fmt::print("{:5.1f}  {:8.4f}  {:8.4f}\n", speed, w[0], w[1]);
    // At rest both are that of a clamped beam; while it spins their squares differ by the square of the speed.
    if (speed == 0) right = std::abs(w[0] - 3.516015) < 1e-5;
    right = right && std::abs(w[1] * w[1] - w[0] * w[0] - speed * speed) < 1e-3;
  }
  return right ? 0 : 1;
}
