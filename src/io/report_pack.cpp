// src/io/report_pack.cpp
#include "io/report_pack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "io/record_data.hpp"

namespace sinew::report {
namespace {

using PackJson = nlohmann::ordered_json;
using record::Fold;

constexpr double kTurn = 32767;  // a quaternion's 1

// A dataset whose numbers become signals.
struct Group {
  std::string dataset, heading, unit, meaning;
  Fold fold = Fold::last;
  bool cumulate = false;  // sums since the start in place of those since the row before
  std::vector<std::string> names, labels;
  std::vector<double> folded;            // since the kept row before, or since the start
  std::vector<std::vector<float>> kept;  // by number
};

void fold(Group& g, const double* x) {
  for (std::size_t k = 0; k < g.folded.size(); ++k) {
    double& sum = g.folded[k];
    switch (g.fold) {
      case Fold::last: sum = x[k]; break;
      case Fold::sum: sum += x[k]; break;
      case Fold::most: sum = std::max(sum, x[k]); break;
    }
  }
}

class Packer {
 public:
  Packer(const RecordReader& r, const PackJson& drawing, const Scan& scan) : r_(r), drawing_(drawing), scan_(scan) {
    for (const std::string& name : r.datasets()) there_.insert(name);
  }

  Packed run() {
    add_groups();
    bodies_ = drawing_.at("bodies").size();
    const std::uint64_t rows = r_.rows();
    for (std::uint64_t first = 0; first < rows; first += kBlock) read_block(first, std::min(kBlock, rows - first));
    put_times();
    put_signals();
    find_quantum();
    put_poses();
    put_contacts();
    return std::move(out_);
  }

 private:
  bool has(const std::string& dataset) const { return there_.contains(dataset); }

  void add(Group g) {
    if (!has(g.dataset)) return;
    if (g.names.empty()) g.names = {g.dataset};
    if (g.labels.empty()) g.labels = g.names;
    g.folded.assign(g.names.size(), 0.0);
    g.kept.resize(g.names.size());
    groups_.push_back(std::move(g));
  }
  void add_list(const std::string& dataset, const std::string& heading, const std::string& unit,
                const std::string& meaning, std::vector<std::string> labels, const std::string& prefix) {
    if (labels.empty()) return;
    std::vector<std::string> names = labels;
    for (std::string& n : names) n.insert(0, prefix);
    add({dataset, heading, unit, meaning, Fold::last, false, std::move(names), std::move(labels), {}, {}});
  }

  void add_groups() {
    add({"energy/kinetic", "Energy", "J", "of motion, of all bodies", Fold::last, false, {}, {"kinetic"}, {}, {}});
    add({"energy/potential",
         "Energy",
         "J",
         "of gravity, and stored in bodies that bend",
         Fold::last,
         false,
         {},
         {"potential"},
         {},
         {}});
    for (const record::StepChannel& c : record::step_channels()) {
      const std::string name = c.name;
      const bool work = name.starts_with("work/");
      std::string label = name.substr(name.find('/') + 1), meaning = c.meaning;
      std::replace(label.begin(), label.end(), '_', ' ');
      if (work) meaning = meaning.substr(0, meaning.find(" since")) + ", summed since the start";
      add({name,
           work ? "Work since the start" : "Certificate",
           std::string(c.unit) == "1" ? "" : c.unit,
           meaning,
           c.fold,
           work,
           {},
           {work ? "work: " + label : label},
           {},
           {}});
    }
    add_list("frames/q", "Joints: position", "", "coordinate of a joint [rad, m, quaternion]", r_.names("meta/q"), "");
    add_list("frames/v", "Joints: velocity", "", "velocity of a joint [rad/s, m/s]", r_.names("meta/v"), "");
    add_list("frames/modes", "Modes", "", "modal coordinate of a body that bends", r_.names("meta/modes"), "mode.");
    add_list("actuators/control", "Actuators: control", "", "control of the last step", r_.names("actuators/names"),
             "control.");
    add_list("actuators/force", "Actuators: force", "", "force of the last step [N m, N]", r_.names("actuators/names"),
             "force.");
    add_list("sensors/values", "Sensors", "", "reading after the last step", r_.names("sensors/names"), "sensor.");
    std::vector<std::string> axes;
    for (const char* axis : {"angular x", "angular y", "angular z", "linear x", "linear y", "linear z"})
      axes.push_back(std::string("momentum, ") + axis);
    add_list("momentum/bodies", "Momentum", "", "of all bodies, about the origin of the world [N m s, N s]", axes, "");
  }

