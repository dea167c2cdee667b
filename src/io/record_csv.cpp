// src/io/record_csv.cpp - records as text, one line per row
// Rows are appended; then the snapshot file beside it is replaced, which stores the length of the text.
#include <fcntl.h>

#include <charconv>
#include <map>
#include <string>

#include "io/record_sink.hpp"

namespace sinew::record {
namespace {

constexpr const char* kLength = "record/csv_bytes";

std::string field(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

class CsvSink final : public Sink {
 public:
  CsvSink(const std::filesystem::path& path, const Data& data, const RecordOptions& o)
      : path_(path), file_(path, O_RDWR | O_CREAT | O_APPEND | (o.resume ? 0 : O_TRUNC)) {
    if (o.resume) {
      const std::int64_t length = read_last_snapshot(path).integers(kLength).at(0);
      if (static_cast<std::uint64_t>(length) > file_.size())
        throw std::invalid_argument(path.string() + " is shorter than its snapshot says");
      file_.truncate(static_cast<std::uint64_t>(length));
      return;
    }
    std::map<std::string, int> seen;
    for (const Column& c : data.frames.columns)
      for (std::size_t i = 0; i < c.width; ++i) {
        std::string name = !c.labels.empty()               ? c.labels[i]
                           : c.width == 1 && c.row.empty() ? c.name
                                                           : c.name + "[" + std::to_string(i) + "]";
        if (const int before = seen[name]++; before > 0) name += "#" + std::to_string(before + 1);
        text_ += field(name) + ",";
      }
    if (!text_.empty()) text_.back() = '\n';
  }

  void write(const Data& data, Snapshot& snapshot, bool sync) override {
    char number[32];
    for (std::uint64_t row = 0; row < data.frames.rows; ++row) {
      for (const Column& c : data.frames.columns)
        for (std::size_t i = 0; i < c.width; ++i) {
          text_.append(number, std::to_chars(number, number + sizeof number, c.data[row * c.width + i]).ptr);
          text_ += ',';
        }
      text_.back() = '\n';
    }
    const std::uint64_t before = file_.size();
    file_.reserve(before, text_.size());
    try {
      file_.write(text_.data(), text_.size());
    } catch (const RecordError&) {
      file_.truncate(before);
      throw;
    }
    if (sync) file_.sync();
    rows_ += data.frames.rows;
    snapshot.set(kLength, std::vector<std::int64_t>{static_cast<std::int64_t>(before + text_.size())});
    text_.clear();
    write_snapshot(snapshot_beside(path_), snapshot);
  }
  void close() override { file_.sync(); }
  std::uint64_t rows() const override { return rows_; }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::string text_;
  std::uint64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<Sink> make_csv_sink(const std::filesystem::path& path, Data& data, const RecordOptions& o) {
  return std::make_unique<CsvSink>(path, data, o);
}

std::filesystem::path snapshot_beside(const std::filesystem::path& csv) { return csv.string() + ".snapshot"; }

}  // namespace sinew::record
