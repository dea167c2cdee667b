// src/io/record_hdf5.cpp - records in HDF5
// A commit is: reserve the space that it may need, append the rows, flush them, then overwrite one short list of
// counts. A reader uses as many rows as the counts say, so a commit is seen whole or not at all.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "io/record_sink.hpp"
#include "sinew/io/drawing.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/model/model_hash.hpp"

namespace sinew {
namespace record {
namespace {

using hdf5::Type;

// The counts, in their order.
enum Count : std::size_t { kFrames, kContacts, kPairs, kSnapshots, kSnapshotBytes, kCounts };
constexpr const char *kCountsName = "committed", *kFinishedName = "finished";
using Counts = std::array<std::uint64_t, kCounts>;

constexpr std::uint64_t kBlockRows = 4096;          // copied at once
constexpr std::uint64_t kIndexBytes = 32768;        // index of a table that a commit may add
constexpr std::uint64_t kReservedBeyond = 1 << 18;  // for everything else
constexpr const char* kConventions =
    "SI units. Angular above linear. Quaternions w x y z. Body 0 is the world. Row i of frames, bodies, energy and "
    "certificates belong together; contacts of row i are contacts/first[i] .. + contacts/count[i]. Rows from "
    "committed[0] on are not complete.";

constexpr const char* kGroups[] = {"meta",     "frames",       "bodies",   "energy",   "work",
                                   "momentum", "certificates", "contacts", "snapshots"};

std::filesystem::path part_of(const std::filesystem::path& path) { return path.string() + ".part"; }

std::string to_hex(std::uint64_t x) {
  char text[17];
  char* end = std::to_chars(text, text + 16, x, 16).ptr;
  return std::string(static_cast<std::size_t>(16 - (end - text)), '0') + std::string(text, end);
}
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
std::string to_json(const OptionTexts& options) {
  std::string out = "{";
  for (const auto& [name, value] : options) {
    double x;
    const char* end = value.data() + value.size();
    const bool plain = value == "true" || value == "false" || std::from_chars(value.data(), end, x).ptr == end;
    out += (out.size() > 1 ? ", " : "") + quoted(name) + ": " + (plain ? value : quoted(value));
  }
  return out + "}";
}
std::string restitutions(const ModelSpec& spec) {
  std::string out = "[";
  char text[32];
  for (const ShapeSpec& s : spec.shapes)
    out += (out.size() > 1 ? ", " : "") + std::string(text, std::to_chars(text, text + sizeof text, s.restitution).ptr);
  return out + "]";
}

class Hdf5Sink final : public Sink {
 public:
  Hdf5Sink(std::filesystem::path path, Data& data, const RecordOptions& o)
      : path_(std::move(path)), part_(part_of(path_)), descriptor_(part_, O_RDWR | O_CREAT), file_(part_) {
    add_meta(data, o);
    for (Table* t : {&data.frames, &data.contacts})
      for (const Column& c : t->columns) tables_.push_back(add_table(c.name, c.type, c.row, c.unit, c.meaning));
    pairs_ = add_table("contacts/pairs", Type::text, {}, "", "names of the shapes of a and b, by contacts/pair");
    shots_ = {add_table("snapshots/time", Type::real, {}, "s", "simulated time of each snapshot"),
              add_table("snapshots/step", Type::integer, {}, "1", "steps since the start"),
              add_table("snapshots/first", Type::integer, {}, "1", "its first byte in snapshots/bytes"),
              add_table("snapshots/size", Type::integer, {}, "1", "its number of bytes")};
    bytes_ = add_table("snapshots/bytes", Type::byte, {}, "", "snapshots one after the other, see sim/snapshot.hpp");
    committed_ = file_.add_words(kCountsName, kCounts);
    file_.add_attribute(kCountsName, "meaning",
                        "complete rows of frames, contacts, contacts/pairs, snapshots, snapshots/bytes");
    finished_ = file_.add_words(kFinishedName, 1);
    file_.add_attribute(kFinishedName, "meaning", "0: the writer is at work, or died; 1: it closed the file");
    file_.start();
    if (o.resume) copy(data);
  }
  ~Hdf5Sink() override {
    std::error_code error;
    if (!published_) std::filesystem::remove(part_, error);
    try {
      if (published_ && !closed_) mark_finished();
    } catch (const std::runtime_error&) {
      closed_ = false;  // it then looks like one whose writer died
    }
  }