  void read_block(std::uint64_t first, std::uint64_t n) {
    std::vector<std::uint64_t> kept;  // within the block
    while (next_ < scan_.kept.size() && scan_.kept[next_] < first + n) kept.push_back(scan_.kept[next_++] - first);
    for (Group& g : groups_) {
      const std::vector<double> x = r_.read(g.dataset, first, n);
      const std::size_t width = g.names.size();
      if (x.size() != n * width)
        throw std::invalid_argument("make_report: " + g.dataset + " has other columns than names");
      auto at = kept.begin();
      for (std::uint64_t i = 0; i < n; ++i) {
        fold(g, x.data() + i * width);
        if (at == kept.end() || *at != i) continue;
        ++at;
        for (std::size_t k = 0; k < width; ++k) g.kept[k].push_back(static_cast<float>(g.folded[k]));
        if (!g.cumulate) std::fill(g.folded.begin(), g.folded.end(), 0.0);
        if (g.dataset == "energy/kinetic") total_.push_back(x[i]);
        if (g.dataset == "energy/potential") total_[total_.size() - kept.size() + at_index(kept, at)] += x[i];
      }
    }
    if (kept.empty()) return;
    const std::vector<double> steps = r_.read("frames/step", first, n), poses = r_.read("bodies/poses", first, n);
    for (const std::uint64_t i : kept) {
      step_.push_back(static_cast<std::int32_t>(steps[i]));
      row_.push_back(static_cast<std::int32_t>(first + i));
      poses_.insert(poses_.end(), poses.begin() + static_cast<std::ptrdiff_t>(i * 7 * bodies_),
                    poses.begin() + static_cast<std::ptrdiff_t>((i + 1) * 7 * bodies_));
    }
    read_contacts(first, n, kept);
  }
  static std::size_t at_index(const std::vector<std::uint64_t>& kept,
                              std::vector<std::uint64_t>::const_iterator after) {
    return static_cast<std::size_t>(after - kept.begin()) - 1;
  }

  struct Contact {
    std::int32_t pair = 0;
    double id = 0, gap = 0;
    std::array<double, 3> point{}, normal{}, force{};
  };
  void read_contacts(std::uint64_t first, std::uint64_t n, const std::vector<std::uint64_t>& kept) {
    if (!has("contacts/first") || r_.contacts() == 0) {
      contact_count_.insert(contact_count_.end(), kept.size(), 0);
      return;
    }
    const std::vector<double> begin = r_.read("contacts/first", first, n), count = r_.read("contacts/count", first, n);
    const auto from = static_cast<std::uint64_t>(begin.front());
    const auto to = std::max(from, std::min(r_.contacts(), static_cast<std::uint64_t>(begin.back() + count.back())));
    const auto get = [&](const char* name) {
      return to > from ? r_.read(name, from, to - from) : std::vector<double>();
    };
    const std::vector<double> pair = get("contacts/pair"), a = get("contacts/body_a"), b = get("contacts/body_b"),
                              id = get("contacts/id"), gap = get("contacts/gap"), point = get("contacts/point"),
                              normal = get("contacts/normal"), force = get("contacts/force");
    const auto three = [](const std::vector<double>& x, std::uint64_t k) {
      return std::array<double, 3>{x[3 * k], x[3 * k + 1], x[3 * k + 2]};
    };
    for (const std::uint64_t i : kept) {
      const auto at = static_cast<std::uint64_t>(begin[i]) - from;
      const auto end = std::min<std::uint64_t>(pair.size(), at + static_cast<std::uint64_t>(count[i]));
      for (std::uint64_t k = at; k < end; ++k)
        contacts_.push_back(
            {find_pair(pair[k], a[k], b[k]), id[k], gap[k], three(point, k), three(normal, k), three(force, k)});
      contact_count_.push_back(static_cast<std::int32_t>(end - std::min(at, end)));
    }
  }
  std::int32_t find_pair(double pair, double a, double b) {
    const auto [found, fresh] = pairs_.try_emplace({pair, a, b}, static_cast<std::int32_t>(pairs_.size()));
    if (fresh) {
      if (pair_names_.empty()) pair_names_ = r_.names("contacts/pairs");
      const auto k = static_cast<std::size_t>(pair);
      out_.pairs.push_back({{"name", k < pair_names_.size() ? pair_names_[k] : ""},
                            {"a", static_cast<int>(a)},
                            {"b", static_cast<int>(b)}});
    }
    return found->second;
  }

