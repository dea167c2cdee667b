// src/generate/trace.cpp
#include "sinew/generate/trace.hpp"

#include <array>

#include "sinew/base/nearest_name.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::generate {
namespace {

// The arguments of a call, one list after the other.
template <class T>
struct Arguments {
  const Model& m;
  std::vector<VectorView<const T>> in;
  std::vector<VectorView<T>> out;
  MatrixView<T> square(std::size_t k = 0) const { return {out[k].data(), at(m.nv()), at(m.nv())}; }
};

// The code that is written has the zeros of the equivalent model; it is compared with the model itself.
template <class T>
constexpr bool kEquivalent = std::is_same_v<T, Traced>;

template <class T>
void call_rnea(const Arguments<T>& x) {
  RneaWorkspace<T> ws(x.m);
  if constexpr (kEquivalent<T>)
    rnea(EquivalentModel(x.m), ws, x.in[0], x.in[1], x.in[2], x.out[0]);
  else
    rnea(x.m, ws, x.in[0], x.in[1], x.in[2], x.out[0]);
}
template <class T>
void call_aba(const Arguments<T>& x) {
  AbaWorkspace<T> ws(x.m);
  aba(x.m, ws, x.in[0], x.in[1], x.in[2], x.out[0]);
}
// The same as a = M^-1 (tau - h). Links need not remember their velocities from the first sweep to the last, a sixth of
// all values that wait at once, and h is that of the equivalent model.
void call_aba_with_bias(const Arguments<Traced>& x) {
  RneaWorkspace<Traced> bias_ws(x.m);
  AbaWorkspace<Traced> ws(x.m);
  std::vector<Traced> rest(at(x.m.nv()));
  calc_bias(EquivalentModel(x.m), bias_ws, x.in[0], x.in[1], VectorView<Traced>(rest));
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = x.in[2][i] - rest[i];
  multiply_by_mass_inverse(x.m, ws, x.in[0], VectorView<const Traced>(rest.data(), rest.size()), x.out[0]);
}
template <class T>
void call_crba(const Arguments<T>& x) {
  CrbaWorkspace<T> ws(x.m);
  if constexpr (kEquivalent<T>)
    crba(EquivalentModel(x.m), ws, x.in[0], x.square());
  else
    crba(x.m, ws, x.in[0], x.square());
}
template <class T>
void call_mass_inverse(const Arguments<T>& x) {
  MassInverseWorkspace<T> ws(x.m);
  calc_mass_inverse(x.m, ws, x.in[0], x.square());
}
template <class T>
void call_drnea(const Arguments<T>& x) {
  RneaDerivativesWorkspace<T> ws(x.m);
  calc_rnea_derivatives(x.m, ws, x.in[0], x.in[1], x.in[2], x.out[0], x.square(1), x.square(2), x.square(3));
}
template <class T>
void call_daba(const Arguments<T>& x) {
  AbaDerivativesWorkspace<T> ws(x.m);
  calc_aba_derivatives(x.m, ws, x.in[0], x.in[1], x.in[2], x.out[0], x.square(1), x.square(2), x.square(3));
}
template <class T>
void call_fk(const Arguments<T>& x) {
  KinematicsWorkspace<T> ws(x.m);
  calc_kinematics(x.m, ws, x.in[0]);
  T *p = x.out[0].data(), *R = x.out[1].data();
  for (std::size_t b = 1; b < x.m.bodies().size(); ++b) {
    const Transform<T> X = get_body_pose(x.m, ws, static_cast<int>(b));
    const Mat3<T>& E = X.E.m;
    for (const T& k : {X.r.x, X.r.y, X.r.z}) *p++ = k;
    for (const T& k : {E.xx, E.yx, E.zx, E.xy, E.yy, E.zy, E.xz, E.yz, E.zz}) *R++ = k;
  }
}

// Sizes of arguments.
enum class Size { nq, nv, square, positions, rotations };
struct ArgumentRow {
  const char* name;
  Size size;
  const char* meaning;
};
struct AlgorithmRow {
  const char* meaning;
  std::vector<ArgumentRow> in, out;
  void (*traced)(const Arguments<Traced>&);
  void (*numbers)(const Arguments<double>&);
  void (*for_code)(const Arguments<Traced>&) = nullptr;  // another formula, with fewer operations or values that wait
};

const std::array<std::string, 7> kNames{"rnea", "aba", "crba", "mass_inverse", "drnea", "daba", "fk"};
const std::array<AlgorithmRow, 7>& algorithm_rows() {
  const ArgumentRow q{"q", Size::nq, "positions"}, v{"v", Size::nv, "velocities"};
  const ArgumentRow a{"a", Size::nv, "accelerations"}, tau{"tau", Size::nv, "joint forces"};
  static const std::array<AlgorithmRow, 7> rows{{
      {"inverse dynamics", {q, v, a}, {tau}, call_rnea<Traced>, call_rnea<double>},
      {"forward dynamics", {q, v, tau}, {a}, call_aba<Traced>, call_aba<double>, call_aba_with_bias},
      {"joint-space inertia matrix",
       {q},
       {{"M", Size::square, "symmetric, by rows"}},
       call_crba<Traced>,
       call_crba<double>},
      {"inverse of the joint-space inertia matrix",
       {q},
       {{"Minv", Size::square, "symmetric, by rows"}},
       call_mass_inverse<Traced>,
       call_mass_inverse<double>},
      {"inverse dynamics and its derivatives",
       {q, v, a},
       {tau,
        {"dtau_dq", Size::square, "by rows"},
        {"dtau_dv", Size::square, "by rows"},
        {"M", Size::square, "dtau/da, symmetric, by rows"}},
       call_drnea<Traced>,
       call_drnea<double>},
      {"forward dynamics and its derivatives",
       {q, v, tau},
       {a,
        {"da_dq", Size::square, "by rows"},
        {"da_dv", Size::square, "by rows"},
        {"Minv", Size::square, "da/dtau, symmetric, by rows"}},
       call_daba<Traced>,
       call_daba<double>},
      {"where the bodies stand",
       {q},
       {{"position", Size::positions, "of each body's origin in the world"},
        {"rotation", Size::rotations, "of each body, 3 x 3 by rows, the columns its axes in the world"}},
       call_fk<Traced>,
       call_fk<double>},
  }};
  return rows;
}
const AlgorithmRow& find_algorithm(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return algorithm_rows()[i];
  throw std::invalid_argument("generate: there is no algorithm '" + name + "'" + suggest_name(name, kNames));
}

Argument make_argument(const Model& m, const ArgumentRow& row) {
  const int bodies = static_cast<int>(m.bodies().size()) - 1;
  switch (row.size) {
    case Size::nq: return {row.name, m.nq(), 1, row.meaning};
    case Size::nv: return {row.name, m.nv(), 1, row.meaning};
    case Size::square: return {row.name, m.nv(), m.nv(), row.meaning};
    case Size::positions: return {row.name, bodies, 3, row.meaning};
    case Size::rotations: break;
  }
  return {row.name, bodies, 9, row.meaning};
}
std::vector<Argument> make_arguments(const Model& m, const std::vector<ArgumentRow>& rows) {
  std::vector<Argument> out;
  out.reserve(rows.size());
  for (const ArgumentRow& r : rows) out.push_back(make_argument(m, r));
  return out;
}

// Views of one long list, by the sizes of the arguments.
template <class T, class S>
std::vector<VectorView<T>> cut(const std::vector<Argument>& list, S* data) {
  std::vector<VectorView<T>> out;
  for (const Argument& a : list) {
    out.emplace_back(data, at(a.size()));
    data += a.size();
  }
  return out;
}

void refuse_laws(const Joint& joint, const std::string& name) {
  if (joint.kind == JointKind::prescribed)
    throw TraceError("joint '" + name + "' moves by a function of time, so no code can be generated for it; make it " +
                     "fixed, or give it coordinates");
  for (const JointPart& part : joint.parts) refuse_laws(part.joint, name);
}
void refuse_functions_of_time(const Model& m) {
  for (const JointEntry& entry : m.joints())
    for (const int node : entry.nodes) refuse_laws(m.nodes()[at(node)].joint, entry.name);
}

}  // namespace

