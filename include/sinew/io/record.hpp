// sinew/io/record.hpp - a run on disk, row by row, with snapshots to go on from
//   Simulation s(model, options);
//   Recorder record("run.h5", model, s);        // or run.csv
//   while (s.state.time < 5) record.add(s.step());
//   record.finish();
// HDF5 holds frames, poses, energies, certificates, contacts and snapshots, with their meaning and units; CSV holds one
// line per row, with the last snapshot in a file beside it. docs/records.md describes the layout.
// Rows are kept in memory and written about once a second of wall clock, with a snapshot. Space is reserved before
// anything is written, and the file is consistent after every write: a killed process, or a full disk, loses only what
// came after the last write.
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
  long every = 1;            // steps per row, counted from the first step of the run
  double flush_seconds = 1;  // [s] of wall clock between writes
  bool overwrite = false;    // replace an existing file; otherwise it is refused
  bool resume = false;       // continue an existing file, from whose last snapshot the simulation was restored
  std::string scene, source, command;  // where the model comes from: kept as text
};

// The record cannot go on: the disk is full, the file cannot be written. What was saved before stays readable.
struct RecordError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes a run to disk while it goes on.
class Recorder {
 public:
  // The model and the stepper must outlive it. Writes the first row, unless it resumes. Throws std::invalid_argument
  // if the file exists or does not fit.
  Recorder(const std::filesystem::path&, const Model&, Stepper&, const RecordOptions& = {});
  Recorder(const std::filesystem::path&, const Model&&, Stepper&, const RecordOptions& = {}) = delete;
  ~Recorder();  // closes the file; rows not written yet are lost

  void add(const StepReport&);  // after each step; throws RecordError
  void finish();                // writes all, with a last snapshot, and closes; throws RecordError
  // Sensors of the model that cannot be read, a sentence each: the record has no column for them.
  const std::vector<std::string>& left_out() const;
  std::uint64_t saved_rows() const;
  double saved_time() const;  // [s] simulated, of the last snapshot in the file
  // Called for each snapshot: adds arrays of the run's owner.
  std::function<void(Snapshot&)> extend;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// An HDF5 record, also one that is being written or whose writer was killed: only what was saved as a whole is seen.
class RecordReader {
 public:
  explicit RecordReader(const std::filesystem::path&);  // throws std::invalid_argument if it is not a record
  ~RecordReader();
  RecordReader(RecordReader&&) noexcept;

  bool closed() const;  // by finish(); false: its writer is at work, or died
  std::uint64_t rows() const;
  std::uint64_t contacts() const;
  std::uint64_t snapshots() const;
  std::string attribute(const char* name) const;       // of the file: "sinew_version", "model_hash", ...
  std::string text(const std::string& dataset) const;  // "meta/options", ...
  std::vector<std::string> body_names() const;
  // A list of names: "meta/joints", "meta/q", "meta/v", "contacts/pairs", ...; none where the record has no such list.
  std::vector<std::string> names(const std::string& dataset) const;
  std::vector<std::string> datasets() const;  // all of them, "frames/q", ..., sorted
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
// Atomically: the old file stays until the new one is complete. Throws RecordError.
void write_snapshot(const std::filesystem::path&, const Snapshot&);

}  // namespace sinew
