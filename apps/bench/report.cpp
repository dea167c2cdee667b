// apps/bench/report.cpp
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "common/json_text.hpp"
#include "common/terminal.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

const BatchTime* find_batch(const BenchResult& r, const std::string& name) {
  for (const BatchTime& t : r.batch.times)
    if (t.name == name) return &t;
  return nullptr;
}

// Three digits.
std::string number(double x) { return x < 0 ? "" : fmt::format("{:#.3g}", x); }

Json to_json(const BenchResult& r) {
  Json out = {{"file", r.file}, {"name", r.name}, {"nv", r.nv}, {"bodies", r.bodies}};
  for (const CallTime& c : r.calls)
    out["algorithms"][c.name] = {
        {"us", c.us}, {"ns_per_body", 1e3 * c.us / r.bodies}, {"ns_per_dof", 1e3 * c.us / r.nv}};
  out["batch"] = {
      {"threads", r.batch.threads}, {"double_lanes", r.batch.double_lanes}, {"float_lanes", r.batch.float_lanes}};
  for (const BatchTime& b : r.batch.times)
    out["batch"]["us_per_sample"][b.name] = {{"double", b.double_us}, {"float", b.float_us}};
  for (const PeerTimes& p : r.peers) {
    Json& peer = out["peers"][p.name] = {{"version", p.version}};
    if (!p.error.empty()) peer["error"] = p.error;
    if (!p.how.empty()) peer.update({{"how", p.how}, {"us", p.us}});
  }
  return out;
}

}  // namespace

std::string to_text(const BenchResult& r) {
  const Paint paint(stdout);
  const std::string packs = fmt::format("x{} double", r.batch.double_lanes);
  const std::string floats = fmt::format("x{} float", r.batch.float_lanes);
  std::string out = fmt::format("{}: {} dof, {} moving bodies\n", paint.bold(clean(r.name)), r.nv, r.bodies);
  std::string head = fmt::format("{:<13}{:>9}{:>9}{:>9}{:>12}{:>12}", "", "us", "ns/body", "ns/dof", packs, floats);
  for (const PeerTimes& p : r.peers)
    if (!p.us.empty()) head += fmt::format("{:>12}{:>8}", p.name, "ratio");
  out += paint.dim(head) + "\n";
  for (const CallTime& c : r.calls) {
    const BatchTime* b = find_batch(r, c.name);
    out += fmt::format("{:<13}{:>9}{:>9}{:>9}{:>12}{:>12}", c.name, number(c.us), number(1e3 * c.us / r.bodies),
                       number(1e3 * c.us / r.nv), b ? number(b->double_us) : "", b ? number(b->float_us) : "");
    for (const PeerTimes& p : r.peers) {
      if (p.us.empty()) continue;
      const auto found = p.us.find(c.name);
      out += found == p.us.end() ? fmt::format("{:>20}", "")
                                 : fmt::format("{:>12}{:>8.2f}", number(found->second), found->second / c.us);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  out += paint.dim(fmt::format("us: one call, one thread. x{}, x{}: us per sample of a batch, {}.",
                               r.batch.double_lanes, r.batch.float_lanes, counted(r.batch.threads, "thread"))) +
         "\n";
  for (const PeerTimes& p : r.peers)
    out += p.error.empty() ? paint.dim(fmt::format("{} {}: {}; ratio: its time over ours.\n", p.name, p.version, p.how))
                           : fmt::format("{} was not timed: {}\n", p.name, clean(p.error));
  return out;
}

std::string to_json_text(const std::vector<BenchResult>& results) {
  Json out = Json::array();
  for (const BenchResult& r : results) out.push_back(to_json(r));
  return write_short(out);
}

}  // namespace sinew::app
