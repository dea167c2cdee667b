// sinew/io/record.hpp - a run on disk, row by row, with snapshots to go on from
//   Simulation s(model, options);
//   Recorder record("run.h5", model, s);        // or run.csv
//   while (s.state.time < 5) record.add(s.step());
//   record.finish();
// HDF5 holds frames, poses, energies, certificates, contacts and snapshots, and says of itself what they are; CSV holds
// one line a row, with the last snapshot in a file beside it. docs/records.md describes the layout.
// Rows are kept in memory and written about once a second of wall clock, with a snapshot. Space is reserved before
// anything is written, and the file is whole after every single write: a process that is killed, or a disk that is
// full, costs what came after the last such moment and never the file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/sim/snapshot.hpp"

namespace sinew {

inline constexpr int kRecordVersion = 1;

struct RecordOptions {
  long every = 1;            // a row each so many steps, counted from the first step of all
  double flush_seconds = 1;  // [s] of wall clock between writes
  bool overwrite = false;    // a file that is there is replaced; else it is refused
  bool resume = false;       // the file that is there goes on; the simulation was restored from its last snapshot
  std::string scene, source, command;  // where the model comes from: kept as text
};

// The record cannot go on: the disk is full, the file cannot be written. What was saved before stays readable.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Recorder {
 public:
  // The model and the stepper must outlive it. Writes the first row, unless it resumes. Throws std::invalid_argument
  // where the file is there or does not fit.
  Recorder(const std::filesystem::path&, const Model&, Stepper&, const RecordOptions& = {});
  Recorder(const std::filesystem::path&, const Model&&, Stepper&, const RecordOptions& = {}) = delete;
  ~Recorder();  // closes the file without what was not written yet

  void add(const StepReport&);  // after each step; throws RecordError
  void finish();                // writes all, with a last snapshot, and closes; throws RecordError
  std::uint64_t saved_rows() const;
  double saved_time() const;  // [s] simulated, of the last snapshot in the file
  // Adds what the owner of the run wants to find in a snapshot again.
  std::function<void(Snapshot&)> extend;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// An HDF5 record, also one that is being written or whose writer was killed: only what was saved as a whole is seen.
class RecordReader {
 public:
  explicit RecordReader(const std::filesystem::path&);  // throws std::invalid_argument where it is no record
  ~RecordReader();
  RecordReader(RecordReader&&) noexcept;

  bool closed() const;  // by finish(), not by death
  std::uint64_t rows() const;
  std::uint64_t contacts() const;
  std::uint64_t snapshots() const;
  std::string attribute(const char* name) const;       // of the file: "sinew_version", "model_hash", ...
  std::string text(const std::string& dataset) const;  // "meta/options", ...
  std::vector<std::string> body_names() const;
  std::vector<std::uint64_t> row_shape(const std::string& dataset) const;
  // Rows of a dataset of numbers, one after the other: "frames/q", "contacts/force", ...
  std::vector<double> read(const std::string& dataset, std::uint64_t first, std::uint64_t count) const;
  Snapshot read_snapshot(std::uint64_t i) const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// The last one of a record (HDF5, or CSV: from the file beside it) or of a file that write_snapshot made.
Snapshot read_last_snapshot(const std::filesystem::path&);
// At once: the old file is there until the new one is whole. Throws RecordError.
void write_snapshot(const std::filesystem::path&, const Snapshot&);

}  // namespace sinew
