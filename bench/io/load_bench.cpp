// bench/io/load_bench.cpp - from a file on disk to a compiled model
// The files come from SINEW_BENCH_FILES (separated by ':'); without it, those in models/.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sinew/io/load.hpp"
#include "sinew/model/model.hpp"

namespace {

std::vector<std::string> find_files() {
  std::vector<std::string> files;
  if (const char* list = std::getenv("SINEW_BENCH_FILES")) {
    std::stringstream in(list);
    for (std::string f; std::getline(in, f, ':');) files.push_back(f);
  } else {
    for (const auto& e : std::filesystem::directory_iterator(SINEW_SOURCE_DIR "/models"))
      if (e.path().extension() == ".xml" || e.path().extension() == ".urdf") files.push_back(e.path());
    std::sort(files.begin(), files.end());
  }
  return files;
}

void load_file(benchmark::State& state, const std::string& file) {
  int nv = 0;
  for (auto _ : state) {
    sinew::Result<sinew::ModelSpec> spec = sinew::load(file);
    if (!spec) return state.SkipWithError(to_string(spec.diagnostics().list().front()).c_str());
    const sinew::Result<sinew::Model> model = sinew::compile(std::move(spec).value());
    if (!model) return state.SkipWithError(to_string(model.diagnostics().list().front()).c_str());
    nv = model->nv();
  }
  state.counters["nv"] = nv;
}

const bool kRegistered = [] {
  for (const std::string& f : find_files())
    benchmark::RegisterBenchmark(("load/" + f).c_str(), [f](benchmark::State& s) {
      load_file(s, f);
    })->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
