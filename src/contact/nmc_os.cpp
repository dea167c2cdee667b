// src/contact/nmc_os.cpp - the operational space form over single bodies: hinge and loop impulses and contacts [J14
// section 8]
#include <algorithm>

#include "body_space.hpp"

namespace sinew::contact {
namespace {

class NmcOs : public Method {
 public:
  NmcOs(const Model& m, const ConstraintSet& set) : bodies_(m, set, "nmc_os") {}
  void assemble(StepData&, Islands&) override;
  void recover(StepData& d, In<double> z, ContactAnswer& out) override { bodies_.recover(d, z.data(), out); }

 private:
  BodySpace bodies_;
};

void NmcOs::assemble(StepData& d, Islands& islands) {
  bodies_.assemble(d);
  ProblemData& out = islands.single(bodies_.system().layout);
  const MatrixView<const double> Lambda = bodies_.compliance();
  for (std::size_t r = 0; r < out.q.size(); ++r) {
    std::copy_n(&Lambda(r, 0), out.q.size(), out.W.data() + r * out.q.size());
    out.q[r] = bodies_.free_velocity()[r];
  }
}

}  // namespace

std::unique_ptr<Method> make_nmc_os(const Model& m, const ConstraintSet& set) {
  return std::make_unique<NmcOs>(m, set);
}

}  // namespace sinew::contact
