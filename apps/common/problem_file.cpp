// apps/common/problem_file.cpp
#include "common/problem_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/json_text.hpp"
#include "sinew/lcp/polyhedral.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double read_number(const Json& json, const std::string& name) {
  if (json.is_number()) return json.get<double>();
  if (json == "NaN") return std::nan("");
  if (json == "Infinity") return kInfinity;
  if (json == "-Infinity") return -kInfinity;
  throw InputError(fmt::format("{} is {}, not a number", name, json.dump()));
}
// A bound: null, "inf" and what other solvers take for infinite, 1e19 and more, mean that there is none on that side.
double read_bound(const Json& json, const std::string& name, double none) {
  constexpr double kEndless = 1e19;
  if (json.is_null()) return none;
  for (const char* word : {"inf", "+inf", "+Infinity"})
    if (json == word) return kInfinity;
  if (json == "-inf") return -kInfinity;
  const double bound = read_number(json, name);
  return std::abs(bound) >= kEndless ? std::copysign(kInfinity, bound) : bound;
}
std::vector<double> read_vector(const Json& file, const char* key, std::size_t size,
                                double for_null = NAN /* else: bounds */) {
  const Json& json = file[key];
  if (!json.is_array()) throw InputError(fmt::format("{} is {}, not a list of numbers", key, json.type_name()));
  if (size != SIZE_MAX && json.size() != size)
    throw InputError(fmt::format("{} has {} entries, the problem needs {}", key, json.size(), size));
  std::vector<double> out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i)
    out.push_back(std::isnan(for_null) ? read_number(json[i], fmt::format("{}[{}]", key, i))
                                       : read_bound(json[i], fmt::format("{}[{}]", key, i), for_null));
  return out;
}
std::vector<double> read_matrix(const Json& file, const char* key, std::size_t n) {
  const Json& json = file[key];
  if (!json.is_array()) throw InputError(fmt::format("{} is {}, not a list of rows", key, json.type_name()));
  if (json.size() != n) throw InputError(fmt::format("{} has {} rows, but q has {} entries", key, json.size(), n));
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    if (!json[i].is_array()) throw InputError(fmt::format("{}[{}] is {}, not a row", key, i, json[i].type_name()));
    if (json[i].size() != n)
      throw InputError(fmt::format("{} is not square: row {} has {} entries of {}", key, i, json[i].size(), n));
    for (std::size_t j = 0; j < n; ++j) out.push_back(read_number(json[i][j], fmt::format("{}[{}][{}]", key, i, j)));
  }
  return out;
}
int read_optional_count(const Json& file, const char* key, std::size_t most) {
  return file.contains(key) ? read_count(file[key], key, most) : 0;
}
void check_keys(const Json& file, const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : file.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError(fmt::format("'{}' is not a key of this problem; there are {}", key, fmt::join(known, ", ")));
}
Json to_matrix(MatrixView<const double> M) {
  Json out = Json::array();
  for (std::size_t i = 0; i < M.rows(); ++i)
    out.push_back(std::vector<double>(M.data() + i * M.stride(), M.data() + i * M.stride() + M.cols()));
  return out;
}
std::vector<double> to_vector(VectorView<const double> x) { return {x.begin(), x.end()}; }
Json to_bounds(VectorView<const double> x) {
  Json out = Json::array();
  for (const double b : x) out.push_back(std::isfinite(b) ? Json(b) : Json(nullptr));
  return out;
}
void write(const std::filesystem::path& path, const Json& json) {
  std::ofstream out(path);
  out << write_short(json);
  if (!out.flush()) throw InputError(fmt::format("{} cannot be written", path.string()), kNotSaved);
}

}  // namespace

lcp::Problem LcpFile::linear() const { return {{M.data(), q.size(), q.size()}, q, lower, upper}; }
lcp::FrictionProblem LcpFile::friction() const {
  return {{M.data(), q.size(), q.size()}, q, mu, preload, free, unilateral, lower, upper};
}

LcpFile read_problem(const std::filesystem::path& path) {
  return parse_problem(read_text_or_standard_input(path.string()));
}

LcpFile parse_problem(const std::string& json) {
  const Json file = parse_json<Json>(replace_words(json, {"-Infinity", "Infinity", "NaN"}, WriteWord::as_text));
  if (!file.is_object()) throw InputError("the file is not an object like {\"M\": [[..]], \"q\": [..]}");
  LcpFile out;
  out.contacts = file.contains("W") || file.contains("mu");
  const char* matrix = out.contacts ? "W" : "M";
  for (const char* key : out.contacts ? std::vector{"W", "q", "mu"} : std::vector{"M", "q"})
    if (!file.contains(key)) throw InputError(fmt::format("'{}' is missing", key));
  out.q = read_vector(file, "q", SIZE_MAX);
  out.M = read_matrix(file, matrix, out.q.size());
  if (!out.contacts) {
    check_keys(file, {"M", "q", "lower", "upper"});
    out.lower.assign(out.q.size(), 0.0), out.upper.assign(out.q.size(), kInfinity);
    if (file.contains("lower")) out.lower = read_vector(file, "lower", out.q.size(), -kInfinity);
    if (file.contains("upper")) out.upper = read_vector(file, "upper", out.q.size(), kInfinity);
    return out;
  }
  check_keys(file, {"W", "q", "mu", "free", "unilateral", "lower", "upper", "preload", "directions"});
  out.mu = read_vector(file, "mu", SIZE_MAX);
  out.free = read_optional_count(file, "free", out.q.size()),
  out.unilateral = read_optional_count(file, "unilateral", out.q.size());
  out.directions = read_optional_count(file, "directions", lcp::kMostDirections);
  if (file.contains("preload")) out.preload = read_vector(file, "preload", out.mu.size());
  const std::size_t rows = static_cast<std::size_t>(out.free + out.unilateral) + 3 * out.mu.size();
  if (rows != out.q.size())
    throw InputError(fmt::format("q has {} entries, but {} free, {} unilateral and {} contacts make {}", out.q.size(),
                                 out.free, out.unilateral, out.mu.size(), rows));
  const auto bounded = static_cast<std::size_t>(out.unilateral);
  if (file.contains("lower")) out.lower = read_vector(file, "lower", bounded, -kInfinity);
  if (file.contains("upper")) out.upper = read_vector(file, "upper", bounded, kInfinity);
  return out;
}

void write_problem(const std::filesystem::path& path, const lcp::Problem& p) {
  Json out = {{"M", to_matrix(p.M)}, {"q", to_vector(p.q)}};
  if (p.lower.size()) out["lower"] = to_bounds(p.lower);
  if (p.upper.size()) out["upper"] = to_bounds(p.upper);
  write(path, out);
}
void write_problem(const std::filesystem::path& path, const lcp::FrictionProblem& p, int directions) {
  Json out = {{"W", to_matrix(p.W)}, {"q", to_vector(p.q)}, {"mu", to_vector(p.mu)}};
  if (p.free) out["free"] = p.free;
  if (p.unilateral) out["unilateral"] = p.unilateral;
  if (p.lower.size()) out["lower"] = to_bounds(p.lower);
  if (p.upper.size()) out["upper"] = to_bounds(p.upper);
  if (p.preload.size()) out["preload"] = to_vector(p.preload);
  if (directions) out["directions"] = directions;
  write(path, out);
}

}  // namespace sinew::app
