// sinew/batch/batch.hpp - the tree algorithms over many samples of one model
// Several samples fill a register (NativePack), runs of registers go to threads. One sample is one row of every array:
// (samples x nq), (samples x nv), a matrix as nv * nv numbers of its row. The bits of a sample's result do not depend
// on the number of samples, their order or the number of threads: the last, incomplete register is filled with
// copies of its last sample. Nothing is allocated after construction, except that the first call for a matrix allocates
// memory for it.
#pragma once
#include <memory>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

// R: double or float.
template <class R>
class Batch {
 public:
  using Rows = MatrixView<const R>;
  using OutRows = MatrixView<R>;

  // The model must outlive it. threads = 0: one per hardware thread.
  explicit Batch(const Model&, int threads = 1);
  explicit Batch(const Model&&, int threads = 1) = delete;
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  int threads() const;
  static int lanes();  // samples in one register

  // All matrices have one row per sample; sizes are checked. `time` matters to prescribed joints only.
  void rnea(Rows q, Rows v, Rows a, OutRows tau, double time = 0);
  void aba(Rows q, Rows v, Rows tau, OutRows a, double time = 0);
  void crba(Rows q, OutRows M, double time = 0);                  // nv * nv per row
  void calc_mass_inverse(Rows q, OutRows Minv, double time = 0);  // nv * nv per row
  // With their derivatives, nv * nv numbers per row: derivative/rnea_derivatives.hpp and aba_derivatives.hpp. Samples
  // along a trajectory give its linear models, d(q, v)/dt = (v, a): A = (0 1; da_dq da_dv), B = (0; Minv).
  void calc_rnea_derivatives(Rows q, Rows v, Rows a, OutRows tau, OutRows dtau_dq, OutRows dtau_dv, OutRows M,
                             double time = 0);
  void calc_aba_derivatives(Rows q, Rows v, Rows tau, OutRows a, OutRows da_dq, OutRows da_dv, OutRows Minv,
                            double time = 0);
  // Of each body, the world first: the rotation matrix whose columns are the body's axes, row by row (9), and its
  // origin (3), in the world. 12 * bodies per row.
  void calc_kinematics(Rows q, OutRows poses, double time = 0);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> p_;
};

}  // namespace sinew
