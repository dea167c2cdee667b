// src/batch/batch.cpp
#include "sinew/batch/batch.hpp"

#include <optional>
#include <vector>

#include "batch/check_rows.hpp"
#include "sinew/base/scalars.hpp"
#include "sinew/batch/thread_pool.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {
namespace {

// Workspaces of one thread.
template <class P>
struct Worker {
  explicit Worker(const Model& m)
      : q(at(m.nq())), v(at(m.nv())), w(at(m.nv())), out(at(m.nv())), rnea(m), aba(m), crba(m), kinematics(m) {}
  std::vector<P> q, v, w, out;
  RneaWorkspace<P> rnea;
  AbaWorkspace<P> aba;
  CrbaWorkspace<P> crba;
  KinematicsWorkspace<P> kinematics;
  // nv * nv packs each: made by the first call that needs them.
  std::optional<MassInverseWorkspace<P>> inverse;
  std::optional<RneaDerivativesWorkspace<P>> rnea_slopes;
  std::optional<AbaDerivativesWorkspace<P>> aba_slopes;
  std::vector<P> matrix;  // or three, one after the other
};

}  // namespace

template <class R>
struct Batch<R>::Implementation {
  using P = NativePack<R>;
  static constexpr std::size_t kLanes = ScalarTraits<P>::kLanes;

  Implementation(const Model& m, int threads) : model(&m), pool(threads) {
    for (int k = 0; k < pool.size(); ++k) workers.emplace_back(m);
  }

  // Lane k holds sample first + k; past the end the last sample again.
  static void gather(const Rows& from, std::size_t first, std::vector<P>& to) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const R* row = &from(std::min(first + k, from.rows() - 1), 0);
      for (std::size_t j = 0; j < to.size(); ++j) to[j].set(static_cast<int>(k), row[j]);
    }
  }
  static void scatter(const P* from, std::size_t count, std::size_t first, const OutRows& to, std::size_t offset = 0) {
    for (std::size_t k = 0; k < kLanes && first + k < to.rows(); ++k) {
      R* row = &to(first + k, offset);
      for (std::size_t j = 0; j < count; ++j) row[j] = from[j][static_cast<int>(k)];
    }
  }
  // body(worker, first sample) for every register of samples.
  template <class Body>
  void for_each_register(std::size_t samples, const Body& body) {
    if (samples == 0) return;
    pool.run((samples + kLanes - 1) / kLanes, [&](int worker, std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) body(workers[worker], r * kLanes);
    });
  }
  void prepare_matrices(std::size_t count) {
    const std::size_t size = count * at(model->nv()) * at(model->nv());
    for (Worker<P>& w : workers) w.matrix.resize(std::max(w.matrix.size(), size));
  }
  template <class Workspace>
  void prepare(std::optional<Workspace> Worker<P>::*which) {
    for (Worker<P>& w : workers)
      if (!(w.*which)) (w.*which).emplace(*model);
  }
  // run(workspace, q, v, x, y, three matrices) for every register of samples.
  template <class Workspace, class Run>
  void call_with_slopes(const char* call, std::optional<Workspace> Worker<P>::*which, const Rows& q, const Rows& v,
                        const char* input, const Rows& x, const char* output, const OutRows& y,
                        const char* const (&names)[3], const OutRows (&slopes)[3], const Run& run) {
    const std::size_t samples = q.rows(), n = at(model->nv());
    check_rows(call, "q", q, samples, at(model->nq()));
    check_rows(call, "v", v, samples, n);
    check_rows(call, input, x, samples, n);
    check_rows(call, output, y, samples, n);
    for (int k = 0; k < 3; ++k) check_rows(call, names[k], slopes[k], samples, n * n);
    prepare_matrices(3);
    prepare(which);
    for_each_register(samples, [&](auto& w, std::size_t first) {
      gather(q, first, w.q), gather(v, first, w.v), gather(x, first, w.w);
      const auto matrix = [&](std::size_t k) { return MatrixView<P>(w.matrix.data() + k * n * n, n, n); };
      run(*(w.*which), w.q, w.v, w.w, w.out, matrix(0), matrix(1), matrix(2));
      scatter(w.out.data(), n, first, y);
      for (std::size_t k = 0; k < 3; ++k) scatter(matrix(k).data(), n * n, first, slopes[k]);
    });
  }

  const Model* model;
  ThreadPool pool;
  std::vector<Worker<P>> workers;
};

template <class R>
Batch<R>::Batch(const Model& m, int threads) : p_(std::make_unique<Implementation>(m, threads)) {}
template <class R>
Batch<R>::~Batch() = default;
template <class R>
Batch<R>::Batch(Batch&&) noexcept = default;
template <class R>
Batch<R>& Batch<R>::operator=(Batch&&) noexcept = default;
template <class R>
int Batch<R>::threads() const {
  return p_->pool.size();
}
template <class R>
int Batch<R>::lanes() {
  return static_cast<int>(Implementation::kLanes);
}

template <class R>
void Batch<R>::rnea(Rows q, Rows v, Rows a, OutRows tau, double time) {
  const Model& m = *p_->model;
  const std::size_t samples = q.rows();
  check_rows("Batch::rnea", "q", q, samples, at(m.nq()));
  check_rows("Batch::rnea", "v", v, samples, at(m.nv()));
  check_rows("Batch::rnea", "a", a, samples, at(m.nv()));
  check_rows("Batch::rnea", "tau", tau, samples, at(m.nv()));
  p_->for_each_register(samples, [&](auto& w, std::size_t first) {
    p_->gather(q, first, w.q), p_->gather(v, first, w.v), p_->gather(a, first, w.w);
    sinew::rnea(m, w.rnea, w.q, w.v, w.w, w.out, {{}, time});
    p_->scatter(w.out.data(), w.out.size(), first, tau);
  });
}

