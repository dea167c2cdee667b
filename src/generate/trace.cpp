// src/generate/trace.cpp
#include "sinew/generate/trace.hpp"

#include <algorithm>
#include <array>

#include "generate/arguments.hpp"
#include "generate/delassus_calls.hpp"
#include "generate/factor_calls.hpp"
#include "generate/step_calls.hpp"
#include "sinew/base/nearest_name.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew::generate {
namespace {

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
enum class Size { nq, nv, square, positions, rotations, points, one, controls };
struct ArgumentRow {
  const char* name;
  Size size;
  const char* meaning;
};
struct AlgorithmRow {
  const char* meaning;
  std::vector<ArgumentRow> in, out;
  TracedCall traced;
  void (*numbers)(const Arguments<double>&);
  std::vector<TracedCall> for_code = {};  // other formulas, with fewer operations or values that wait
  bool frames = false;                    // of frames that are named
};

const std::array<std::string, 9> kNames{"rnea", "aba", "crba",     "mass_inverse", "drnea",
                                        "daba", "fk",  "delassus", "step"};
const std::array<AlgorithmRow, 9>& algorithm_rows() {
  const ArgumentRow q{"q", Size::nq, "positions"}, v{"v", Size::nv, "velocities"};
  const ArgumentRow a{"a", Size::nv, "accelerations"}, tau{"tau", Size::nv, "joint forces"};
  static const std::array<AlgorithmRow, 9> rows{{
      {"inverse dynamics", {q, v, a}, {tau}, call_rnea<Traced>, call_rnea<double>},
      {"forward dynamics", {q, v, tau}, {a}, call_aba<Traced>, call_aba<double>, {call_aba_with_bias}},
      {"joint-space inertia matrix",
       {q},
       {{"M", Size::square, "symmetric, by rows"}},
       call_crba<Traced>,
       call_crba<double>},
      {"inverse of the joint-space inertia matrix",
       {q},
       {{"Minv", Size::square, "symmetric, by rows"}},
       call_mass_inverse<Traced>,
       call_mass_inverse<double>,
       {call_mass_inverse<Traced>, call_mass_inverse_by_factor}},
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
       call_daba<double>,
       {call_daba<Traced>, call_daba_by_factor}},
      {"where the bodies stand",
       {q},
       {{"position", Size::positions, "of each body's origin in the world"},
        {"rotation", Size::rotations, "of each body, 3 x 3 by rows, the columns its axes in the world"}},
       call_fk<Traced>,
       call_fk<double>},
      {"Delassus matrix J M^-1 J^T of the origins of frames",
       {q},
       {{"W", Size::points, "symmetric, by rows: for each frame the x, y and z axis of the world"}},
       call_delassus_by_pv,
       call_delassus,
       {call_delassus_by_factor, call_delassus_by_pv, call_delassus_by_pvr},
       true},
      {"one step without contact",
       {q, v, tau, {"dt", Size::one, "length of the step"}, {"control", Size::controls, "of the actuators"}},
       {{"q_next", Size::nq, "positions after dt"}, {"v_next", Size::nv, "velocities after dt"}},
       call_step,
       call_step},
  }};
  return rows;
}

// "delassus:foot,hand": the name, and the names behind it.
std::string name_of(const std::string& algorithm) { return algorithm.substr(0, algorithm.find(':')); }
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t to = std::min(list.find(',', from), list.size());
    out.push_back(list.substr(from, to - from));
    from = to + 1;
  }
  return out;
}
bool is_known(const std::string& name) { return std::find(kNames.begin(), kNames.end(), name) != kNames.end(); }

const AlgorithmRow& find_algorithm(const std::string& algorithm) {
  const std::string name = name_of(algorithm);
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return algorithm_rows()[i];
  throw std::invalid_argument("generate: there is no algorithm '" + name + "'" + suggest_name(name, kNames));
}

FrameEntry find_named_frame(const Model& m, const std::string& name) {
  std::vector<std::string> names;
  for (const FrameEntry& f : m.frames()) names.push_back(f.name);
  for (const BodyEntry& b : m.bodies()) names.push_back(b.name);
  const auto found = m.find_frame(name);
  if (!found)
    throw std::invalid_argument("generate: there is no frame or body '" + name + "'" + suggest_name(name, names));
  if (found->node == 0) throw std::invalid_argument("generate: the frame '" + name + "' does not move");
  return *found;
}
std::vector<FrameEntry> find_frames(const Model& m, const std::string& algorithm) {
  const bool wanted = find_algorithm(algorithm).frames;
  const std::size_t colon = algorithm.find(':');
  if (colon == std::string::npos && !wanted) return {};
  if (!wanted)
    throw std::invalid_argument("generate: '" + algorithm + "': " + name_of(algorithm) + " takes no names of frames");
  if (colon == std::string::npos || colon + 1 == algorithm.size())
    throw std::invalid_argument("generate: " + name_of(algorithm) +
                                " needs the names of frames: " + name_of(algorithm) + ":foot,hand");
  std::vector<FrameEntry> out;
  for (const std::string& name : split(algorithm.substr(colon + 1))) {
    out.push_back(find_named_frame(m, name));
    if (std::count_if(out.begin(), out.end(), [&](const FrameEntry& f) { return f.name == name; }) > 1)
      throw std::invalid_argument("generate: the frame '" + name + "' is named twice");
  }
  return out;
}