  void put_times() {
    std::vector<std::int32_t> high, low;
    for (const std::uint64_t row : scan_.kept) {
      const auto bits = std::bit_cast<std::uint64_t>(scan_.times[row]);
      high.push_back(static_cast<std::int32_t>(bits >> 32U));
      low.push_back(static_cast<std::int32_t>(bits & 0xffffffffU));
    }
    out_.columns.add("time.high", high), out_.columns.add("time.low", low);
    out_.columns.add("step", step_), out_.columns.add("row", row_);
  }

  void put_signal(const std::string& name, const std::string& heading, const std::string& label,
                  const std::string& unit, const std::string& meaning, std::span<const float> values) {
    out_.signals.push_back(
        {{"name", name}, {"group", heading}, {"label", label}, {"unit", unit}, {"meaning", meaning}});
    out_.columns.add_reals("signal", values);
  }
  void put_signals() {
    out_.signals = PackJson::array();
    std::vector<double> work(scan_.kept.size(), 0.0);
    for (const Group& g : groups_) {
      for (std::size_t k = 0; k < g.names.size(); ++k)
        put_signal(g.names[k], g.heading, g.labels[k], g.unit, g.meaning, g.kept[k]);
      if (g.cumulate) {
        out_.work.emplace_back(g.labels[0].substr(6), g.folded[0]);
        for (std::size_t i = 0; i < work.size(); ++i) work[i] += static_cast<double>(g.kept[0][i]);
      }
      if (g.dataset != "energy/potential" || total_.empty()) continue;
      const std::vector<float> total(total_.begin(), total_.end());
      put_signal("energy/total", "Energy", "total", "J", "kinetic and potential", total);
    }
    if (total_.empty()) return;
    std::vector<float> rest;
    rest.reserve(work.size());
    for (std::size_t i = 0; i < work.size(); ++i) rest.push_back(static_cast<float>(total_[i] - total_[0] - work[i]));
    put_signal("energy/unaccounted", "Energy", "not accounted for", "J",
               "total energy less that at the start, less all work: integration error", rest);
  }

  // About 4 million quanta over the scene as it begins; coarser where something flies farther than 2^30 of them.
  void find_quantum() {
    double size = 1e-3, far = 0;
    for (const PackJson& s : drawing_.at("shapes"))
      if (s.at("kind") != "plane")
        for (const PackJson& x : s.at("size")) size = std::max(size, 2 * x.get<double>());
    for (std::size_t k = 0; k < 3; ++k) {
      double low = 0, high = 0;
      for (std::size_t b = 1; b < bodies_; ++b) {
        const double x = poses_[7 * b + k];
        low = b == 1 ? x : std::min(low, x), high = b == 1 ? x : std::max(high, x);
      }
      if (std::isfinite(high - low)) size = std::max(size, high - low);
    }
    for (std::size_t i = 0; i < poses_.size(); ++i)
      if (i % 7 < 3 && std::isfinite(poses_[i])) far = std::max(far, std::abs(poses_[i]));
    for (const Contact& c : contacts_)
      for (const double x : c.point)
        if (std::isfinite(x)) far = std::max(far, std::abs(x));
    out_.quantum = std::exp2(std::floor(std::log2(std::max(size / (1 << 22), far / (1 << 30)))));
    if (far / out_.quantum > (1 << 30)) out_.quantum *= 2;
  }
  std::int32_t round(double x) {
    if (std::isfinite(x)) return static_cast<std::int32_t>(std::llround(x));
    ++out_.not_finite;
    return 0;
  }

