// src/io/record.cpp
#include "sinew/io/record.hpp"

#include <fcntl.h>

#include <chrono>
#include <fstream>

#include "io/record_lock.hpp"
#include "io/record_sink.hpp"
#include "sinew/io/input_file.hpp"

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBufferBytes = 4 << 20;  // of rows not written yet
constexpr std::size_t kMaxSnapshotBytes = std::size_t{1} << 30;
constexpr const char* kFolded = "record/folded";

bool is_csv(const std::filesystem::path& path) { return path.extension() == ".csv"; }

// Before anything is locked or opened.
void check_call(const Model& m, const Stepper& s, const RecordOptions& o) {
  MadeFor(m).check("Recorder", s.model(), "the model");
  if (o.every < 1)
    throw std::invalid_argument("Recorder: every is " + std::to_string(o.every) + "; it must be 1 or more");
}

}  // namespace

struct Recorder::Work {
  Work(const std::filesystem::path& path, const Model& m, Stepper& s, const RecordOptions& o)
      : options((check_call(m, s, o), o)), lock(path, o.command), data(m, s, !is_csv(path)), simulation(s) {
    if (!o.resume && !o.overwrite && std::filesystem::exists(path))
      throw std::invalid_argument(path.string() + " exists already; resume it, overwrite it or choose another name");
    if (o.resume) restore_folded(path);
    try {
      sink = is_csv(path) ? record::make_csv_sink(path, data, o) : record::make_hdf5_sink(path, data, o);
    } catch (const RecordError&) {
      throw;
    } catch (const std::runtime_error& e) {
      throw RecordError(e.what());
    }
  }

  void restore_folded(const std::filesystem::path& path) {
    const Snapshot last = read_last_snapshot(path);
    const std::int64_t steps = last.integers("step").at(0);
    if (steps != simulation.totals().steps)
      throw std::invalid_argument(path.string() + " ends at step " + std::to_string(steps) +
                                  ", but the simulation has done " + std::to_string(simulation.totals().steps));
    if (last.reals(kFolded).size() != data.folded().size())
      throw std::invalid_argument(path.string() + " has other channels than this program records; start a new record");
    data.folded() = last.reals(kFolded);
  }

  void write(const std::function<void(Snapshot&)>& add_more, bool sync) {
    Snapshot snapshot = simulation.make_snapshot();
    snapshot.set(kFolded, data.folded());
    if (add_more) add_more(snapshot);
    try {
      sink->write(data, snapshot, sync);
    } catch (const RecordError&) {
      failed = true;
      throw;
    } catch (const std::runtime_error& e) {
      failed = true;
      throw RecordError(e.what());
    }
    data.clear();
    saved_time = simulation.state.time;
    last_sync = Clock::now();
  }

  RecordOptions options;
  record::Lock lock;  // before anything is opened, until all is closed
  record::Data data;
  Stepper& simulation;
  std::unique_ptr<record::Sink> sink;
  Clock::time_point last_sync = Clock::now();
  double saved_time = 0;
  bool failed = false, first = true;
};

Recorder::Recorder(const std::filesystem::path& path, const Model& m, Stepper& s, const RecordOptions& o)
    : work_(std::make_unique<Work>(path, m, s, o)) {
  if (!o.resume) work_->data.add_row();
  work_->saved_time = s.state.time;
}
Recorder::~Recorder() = default;

void Recorder::add(const StepReport& report) {
  Work& w = *work_;
  w.data.fold(report);
  if (w.simulation.totals().steps % w.options.every == 0) w.data.add_row();
  const double waited = std::chrono::duration<double>(Clock::now() - w.last_sync).count();
  const bool late = waited >= w.options.flush_seconds;
  if (w.first || late || w.data.bytes() >= kBufferBytes) w.write(extend, late);
  w.first = false;
}

void Recorder::finish() {
  Work& w = *work_;
  if (w.failed) throw RecordError("Recorder: writing has failed before, so no rows can be added; resume the record");
  if (!w.sink) return;
  w.write(extend, true);
  try {
    w.sink->close();
  } catch (const RecordError&) {
    throw;
  } catch (const std::runtime_error& e) {
    throw RecordError(e.what());
  }
}

const std::vector<std::string>& Recorder::left_out() const { return work_->data.sensors_left_out; }
std::uint64_t Recorder::saved_rows() const { return work_->sink->rows(); }
double Recorder::saved_time() const { return work_->saved_time; }

Snapshot read_last_snapshot(const std::filesystem::path& path) {
  const std::filesystem::path file = is_csv(path) ? record::snapshot_beside(path) : path;
  const InputFile found = check_input_file(file, NamedBy::file);
  if (!found.fault.empty()) throw std::invalid_argument(file.string() + " " + found.fault + "; " + found.repair);
  std::string start(8, ' ');
  std::ifstream(file, std::ios::binary).read(start.data(), 8);
  if (start == "\x89HDF\r\n\x1a\n") {
    const RecordReader record(path);
    if (record.snapshots() == 0) throw std::invalid_argument(path.string() + " has no snapshot to go on from");
    return record.read_snapshot(record.snapshots() - 1);
  }
  const InputFile in = read_input_file(file, kMaxSnapshotBytes, NamedBy::file);
  if (!in.fault.empty()) throw std::invalid_argument(file.string() + " " + in.fault + "; " + in.repair);
  try {
    return snapshot_from_bytes(std::as_bytes(std::span(in.bytes)));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(file.string() + ": " + e.what());
  }
}

void write_snapshot(const std::filesystem::path& path, const Snapshot& snapshot) {
  const std::vector<std::byte> bytes = to_bytes(snapshot);
  const std::filesystem::path part = path.string() + ".part";
  {
    record::Descriptor file(part, O_WRONLY | O_CREAT | O_TRUNC);
    file.reserve(0, bytes.size());
    file.write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    file.sync();
  }
  std::filesystem::rename(part, path);
}

}  // namespace sinew
