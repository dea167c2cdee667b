// sinew/model/configuration.hpp - positions and velocities of a whole model
// q lives on a manifold (quaternions are unit), v in its tangent space; q has nq numbers, v has nv. Every call checks
// sizes and throws std::invalid_argument naming both. Outputs may alias inputs of the same kind.
#pragma once
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

// Where a mechanism is and how it moves.
struct State {
  std::vector<double> q, v;
  double time = 0;
  std::vector<double> activation = {};  // of actuators that have one, in their order (Model::activation_of)
};

// At the neutral position, at rest, with activations of zero.
State make_state(const Model&);

// Within the joint limits; where there are none, angles within +-pi and lengths within +-`reach` metres.
std::vector<double> random_configuration(const Model&, Random&, double reach = 1);

// For every scalar of the closed set.
// out = q moved along the constant velocity v for the time dt.
template <class T>
void integrate(const Model&, VectorView<const T> q, VectorView<const T> v, const T& dt, VectorView<T> out);
// dv: the constant velocity that leads from q0 to q1 in unit time, by the shortest way.
template <class T>
void difference(const Model&, VectorView<const T> q0, VectorView<const T> q1, VectorView<T> dv);
// qdot(q, v) [F08 3.7]: what an integrator of plain numbers adds up.
template <class T>
void calc_rate(const Model&, VectorView<const T> q, VectorView<const T> v, VectorView<T> qdot);
// Unit quaternions again.
template <class T>
void normalize(const Model&, VectorView<T> q);

// The same in double, for callers with any container.
inline void integrate(const Model& m, VectorView<const double> q, VectorView<const double> v, double dt,
                      VectorView<double> out) {
  integrate<double>(m, q, v, dt, out);
}
inline void difference(const Model& m, VectorView<const double> q0, VectorView<const double> q1,
                       VectorView<double> dv) {
  difference<double>(m, q0, q1, dv);
}

}  // namespace sinew