Argument make_argument(const Model& m, const ArgumentRow& row, std::size_t frames) {
  const int bodies = static_cast<int>(m.bodies().size()) - 1, points = 3 * static_cast<int>(frames);
  switch (row.size) {
    case Size::nq: return {row.name, m.nq(), 1, row.meaning};
    case Size::nv: return {row.name, m.nv(), 1, row.meaning};
    case Size::square: return {row.name, m.nv(), m.nv(), row.meaning};
    case Size::positions: return {row.name, bodies, 3, row.meaning};
    case Size::rotations: return {row.name, bodies, 9, row.meaning};
    case Size::points: return {row.name, points, points, row.meaning};
    case Size::one: return {row.name, 1, 1, row.meaning};
    case Size::controls: break;
  }
  return {row.name, static_cast<int>(m.spec().actuators.size()), 1, row.meaning};
}
std::vector<Argument> make_arguments(const Model& m, const std::vector<ArgumentRow>& rows, std::size_t frames) {
  std::vector<Argument> out;
  out.reserve(rows.size());
  for (const ArgumentRow& r : rows)
    if (r.size != Size::controls || !m.spec().actuators.empty()) out.push_back(make_argument(m, r, frames));
  return out;
}
// An algorithm with its frames.
struct Request {
  const AlgorithmRow& row;
  std::vector<FrameEntry> frames;

  Request(const Model& m, const std::string& algorithm)
      : row(find_algorithm(algorithm)), frames(find_frames(m, algorithm)) {}
  Graph make_graph(const Model& m) const {
    return {{}, make_arguments(m, row.in, frames.size()), make_arguments(m, row.out, frames.size()), {}};
  }
};

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

std::vector<std::string> split_algorithms(const std::string& list) {
  std::vector<std::string> out;
  for (const std::string& word : split(list)) {
    const bool frame = !out.empty() && out.back().find(':') != std::string::npos && !is_known(name_of(word));
    if (frame)
      out.back() += "," + word;
    else
      out.push_back(word);
  }
  return out;
}

std::string describe_algorithm(const std::string& algorithm) {
  const AlgorithmRow& row = find_algorithm(algorithm);
  std::string out;
  for (const ArgumentRow& a : row.in) out += std::string(a.name) + " ";
  out += "->";
  for (const ArgumentRow& a : row.out) out += std::string(" ") + a.name;
  out += std::string(": ") + row.meaning;
  if (const std::size_t colon = algorithm.find(':'); colon != std::string::npos)
    out += " " + algorithm.substr(colon + 1);
  return out;
}

namespace {
Graph record(const Model& m, const Request& request, TracedCall run) {
  refuse_functions_of_time(m);
  Graph g = request.make_graph(m);
  Recording recording;
  std::vector<Traced> in, out(at(g.output_size()));
  for (int i = 0; i < g.input_size(); ++i) in.push_back(recording.make_input());
  run({m, request.frames, cut<const Traced>(g.inputs, in.data()), cut<Traced>(g.outputs, out.data())});
  for (const Traced& x : out) g.results.push_back(recording.find_step(x));
  g.steps = recording.steps();
  return g;
}
}  // namespace

Graph trace(const Model& m, const std::string& algorithm) {
  const Request request(m, algorithm);
  return record(m, request, request.row.traced);
}
std::vector<Graph> trace_for_code(const Model& m, const std::string& algorithm) {
  const Request request(m, algorithm);
  std::vector<Graph> out;
  out.reserve(request.row.for_code.size());
  for (const TracedCall run : request.row.for_code) out.push_back(record(m, request, run));
  if (out.empty()) out.push_back(record(m, request, request.row.traced));
  return out;
}

std::vector<double> run_library(const Model& m, const std::string& algorithm, VectorView<const double> inputs) {
  const Request request(m, algorithm);
  const Graph g = request.make_graph(m);
  check_size("run_library", "inputs", inputs.size(), at(g.input_size()));
  std::vector<double> out(at(g.output_size()));
  request.row.numbers(
      {m, request.frames, cut<const double>(g.inputs, inputs.data()), cut<double>(g.outputs, out.data())});
  return out;
}

std::vector<std::string> list_left_out(const Model& m, const std::string& algorithm) {
  return name_of(algorithm) == "step" ? list_left_out_of_step(m) : std::vector<std::string>{};
}

std::vector<double> random_inputs(const Model& m, const Graph& g, Random& random) {
  std::vector<double> out = random_configuration(m, random);
  for (const Argument& x : g.inputs) {
    if (x.name == "q") continue;
    const bool time = x.name == "dt";
    for (int i = 0; i < x.size(); ++i) out.push_back(time ? random.uniform(1e-3, 1e-2) : random.uniform(-1, 1));
  }
  return out;
}

}  // namespace sinew::generate
