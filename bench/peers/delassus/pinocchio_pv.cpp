// bench/peers/delassus/pinocchio_pv.cpp - the Popov-Vereshchagin solver and the constrained ABA
#include <algorithm>
#include <pinocchio/algorithm/proximal.hpp>
#include <pinocchio/algorithm/pv.hpp>

#include "pinocchio_ways.hpp"

namespace peers {
namespace {

// A is an anchor: 3 or 6 rows per contact.
template <class A, bool proximal>
class PvWay final : public Way {
 public:
  PvWay(const pinocchio::Model& m, const std::vector<Contact>& c) : model_(m), data_(m) {
    for (const Contact& contact : c) {
      models_.emplace_back(model_, contact.joint, contact.placement);
      datas_.emplace_back(models_.back());
    }
    pinocchio::initPvSolver(model_, data_, models_);
    // The constrained ABA has a damping that its iterations take back.
    if (proximal) settings_ = pinocchio::ProximalSettingsTpl<double>(1e-9, 1e-6, 20);
  }
  void run(const EigenState& s) override {
    if constexpr (proximal) {
      pinocchio::constrainedABA(model_, data_, s.q, s.v, s.tau, models_, datas_, settings_);
    } else {
      pinocchio::pv(model_, data_, s.q, s.v, s.tau, models_, datas_, settings_);
    }
  }

  Eigen::VectorXd ddq() const override { return data_.ddq; }

 private:
  const pinocchio::Model& model_;
  pinocchio::Data data_;
  std::vector<A> models_;
  std::vector<typename A::ConstraintData> datas_;
  pinocchio::ProximalSettingsTpl<double> settings_;
};

template <bool proximal>
WayPtr make(const pinocchio::Model& m, const std::vector<Contact>& c) {
  const auto all = [&](int rows) { return std::ranges::all_of(c, [&](const Contact& x) { return x.rows == rows; }); };
  if (all(6)) return std::make_unique<PvWay<pinocchio::FrameAnchorConstraintModel, proximal>>(m, c);
  if (all(3)) return std::make_unique<PvWay<pinocchio::PointAnchorConstraintModel, proximal>>(m, c);
  return nullptr;
}

}  // namespace

WayPtr make_pv(const pinocchio::Model& m, const std::vector<Contact>& c) { return make<false>(m, c); }
WayPtr make_constrained_aba(const pinocchio::Model& m, const std::vector<Contact>& c) { return make<true>(m, c); }

}  // namespace peers