  void put_poses() {
    out_.moving = PackJson::array(), out_.still = PackJson::array();
    const std::size_t n = scan_.kept.size(), stride = 7 * bodies_;
    std::vector<std::int32_t> column(n);
    for (std::size_t b = 0; b < bodies_; ++b) {
      const double* first = poses_.data() + 7 * b;
      PackJson place = PackJson::array();
      for (std::size_t k = 0; k < 7; ++k) place.push_back(std::isfinite(first[k]) ? first[k] : 0.0);
      out_.still.push_back(std::move(place));
      bool moves = false;
      for (std::size_t i = 1; i < n && !moves; ++i) moves = !std::equal(first, first + 7, first + i * stride);
      if (!moves) continue;
      out_.moving.push_back(b);
      make_continuous(b);
      for (std::size_t k = 0; k < 7; ++k) {
        for (std::size_t i = 0; i < n; ++i)
          column[i] = round(first[i * stride + k] * (k < 3 ? 1 / out_.quantum : kTurn));
        out_.columns.add("pose", column);
      }
    }
  }
  // Of the two quaternions of a turn, the one nearer to that of the row before.
  void make_continuous(std::size_t b) {
    const std::size_t stride = 7 * bodies_;
    for (std::size_t i = 1; i < scan_.kept.size(); ++i) {
      double *q = poses_.data() + i * stride + 7 * b + 3, dot = 0;
      for (std::size_t k = 0; k < 4; ++k) dot += q[k] * (q - stride)[k];
      if (dot < 0)
        for (std::size_t k = 0; k < 4; ++k) q[k] = -q[k];
    }
  }

  void put_contacts() {
    if (out_.pairs.is_null()) out_.pairs = PackJson::array();
    out_.columns.add("contact.count", contact_count_);
    // The same place of the same pair in the row before.
    std::vector<std::int32_t> like;
    std::vector<std::int64_t> ancestors;
    std::map<std::pair<std::int32_t, double>, std::size_t> before, now;
    std::size_t at = 0, first_before = 0;
    for (const std::int32_t count : contact_count_) {
      now.clear();
      for (std::size_t i = at; i < at + static_cast<std::size_t>(count); ++i) {
        const std::pair key(contacts_[i].pair, contacts_[i].id);
        const auto found = before.find(key);
        ancestors.push_back(found == before.end() ? -1 : static_cast<std::int64_t>(found->second));
        like.push_back(found == before.end() ? kNoAncestor
                                             : static_cast<std::int32_t>(i - at) -
                                                   static_cast<std::int32_t>(found->second - first_before));
        now.emplace(key, i);
      }
      first_before = at, at += static_cast<std::size_t>(count);
      std::swap(before, now);
    }
    out_.columns.add("contact.like", like);
    std::vector<std::int32_t> column(contacts_.size());
    const auto put = [&](const char* name, auto get) {
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = get(contacts_[i]);
      out_.columns.add_descendants(name, column, ancestors);
    };
    put("contact.pair", [](const Contact& c) { return c.pair; });
    for (std::size_t k = 0; k < 3; ++k)
      put("contact.point", [&](const Contact& c) { return round(c.point[k] / out_.quantum); });
    for (std::size_t k = 0; k < 3; ++k)
      put("contact.normal", [&](const Contact& c) { return round(c.normal[k] * kTurn); });
    for (std::size_t k = 0; k < 3; ++k)
      put("contact.force", [&](const Contact& c) { return to_ordered(round_coarsely(c.force[k])); });
    put("contact.gap", [](const Contact& c) { return to_ordered(round_coarsely(c.gap)); });
  }

  const RecordReader& r_;
  const PackJson& drawing_;
  const Scan& scan_;
  Packed out_;
  std::set<std::string> there_;
  std::vector<Group> groups_;
  std::size_t next_ = 0;  // of scan_.kept
  std::size_t bodies_ = 0;
  std::vector<double> total_;  // energy of the kept rows
  std::vector<std::int32_t> step_, row_, contact_count_;
  std::vector<double> poses_;  // of the kept rows
  std::vector<Contact> contacts_;
  std::map<std::tuple<double, double, double>, std::int32_t> pairs_;
  std::vector<std::string> pair_names_;
};

}  // namespace

Packed pack_record(const RecordReader& r, const PackJson& drawing, const Scan& scan) {
  return Packer(r, drawing, scan).run();
}

}  // namespace sinew::report
