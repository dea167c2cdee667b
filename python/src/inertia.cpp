// python/src/inertia.cpp - energy, momentum, centre of mass, centroidal map, Coriolis matrix, regressor
#include "common.hpp"
#include "sinew/tree/base_parameters.hpp"
#include "sinew/tree/centre_of_mass.hpp"
#include "sinew/tree/centroidal.hpp"
#include "sinew/tree/coriolis.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/momentum.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew::py {
namespace {

using Energy = EnergyWorkspace<double>;
using Momentum = MomentumWorkspace<double>;
using Centre = CentreOfMassWorkspace<double>;
using Centroidal = CentroidalWorkspace<double>;
using Coriolis = CoriolisWorkspace<double>;
using Regressor = RegressorWorkspace<double>;

// A vector of `size` numbers from q, or q and v, or q, v and a; f writes to double*.
template <class W, class F>
Array from_q(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayOut out, std::size_t size, F&& f) {
  const InVector Q(call, "q", q, at(m.nq()));
  OutVector O(call, "out", out, size);
  O.apart_from(Q);
  const Use<W> use(call, ws);
  run(m, [&] { f(*use, Q, O); });
  return O.take();
}
template <class W, class F>
Array from_qv(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, ArrayOut out, std::size_t size,
              F&& f) {
  const InVector V(call, "v", v, at(m.nv()));
  return from_q(call, m, ws, q, out, size, [&](W& w, const InVector& Q, OutVector& O) {
    O.apart_from(V);
    f(w, Q, V, O);
  });
}
template <class W, class F>
Array from_qva(const char* call, const PyModel& m, Held<W>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out,
               std::size_t size, F&& f) {
  const InVector A(call, "a", a, at(m.nv()));
  return from_qv(call, m, ws, q, v, out, size, [&](W& w, const InVector& Q, const InVector& V, OutVector& O) {
    O.apart_from(A);
    f(w, Q, V, A, O);
  });
}

void put(const Force<double>& f, const OutVector& o) {
  const double n[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
  std::copy(std::begin(n), std::end(n), o.data());
}
void put(const Vec3<double>& v, const OutVector& o) { o.data()[0] = v.x, o.data()[1] = v.y, o.data()[2] = v.z; }

void bind_energy(nb::module_& m) {
  bind_workspace<Energy>(m, "EnergyWorkspace", "Scratch of the energies.");
  m.def(
      "calc_kinetic_energy",
      [](const PyModel& x, Held<Energy>& ws, ArrayIn q, ArrayIn v, double time) {
        const char* call = "calc_kinetic_energy";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        const Use<Energy> use(call, ws);
        return calc_kinetic_energy<double>(x, *use, Q, V, time);
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "time"_a = 0., "T = 1/2 v^T M v, O(n) [F08 2.67]; armature counts [J].");
  m.def(
      "calc_potential_energy",
      [](const PyModel& x, Held<Energy>& ws, ArrayIn q, double time) {
        const char* call = "calc_potential_energy";
        const InVector Q(call, "q", q, at(x.nq()));
        const Use<Energy> use(call, ws);
        return calc_potential_energy<double>(x, *use, Q, time);
      },
      "model"_a, "workspace"_a, "q"_a, "time"_a = 0., "V = - sum of m g . c; springs do not count [J].");
}

void bind_momentum(nb::module_& m) {
  bind_workspace<Momentum>(m, "MomentumWorkspace", "Scratch of the momenta.");
  m.def(
      "calc_momentum",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        return from_qv("calc_momentum", x, ws, q, v, out, 6,
                       [&](auto& w, auto& Q, auto& V, auto& O) { put(calc_momentum<double>(x, w, Q, V, time), O); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0.,
      "h = sum of I_i v_i, about the world's origin: angular above linear [F08 2.61].");
  m.def(
      "calc_momentum_rate",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, double time) {
        return from_qva("calc_momentum_rate", x, ws, q, v, a, out, 6, [&](auto& w, auto& Q, auto& V, auto& A, auto& O) {
          put(calc_momentum_rate<double>(x, w, Q, V, A, time), O);
        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), "time"_a = 0., "dh/dt [F08 2.68].");
  m.def(
      "calc_centroidal_momentum",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        return from_qv("calc_centroidal_momentum", x, ws, q, v, out, 6, [&](auto& w, auto& Q, auto& V, auto& O) {
          put(calc_centroidal_momentum<double>(x, w, Q, V, time), O);
        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0., "h about the centre of mass.");
  m.def(
      "calc_centroidal_momentum_rate",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, double time) {
        return from_qva("calc_centroidal_momentum_rate", x, ws, q, v, a, out, 6,
                        [&](auto& w, auto& Q, auto& V, auto& A, auto& O) {
                          put(calc_centroidal_momentum_rate<double>(x, w, Q, V, A, time), O);
                        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), "time"_a = 0.,
      "Rate of the momentum about the centre of mass, at the acceleration a.");
  m.def(
      "calc_centroidal_bias",
      [](const PyModel& x, Held<Momentum>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        return from_qv("calc_centroidal_bias", x, ws, q, v, out, 6, [&](auto& w, auto& Q, auto& V, auto& O) {
          put(calc_centroidal_bias<double>(x, w, Q, V, time), O);
        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0.,
      "dA/dt v of the centroidal map A, without the matrix.");
}

void bind_centre(nb::module_& m) {
  bind_workspace<Centre>(m, "CentreOfMassWorkspace", "Scratch of the centre of mass.");
  m.def(
      "calc_centre_of_mass",
      [](const PyModel& x, Held<Centre>& ws, ArrayIn q, ArrayOut out, double time) {
        return from_q("calc_centre_of_mass", x, ws, q, out, 3,
                      [&](auto& w, auto& Q, auto& O) { put(calc_centre_of_mass<double>(x, w, Q, time), O); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0., "c = (sum of m_i c_i) / m [m].");
  m.def(
      "calc_centre_of_mass_velocity",
      [](const PyModel& x, Held<Centre>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        return from_qv("calc_centre_of_mass_velocity", x, ws, q, v, out, 3, [&](auto& w, auto& Q, auto& V, auto& O) {
          put(calc_centre_of_mass_velocity<double>(x, w, Q, V, time), O);
        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0., "[m/s]");
  m.def(
      "calc_centre_of_mass_acceleration",
      [](const PyModel& x, Held<Centre>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, double time) {
        return from_qva("calc_centre_of_mass_acceleration", x, ws, q, v, a, out, 3,
                        [&](auto& w, auto& Q, auto& V, auto& A, auto& O) {
                          put(calc_centre_of_mass_acceleration<double>(x, w, Q, V, A, time), O);
                        });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), "time"_a = 0., "Without -g [m/s^2].");
  m.def(
      "calc_centre_of_mass_jacobian",
      [](const PyModel& x, Held<Centre>& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_centre_of_mass_jacobian";
        const InVector Q(call, "q", q, at(x.nq()));
        OutMatrix2 O(call, "out", out, 3, at(x.nv()));
        O.apart_from(Q);
        const Use<Centre> use(call, ws);
        run(x, [&] { calc_centre_of_mass_jacobian<double>(x, *use, Q, O.view(), time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0., "J with dc/dt = J v, 3 x nv.");
}

void bind_centroidal(nb::module_& m) {
  bind_workspace<Centroidal>(m, "CentroidalWorkspace", "Scratch of the centroidal map.");
  m.def(
      "calc_centroidal_map",
      [](const PyModel& x, Held<Centroidal>& ws, ArrayIn q, ArrayOut out, double time) {
        const char* call = "calc_centroidal_map";
        const InVector Q(call, "q", q, at(x.nq()));
        OutMatrix2 O(call, "out", out, 6, at(x.nv()));
        O.apart_from(Q);
        const Use<Centroidal> use(call, ws);
        run(x, [&] { calc_centroidal_map<double>(x, *use, Q, O.view(), time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0.,
      "A with h = A v about the centre of mass, 6 x nv [F08 section 6.2].");
  m.def(
      "calc_centroidal_map_rate",
      [](const PyModel& x, Held<Centroidal>& ws, ArrayIn q, ArrayIn v, ArrayOut out, ArrayOut out_rate, double time) {
        const char* call = "calc_centroidal_map_rate";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv()));
        OutMatrix2 A(call, "out", out, 6, at(x.nv())), dA(call, "out_rate", out_rate, 6, at(x.nv()));
        A.apart_from(Q, V), dA.apart_from(Q, V);
        if (A.data() == dA.data() && x.nv() > 0) throw nb::value_error("calc_centroidal_map_rate: out is out_rate");
        const Use<Centroidal> use(call, ws);
        run(x, [&] { calc_centroidal_map_rate<double>(x, *use, Q, V, A.view(), dA.view(), time); });
        return std::pair(A.take(), dA.take());
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), optional_array("out_rate"), "time"_a = 0.,
      "A and dA/dt: dh/dt = A dv/dt + dA/dt v.");
  bind_workspace<Coriolis>(m, "CoriolisWorkspace", "Scratch of calc_coriolis_matrix and calc_mass_matrix_rate.");
  const auto square = [&](const char* name, auto f, const char* doc) {
    m.def(
        name,
        [name, f](const PyModel& x, Held<Coriolis>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
          const InVector Q(name, "q", q, at(x.nq())), V(name, "v", v, at(x.nv()));
          OutMatrix2 O(name, "out", out, at(x.nv()), at(x.nv()));
          O.apart_from(Q, V);
          const Use<Coriolis> use(name, ws);
          run(x, [&] { f(x, *use, Q, V, O.view(), time); });
          return O.take();
        },
        "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0., doc);
  };
  square(
      "calc_coriolis_matrix", [](auto&&... p) { calc_coriolis_matrix<double>(p...); },
      "C(q, v) with C v + g = h and dM/dt - 2 C skew, O(n d).");
  square(
      "calc_mass_matrix_rate", [](auto&&... p) { calc_mass_matrix_rate<double>(p...); }, "dM/dt = C + C^T.");
}

void bind_regressor(nb::module_& m) {
  bind_workspace<Regressor>(m, "RegressorWorkspace", "Scratch of the regressors.");
  m.def(
      "inertial_parameter_count", [](const PyModel& x) { return inertial_parameter_count(x); }, "model"_a,
      "10 (bodies - 1)");
  m.def(
      "get_inertial_parameters",
      [](const PyModel& x, ArrayOut out) {
        OutVector O("get_inertial_parameters", "out", out, inertial_parameter_count(x));
        get_inertial_parameters(x, O);
        return O.take();
      },
      "model"_a, optional_array("out"),
      "pi: m, h_x h_y h_z, I_xx I_xy I_xz I_yy I_yz I_zz of each body 1, 2, ..., in its frame about its origin.");
  m.def(
      "calc_regressor",
      [](const PyModel& x, Held<Regressor>& ws, ArrayIn q, ArrayIn v, ArrayIn a, ArrayOut out, double time) {
        const char* call = "calc_regressor";
        const InVector Q(call, "q", q, at(x.nq())), V(call, "v", v, at(x.nv())), A(call, "a", a, at(x.nv()));
        OutMatrix2 O(call, "out", out, at(x.nv()), inertial_parameter_count(x));
        O.apart_from(Q, V, A);
        const Use<Regressor> use(call, ws);
        run(x, [&] { calc_regressor<double>(x, *use, Q, V, A, O.view(), time); });
        return O.take();
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, "a"_a, optional_array("out"), "time"_a = 0.,
      "Y with tau = Y(q, v, a) pi, nv x 10 (bodies - 1). Armature is not among the parameters.");
  m.def(
      "calc_kinetic_energy_regressor",
      [](const PyModel& x, Held<Regressor>& ws, ArrayIn q, ArrayIn v, ArrayOut out, double time) {
        return from_qv(
            "calc_kinetic_energy_regressor", x, ws, q, v, out, inertial_parameter_count(x),
            [&](auto& w, auto& Q, auto& V, auto& O) { calc_kinetic_energy_regressor<double>(x, w, Q, V, O, time); });
      },
      "model"_a, "workspace"_a, "q"_a, "v"_a, optional_array("out"), "time"_a = 0., "y with T = y pi.");
  m.def(
      "calc_potential_energy_regressor",
      [](const PyModel& x, Held<Regressor>& ws, ArrayIn q, ArrayOut out, double time) {
        return from_q("calc_potential_energy_regressor", x, ws, q, out, inertial_parameter_count(x),
                      [&](auto& w, auto& Q, auto& O) { calc_potential_energy_regressor<double>(x, w, Q, O, time); });
      },
      "model"_a, "workspace"_a, "q"_a, optional_array("out"), "time"_a = 0., "y with V = y pi.");

  using P = BaseParameters;
  nb::class_<P>(m, "BaseParameters", "The smallest set of sums of inertial parameters that tau depends on.")
      .def_prop_ro("rank", &P::rank, "The number of independent columns.")
      .def_prop_ro(
          "independent", [](const P& p) { return copy_integers(p.independent); },
          "Columns of Y that are kept, ascending.")
      .def_prop_ro(
          "dependent", [](const P& p) { return copy_integers(p.dependent); },
          "Columns of Y that are sums of the independent ones, ascending.")
      .def_prop_ro(
          "unseen", [](const P& p) { return copy_integers(p.unseen); }, "Columns of Y that are zero, ascending.")
      .def_prop_ro(
          "K", [](const P& p) { return copy_matrix(p.K, p.independent.size(), p.dependent.size()); },
          "independent x dependent: beta = pi[independent] + K pi[dependent]")
      .def_ro("last_kept", &P::last_kept,
              "What the columns before did not span of the last column that was kept, as a part of its length.")
      .def_ro("first_left", &P::first_left,
              "What the columns before did not span of the first column that was dropped, as a part of its length.");
  m.def(
      "find_base_parameters",
      [](const PyModel& x, int samples, std::uint64_t seed, double speed) {
        BaseParameterOptions o;
        o.samples = samples, o.seed = seed, o.speed = speed;
        return run_long([&] { return find_base_parameters(x, o); });
      },
      "model"_a, nb::kw_only(), "samples"_a = 0, "seed"_a = 1, "speed"_a = 3.,
      "BaseParameters: the smallest set of sums of inertial parameters that forces depend on.");
  m.def(
      "calc_base_parameters",
      [](const P& p, ArrayIn pi, ArrayOut out) {
        const char* call = "calc_base_parameters";
        const InVector X(call, "pi", pi, p.independent.size() + p.dependent.size() + p.unseen.size());
        OutVector O(call, "out", out, p.independent.size());
        O.apart_from(X);
        calc_base_parameters(p, X, O);
        return O.take();
      },
      "base_parameters"_a, "pi"_a, optional_array("out"), "beta = pi[independent] + K pi[dependent].");
}

}  // namespace

void bind_inertia(nb::module_& m) {
  bind_energy(m);
  bind_momentum(m);
  bind_centre(m);
  bind_centroidal(m);
  bind_regressor(m);
}

}  // namespace sinew::py
