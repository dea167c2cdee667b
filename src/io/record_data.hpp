// src/io/record_data.hpp - what is recorded: channels, and rows not written yet
// A new channel is one line in record_data.cpp.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/hdf5.hpp"
#include "sinew/sim/sensor_readings.hpp"
#include "sinew/sim/stepper.hpp"

namespace sinew::record {

// How a number of the StepReport is combined over the steps of one row.
enum class Fold { last, sum, most };

struct StepChannel {
  const char *name, *unit, *meaning;
  hdf5::Type type;
  Fold fold;
  double (*get)(const StepReport&);
};
std::span<const StepChannel> step_channels();

struct Column {
  std::string name, unit, meaning;
  hdf5::Type type = hdf5::Type::real;
  hdf5::Shape row;                  // empty: one number
  std::vector<std::string> labels;  // of the numbers of a row, for CSV
  std::size_t width = 1;
  std::vector<double> data;  // words are stored by their bits
};

struct Table {
  std::vector<Column> columns;
  std::uint64_t rows = 0;
};

// Rows of one run.
class Data {
 public:
  Data(const Model&, Stepper&, bool with_contacts);

  void fold(const StepReport&);
  void add_row();  // the current state, and the numbers folded since the last row
  void clear();    // rows were written
  std::size_t bytes() const;

  // Numbers of the incomplete row, for snapshots.
  std::vector<double>& folded() { return folded_; }

  const Model& model;
  Stepper& simulation;
  Table frames, contacts;
  std::vector<std::string> pairs;     // names of pairs of shapes, in the order in which they first touched
  std::uint64_t contacts_before = 0;  // rows of contacts that were written
  void add_pair(const std::string& name);
  std::vector<std::string> actuator_names, sensor_names;  // by column
  std::vector<std::string> sensors_left_out;              // a sentence each

 private:
  void add_drives();
  void add_sensors();
  void add_contacts();
  int find_pair(const ContactPoint&);

  using Read = std::function<void(double* out)>;
  void add_channel(const char* name, hdf5::Type, hdf5::Shape row, const char* unit, const char* meaning, Read,
                   std::vector<std::string> labels = {});

  std::vector<Read> reads_;
  std::vector<double> folded_;  // one per step channel
  std::unordered_map<std::string, int> pair_by_name_;
  std::unordered_map<std::uint64_t, int> pair_by_id_;
  std::vector<BodyMotion> motions_;  // scratch
  std::optional<SensorReadings> sensors_;
};

}  // namespace sinew::record
