// bench/generated/pinocchio_casadi.cpp - Pinocchio's algorithms for one robot as C, through CasADi
//   pinocchio_casadi URDF [--floating] OUT.c
// Writes functions rnea, aba and crba (upper triangle), with common subexpressions taken out, as CasADi writes them.
// race.py compiles and runs this; the model comes through ../peers/pinocchio_side.py.
#include <casadi/casadi.hpp>
#include <pinocchio/autodiff/casadi.hpp>
// those two come first
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "pinocchio_model.hpp"

namespace {

using casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;

Vector to_eigen(const SX& x) {
  Vector out(x.size1());
  for (casadi_int i = 0; i < x.size1(); ++i) out[i] = x(i);
  return out;
}
SX to_casadi(const Vector& x) {
  SX out(x.size(), 1);
  for (Eigen::Index i = 0; i < x.size(); ++i) out(i) = x[i];
  return out;
}

void run(const std::string& urdf, bool floating, const std::string& file) {
  const pinocchio::Model real = peers::load_pinocchio(urdf, floating);
  const pinocchio::ModelTpl<SX> model = real.cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  const SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), x = SX::sym("x", model.nv);
  const Vector Q = to_eigen(q), V = to_eigen(v), X = to_eigen(x);
  const std::size_t cut = file.find_last_of('/') + 1;
  casadi::CodeGenerator code(file.substr(cut), casadi::Dict{{"with_header", false}});
  const auto add = [&](const char* name, const std::vector<SX>& in, const SX& out) {
    code.add(casadi::Function(name, in, {densify(cse(out))}));
  };
  add("rnea", {q, v, x}, to_casadi(pinocchio::rnea(model, data, Q, V, X)));
  add("aba", {q, v, x}, to_casadi(pinocchio::aba(model, data, Q, V, X)));
  pinocchio::crba(model, data, Q);
  SX M(model.nv, model.nv);
  for (int i = 0; i < model.nv; ++i)
    for (int j = i; j < model.nv; ++j) M(i, j) = data.M(i, j);
  add("crba", {q}, M);
  code.generate(file.substr(0, cut));
}

}  // namespace

int main(int argc, char** argv) try {
  const bool floating = argc == 4 && std::string(argv[2]) == "--floating";
  if (argc != 3 && !floating) throw std::invalid_argument("usage: pinocchio_casadi URDF [--floating] OUT.c");
  run(argv[1], floating, argv[argc - 1]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "pinocchio_casadi: %s\n", e.what());
  return 1;
}
