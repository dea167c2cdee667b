// bench/peers/delassus/pinocchio_osim.cpp - EFPA and PV-OSIMr
#include <pinocchio/algorithm/delassus.hpp>

#include "pinocchio_contacts.hpp"

namespace peers {
namespace {

class Efpa final : public ContactWay {
 public:
  Efpa(const pinocchio::Model& m, const std::vector<Contact>& c) : ContactWay(m, c) {}
  void run(const EigenState& s) override {
    pinocchio::computeDelassusMatrix(model, data, s.q, models, datas, delassus, 0.0);
  }
};

class PvOsim final : public ContactWay {
 public:
  PvOsim(const pinocchio::Model& m, const std::vector<Contact>& c) : ContactWay(m, c) {
    pinocchio::initPvDelassus(model, data, models);
  }
  void run(const EigenState& s) override {
    pinocchio::computePvDelassusMatrix(model, data, s.q, models, datas, delassus, 0.0);
  }
};

}  // namespace

WayPtr make_efpa(const pinocchio::Model& m, const std::vector<Contact>& c) { return std::make_unique<Efpa>(m, c); }
WayPtr make_pv_osim(const pinocchio::Model& m, const std::vector<Contact>& c) { return std::make_unique<PvOsim>(m, c); }

}  // namespace peers
