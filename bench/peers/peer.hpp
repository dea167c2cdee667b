// bench/peers/peer.hpp - what the programs of `make bench-peers` share: states in, times and results out as JSON
//   PROGRAM URDF [--floating] [--contacts FILE [--redundant]] [--repeats N] STATES OUT.json
// CONTACTS: a line each, `frame rows x y z`: rows 6: the frame moved by (x, y, z) does not move; 3: its origin does
// not. Redundant: they imply each other, so that there are no unique forces. STATES: int64 count, nq, nv; then for each
// state q (nq), v, a, tau (nv) in doubles, in Pinocchio's convention. OUT.json: median and least processor time per
// call in microseconds; results of the first states.
#pragma once
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace peers {

struct Arguments {
  std::string urdf, states, out, contacts;
  bool floating = false, redundant = false;
  int repeats = 21;
};

inline Arguments parse(int argc, char** argv) {
  Arguments a;
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--floating") {
      a.floating = true;
    } else if (word == "--redundant") {
      a.redundant = true;
    } else if (word == "--contacts" && i + 1 < argc) {
      a.contacts = argv[++i];
    } else if (word == "--repeats" && i + 1 < argc) {
      a.repeats = std::max(1, std::stoi(argv[++i]));
    } else {
      files.emplace_back(word);
    }
  }
  if (files.size() != 3) throw std::invalid_argument("usage: see bench/peers/peer.hpp");
  a.urdf = files[0], a.states = files[1], a.out = files[2];
  return a;
}

struct State {
  std::vector<double> q, v, a, tau;
};

inline std::vector<State> read_states(const std::string& file, int nq, int nv) {
  std::ifstream in(file, std::ios::binary);
  std::int64_t head[3] = {};
  in.read(reinterpret_cast<char*>(head), sizeof head);
  if (!in || head[0] < 1 || head[1] != nq || head[2] != nv)
    throw std::runtime_error(file + ": states of nq " + std::to_string(head[1]) + ", nv " + std::to_string(head[2]) +
                             "; the model has " + std::to_string(nq) + ", " + std::to_string(nv));
  std::vector<State> states(static_cast<std::size_t>(head[0]));
  const auto read = [&](std::vector<double>& x, int n) {
    x.resize(static_cast<std::size_t>(n));
    in.read(reinterpret_cast<char*>(x.data()), static_cast<std::streamsize>(x.size() * sizeof(double)));
  };
  for (State& s : states) read(s.q, nq), read(s.v, nv), read(s.a, nv), read(s.tau, nv);
  if (!in) throw std::runtime_error(file + ": ends early");
  return states;
}

// Nothing written before may be left out or moved past this point.
inline void keep() { asm volatile("" : : : "memory"); }

inline double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Times algorithms in turn, so that a slow moment of the machine does not fall on one of them alone.
class Report {
 public:
  static constexpr std::size_t kResults = 3;  // states whose results are written

  explicit Report(std::size_t states) : states_(states) {}

  // call(i) computes for state i; result(i) computes and returns the numbers to compare.
  template <class Call, class Result>
  void add(std::string name, Call call, Result result) {
    Entry e{std::move(name), {}, {}, {}};
    e.run = [call, n = states_](int passes) {
      for (int p = 0; p < passes; ++p)
        for (std::size_t i = 0; i < n; ++i) call(i), keep();
    };
    for (std::size_t i = 0; i < std::min(kResults, states_); ++i) e.results.push_back(result(i));
    entries_.push_back(std::move(e));
  }

  void measure(int repeats) {
    constexpr double kSeconds = 2e-3;  // of one repeat
    std::vector<int> passes;
    for (Entry& e : entries_) {
      e.run(3);  // warm
      const double start = processor_seconds();
      e.run(3);
      passes.push_back(std::max(1, static_cast<int>(3 * kSeconds / (processor_seconds() - start))));
    }
    for (int r = 0; r < repeats; ++r)
      for (std::size_t k = 0; k < entries_.size(); ++k) {
        const double start = processor_seconds();
        entries_[k].run(passes[k]);
        const double seconds = processor_seconds() - start;
        entries_[k].times.push_back(1e6 * seconds / (passes[k] * static_cast<double>(states_)));
      }
  }

  // {"name": microseconds, ..} as JSON.
  std::string medians() {
    std::string text = "{";
    for (Entry& e : entries_) {
      std::sort(e.times.begin(), e.times.end());
      text += (text.size() > 1 ? ", \"" : "\"") + e.name + "\": " + std::to_string(e.times[e.times.size() / 2]);
    }
    return text + "}";
  }

  // `more` is JSON members, each with a comma behind it.
  void write(const std::string& file, const std::string& more) {
    std::FILE* out = std::fopen(file.c_str(), "w");
    if (!out) throw std::runtime_error("cannot write " + file);
    std::fprintf(out, "{%s\"compiler\": \"%s\", \"algorithms\": {", more.c_str(), __VERSION__);
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      Entry& e = entries_[k];
      std::sort(e.times.begin(), e.times.end());
      std::fprintf(out, "%s\n\"%s\": {\"us\": %.5g, \"least_us\": %.5g, \"results\": [", k ? "," : "", e.name.c_str(),
                   e.times[e.times.size() / 2], e.times.front());
      for (std::size_t i = 0; i < e.results.size(); ++i) {
        std::fprintf(out, "%s[", i ? ",\n" : "");
        for (std::size_t j = 0; j < e.results[i].size(); ++j) {
          const double x = e.results[i][j];
          std::fprintf(out, std::isfinite(x) ? "%s%.17g" : "%sNaN", j ? "," : "", x);
        }
        std::fprintf(out, "]");
      }
      std::fprintf(out, "]}");
    }
    std::fprintf(out, "}}\n");
    if (std::fclose(out)) throw std::runtime_error("cannot write " + file);
  }

 private:
  struct Entry {
    std::string name;
    std::function<void(int)> run;
    std::vector<std::vector<double>> results;
    std::vector<double> times;
  };
  std::size_t states_;
  std::vector<Entry> entries_;
};

// A list of names as JSON.
inline std::string to_json(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& n : names) text += (text.size() > 1 ? ", \"" : "\"") + n + "\"";
  return text + "]";
}

}  // namespace peers
