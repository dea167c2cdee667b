// python/src/sko.hpp - an SKO model as Python holds it: whatever it is made from stays alive, one thread at a time
#pragma once
#include "common.hpp"
#include "sinew/operators/rigid_sko.hpp"

namespace sinew::py {

struct PySko {
  std::shared_ptr<sko::SkoModel<double>> model;  // may be a part of something larger, which it then keeps
  Busy busy;
};

// Holds the model for one call.
class UseSko {
 public:
  UseSko(const char* call, PySko& s) : sko_(*s.model), taken_(call, s.busy, "the SKO model") {}
  sko::SkoModel<double>& operator*() const { return sko_; }

 private:
  sko::SkoModel<double>& sko_;
  Taken taken_;
};

struct PyRigidSko {
  struct Parts {
    explicit Parts(std::shared_ptr<PyModel> m) : model(std::move(m)), rigid(*model) {}
    std::shared_ptr<PyModel> model;
    sko::RigidSko rigid;
  };
  explicit PyRigidSko(std::shared_ptr<PyModel> m) : parts(std::make_shared<Parts>(std::move(m))) {
    sko->model = std::shared_ptr<sko::SkoModel<double>>(parts, &parts->rigid.sko);
  }
  std::shared_ptr<Parts> parts;
  std::shared_ptr<PySko> sko = std::make_shared<PySko>();
};

}  // namespace sinew::py
