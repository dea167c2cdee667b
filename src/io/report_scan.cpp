// src/io/report_scan.cpp
#include "io/report_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sinew::report {
namespace {

using ScanJson = nlohmann::ordered_json;

constexpr std::size_t kMostEvents = 1500;  // of a kind
constexpr double kApart = 0.1;             // [s] without contact, after which a touch is a new one
constexpr double kAtStop = 1e-5;           // of the range of a joint
constexpr const char* kExtremes[] = {"energy/kinetic",           "energy/potential",       "certificates/residual",
                                     "certificates/penetration", "certificates/violation", "certificates/drift",
                                     "certificates/contacts",    "certificates/size"};

// What is counted per row, and its event.
struct Counted {
  const char *dataset, *kind, *one, *many;
  double Scan::*total;
};
constexpr Counted kCounted[] = {
    {"certificates/collisions", "collision", "collision", "collisions", &Scan::collisions},
    {"certificates/unsolved", "unsolved", "problem was not solved", "problems were not solved", &Scan::unsolved},
    {"certificates/close", "close", "problem was solved less well than asked",
     "problems were solved less well than asked", &Scan::close},
    {"certificates/stuck", "stuck", "overlap or stop was left as it was", "overlaps or stops were left as they were",
     &Scan::stuck},
    {"certificates/slowed", "slowed", "deep overlap came back at the recovery speed",
     "deep overlaps came back at the recovery speed", &Scan::slowed},
};

struct Stop {
  std::string joint;
  std::size_t q = 0;
  double lower = 0, upper = 0, last = -1e300;  // [s] when it was last at a stop
};

class Scanner {
 public:
  Scanner(const RecordReader& r, const ScanJson& drawing, const ReportOptions& o) : r_(r), o_(o) {
    for (const std::string& name : r.datasets()) there_.insert(name);
    for (const ScanJson& b : drawing.at("bodies")) bodies_.push_back(b.at("name"));
    for (const ScanJson& j : drawing.at("joints")) {
      if (j.at("nq") != 1 || j.at("limits").size() != 1 || j.at("limits")[0].is_null()) continue;
      const ScanJson& range = j.at("limits")[0];
      stops_.push_back({j.at("name"), j.at("q"), range[0], range[1]});
    }
  }

  Scan run() {
    const std::uint64_t rows = r_.rows();
    out_.times = r_.read("frames/time", 0, rows);
    for (std::uint64_t first = 0; first < rows; first += kBlock) read_block(first, std::min(kBlock, rows - first));
    for (const std::string& kind : order_) finish_run(kind);
    if (!r_.closed()) note(rows - 1, "end", "the record ends here; its writer died, or is still at work");
    join_collisions();
    std::stable_sort(out_.events.begin(), out_.events.end(),
                     [](const Event& a, const Event& b) { return a.row < b.row; });
    choose_rows();
    return std::move(out_);
  }

 private:
  bool has(const std::string& dataset) const { return there_.contains(dataset); }
  std::vector<double> read(const std::string& dataset, std::uint64_t first, std::uint64_t n) const {
    return has(dataset) ? r_.read(dataset, first, n) : std::vector<double>(n, 0.0);
  }
  void note(std::uint64_t row, const std::string& kind, std::string text) {
    if (++count_[kind] > kMostEvents)
      ++out_.not_listed;
    else
      out_.events.push_back({row, kind, std::move(text)});
  }

  void read_block(std::uint64_t first, std::uint64_t n) {
    for (const Counted& c : kCounted) {
      const std::vector<double> x = read(c.dataset, first, n);
      for (std::uint64_t i = 0; i < n; ++i) out_.*c.total += x[i], see_count(c, first + i, x[i]);
    }
    for (const char* name : kExtremes) see_extremes(name, first, read(name, first, n));
    see_energy(first, n);
    see_stops(first, n);
    see_contacts(first, n);
  }

  // Rows in a row with the same trouble are one event.
  struct Going {
    std::uint64_t first = 0, last = 0;
    double count = 0;
    const Counted* of = nullptr;
  };
  void see_count(const Counted& c, std::uint64_t row, double count) {
    if (!(count > 0)) return;
    Going& g = going_[c.kind];
    if (g.of && row == g.last + 1) {
      g.last = row, g.count += count;
      return;
    }
    finish_run(c.kind);
    going_[c.kind] = {row, row, count, &c};
  }
  void finish_run(const std::string& kind) {
    Going& g = going_[kind];
    if (!g.of) return;
    std::string text = fmt::format("{:g} {}", g.count, g.count == 1 ? g.of->one : g.of->many);
    if (g.last > g.first) text += fmt::format(", until {:.5g} s", out_.times[g.last]);
    note(g.first, kind, std::move(text));
    g.of = nullptr;
  }

