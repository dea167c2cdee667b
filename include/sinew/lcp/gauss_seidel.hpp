// sinew/lcp/gauss_seidel.hpp - sweeps over the contacts, each solved exactly while the others stand still
// By far the cheapest where it works. It crawls where masses differ much or many contacts share few bodies, and there
// the sweeps only give a start to others.
#pragma once
#include <vector>

#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/one_contact.hpp"

namespace sinew::lcp {

struct GaussSeidel {
  BlockRows rows;
  std::vector<OneContact> contacts;

  void reserve(const RowLayout& most);
  void prepare(const ConeForm&);
  // At most `sweeps`, fewer where no impulse changes by more than `tolerance`. Returns the number; `change` is that of
  // the last sweep.
  int sweep(const ConeForm&, double* r, int sweeps, double tolerance, double& change) const;

 private:
  std::vector<double> shift_;  // of each contact's diagonal, centred on its last impulse
};

}  // namespace sinew::lcp
