// python/src/user_joint.cpp - joints whose motion is a Python function
#include "user_joint.hpp"

#include "sinew/joint/euclidean.hpp"

namespace sinew::py {
namespace {

// Lanes of a scalar, as doubles.
template <class T>
double get_lane(const T& x, int lane) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else if constexpr (requires { x.value; })
    return x.value;
  else
    return static_cast<double>(x[lane]);
}
template <class T>
void set_lane(T& x, int lane, double value) {
  if constexpr (std::is_arithmetic_v<T>)
    x = static_cast<T>(value);
  else if constexpr (requires { x.value; })
    x = T(value);
  else
    x.set(lane, static_cast<typename ScalarTraits<T>::Value>(value));
}

// Velocities are the rates of the positions; X, S and c come from the function.
class PythonJoint final : public UserJoint {
 public:
  PythonJoint(std::string name, std::vector<double> neutral, Callable calc)
      : name_(std::move(name)), neutral_(std::move(neutral)), calc_(std::move(calc)) {}
  int nq() const override { return static_cast<int>(neutral_.size()); }
  int nv() const override { return nq(); }
#define SINEW_PY_JOINT(T)                                                                          \
  void calc(const T* q, const T* v, JointMotion<T>& out) const override { calc_lanes(q, v, out); } \
  void rate(const T*, const T* v, T* qdot) const override { std::copy(v, v + nv(), qdot); }        \
  void integrate(const T* q, const T* dv, T* out) const override {                                 \
    for (int k = 0; k < nv(); ++k) out[k] = q[k] + dv[k];                                          \
  }                                                                                                \
  void difference(const T* q0, const T* q1, T* dv) const override {                                \
    for (int k = 0; k < nv(); ++k) dv[k] = q1[k] - q0[k];                                          \
  }                                                                                                \
  void normalize(T*) const override {}
  SINEW_FOR_EACH_SCALAR(SINEW_PY_JOINT)
#undef SINEW_PY_JOINT
  void calc(const Traced*, const Traced*, JointMotion<Traced>&) const override {
    throw TraceError("joint '" + name_ + "' is written in Python, so no code can be generated for it");
  }
  void neutral(double* q) const override { std::copy(neutral_.begin(), neutral_.end(), q); }
  void random(Random& rng, const double* lower, const double* upper, double* q) const override {
    for (int k = 0; k < nv(); ++k) q[k] = rng.uniform(lower[k], upper[k]);
  }

 private:
  template <class T>
  void calc_lanes(const T* q, const T* v, JointMotion<T>& out) const {
    if constexpr (std::is_same_v<T, Dual>) {
      throw std::logic_error("joint '" + name_ + "' is written in Python and has no derivatives");
    } else {
      // All members are scalars one after the other: X, then S, v, c.
      static_assert(sizeof(JointMotion<T>) == 60 * sizeof(T));
      const nb::gil_scoped_acquire gil;
      std::array<double, kMaxJointDofs> Q{}, V{};
      for (int lane = 0; lane < ScalarTraits<T>::kLanes; ++lane) {
        for (int k = 0; k < nv(); ++k) Q[at(k)] = get_lane(q[k], lane), V[at(k)] = get_lane(v[k], lane);
        const JointMotion<double> one = call(Q.data(), V.data());
        const auto* from = reinterpret_cast<const double*>(&one);
        auto* to = reinterpret_cast<T*>(&out);
        for (int i = 0; i < 60; ++i) set_lane(to[i], lane, from[i]);
      }
    }
  }

  JointMotion<double> call(const double* q, const double* v) const {
    const auto n = neutral_.size();
    const nb::object answer = calc_.get()(copy_vector({q, n}), copy_vector({v, n}));
    if (!nb::isinstance<nb::tuple>(answer) || nb::len(answer) != 3) refuse("must return X, S and c");
    JointMotion<double> out{};
    if (!nb::try_cast(nb::object(answer[0]), out.X)) refuse("X must be a Transform");
    const nb::object S = answer[1], c = answer[2];
    const InMatrix s("calc", "S", {S.ptr()}, n, 6);
    for (std::size_t k = 0; k < n; ++k) {
      const double* x = s.data() + 6 * k;
      out.S[k] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      out.v += v[k] * out.S[k];
    }
    if (!nb::try_cast(c, out.c)) refuse("c must have six numbers");
    return out;
  }
  [[noreturn]] void refuse(const char* why) const {
    throw nb::type_error(("joint '" + name_ + "': calc(q, v) " + why).c_str());
  }

  std::string name_;
  std::vector<double> neutral_;
  Callable calc_;
};

}  // namespace

void bind_user_joint(nb::module_& m) {
  nb::class_<PyUserJoint>(m, "UserJoint", R"(A joint whose motion is a Python function [F08 section 4.4].

    def calc(q, v):
        return X, S, c       # Transform F_s <- F_p;  nv x 6;  6, all in F_s:  v_J = S v,  a_J = S dv/dt + c
    JointSpec(kind=JointKind.user, user=UserJoint("cam", [0.0], calc), ...)

Velocities are the rates of the positions, as many as `neutral` has numbers, at most six. The function must depend on
its arguments only. It is called with the GIL, once per sample, and is much slower than a joint of C++. What it raises
comes out of the call that needed it.)")
      .def(
          "__init__",
          [](PyUserJoint* self, std::string name, ArrayIn neutral, nb::object calc) {
            std::vector<double> q = read_numbers("UserJoint", "neutral", neutral);
            if (q.empty() || q.size() > at(kMaxJointDofs))
              throw nb::value_error("UserJoint: neutral must have one to six numbers");
            if (!PyCallable_Check(calc.ptr())) throw nb::type_error("UserJoint: calc must be a function of q and v");
            new (self)
                PyUserJoint{std::make_shared<PythonJoint>(std::move(name), std::move(q), Callable(std::move(calc)))};
          },
          "name"_a, "neutral"_a, "calc"_a,
          nb::sig(
              "def __init__(self, name: str, neutral: numpy.typing.ArrayLike, calc: "
              "collections.abc.Callable[[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], "
              "tuple[Transform, numpy.typing.ArrayLike, numpy.typing.ArrayLike]]) -> None"))
      .def_prop_ro(
          "nq", [](const PyUserJoint& j) { return j.joint->nq(); }, "Position coordinates.")
      .def_prop_ro(
          "nv", [](const PyUserJoint& j) { return j.joint->nv(); }, "Velocity coordinates.");
}

}  // namespace sinew::py