  void see_extremes(const std::string& name, std::uint64_t first, const std::vector<double>& x) {
    Extreme& e = extremes_[name];
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) continue;
      if (x[i] > e.most) e.most = x[i], e.most_row = first + i;
      if (x[i] < e.least) e.least = x[i], e.least_row = first + i;
    }
    const std::pair<const char*, Most Scan::*> wanted[] = {
        {"certificates/contacts", &Scan::contacts},   {"certificates/size", &Scan::size},
        {"certificates/residual", &Scan::residual},   {"certificates/penetration", &Scan::penetration},
        {"certificates/violation", &Scan::violation}, {"certificates/drift", &Scan::drift}};
    for (const auto& [dataset, field] : wanted)
      if (name == dataset && e.most >= 0) out_.*field = {e.most, out_.times[e.most_row]};
    if (name == "certificates/contacts")
      for (const double count : x) out_.contact_rows += count > 0 ? 1 : 0;
  }

  void see_energy(std::uint64_t first, std::uint64_t n) {
    const std::vector<double> kinetic = read("energy/kinetic", first, n),
                              potential = read("energy/potential", first, n);
    if (first == 0) out_.first_energy = kinetic[0] + potential[0];
    out_.last_energy = kinetic.back() + potential.back();
    for (const double x : kinetic) out_.most_kinetic = std::max(out_.most_kinetic, x);
  }

  void see_stops(std::uint64_t first, std::uint64_t n) {
    if (stops_.empty() || !has("frames/q")) return;
    const std::vector<double> q = r_.read("frames/q", first, n);
    const std::size_t width = q.size() / n;
    for (std::uint64_t i = 0; i < n; ++i)
      for (Stop& s : stops_) {
        const double x = q[i * width + s.q], near = kAtStop * (s.upper - s.lower), t = out_.times[first + i];
        const bool low = x <= s.lower + near, high = x >= s.upper - near;
        if (!low && !high) continue;
        if (t - s.last > kApart && first + i > 0)
          note(
              first + i, "stop",
              fmt::format("{} reaches its {} stop, {:.4g}", s.joint, low ? "lower" : "upper", low ? s.lower : s.upper));
        s.last = t;
      }
  }

  // Two bodies that touch after a time without contact. Those that touch after the first step began so.
  void see_contacts(std::uint64_t first, std::uint64_t n) {
    if (!has("contacts/first") || r_.contacts() == 0) return;
    const std::vector<double> begin = r_.read("contacts/first", first, n), count = r_.read("contacts/count", first, n);
    const auto from = static_cast<std::uint64_t>(begin.front());
    const auto to = std::min(r_.contacts(), static_cast<std::uint64_t>(begin.back() + count.back()));
    if (to <= from) return;
    const std::vector<double> a = r_.read("contacts/body_a", from, to - from),
                              b = r_.read("contacts/body_b", from, to - from);
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::uint64_t>(begin[i]) - from;
      for (std::uint64_t k = at; k < at + static_cast<std::uint64_t>(count[i]) && k < a.size(); ++k) {
        const auto pair = std::minmax({static_cast<std::size_t>(a[k]), static_cast<std::size_t>(b[k])});
        const double t = out_.times[first + i];
        const auto [found, fresh] = touched_.try_emplace(pair, -1e300);
        if (t - found->second > kApart && first + i > 1 && pair.second < bodies_.size())
          note(first + i, "touch",
               fmt::format("{} touches {}", bodies_[pair.second], pair.first == 0 ? "the world" : bodies_[pair.first]));
        found->second = t;
      }
    }
  }

  // A collision and the touches that it begins are one event.
  void join_collisions() {
    std::map<std::uint64_t, Event*> collisions;
    for (Event& e : out_.events)
      if (e.kind == "collision") collisions[e.row] = &e;
    for (Event& e : out_.events) {
      if (e.kind != "touch") continue;
      auto found = collisions.find(e.row);
      if (found == collisions.end() && e.row > 0) found = collisions.find(e.row - 1);
      if (found == collisions.end()) continue;
      found->second->text += (named_.insert(found->first).second ? ": " : "; ") + e.text;
      e.kind.clear();
    }
    std::erase_if(out_.events, [](const Event& e) { return e.kind.empty(); });
  }

  void choose_rows() {
    const std::vector<double>& t = out_.times;
    const std::uint64_t rows = t.size();
    std::set<std::uint64_t> kept{0, rows - 1};
    for (const Event& e : out_.events) kept.insert(e.row);
    for (const auto& [name, e] : extremes_) {
      if (e.most > -1e300) kept.insert(e.most_row);
      if (e.least < 1e300) kept.insert(e.least_row);
    }
    const double span = t.back() - t.front();
    const double every =
        std::max(1 / o_.rows_per_second, span / static_cast<double>(std::max<std::uint64_t>(1, o_.most_rows)));
    double next = t.front();
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (t[i] < next - 1e-6 * every) continue;
      kept.insert(i);
      next = t.front() + every * (std::floor((t[i] - t.front()) / every + 1e-6) + 1);
    }
    out_.kept.assign(kept.begin(), kept.end());
  }

  struct Extreme {
    double most = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
    std::uint64_t most_row = 0, least_row = 0;
  };
  const RecordReader& r_;
  const ReportOptions& o_;
  Scan out_;
  std::set<std::string> there_;
  std::vector<std::string> bodies_;
  std::vector<Stop> stops_;
  std::map<std::string, Going> going_;
  std::vector<std::string> order_{"collision", "unsolved", "close", "stuck", "slowed"};
  std::map<std::string, std::size_t> count_;
  std::map<std::string, Extreme> extremes_;
  std::map<std::pair<std::size_t, std::size_t>, double> touched_;  // [s] when two bodies last touched
  std::set<std::uint64_t> named_;                                  // collisions that name bodies
};

}  // namespace

Scan scan_record(const RecordReader& r, const ScanJson& drawing, const ReportOptions& o) {
  return Scanner(r, drawing, o).run();
}

}  // namespace sinew::report
