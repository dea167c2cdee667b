// src/io/record_sink.hpp - where rows go: HDF5, or CSV
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "io/record_data.hpp"
#include "sinew/io/record.hpp"

namespace sinew::record {

class Sink {
 public:
  virtual ~Sink() = default;
  // Writes all rows of the data and a snapshot, or nothing and throws RecordError.
  virtual void write(const Data&, Snapshot&, bool sync) = 0;
  virtual void close() = 0;
  virtual std::uint64_t rows() const = 0;
};

// On resume, data gets what the file holds.
std::unique_ptr<Sink> make_hdf5_sink(const std::filesystem::path&, Data&, const RecordOptions&);
std::unique_ptr<Sink> make_csv_sink(const std::filesystem::path&, Data&, const RecordOptions&);

std::filesystem::path snapshot_beside(const std::filesystem::path& csv);

// A file as the operating system sees it; closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path&, int flags);  // throws RecordError
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  // Reserves disk space for bytes `from` .. `from` + `bytes`, so that writing them cannot run out of it. Does not
  // change the size. Throws RecordError that says why it failed.
  void reserve(std::uint64_t from, std::uint64_t bytes);
  void write(const char* data, std::size_t bytes) const;  // at the end; throws RecordError
  void sync() const;                                      // to the disk itself
  void truncate(std::uint64_t bytes) const;
  std::uint64_t size() const;

 private:
  [[noreturn]] void fail(const char* what, int error) const;
  std::string name_;
  int fd_;
  bool reserved_ = false;
};

}  // namespace sinew::record
