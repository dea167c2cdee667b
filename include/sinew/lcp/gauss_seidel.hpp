// sinew/lcp/gauss_seidel.hpp - sweeps over the contacts, each solved exactly while the others stand still
// By far the cheapest where it converges. It is slow where masses differ much or many contacts share few bodies; there
// it only gives a start to other methods.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/one_contact.hpp"

namespace sinew::lcp {

struct GaussSeidel {
  BlockRows rows;
  std::vector<OneContact> contacts;

  // Room for problems of at most that size; then the blocks of a form, before sweep().
  void reserve(const RowLayout& most);
  void reserve_sparse(const RowLayout& most);  // where G is not built
  void prepare(const ConeForm&);
  // At most `sweeps`; ends earlier where no impulse changes by more than `tolerance`. Returns the number of sweeps;
  // `change` is the largest change in the last one.
  int sweep(const ConeForm&, double* r, int sweeps, double tolerance, double& change) const;

 private:
  int sweep_sparse(const ConeForm&, double* r, int sweeps, double tolerance, double& change) const;
  std::vector<double> shift_;  // (contacts) proximal shift of its diagonal, centred on its last impulse
};

}  // namespace sinew::lcp
