// bench/cuda/tree_case.hpp - a model and states with their answers, as one file
// The machine with the device has a compiler and nothing else: this file is all it needs of the library's host side.
#pragma once
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/derivative/kernel/slope_rows.hpp"
#include "sinew/model/link.hpp"

namespace sinew::bench {

inline constexpr int kMatrices = 64;

struct TreeCase {
  std::string name;
  int nodes = 0, nq = 0, nv = 0, branch_slots = 0, general_joints = 0, samples = 0;
  Vec3<double> gravity;
  std::vector<Link<double>> links;
  std::vector<Link<float>> float_links;
  std::vector<double> armature;
  std::vector<double> q, v, a, tau;  // samples x nq or nv; tau = rnea(q, v, a)
  std::vector<double> force, acc;    // forces at random; acc = aba(q, v, force)
  std::vector<double> M, Minv, X;    // of the first kMatrices samples: nv * nv, nv * nv, 12 * nodes numbers each
  std::vector<double> slopes[4];     // likewise nv * nv each: dtau/dq, dtau/dv; da/dq, da/dv by `force`
  std::vector<int> velocity, ends;   // of model.dof_tree()
  std::vector<int> slopes_of, torques_of, first_segment;  // of AbaDerivativesWorkspace
  std::vector<RowSegment> segments;
  std::vector<unsigned char> branches;
};

class CaseFile {
 public:
  CaseFile(const std::string& path, const char* mode) : file_(std::fopen(path.c_str(), mode)) {
    if (!file_) throw std::runtime_error("cannot open " + path);
  }
  ~CaseFile() { std::fclose(file_); }
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  template <class F>
  void numbers(F transfer, TreeCase& c) {
    for (int* x : {&c.nodes, &c.nq, &c.nv, &c.branch_slots, &c.general_joints, &c.samples}) transfer(x, sizeof *x);
    transfer(&c.gravity, sizeof c.gravity);
  }
  void write(TreeCase& c) {
    const auto put = [&](const void* p, std::size_t n) {
      if (std::fwrite(p, 1, n, file_) != n) throw std::runtime_error("cannot write the case");
    };
    int length = static_cast<int>(c.name.size());
    put(&length, sizeof length), put(c.name.data(), c.name.size());
    numbers(put, c);
    put(c.links.data(), c.links.size() * sizeof c.links[0]);
    put(c.float_links.data(), c.float_links.size() * sizeof c.float_links[0]);
    for (auto* x : {&c.armature, &c.q, &c.v, &c.a, &c.tau, &c.force, &c.acc, &c.M, &c.Minv, &c.X})
      put(x->data(), x->size() * sizeof(double));
    for (auto& x : c.slopes) put(x.data(), x.size() * sizeof(double));
    for (auto* x : {&c.velocity, &c.ends, &c.slopes_of, &c.torques_of, &c.first_segment})
      put(x->data(), x->size() * sizeof(int));
    put(c.segments.data(), c.segments.size() * sizeof(RowSegment));
    put(c.branches.data(), c.branches.size());
  }
  TreeCase read() {
    const auto get = [&](void* p, std::size_t n) {
      if (std::fread(p, 1, n, file_) != n) throw std::runtime_error("the case is cut short");
    };
    TreeCase c;
    int length = 0;
    get(&length, sizeof length);
    c.name.resize(static_cast<std::size_t>(length));
    get(c.name.data(), c.name.size());
    numbers(get, c);
    const std::size_t nodes = static_cast<std::size_t>(c.nodes), nv = static_cast<std::size_t>(c.nv);
    const std::size_t samples = static_cast<std::size_t>(c.samples);
    c.links.resize(nodes), c.float_links.resize(nodes), c.armature.resize(nv);
    get(c.links.data(), nodes * sizeof c.links[0]);
    get(c.float_links.data(), nodes * sizeof c.float_links[0]);
    c.q.resize(samples * static_cast<std::size_t>(c.nq));
    for (auto* x : {&c.v, &c.a, &c.tau, &c.force, &c.acc}) x->resize(samples * nv);
    c.M.resize(kMatrices * nv * nv), c.Minv.resize(kMatrices * nv * nv), c.X.resize(kMatrices * 12 * nodes);
    c.velocity.resize(nv), c.ends.resize(nv);
    for (auto* x : {&c.armature, &c.q, &c.v, &c.a, &c.tau, &c.force, &c.acc, &c.M, &c.Minv, &c.X})
      get(x->data(), x->size() * sizeof(double));
    for (auto& x : c.slopes) x.resize(kMatrices * nv * nv), get(x.data(), x.size() * sizeof(double));
    c.slopes_of.resize(nodes), c.torques_of.resize(nodes), c.first_segment.resize(nv + 1);
    for (auto* x : {&c.velocity, &c.ends, &c.slopes_of, &c.torques_of, &c.first_segment})
      get(x->data(), x->size() * sizeof(int));
    c.segments.resize(static_cast<std::size_t>(c.first_segment.back())), c.branches.resize(nodes);
    get(c.segments.data(), c.segments.size() * sizeof(RowSegment));
    get(c.branches.data(), c.branches.size());
    return c;
  }

 private:
  std::FILE* file_;
};

}  // namespace sinew::bench
