// sinew/sim/fluid.hpp - forces of the medium on moving bodies, as MuJoCo defines them
// Two models, both functions of the velocity alone (MuJoCo, Computation, Fluid forces):
//   box        of a body without shapes that are marked: drag and viscous resistance of the uniform box with the body's
//              mass and principal moments of inertia, at its centre of mass
//   ellipsoid  of a body with shapes that are marked (ShapeSpec::fluid_ellipsoid), for each of these: added mass
//   without
//              its acceleration terms, drag, viscous resistance, Kutta and Magnus lift, at the shape's middle
// Differs from MuJoCo: the added mass is exact (Carlson's elliptic integrals), there it is a quadrature of 15 points:
// 6e-7 apart for common shapes, 4e-4 for a plate of 1 : 100.
// The forces are those at the beginning of a step, so a step must be short: dt < 2 m / c, where c = dF/dv is the slope
// of the drag of a part of mass m (docs/simulation.md).
#pragma once
#include <array>
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/spatial/force.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

// Forces of the medium on the bodies of one model.
class FluidForces {
 public:
  // The model must outlive it. Throws std::invalid_argument for a density or a viscosity that is negative or not
  // finite.
  explicit FluidForces(const Model&);
  explicit FluidForces(const Model&&) = delete;
  bool any() const { return !parts_.empty(); }
  // Adds to `external` (bodies, in their frames; filled with zeros first if it is empty). After calc_velocities.
  void add_forces(const VelocityWorkspace<double>&, std::vector<Force<double>>& external) const;

 private:
  struct Part {
    int body = 0;
    Place place;                   // middle and axes of the box or ellipsoid
    Transform<double> in_body;     // the same <- body
    std::array<double, 3> half{};  // [m] half sides, or half axes
    bool ellipsoid = false;
    std::array<double, 5> coefficients{};                // as in ShapeSpec
    std::array<double, 3> added_mass{}, added_moment{};  // per density: [m^3], [m^5]
  };
  void add_part(int body, const Transform<double>& in_body, const std::array<double, 3>& half, const ShapeSpec* shape);

  const Model& model_;
  MediumSpec medium_;
  std::vector<Part> parts_;
};

}  // namespace sinew
