// src/io/hdf5.hpp - the part of HDF5 that a record needs, without the C library's names
// A Writer makes groups, attributes, texts and tables, then starts to write as a single writer whose file can be read
// at any moment (SWMR): from start() on the library orders its writes so that the file on disk is whole after each of
// them, also if the process dies: what it overwrites is never on two pages. Nothing can be added from then on, only
// rows. Errors throw std::runtime_error with the file's name and the library's reason.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sinew::hdf5 {

// Types in the file. In memory `real` and `integer` are double, the others are the same.
enum class Type { real, integer, word, byte, text };  // f64, i64, u64, u8, text of kTextBytes bytes
inline constexpr std::size_t kTextBytes = 192;
std::size_t memory_bytes(Type);  // of one number, or one text

using Shape = std::vector<std::uint64_t>;

class Writer {
 public:
  explicit Writer(const std::filesystem::path&);  // replaces what is there
  ~Writer();                                      // closes; errors are lost, so call close()
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add_group(const std::string& path);
  void add_attribute(const std::string& object, const char* name, const std::string& text);
  void add_attribute(const std::string& object, const char* name, double);
  void add_text(const std::string& path, const std::string& text);
  void add_texts(const std::string& path, const std::vector<std::string>&);
  int add_table(const std::string& path, Type, const Shape& row);  // row: empty for one number; no zeros
  int add_words(const std::string& path, std::size_t count);       // overwritten each time
  void start();

  void append(int table, const void* rows, std::uint64_t count);
  void write_words(int table, const std::uint64_t*);             // writes nothing else to the file
  void flush();                                                  // all rows, to the operating system
  std::uint64_t end() const;                                     // [bytes] end of the used part of the file
  std::uint64_t bytes_for(int table, std::uint64_t rows) const;  // that so many more may need, without their index
  void close();

 private:
  struct Table {
    std::int64_t id;
    Type type;
    Shape row, chunk;
    std::uint64_t rows = 0;
  };
  bool close_ids() noexcept;

  std::string name_;
  std::int64_t file_ = -1;
  std::vector<Table> tables_;
};

class Reader {
 public:
  // finished: a list of one word that is 0 until the writer closes the file; where the file has none, its mark counts.
  explicit Reader(const std::filesystem::path&, const char* finished = nullptr);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool closed() const { return closed_; }  // false: its writer is at work, or died
  bool has(const std::string& path) const;
  std::vector<std::string> list(const std::string& group) const;                  // names in it, sorted
  std::string read_attribute(const std::string& object, const char* name) const;  // a text
  std::string read_text(const std::string& path) const;
  std::vector<std::string> read_texts(const std::string& path) const;
  Shape shape(const std::string& path) const;
  // Rows of a table, in the layout of append().
  void read(const std::string& path, Type, std::uint64_t first, std::uint64_t count, void* out) const;

 private:
  std::string name_;
  std::int64_t file_ = -1;
  bool closed_ = true;
};

}  // namespace sinew::hdf5
