// apps/bench/device_report.cpp
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/device_times.hpp"
#include "common/json_text.hpp"
#include "common/terminal.hpp"

namespace sinew::app {
namespace {

std::string share_above(const DeviceRun& r, std::size_t limit) {
  if (r.residuals == 0) return "";
  return fmt::format("{:.3g} %", 100 * static_cast<double>(r.above[limit]) / static_cast<double>(r.residuals));
}

std::string list_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

std::size_t count_aside(const DeviceRun& r) {
  std::size_t out = 0;
  for (const SetAside& a : r.aside) out += a.worlds;
  return out;
}

nlohmann::ordered_json run_to_json(const DeviceRun& r) {
  nlohmann::ordered_json out = {{"worlds", r.worlds},
                                {"million_steps_per_s", {{"best", r.best}, {"mean", r.mean}}},
                                {"contacts", r.contacts},
                                {"rows", r.rows},
                                {"bytes_per_world", r.bytes_per_world},
                                {"steps", r.steps},
                                {"unsolved", r.unsolved},
                                {"worst_residual", r.worst}};
  out["residuals"]["steps"] = r.residuals;
  for (std::size_t i = 0; i < kResidualLimits.size(); ++i)
    out["residuals"]["above"][fmt::format("{:g}", kResidualLimits[i])] = r.above[i];
  out["set_aside"] = nlohmann::ordered_json::array();
  for (const SetAside& a : r.aside)
    out["set_aside"].push_back({{"cause", a.cause}, {"worlds", a.worlds}, {"first_world", a.first}, {"text", a.text}});
  return out;
}

}  // namespace

std::string to_text(const DeviceResult& d) {
  const Paint paint(stdout);
  std::string out = fmt::format("{}: {} dof, {} worlds on {}\n", paint.bold(clean(d.name)), d.nv, d.precision,
                                clean(list_names(d.devices)));
  out += paint.dim(fmt::format("{:>9}{:>12}{:>9}{:>11}{:>7}{:>11}", "worlds", "Msteps/s", "mean", "contacts", "rows",
                               "set aside")) +
         "\n";
  for (const DeviceRun& r : d.runs)
    out += fmt::format("{:>9}{:>12.3g}{:>9.3g}{:>11.3g}{:>7.3g}{:>11}\n", r.worlds, r.best, r.mean, r.contacts, r.rows,
                       count_aside(r));
  std::string head = fmt::format("{:>9}", "residuals");
  for (const double limit : kResidualLimits) head += fmt::format("{:>10}", fmt::format("> {:g}", limit));
  out += paint.dim(head + fmt::format("{:>10}", "worst")) + "\n";
  for (const DeviceRun& r : d.runs) {
    out += fmt::format("{:>9}", r.worlds);
    for (std::size_t i = 0; i < kResidualLimits.size(); ++i) out += fmt::format("{:>10}", share_above(r, i));
    out += fmt::format("{:>10.1e}\n", r.worst);
  }
  for (const DeviceRun& r : d.runs)
    for (const SetAside& a : r.aside)
      out += fmt::format("{} of {} worlds set aside, the first is world {}: {}\n", a.worlds, r.worlds, a.first,
                         clean(a.text));
  out += paint.dim(fmt::format(
             "Best and mean of {} of {}, dt {:g} s, after {}. Room per world: {}, {}. Residuals of {} per world.",
             counted(d.input.calls, "call"), counted(d.input.steps, "step"), d.dt, counted(d.input.settle, "step"),
             counted(d.contacts, "contact"), counted(d.rows, "row"), counted(d.input.steps, "step"))) +
         "\n";
  return out;
}

std::string to_json_text(const std::vector<DeviceResult>& results) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const DeviceResult& d : results) {
    nlohmann::ordered_json one = {{"file", d.file},
                                  {"name", d.name},
                                  {"nv", d.nv},
                                  {"devices", d.devices},
                                  {"precision", d.precision},
                                  {"dt", d.dt},
                                  {"tolerance", d.tolerance},
                                  {"room", {{"contacts", d.contacts}, {"rows", d.rows}}},
                                  {"settle", d.input.settle},
                                  {"steps_per_call", d.input.steps},
                                  {"calls", d.input.calls},
                                  {"spread", d.input.spread}};
    for (const DeviceRun& r : d.runs) one["runs"].push_back(run_to_json(r));
    out.push_back(one);
  }
  return write_short(out);
}

}  // namespace sinew::app
