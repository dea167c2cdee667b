// src/io/report_words.cpp
#include "io/report_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew::report {
namespace {

using WordsJson = nlohmann::ordered_json;

struct Facts {
  WordsJson list = WordsJson::array();
  void add(const char* word, const std::string& text, const char* state = nullptr) {
    WordsJson fact{{"word", word}, {"text", text}};
    if (state) fact["state"] = state;
    list.push_back(std::move(fact));
  }
};

std::string when(const Most& m) { return fmt::format("{:.2g} at {:.5g} s", m.value, m.time); }

WordsJson read_options(const RecordReader& r) { return WordsJson::parse(r.text("meta/options"), nullptr, false); }

void add_solution(const Scan& s, bool steps, Facts& out) {
  if (!steps) return out.add("contact", "integrated without contact problems: see the integrator's options", "good");
  if (s.size.value == 0) return out.add("problems", "no contact, loop or stop asked for one", "good");
  if (s.unsolved > 0)
    out.add("problems", fmt::format("{:g} were not solved; the largest had {:g} unknowns", s.unsolved, s.size.value),
            "bad");
  else
    out.add("problems", fmt::format("all solved; the largest had {:g} unknowns", s.size.value), "good");
  if (s.close > 0) out.add("close", fmt::format("{:g} were solved less well than asked", s.close), "warn");
  out.add("worst residual", when(s.residual) + ", relative: how far any answer is from the laws it has to satisfy");
}

void add_contacts(const Scan& s, Facts& out) {
  if (s.contact_rows == 0 && s.collisions == 0) return out.add("contact", "none");
  out.add("contact", fmt::format("in {:g} of {} rows, at most {:g} {} at once; {:g} {}", s.contact_rows, s.times.size(),
                                 s.contacts.value, s.contacts.value == 1 ? "point" : "points", s.collisions,
                                 s.collisions == 1 ? "collision" : "collisions"));
  out.add("deepest overlap", s.penetration.value > 0
                                 ? fmt::format("{:.2g} m at {:.5g} s", s.penetration.value, s.penetration.time)
                                 : "none");
  if (s.slowed > 0)
    out.add("slowed", fmt::format("{:g} times a deep overlap came back at the recovery speed", s.slowed), "warn");
  if (s.stuck > 0) out.add("stuck", fmt::format("{:g} times an overlap or stop was left as it was", s.stuck), "bad");
}

}  // namespace

WordsJson describe_certificate(const RecordReader& r, const Scan& s, const Packed& p) {
  Facts out;
  const double steps = r.read("frames/step", r.rows() - 1, 1).at(0) - r.read("frames/step", 0, 1).at(0);
  const WordsJson options = read_options(r);
  const std::string integrator = options.is_object() ? options.value("integrator", "step") : "step";
  const double span = s.times.back() - s.times.front();
  out.add("steps", steps > 0 ? fmt::format("{:g} of {:.4g} ms, {:.6g} s in all", steps, 1000 * span / steps, span)
                             : std::string("none"));
  add_solution(s, integrator == "step", out);
  add_contacts(s, out);
  if (s.violation.value > 0) out.add("stops", fmt::format("at most {:.2g} rad or m beyond one", s.violation.value));
  if (s.drift.value > 0) out.add("loops", fmt::format("open by at most {:.2g} m or rad", s.drift.value));
  double work = 0;
  std::string sources;
  for (const auto& [name, joules] : p.work) {
    work += joules;
    if (joules != 0) sources += fmt::format("{}{} {:+.4g} J", sources.empty() ? "" : ", ", name, joules);
  }
  out.add("energy", fmt::format("{:.6g} J at the start, {:.6g} J at the end", s.first_energy, s.last_energy));
  if (!sources.empty()) out.add("work", sources);
  const double rest = s.last_energy - s.first_energy - work;
  const double scale = std::max({s.most_kinetic, std::abs(s.last_energy - s.first_energy), 1e-300});
  out.add("balance",
          fmt::format("{:+.2g} J not accounted for, {:.2g} of the largest kinetic energy: integration error{}", rest,
                      std::abs(rest) / scale, s.unsolved > 0 ? ", and problems that were not solved" : ""));
  if (p.not_finite > 0) out.add("not finite", fmt::format("{} numbers of poses; drawn as 0", p.not_finite), "bad");
  if (!r.closed()) out.add("end", "the record was not closed: its writer died, or is still at work", "warn");
  return out.list;
}

WordsJson describe_origin(const RecordReader& r, const std::filesystem::path& record, const Scan& s, const Packed& p) {
  Facts out;
  if (const std::string command = r.text("meta/command"); !command.empty()) out.add("command", command);
  out.add("scene", r.text("meta/scene"));
  out.add("record", record.filename().string());
  out.add("model", r.attribute("model_name"));
  out.add("model hash", r.attribute("model_hash"));
  out.add("Sinew", r.attribute("sinew_version") == SINEW_VERSION
                       ? SINEW_VERSION
                       : r.attribute("sinew_version") + " made the record, " SINEW_VERSION " this report");
  out.add("rows",
          fmt::format("{} of the record's {}: evenly in time, and all with events or extremes. Counts, sums and "
                      "worst values of rows between are in the next row that is kept",
                      s.kept.size(), s.times.size()));
  out.add("precision",
          fmt::format("signals 6e-8 relative (float32); positions {:.1g} m; turns 3e-5 rad; contact forces and "
                      "gaps 6e-5 relative; times exact",
                      0.5 * p.quantum));
  if (s.not_listed > 0) out.add("events", fmt::format("{} more are not listed", s.not_listed));
  if (const std::vector<std::string> lost = r.names("sensors/left_out"); !lost.empty())
    for (const std::string& sentence : lost) out.add("not recorded", sentence);
  const WordsJson options = read_options(r);
  if (options.is_object())
    for (const auto& [name, value] : options.items())
      out.add(name.c_str(), value.is_string() ? value.get<std::string>() : value.dump());
  return out.list;
}

}  // namespace sinew::report
