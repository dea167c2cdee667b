// bench/peers/second_order/pinocchio_second_order.cpp - Pinocchio's second derivatives of inverse dynamics
//   pinocchio_second_order URDF [--floating] [--repeats N]
// Four tensors of nv^3 numbers. docs/derivatives.md has the times beside those of sinew_second_order.
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

#include "../peer.hpp"
#include "../pinocchio_model.hpp"

int main(int argc, char** argv) try {
  std::vector<char*> words(argv, argv + argc);
  char none[] = "-";
  words.push_back(none), words.push_back(none);  // no files of states and results
  const peers::Arguments arguments = peers::parse(static_cast<int>(words.size()), words.data());
  const pinocchio::Model model = peers::load_pinocchio(arguments.urdf, arguments.floating);
  pinocchio::Data data(model);
  const Eigen::VectorXd reach = Eigen::VectorXd::Constant(model.nq, 3);
  std::vector<Eigen::VectorXd> q;
  for (int i = 0; i < 16; ++i) q.push_back(pinocchio::randomConfiguration(model, -reach, reach));
  const Eigen::VectorXd v = Eigen::VectorXd::Random(model.nv), a = Eigen::VectorXd::Random(model.nv);
  peers::Report report(q.size());
  report.add(
      "tensors",
      [&](std::size_t i) { pinocchio::ComputeRNEASecondOrderDerivatives(model, data, q[i], v, a), peers::keep(); },
      [](std::size_t) { return std::vector<double>{}; });
  report.measure(arguments.repeats);
  std::printf("%s\n", report.medians().c_str());
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "pinocchio_second_order: %s\n", e.what());
  return 1;
}