  void write(const Data& data, Snapshot& snapshot, bool sync) override {
    const std::vector<std::byte> bytes = to_bytes(snapshot);
    reserve(calc_bytes(data, bytes.size()));
    Counts next = counts_;
    std::size_t k = 0;
    for (const Table* t : {&data.frames, &data.contacts})
      for (const Column& c : t->columns) file_.append(tables_[k++], c.data.data(), t->rows);
    add_pairs(data.pairs);
    const double about[] = {snapshot.reals("time").at(0), static_cast<double>(snapshot.integers("step").at(0)),
                            static_cast<double>(counts_[kSnapshotBytes]), static_cast<double>(bytes.size())};
    for (std::size_t i = 0; i < std::size(about); ++i) file_.append(shots_[i], &about[i], 1);
    file_.append(bytes_, bytes.data(), bytes.size());
    next[kFrames] += data.frames.rows, next[kContacts] += data.contacts.rows;
    next[kPairs] = data.pairs.size();
    next[kSnapshots] += 1, next[kSnapshotBytes] += bytes.size();
    commit(next, sync);
  }

  void close() override {
    mark_finished();
    closed_ = true;
    file_.close();
    descriptor_.sync();
  }
  std::uint64_t rows() const override { return published_ ? counts_[kFrames] : 0; }

 private:
  int add_table(const std::string& name, Type type, const hdf5::Shape& row, const std::string& unit,
                const std::string& meaning) {
    const int table = file_.add_table(name, type, row);
    if (!unit.empty()) file_.add_attribute(name, "unit", unit);
    file_.add_attribute(name, "meaning", meaning);
    ++count_;
    return table;
  }

  void add_meta(const Data& data, const RecordOptions& o) {
    for (const char* group : kGroups) file_.add_group(group);
    const Model& m = data.model;
    file_.add_attribute("/", "format", "sinew record");
    file_.add_attribute("/", "format_version", std::to_string(kRecordVersion));
    file_.add_attribute("/", "sinew_version", SINEW_VERSION);
    file_.add_attribute("/", "model_name", m.name());
    file_.add_attribute("/", "model_hash", to_hex(calc_model_hash(m)));
    file_.add_attribute("/", "dt", data.simulation.step_length());
    file_.add_attribute("/", "conventions", kConventions);
    file_.add_text("meta/options", to_json(data.simulation.describe()));
    file_.add_text("meta/scene", o.scene);
    file_.add_text("meta/source", o.source);
    file_.add_text("meta/command", o.command);
    // The model, and what MJCF cannot express of it.
    const Result<std::string> mjcf = to_mjcf(m.spec(), {.lossy = true});
    std::string remarks;
    for (const Diagnostic& d : mjcf.diagnostics()) remarks += to_string(d) + "\n";
    file_.add_text("meta/model", mjcf.ok() ? *mjcf : "");
    file_.add_attribute("meta/model", "meaning", "the model as MJCF, in the state that was simulated");
    file_.add_attribute("meta/model", "left_out", remarks);
    file_.add_text("meta/drawing", make_drawing(m));
    file_.add_attribute("meta/drawing", "meaning", "the model as a report draws it, as JSON");
    file_.add_text("meta/restitution", restitutions(m.spec()));
    file_.add_attribute("meta/restitution", "meaning", "of each shape, in the order of the model; MJCF has none");
    std::vector<std::string> names;
    for (const BodyEntry& b : m.bodies()) names.push_back(b.name);
    file_.add_texts("bodies/names", names);
    names.clear();
    for (const JointEntry& j : m.joints()) names.push_back(j.name);
    file_.add_texts("meta/joints", names);
    for (const Column& c : data.frames.columns)
      if (c.name == "frames/q" || c.name == "frames/v") file_.add_texts("meta/" + c.name.substr(7), c.labels);
    const std::vector<std::string>& modes = data.simulation.extra_coordinates();
    if (!modes.empty()) file_.add_texts("meta/modes", modes);
    if (!data.actuator_names.empty()) {
      file_.add_group("actuators");
      file_.add_texts("actuators/names", data.actuator_names);
    }
    if (!m.spec().sensors.empty()) {
      file_.add_group("sensors");
      if (!data.sensor_names.empty()) file_.add_texts("sensors/names", data.sensor_names);
      if (!data.sensors_left_out.empty()) file_.add_texts("sensors/left_out", data.sensors_left_out);
    }
  }

  void mark_finished() {
    constexpr std::uint64_t kYes = 1;
    file_.write_words(finished_, &kYes);
  }

