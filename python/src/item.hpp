// python/src/item.hpp - parts of a ModelSpec as Python holds them
// An Item is a value of its own (BodySpec(...)), a handle on an entry of a specification (spec.bodies[2]: assignments
// reach the specification), or a frozen copy of something nested (joint.dofs[0]: assignments are refused, because they
// would be lost). A handle is a number, as in a list: after an entry before it was removed it stands for the next one.
#pragma once
#include "common.hpp"

namespace sinew::py {

// A specification with what its loader remarked.
struct PySpec {
  ModelSpec spec;
  Diagnostics remarks;
};
// With the remarks; a LoadError with all diagnostics where there is none.
std::shared_ptr<PySpec> unwrap_spec(Result<ModelSpec>&&);

template <class T>
class Item {
 public:
  Item() : own_(std::make_shared<T>()) {}
  explicit Item(T value, bool frozen = false) : own_(std::make_shared<T>(std::move(value))), frozen_(frozen) {}
  Item(std::shared_ptr<PySpec> owner, std::vector<T> ModelSpec::*list, std::size_t index)
      : owner_(std::move(owner)), list_(list), index_(index) {}

  const T& get() const { return own_ ? *own_ : entry(); }
  T& edit() {
    if (frozen_)
      throw nb::attribute_error("this is a copy: assign the whole list, as in  joint.dofs = [DofSpec(damping=0.1)]");
    return own_ ? *own_ : entry();
  }

 private:
  T& entry() const {
    std::vector<T>& all = owner_->spec.*list_;
    if (index_ >= all.size()) throw nb::index_error("this entry was removed from its specification");
    return all[index_];
  }

  std::shared_ptr<T> own_;
  std::shared_ptr<PySpec> owner_;
  std::vector<T> ModelSpec::*list_ = nullptr;
  std::size_t index_ = 0;
  bool frozen_ = false;
};

}  // namespace sinew::py
