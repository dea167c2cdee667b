// bench/cuda/make_case.cpp - writes the cases that tree_driver.cu runs: make_case FOLDER
#include <cstdio>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"
#include "tree_case.hpp"

using namespace sinew;

namespace {
constexpr int kSamples = 1024;

// 36 revolute joints: a stem of six with branches of seven, as the prototype had it.
ModelSpec tree36() {
  ModelSpec spec = mechanisms::gu(36);
  for (int i = 7; i <= 36; ++i)
    if ((i - 7) % 7 == 0) spec.joints[i - 1].parent = "link6";
  spec.name = "tree36";
  return spec;
}

void write(ModelSpec spec, const std::string& folder) {
  const Model m = compile(std::move(spec)).value();
  bench::TreeCase c;
  c.name = m.name();
  c.nodes = static_cast<int>(m.nodes().size());
  c.nq = m.nq(), c.nv = m.nv(), c.samples = kSamples;
  c.branch_slots = m.branch_slots(), c.general_joints = m.general_joints();
  c.gravity = m.gravity();
  c.links.assign(m.links<double>().begin(), m.links<double>().end());
  c.float_links.assign(m.links<float>().begin(), m.links<float>().end());
  c.armature.assign(m.armature().begin(), m.armature().end());
  Random random(1);
  RneaWorkspace<double> rnea_ws(m);
  AbaWorkspace<double> aba_ws(m);
  CrbaWorkspace<double> crba_ws(m);
  MassInverseWorkspace<double> inverse_ws(m);
  KinematicsWorkspace<double> kinematics_ws(m);
  c.velocity.assign(m.dof_tree().velocities().begin(), m.dof_tree().velocities().end());
  c.ends.assign(m.dof_tree().ends().begin(), m.dof_tree().ends().end());
  AbaDerivativesWorkspace<double> slopes_ws(m);
  c.slopes_of = slopes_ws.inverse.slopes_of, c.torques_of = slopes_ws.torques_of;
  c.first_segment = slopes_ws.inverse.first_segment, c.segments = slopes_ws.inverse.segments;
  c.branches = slopes_ws.branches;
  std::vector<double> matrix(static_cast<std::size_t>(m.nv()) * static_cast<std::size_t>(m.nv()));
  std::vector<double> v(static_cast<std::size_t>(m.nv())), a = v, tau = v, force = v, acc = v;
  for (int k = 0; k < kSamples; ++k) {
    const std::vector<double> q = random_configuration(m, random);
    for (double& x : v) x = random.uniform(-1, 1);
    for (double& x : a) x = random.uniform(-1, 1);
    for (double& x : force) x = random.uniform(-1, 1);
    rnea(m, rnea_ws, q, v, a, tau);
    aba(m, aba_ws, q, v, force, acc);
    c.q.insert(c.q.end(), q.begin(), q.end());
    c.v.insert(c.v.end(), v.begin(), v.end());
    c.a.insert(c.a.end(), a.begin(), a.end());
    c.tau.insert(c.tau.end(), tau.begin(), tau.end());
    c.force.insert(c.force.end(), force.begin(), force.end());
    c.acc.insert(c.acc.end(), acc.begin(), acc.end());
    if (k >= bench::kMatrices) continue;
    crba(m, crba_ws, q, MatrixView(matrix.data(), v.size(), v.size()));
    c.M.insert(c.M.end(), matrix.begin(), matrix.end());
    calc_mass_inverse(m, inverse_ws, q, MatrixView(matrix.data(), v.size(), v.size()));
    c.Minv.insert(c.Minv.end(), matrix.begin(), matrix.end());
    std::vector<double> by_q = matrix, by_v = matrix;
    const auto view = [&](std::vector<double>& x) { return MatrixView(x.data(), v.size(), v.size()); };
    const auto keep = [&](std::vector<double>& dq, std::vector<double>& dv) {
      dq.insert(dq.end(), by_q.begin(), by_q.end()), dv.insert(dv.end(), by_v.begin(), by_v.end());
    };
    calc_rnea_derivatives(m, slopes_ws.inverse, q, v, a, tau, view(by_q), view(by_v), view(matrix));
    keep(c.slopes[0], c.slopes[1]);
    calc_aba_derivatives(m, slopes_ws, q, v, force, acc, view(by_q), view(by_v), view(matrix));
    keep(c.slopes[2], c.slopes[3]);
    calc_kinematics(m, kinematics_ws, q);
    for (const Transform<double>& X : kinematics_ws.X) {
      const Mat3<double>& E = X.E.m;
      c.X.insert(c.X.end(), {E.xx, E.xy, E.xz, E.yx, E.yy, E.yz, E.zx, E.zy, E.zz, X.r.x, X.r.y, X.r.z});
    }
  }
  const std::string path = folder + "/" + c.name + ".case";
  bench::CaseFile(path, "wb").write(c);
  std::printf("%s: %d nodes, %d freedoms, %d samples\n", path.c_str(), c.nodes, c.nv, c.samples);
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("usage: make_case FOLDER"), 2;
  write(tree36(), argv[1]);
  write(mechanisms::humanoid(), argv[1]);
}
