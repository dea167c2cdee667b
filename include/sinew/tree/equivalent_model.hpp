// sinew/tree/equivalent_model.hpp - a model with inertias moved to the base: the same motion, cheaper inverse dynamics
// Each link hands its parent what the joint between them cannot feel (tree/equivalence.hpp, [F08 section 9.7]), from
// the tips to the base. What it keeps has zeros, and `rnea` leaves out the products with them:
//   revolute    m, h.z and Jzz are zero: 10m + 10a less per joint, 81m + 70a are left (Jzz: second moment along the
//   axis) prismatic   no moments of inertia: 15m + 15a less
// on GU(30) 4341 operations where the model itself takes 4921. `crba` and `aba` take the same sweeps as for the model;
// what they multiply by zero counts as nothing (sinew count), on a processor it costs the same.
// All calls return what they return for the model, up to rounding: the numbers grow to those of all that a link
// carries. aba loses more digits by it, on long chains, because it needs what is left when all that moves freely: it
// is here for completeness.
// Workspaces are those of the model. The model must outlive this. What needs the inertia of a body (energy, momentum,
// contact, dca) has no such overload: the kept inertias are not those of bodies.
#pragma once
#include <span>
#include <vector>

#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

class EquivalentModel {
 public:
  explicit EquivalentModel(const Model&);
  explicit EquivalentModel(const Model&&) = delete;

  const Model& model() const { return model_; }
  template <class R>  // double or float: as those of the model, with other inertias
  std::span<const Link<R>> links() const {
    if constexpr (std::is_same_v<R, float>)
      return float_links_;
    else
      return links_;
  }

 private:
  const Model& model_;
  std::vector<Link<double>> links_;
  std::vector<Link<float>> float_links_;
};

// As in tree/rnea.hpp, tree/crba.hpp and tree/aba.hpp. For every scalar of the closed set.
template <class T>
void rnea(const EquivalentModel&, RneaWorkspace<T>&, In<T> q, In<T> v, In<T> a, Out<T> tau,
          const std::type_identity_t<Surroundings<T>>& = {});
template <class T>
void calc_bias(const EquivalentModel&, RneaWorkspace<T>&, In<T> q, In<T> v, Out<T> h,
               const std::type_identity_t<Surroundings<T>>& = {});
template <class T>
void crba(const EquivalentModel&, CrbaWorkspace<T>&, In<T> q, OutMatrix<T> M, double time = 0);
template <class T>
void aba(const EquivalentModel&, AbaWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
         const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
