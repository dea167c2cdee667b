// apps/view/page.cpp
#include "view/page.hpp"

#include <nlohmann/json.hpp>

#include "sinew/io/drawing.hpp"
#include "sinew/io/report.hpp"

namespace sinew::app {
namespace {

using PageJson = nlohmann::ordered_json;

constexpr int kProtocolVersion = 1;

// Names of bodies and files may hold any bytes.
std::string write_message(const PageJson& j) { return j.dump(-1, ' ', false, PageJson::error_handler_t::replace); }

PageJson range_of(const OrderLimits::Joint& j) {
  if (!j.settable) return nullptr;
  return {j.lower, j.upper};
}

}  // namespace

std::string make_live_page() {
  constexpr std::string_view kPlace = "<!--SINEW-DATA-->",
                             kMark = R"(<script type="application/x-sinew-live"></script>)";
  std::string page(get_report_page());
  const std::size_t at = page.find(kPlace);
  if (at == std::string::npos) throw std::logic_error("the page has no place for its data");
  return page.replace(at, kPlace.size(), kMark);
}

std::string make_greeting(const SceneInput& in, const Scene& scene, const OrderLimits& limits) {
  PageJson ranges = PageJson::array(), controls = PageJson::array(), formulations = PageJson::array();
  for (const OrderLimits::Joint& j : limits.joints) ranges.push_back(range_of(j));
  for (const OrderLimits::Joint& a : limits.actuators) controls.push_back(range_of(a));
  for (const Formulation f : kFormulations) formulations.push_back(to_string(f));
  const std::string file = in.model->file.filename().string();
  return write_message({{"type", "hello"},
                        {"version", kProtocolVersion},
                        {"title", file},
                        {"command", command_line()},
                        {"sinew", SINEW_VERSION},
                        {"ranges", std::move(ranges)},
                        {"controls", std::move(controls)},
                        {"formulations", std::move(formulations)},
                        {"scene", PageJson::parse(read_drawing_meshes(make_drawing(scene.model)))}});
}

std::string make_complaint(const std::string& text) { return write_message({{"type", "error"}, {"text", text}}); }

}  // namespace sinew::app
