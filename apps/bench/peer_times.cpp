// apps/bench/peer_times.cpp
#include "bench/peer_times.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {
namespace {

namespace fs = std::filesystem;

// The repository: above this program, or above the current folder.
fs::path find_root() {
  std::error_code none;
  for (const fs::path& start : {fs::read_symlink("/proc/self/exe", none).parent_path(), fs::current_path(none)})
    for (fs::path p = start; !p.empty(); p = p.parent_path()) {
      if (fs::exists(p / "tools/bench_one.py", none)) return p;
      if (p == p.parent_path()) break;
    }
  throw InputError(
      "--peers needs tools/bench_one.py of Sinew's repository, which is neither above this program nor above the "
      "current "
      "folder: run it there",
      kUsage);
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

std::string find_python(const fs::path& root) {
  if (const char* given = std::getenv("SINEW_PYTHON"); given && *given) return given;
  const fs::path own = root / ".venv/bin/python";
  std::error_code none;
  return fs::exists(own, none) ? own.string() : "python3";
}

}  // namespace

std::vector<PeerTimes> time_peers(const std::string& file, bool floating, double seconds) {
  const fs::path root = find_root();
  const std::string python = find_python(root);
  const std::string command = quoted(python) + " " + quoted((root / "tools/bench_one.py").string()) + " " +
                              quoted(file) + (floating ? " --floating" : "") + " --seconds " + std::to_string(seconds);
  std::fflush(stdout);
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw InputError("--peers: cannot run " + command, kUsage);
  std::string text;
  char piece[4096];
  while (const std::size_t n = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, n);
  if (pclose(pipe) != 0)
    throw InputError("--peers: " + python + " could not time Pinocchio or MuJoCo, see above; `tools/setup.sh python` " +
                         "installs both, SINEW_PYTHON names another Python",
                     kUsage);
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError("--peers: tools/bench_one.py wrote no JSON", kUsage);
  std::vector<PeerTimes> out;
  for (const auto& [name, peer] : json.items())
    out.push_back({name, peer.value("version", ""), peer.value("how", ""), peer.value("error", ""),
                   peer.value("us", std::map<std::string, double>())});
  return out;
}

}  // namespace sinew::app