std::span<const std::string> algorithm_names() { return kNames; }

std::string describe_algorithm(const std::string& name) {
  const AlgorithmRow& row = find_algorithm(name);
  std::string out;
  for (const ArgumentRow& a : row.in) out += std::string(a.name) + " ";
  out += "->";
  for (const ArgumentRow& a : row.out) out += std::string(" ") + a.name;
  return out + ": " + row.meaning;
}

namespace {
Graph record(const Model& m, const AlgorithmRow& row, void (*run)(const Arguments<Traced>&)) {
  refuse_functions_of_time(m);
  Graph g{{}, make_arguments(m, row.in), make_arguments(m, row.out), {}};
  Recording recording;
  std::vector<Traced> in, out(at(g.output_size()));
  for (int i = 0; i < g.input_size(); ++i) in.push_back(recording.make_input());
  run({m, cut<const Traced>(g.inputs, in.data()), cut<Traced>(g.outputs, out.data())});
  for (const Traced& x : out) g.results.push_back(recording.find_step(x));
  g.steps = recording.steps();
  return g;
}
}  // namespace

Graph trace(const Model& m, const std::string& algorithm) {
  const AlgorithmRow& row = find_algorithm(algorithm);
  return record(m, row, row.traced);
}
Graph trace_for_code(const Model& m, const std::string& algorithm) {
  const AlgorithmRow& row = find_algorithm(algorithm);
  return record(m, row, row.for_code != nullptr ? row.for_code : row.traced);
}

std::vector<double> run_library(const Model& m, const std::string& algorithm, VectorView<const double> inputs) {
  const AlgorithmRow& row = find_algorithm(algorithm);
  const Graph g{{}, make_arguments(m, row.in), make_arguments(m, row.out), {}};
  check_size("run_library", "inputs", inputs.size(), at(g.input_size()));
  std::vector<double> out(at(g.output_size()));
  row.numbers({m, cut<const double>(g.inputs, inputs.data()), cut<double>(g.outputs, out.data())});
  return out;
}

std::vector<double> random_inputs(const Model& m, const Graph& g, Random& random) {
  std::vector<double> out = random_configuration(m, random);
  while (static_cast<int>(out.size()) < g.input_size()) out.push_back(random.uniform(-1, 1));
  return out;
}

}  // namespace sinew::generate
