// src/contact/frictionless.cpp
#include "sinew/contact/frictionless.hpp"

#include <algorithm>

#include "row_structures.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/tree/rnea.hpp"
#include "tree/checks.hpp"

namespace sinew {
struct FrictionlessContacts::Impl {
  Impl(const Model& m, const lcp::SolverOptions& options)
      : model(m), solver(options), structures(m), motion(m), rnea(m), f(at(m.nv())), zeros(at(m.nv())) {}
  // Acceleration along the normal without qdd: Tdot^T qd. [F08 11.30]
  double calc_drift(const ContactPoint&, const Force<double>& ndot) const;

  const Model& model;
  lcp::Solver solver;
  contact::RowStructures structures;
  std::vector<delassus::Entry> entries;
  VelocityWorkspace<double> motion;
  RneaWorkspace<double> rnea;
  std::vector<double> f, zeros, M, d;
  lcp::Problem problem;
  FrictionlessAnswer answer;
};

double FrictionlessContacts::Impl::calc_drift(const ContactPoint& c, const Force<double>& ndot) const {
  double sum = 0;
  for (const int node : {c.node_a, c.node_b}) {
    if (node == 0) continue;
    // n and ndot about the node's origin, along the axes of the world
    const Vec3<double>& o = motion.kinematics.X[node].r;
    const Force<double> n{cross(c.point - o, c.normal), c.normal};
    const Force<double> rate{ndot.ang - cross(o, ndot.lin), ndot.lin};
    sum += (node == c.node_a ? 1 : -1) * (dot(n, motion.a[node]) + dot(rate, motion.v[node]));
  }
  return sum;
}

FrictionlessContacts::FrictionlessContacts(const Model& m, const lcp::SolverOptions& options)
    : impl_(std::make_unique<Impl>(m, options)) {}
FrictionlessContacts::~FrictionlessContacts() = default;
FrictionlessContacts::FrictionlessContacts(FrictionlessContacts&&) noexcept = default;
FrictionlessContacts& FrictionlessContacts::operator=(FrictionlessContacts&&) noexcept = default;
const lcp::Problem& FrictionlessContacts::problem() const { return impl_->problem; }

const FrictionlessAnswer& FrictionlessContacts::solve(In<double> q, In<double> v, In<double> tau,
                                                      std::span<const ContactPoint> contacts, In<Force<double>> ndot,
                                                      double time) {
  const char* call = "FrictionlessContacts";
  Impl& ws = *impl_;
  const Model& m = ws.model;
  check_size(call, "tau", tau.size(), at(m.nv()));
  if (ndot.size() != 0) check_size(call, "ndot", ndot.size(), contacts.size());
  check_contacts(call, m, contacts);
  FrictionlessAnswer& out = ws.answer;
  out.qdd.resize(at(m.nv())), out.separation.resize(contacts.size());

  calc_accelerations(m, ws.motion, q, v, In<double>(ws.zeros), time);
  Surroundings<double> surroundings;
  surroundings.time = time;
  calc_bias(m, ws.rnea, q, v, ws.f, surroundings);
  for (std::size_t i = 0; i < ws.f.size(); ++i) ws.f[i] = tau[i] - ws.f[i];

  // M = T^T H^-1 T, d = T^T H^-1 (tau - C) + Tdot^T qd [F08 11.35, 11.36]
  ws.entries.clear();
  add_contact_entries(contacts, 0, ws.entries, 1);
  contact::RowStructure& s = ws.structures.find(ws.entries, static_cast<int>(contacts.size()));
  calc_contact_forces(contacts, ws.motion.kinematics, s.K.data(), 1);
  ws.M.resize(contacts.size() * contacts.size()), ws.d.resize(contacts.size());
  delassus::pv(m, s.pv.pv, q, s.K, MatrixView<double>(ws.M.data(), contacts.size(), contacts.size()), time);
  std::fill(s.lambda.begin(), s.lambda.end(), 0.0);
  calc_response(m, s.pv, q, ws.f, s.K, s.lambda, out.qdd);
  for (std::size_t c = 0; c < contacts.size(); ++c)
    ws.d[c] = ws.calc_drift(contacts[c], ndot.size() != 0 ? ndot[c] : Force<double>{});
  const auto entries = s.pv.pv.problem.entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    ws.d[entries[e].row] += dot(s.K[e], s.pv.accelerations[entries[e].node]);

  ws.problem = {{ws.M.data(), contacts.size(), contacts.size()}, ws.d, {}, {}};
  out.lambda.assign(contacts.size(), 0.0);
  out.certificate = {};
  out.certificate.status = lcp::Status::solved;
  if (!contacts.empty()) out.certificate = ws.solver.solve(ws.problem, out.lambda);
  calc_response(m, s.pv, q, ws.f, s.K, out.lambda, out.qdd);  // [F08 11.41]
  for (std::size_t r = 0; r < contacts.size(); ++r) {
    out.separation[r] = ws.d[r];  // [F08 11.34]
    for (std::size_t c = 0; c < contacts.size(); ++c)
      out.separation[r] += ws.M[r * contacts.size() + c] * out.lambda[c];
  }
  return out;
}

double calc_gauss_deviation(const Model& m, In<double> q, In<double> qdd, In<double> a, double time) {
  check_size("calc_gauss_deviation", "qdd", qdd.size(), at(m.nv()));
  check_size("calc_gauss_deviation", "a", a.size(), at(m.nv()));
  RneaWorkspace<double> ws(m);
  std::vector<double> x(at(m.nv())), Hx(at(m.nv()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = qdd[i] - a[i];
  multiply_by_mass(m, ws, q, x, Hx, time);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * Hx[i] / 2;
  return sum;
}

}  // namespace sinew
