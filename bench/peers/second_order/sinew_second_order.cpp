// bench/peers/second_order/sinew_second_order.cpp - Sinew's second derivatives of inverse dynamics
//   sinew_second_order URDF [--floating] [--repeats N]
// Contracted with a vector, as trajectory optimization needs them: four matrices of nv^2 numbers; and all layers of the
// tensors, one contraction for each unit vector.
#include "../peer.hpp"
#include "sinew/derivative/rnea_hessian.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/configuration.hpp"

int main(int argc, char** argv) try {
  using namespace sinew;
  std::vector<char*> words(argv, argv + argc);
  char none[] = "-";
  words.push_back(none), words.push_back(none);  // no files of states and results
  const peers::Arguments arguments = peers::parse(static_cast<int>(words.size()), words.data());
  const Model model = compile(load(arguments.urdf, {.floating_base = arguments.floating}).value()).value();
  const auto nv = static_cast<std::size_t>(model.nv());
  Random random(1);
  std::vector<std::vector<double>> q, unit(nv, std::vector<double>(nv)), matrices(4, std::vector<double>(nv * nv));
  for (int i = 0; i < 16; ++i) q.push_back(random_configuration(model, random));
  for (std::size_t k = 0; k < nv; ++k) unit[k][k] = 1;
  std::vector<double> v(nv), a(nv), lambda(nv);
  for (auto* x : {&v, &a, &lambda})
    for (double& y : *x) y = random.uniform(-1, 1);
  RneaHessianWorkspace<double> ws(model);
  const auto matrix = [&](std::size_t k) { return MatrixView<double>(matrices[k].data(), nv, nv); };
  const auto contract = [&](std::size_t i, const std::vector<double>& by) {
    calc_rnea_hessian<double>(model, ws, q[i], v, a, by, matrix(0), matrix(1), matrix(2), matrix(3));
    peers::keep();
  };
  peers::Report report(q.size());
  const auto nothing = [](std::size_t) { return std::vector<double>{}; };
  report.add(
      "contraction", [&](std::size_t i) { contract(i, lambda); }, nothing);
  report.add(
      "all layers",
      [&](std::size_t i) {
        for (const auto& e : unit) contract(i, e);
      },
      nothing);
  report.measure(arguments.repeats);
  std::printf("%s\n", report.medians().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sinew_second_order: %s\n", e.what());
  return 1;
}
