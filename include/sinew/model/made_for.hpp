// sinew/model/made_for.hpp - which compiled model a workspace was made for
// A workspace keeps a MadeFor of the model that gave it its sizes, and every call compares that with its model, one
// number with another. So a workspace of another model is refused even where all sizes agree. Copies of a model, and
// models made from it by with_armature(), count as the same model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinew {

class Model;

// A unique number; 0 (none) after a move.
class Identity {
 public:
  Identity() = default;
  ~Identity() = default;
  Identity(const Identity&) = default;
  Identity& operator=(const Identity&) = default;
  Identity(Identity&& other) noexcept : value_(std::exchange(other.value_, 0)) {}
  Identity& operator=(Identity&& other) noexcept {
    value_ = std::exchange(other.value_, 0);
    return *this;
  }

  // One that no other has.
  static Identity make_new();
  // Whether both are of copies of one model.
  bool is_same(const Identity& other) const { return value_ == other.value_ && value_ != 0; }

 private:
  std::uint64_t value_ = 0;
};

class MadeFor {
 public:
  explicit MadeFor(const Model&);
  // Throws std::invalid_argument with the sizes of both models where the models differ or the owner was moved from.
  // `name`: the argument of the call that is checked.
  void check(const char* call, const Model&, const char* name = "the workspace") const;
  void check(const char* call, const MadeFor& other, const char* name) const {
    if (!identity_.is_same(other.identity_)) refuse(call, name, other.nodes_, other.nv_);
  }

 private:
  [[noreturn]] void refuse(const char* call, const char* name, int nodes, int nv) const;

  Identity identity_;
  int nodes_ = 0, nv_ = 0;
};

}  // namespace sinew
