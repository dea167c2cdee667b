// sinew/operators/beam.hpp - flexible bodies made for uniform beams, after Euler and Bernoulli
//   FlexibleBody b = make_beam({.body = "link", .length = 1, .mass = 0.3, .bending_y = 20, .bending_z = 20,
//                               .modes_y = 3, .modes_z = 3, .stations = {{"tip", 1}}});
// The beam lies along x of its own frame, from 0 to `length`; `placement` puts that frame into the body's. Modes are
// those of the beam at rest, scaled to 1 at their largest displacement (1 rad for torsion):
//   cantilever  clamped to the body's frame at x = 0, free at the other end
//   pinned      both ends stay on the x axis of the frame and may turn; the x end slides
//   free_free   about the mean axis: the frame stays at the centre of mass of the modes. For bodies that float freely
// Bending makes the beam shorter by 1/2 int v'^2 + w'^2; axial modes stretch it beyond that. Sections have no rotary
// inertia in bending. Torsion needs the section's moments of mass.
// Errors: std::invalid_argument naming the body and the number that is out of range.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sinew/operators/flexible_body.hpp"

namespace sinew::sko {

// How the beam's modes are held at its ends.
enum class BeamSupport { cantilever, pinned, free_free };

struct BeamSpec {
  std::string body;
  BeamSupport support = BeamSupport::cantilever;
  double length = 1;                                     // [m]
  double mass = 1;                                       // [kg]
  double bending_y = 0;                                  // [N m^2] E I for displacements along y
  double bending_z = 0;                                  // [N m^2] E I for displacements along z
  double axial = 0;                                      // [N] E A
  double torsion = 0;                                    // [N m^2] G J
  double section_y = 0, section_z = 0;                   // [m^2] mean of y^2 and of z^2 over the section's mass
  int modes_y = 0, modes_z = 0;                          // of bending
  int modes_axial = 0, modes_torsion = 0;                // after those of bending, in this order
  double damping_ratio = 0;                              // of every mode
  std::vector<std::pair<std::string, double>> stations;  // names of interface nodes, and their x
  Transform<double> placement;                           // the beam's frame <- the body's frame
};

FlexibleBody make_beam(const BeamSpec&);

}  // namespace sinew::sko