  // That the rows of a commit may need.
  std::uint64_t calc_bytes(const Data& data, std::size_t snapshot_bytes) const {
    std::uint64_t n = file_.bytes_for(pairs_, data.pairs.size()) + file_.bytes_for(bytes_, snapshot_bytes);
    std::size_t k = 0;
    for (const Table* t : {&data.frames, &data.contacts})
      for (std::size_t i = 0; i < t->columns.size(); ++i) n += file_.bytes_for(tables_[k++], t->rows);
    for (const int table : shots_) n += file_.bytes_for(table, 1);
    return n;
  }
  // Reserves disk space for this many more bytes of rows, with the index that they need.
  void reserve(std::uint64_t bytes) {
    const std::uint64_t end = file_.end();
    descriptor_.reserve(reserved_, end + bytes + count_ * kIndexBytes + kReservedBeyond - reserved_);
    reserved_ = end;
  }

  void add_pairs(const std::vector<std::string>& pairs) {
    for (std::size_t i = counts_[kPairs]; i < pairs.size(); ++i) {
      char text[hdf5::kTextBytes] = {};
      pairs[i].copy(text, sizeof text - 1);
      file_.append(pairs_, text, 1);
    }
  }

  // From here on the rows are in the file; the first time, the file gets its name.
  void commit(const Counts& counts, bool sync) {
    file_.flush();
    file_.write_words(committed_, counts.data());
    counts_ = counts;
    if (sync) descriptor_.sync();
    if (!published_) std::filesystem::rename(part_, path_);
    published_ = true;
  }

  // Copies the complete rows of the file that is resumed.
  void copy(Data& data) {
    const hdf5::Reader old(path_, kFinishedName);
    Counts counts;
    old.read(kCountsName, Type::word, 0, kCounts, counts.data());
    std::vector<double> block;
    std::size_t k = 0;
    const auto copy_rows = [&](int table, const std::string& name, Type type, std::size_t width, std::uint64_t rows) {
      for (std::uint64_t first = 0; first < rows; first += kBlockRows) {
        const std::uint64_t n = std::min(kBlockRows, rows - first);
        block.resize((n * width * hdf5::memory_bytes(type) + 7) / 8);
        reserve(file_.bytes_for(table, n));
        old.read(name, type, first, n, block.data());
        file_.append(table, block.data(), n);
      }
    };
    for (const Table* t : {&data.frames, &data.contacts})
      for (const Column& c : t->columns) {
        const hdf5::Shape there = old.shape(c.name);
        if (there.size() != c.row.size() + 1 || !std::equal(c.row.begin(), c.row.end(), there.begin() + 1))
          throw std::invalid_argument(path_.string() + ": rows of " + c.name +
                                      " have another shape in the file; start a new record");
        copy_rows(tables_[k++], c.name, c.type, c.width, counts[t == &data.frames ? kFrames : kContacts]);
      }
    std::vector<char> pairs(counts[kPairs] * hdf5::kTextBytes);
    old.read("contacts/pairs", Type::text, 0, counts[kPairs], pairs.data());
    for (std::size_t i = 0; i < counts[kPairs]; ++i) data.add_pair(pairs.data() + i * hdf5::kTextBytes);
    add_pairs(data.pairs);
    copy_rows(shots_[0], "snapshots/time", Type::real, 1, counts[kSnapshots]);
    copy_rows(shots_[1], "snapshots/step", Type::integer, 1, counts[kSnapshots]);
    copy_rows(shots_[2], "snapshots/first", Type::integer, 1, counts[kSnapshots]);
    copy_rows(shots_[3], "snapshots/size", Type::integer, 1, counts[kSnapshots]);
    copy_rows(bytes_, "snapshots/bytes", Type::byte, 1, counts[kSnapshotBytes]);
    data.contacts_before = counts[kContacts];
    commit(counts, true);
  }

