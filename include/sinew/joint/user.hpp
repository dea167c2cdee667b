// sinew/joint/user.hpp - joints that users write
// A joint is a class with the same functions as the built-in ones (see joint/universal.hpp), without parameter:
//
//   struct CamJoint : EuclideanJoint<1> {                 // or its own kNq, kNv, rate, integrate, difference, ...
//     template <class T> void calc(const T* q, const T* v, JointMotion<T>& out) const;
//   };
//   spec.user = make_user_joint(CamJoint{...});
//
// The class is compiled for every scalar of the closed set, and calc() for the one that traces (base/traced.hpp). It
// does not run on the device.
#pragma once
#include <memory>
#include <utility>

#include "sinew/base/random.hpp"
#include "sinew/base/scalars.hpp"
#include "sinew/base/traced.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

class UserJoint {
 public:
  UserJoint() = default;
  UserJoint(const UserJoint&) = delete;
  UserJoint& operator=(const UserJoint&) = delete;
  virtual ~UserJoint() = default;

  virtual int nq() const = 0;
  virtual int nv() const = 0;
#define SINEW_DECLARE(T)                                                    \
  virtual void calc(const T* q, const T* v, JointMotion<T>& out) const = 0; \
  virtual void rate(const T* q, const T* v, T* qdot) const = 0;             \
  virtual void integrate(const T* q, const T* dv, T* out) const = 0;        \
  virtual void difference(const T* q0, const T* q1, T* dv) const = 0;       \
  virtual void normalize(T* q) const = 0;
  SINEW_FOR_EACH_SCALAR(SINEW_DECLARE)
#undef SINEW_DECLARE
  virtual void neutral(double* q) const = 0;
  virtual void random(Random& rng, const double* lower, const double* upper, double* q) const = 0;
  virtual void calc(const Traced* q, const Traced* v, JointMotion<Traced>& out) const = 0;  // for generate/
};

namespace detail {
template <class Text>
class UserJointOf final : public UserJoint {
 public:
  explicit UserJointOf(Text text) : text_(std::move(text)) {}

  int nq() const override { return Text::kNq; }
  int nv() const override { return Text::kNv; }
#define SINEW_DEFINE(T)                                                                             \
  void calc(const T* q, const T* v, JointMotion<T>& out) const override { text_.calc(q, v, out); }  \
  void rate(const T* q, const T* v, T* qdot) const override { text_.rate(q, v, qdot); }             \
  void integrate(const T* q, const T* dv, T* out) const override { text_.integrate(q, dv, out); }   \
  void difference(const T* q0, const T* q1, T* dv) const override { text_.difference(q0, q1, dv); } \
  void normalize(T* q) const override { text_.normalize(q); }
  SINEW_FOR_EACH_SCALAR(SINEW_DEFINE)
#undef SINEW_DEFINE
  void calc(const Traced* q, const Traced* v, JointMotion<Traced>& out) const override { text_.calc(q, v, out); }
  void neutral(double* q) const override { text_.neutral(q); }
  void random(Random& rng, const double* lower, const double* upper, double* q) const override {
    text_.random(rng, lower, upper, q);
  }

 private:
  Text text_;
};
}  // namespace detail

// A joint from a class with kNq, kNv, calc, integrate and the others as templates.
template <class Text>
std::shared_ptr<const UserJoint> make_user_joint(Text text) {
  static_assert(Text::kNv >= 0 && Text::kNv <= kMaxJointDofs);
  return std::make_shared<detail::UserJointOf<Text>>(std::move(text));
}

}  // namespace sinew