template <class R>
void Batch<R>::aba(Rows q, Rows v, Rows tau, OutRows a, double time) {
  const Model& m = *p_->model;
  const std::size_t samples = q.rows();
  check_rows("Batch::aba", "q", q, samples, at(m.nq()));
  check_rows("Batch::aba", "v", v, samples, at(m.nv()));
  check_rows("Batch::aba", "tau", tau, samples, at(m.nv()));
  check_rows("Batch::aba", "a", a, samples, at(m.nv()));
  p_->for_each_register(samples, [&](auto& w, std::size_t first) {
    p_->gather(q, first, w.q), p_->gather(v, first, w.v), p_->gather(tau, first, w.w);
    sinew::aba(m, w.aba, w.q, w.v, w.w, w.out, {{}, time});
    p_->scatter(w.out.data(), w.out.size(), first, a);
  });
}

template <class R>
void Batch<R>::crba(Rows q, OutRows M, double time) {
  const Model& m = *p_->model;
  const std::size_t n = at(m.nv());
  check_rows("Batch::crba", "q", q, q.rows(), at(m.nq()));
  check_rows("Batch::crba", "M", M, q.rows(), n * n);
  p_->prepare_matrices(1);
  p_->for_each_register(q.rows(), [&](auto& w, std::size_t first) {
    p_->gather(q, first, w.q);
    sinew::crba(m, w.crba, w.q, MatrixView(w.matrix.data(), n, n), time);
    p_->scatter(w.matrix.data(), n * n, first, M);
  });
}

template <class R>
void Batch<R>::calc_mass_inverse(Rows q, OutRows Minv, double time) {
  const Model& m = *p_->model;
  const std::size_t n = at(m.nv());
  check_rows("Batch::calc_mass_inverse", "q", q, q.rows(), at(m.nq()));
  check_rows("Batch::calc_mass_inverse", "Minv", Minv, q.rows(), n * n);
  p_->prepare_matrices(1);
  p_->prepare(&Worker<typename Implementation::P>::inverse);
  p_->for_each_register(q.rows(), [&](auto& w, std::size_t first) {
    p_->gather(q, first, w.q);
    sinew::calc_mass_inverse(m, *w.inverse, w.q, MatrixView(w.matrix.data(), n, n), time);
    p_->scatter(w.matrix.data(), n * n, first, Minv);
  });
}

template <class R>
void Batch<R>::calc_rnea_derivatives(Rows q, Rows v, Rows a, OutRows tau, OutRows dtau_dq, OutRows dtau_dv, OutRows M,
                                     double time) {
  using P = typename Implementation::P;
  p_->call_with_slopes(
      "Batch::calc_rnea_derivatives", &Worker<P>::rnea_slopes, q, v, "a", a, "tau", tau, {"dtau_dq", "dtau_dv", "M"},
      {dtau_dq, dtau_dv, M},
      [m = p_->model, time](auto& ws, const auto& Q, const auto& V, const auto& A, auto& T, auto... to) {
        sinew::calc_rnea_derivatives<P>(*m, ws, Q, V, A, T, to..., {{}, time});
      });
}

template <class R>
void Batch<R>::calc_aba_derivatives(Rows q, Rows v, Rows tau, OutRows a, OutRows da_dq, OutRows da_dv, OutRows Minv,
                                    double time) {
  using P = typename Implementation::P;
  p_->call_with_slopes(
      "Batch::calc_aba_derivatives", &Worker<P>::aba_slopes, q, v, "tau", tau, "a", a, {"da_dq", "da_dv", "Minv"},
      {da_dq, da_dv, Minv},
      [m = p_->model, time](auto& ws, const auto& Q, const auto& V, const auto& T, auto& A, auto... to) {
        sinew::calc_aba_derivatives<P>(*m, ws, Q, V, T, A, to..., {{}, time});
      });
}

template <class R>
void Batch<R>::calc_kinematics(Rows q, OutRows poses, double time) {
  const Model& m = *p_->model;
  using P = typename Implementation::P;
  check_rows("Batch::calc_kinematics", "q", q, q.rows(), at(m.nq()));
  check_rows("Batch::calc_kinematics", "poses", poses, q.rows(), 12 * m.bodies().size());
  p_->for_each_register(q.rows(), [&](auto& w, std::size_t first) {
    p_->gather(q, first, w.q);
    sinew::calc_kinematics(m, w.kinematics, w.q, time);
    for (std::size_t b = 0; b < m.bodies().size(); ++b) {
      const Transform<P> X = get_body_pose(m, w.kinematics, static_cast<int>(b));
      const Mat3<P>& E = X.E.m;
      const P pose[12] = {E.xx, E.yx, E.zx, E.xy, E.yy, E.zy, E.xz, E.yz, E.zz, X.r.x, X.r.y, X.r.z};
      p_->scatter(pose, 12, first, poses, 12 * b);
    }
  });
}

template class Batch<double>;
template class Batch<float>;

}  // namespace sinew