  std::filesystem::path path_, part_;
  Descriptor descriptor_;  // outlives the file, and frees what was reserved beyond its end
  hdf5::Writer file_;
  std::vector<int> tables_;
  std::array<int, 4> shots_{};
  int pairs_ = 0, bytes_ = 0, committed_ = 0, finished_ = 0;
  std::uint64_t count_ = 0;     // of tables
  std::uint64_t reserved_ = 0;  // disk space is reserved up to here
  Counts counts_{};
  bool published_ = false, closed_ = false;
};

}  // namespace

std::unique_ptr<Sink> make_hdf5_sink(const std::filesystem::path& path, Data& data, const RecordOptions& o) {
  try {
    return std::make_unique<Hdf5Sink>(path, data, o);
  } catch (...) {
    std::error_code error;
    std::filesystem::remove(part_of(path), error);
    throw;
  }
}

}  // namespace record

struct RecordReader::Work {
  explicit Work(const std::filesystem::path& path) : file(path, record::kFinishedName) {}
  hdf5::Reader file;
  record::Counts counts{};
};

RecordReader::RecordReader(const std::filesystem::path& path) {
  try {
    if (const InputFile found = check_input_file(path, NamedBy::file); !found.fault.empty())
      throw std::runtime_error("it " + found.fault);
    work_ = std::make_unique<Work>(path);
    const hdf5::Reader& f = work_->file;
    if (f.read_attribute("/", "format") != "sinew record") throw std::runtime_error("it is not a Sinew record");
    if (const std::string v = f.read_attribute("/", "format_version"); v != std::to_string(kRecordVersion))
      throw std::runtime_error("it has version " + v + ", this program reads version " +
                               std::to_string(kRecordVersion));
    f.read(record::kCountsName, hdf5::Type::word, 0, record::kCounts, work_->counts.data());
  } catch (const std::runtime_error& e) {
    throw std::invalid_argument(path.string() + " cannot be read as a record: " + e.what());
  }
}
RecordReader::~RecordReader() = default;
RecordReader::RecordReader(RecordReader&&) noexcept = default;

bool RecordReader::closed() const { return work_->file.closed(); }
std::uint64_t RecordReader::rows() const { return work_->counts[record::kFrames]; }
std::uint64_t RecordReader::contacts() const { return work_->counts[record::kContacts]; }
std::uint64_t RecordReader::snapshots() const { return work_->counts[record::kSnapshots]; }
std::string RecordReader::attribute(const char* name) const { return work_->file.read_attribute("/", name); }
std::string RecordReader::text(const std::string& dataset) const { return work_->file.read_text(dataset); }
std::vector<std::string> RecordReader::body_names() const { return work_->file.read_texts("bodies/names"); }
std::vector<std::string> RecordReader::names(const std::string& dataset) const {
  const hdf5::Reader& f = work_->file;
  if (!f.has(dataset)) return {};
  if (dataset != "contacts/pairs") return f.read_texts(dataset);
  const std::uint64_t n = work_->counts[record::kPairs];
  std::vector<char> texts(n * hdf5::kTextBytes);
  f.read(dataset, hdf5::Type::text, 0, n, texts.data());
  std::vector<std::string> out;
  out.reserve(n);
  for (std::size_t i = 0; i < n; ++i) out.emplace_back(texts.data() + i * hdf5::kTextBytes);
  return out;
}
std::vector<std::string> RecordReader::datasets() const {
  std::vector<std::string> out;
  const auto add = [&](const char* group) {
    if (!work_->file.has(group)) return;
    for (const std::string& name : work_->file.list(group)) out.push_back(std::string(group) + "/" + name);
  };
  for (const char* group : record::kGroups) add(group);
  for (const char* group : {"actuators", "sensors"}) add(group);
  std::sort(out.begin(), out.end());
  return out;
}
std::vector<std::uint64_t> RecordReader::row_shape(const std::string& dataset) const {
  const hdf5::Shape all = work_->file.shape(dataset);
  if (all.empty()) throw std::invalid_argument("RecordReader: " + dataset + " has no rows");
  return {all.begin() + 1, all.end()};
}
std::vector<double> RecordReader::read(const std::string& dataset, std::uint64_t first, std::uint64_t count) const {
  std::uint64_t n = count;
  for (const std::uint64_t x : row_shape(dataset)) n *= x;
  std::vector<double> out(n);
  work_->file.read(dataset, hdf5::Type::real, first, count, out.data());
  return out;
}
Snapshot RecordReader::read_snapshot(std::uint64_t i) const {
  if (i >= snapshots())
    throw std::invalid_argument("RecordReader: there are " + std::to_string(snapshots()) +
                                " snapshots, counted from 0; there is no snapshot " + std::to_string(i));
  const auto number = [&](const char* name) { return static_cast<std::uint64_t>(read(name, i, 1).at(0)); };
  std::vector<std::byte> bytes(number("snapshots/size"));
  work_->file.read("snapshots/bytes", hdf5::Type::byte, number("snapshots/first"), bytes.size(), bytes.data());
  return snapshot_from_bytes(bytes);
}

}  // namespace sinew
