// apps/common/json_text.cpp
#include "common/json_text.hpp"

#include <cmath>

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

void write(const Json& json, const std::string& indent, std::string& out) {
  const bool list = json.is_array();
  if (!json.is_structured() || json.empty()) {
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool flat = list && !json.front().is_structured();
  const std::string deeper = indent + " ";
  const char* comma = "";
  out += list ? "[" : "{";
  for (const auto& [key, value] : json.items()) {
    out += comma;
    if (flat)
      out += *comma ? " " : "";
    else
      out += "\n" + deeper;
    if (!list) out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    write(value, deeper, out);
    comma = ",";
  }
  if (!flat) out += "\n" + indent;
  out += list ? "]" : "}";
}

}  // namespace

Json to_json(const Vec3<double>& v) { return Json::array({v.x, v.y, v.z}); }
Json to_json(const Motion<double>& m) { return {{"angular", to_json(m.ang)}, {"linear", to_json(m.lin)}}; }
Json to_json(const Force<double>& f) { return {{"angular", to_json(f.ang)}, {"linear", to_json(f.lin)}}; }
Json to_json(const Rotation<double>& E) {
  const Mat3<double>& m = E.m;
  return to_json_matrix({m.xx, m.yx, m.zx, m.xy, m.yy, m.zy, m.xz, m.yz, m.zz}, 3, 3);
}

Json to_json_matrix(const std::vector<double>& a, std::size_t rows, std::size_t cols) {
  Json out = Json::array();
  for (std::size_t i = 0; i < rows; ++i)
    out.push_back(std::vector<double>(a.data() + i * cols, a.data() + (i + 1) * cols));
  return out;
}

std::string find_not_finite(const Json& json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) return " ";
  if (!json.is_structured()) return "";
  for (const auto& [key, value] : json.items()) {
    const std::string below = find_not_finite(value);
    if (below.empty()) continue;
    const std::string rest = below == " " ? "" : below;
    if (json.is_array()) return "[" + key + "]" + rest;
    return rest.empty() || rest[0] == '[' ? key + rest : key + " " + rest;
  }
  return "";
}

std::string write_short(const Json& json) {
  std::string out;
  write(json, "", out);
  return out + "\n";
}

}  // namespace sinew::app
