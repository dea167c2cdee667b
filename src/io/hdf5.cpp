// src/io/hdf5.cpp
#include "io/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <stdexcept>

#include "io/hdf5_driver.hpp"

namespace sinew::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer");

// A process that is killed while it writes leaves whole pages behind, some new and some old. So nothing that is
// overwritten lies on two pages: chunks with their checksum fill one at most, and everything begins on one.
constexpr std::uint64_t kPageBytes = 4096, kChecksumBytes = 4;
// Of what a reader finds half written, while a writer is at work. HDF5 waits 1 ns, 2 ns, 4 ns, ... between them: 0.1 s
// in all. Its own default of 100 tries never ends where the writer died.
constexpr unsigned kReadTries = 26;

// Stops the library from printing its errors.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// The innermost reason in the library's error stack.
std::string reason() {
  std::string text;
  const auto first = [](unsigned n, const H5E_error2_t* e, void* out) -> herr_t {
    if (n == 0) *static_cast<std::string*>(out) = e->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  return text.empty() ? "unknown reason" : text;
}

template <class Result>
Result check(Result result, const std::string& file, const std::string& what) {
  if (result < 0) throw std::runtime_error(file + ": HDF5 cannot " + what + ": " + reason());
  return result;
}

// An id that is closed at the end of its block.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t make_type(Type t, bool memory) {
  switch (t) {
    case Type::real: return H5Tcopy(memory ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE);
    case Type::integer: return H5Tcopy(memory ? H5T_NATIVE_DOUBLE : H5T_STD_I64LE);
    case Type::word: return H5Tcopy(memory ? H5T_NATIVE_UINT64 : H5T_STD_U64LE);
    case Type::byte: return H5Tcopy(memory ? H5T_NATIVE_UINT8 : H5T_STD_U8LE);
    case Type::text: break;
  }
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, kTextBytes);
  H5Tset_cset(text, H5T_CSET_UTF8);
  return text;
}
hid_t make_text_type() {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  return text;
}

std::vector<hsize_t> with_rows(std::uint64_t rows, const Shape& row) {
  std::vector<hsize_t> out{rows};
  out.insert(out.end(), row.begin(), row.end());
  return out;
}
std::uint64_t width(const Shape& row) {
  std::uint64_t n = 1;
  for (const std::uint64_t x : row) n *= x;
  return n;
}

// As many rows as fit on a page; of a row that does not fit, a part.
Shape make_chunk(const Shape& row, std::size_t number_bytes) {
  constexpr std::uint64_t kMost = kPageBytes - kChecksumBytes;
  Shape chunk = row;
  for (std::uint64_t& n : chunk)
    while (n > 1 && width(chunk) * number_bytes > kMost) n = (n + 1) / 2;
  chunk.insert(chunk.begin(), std::max<std::uint64_t>(1, kMost / (width(chunk) * number_bytes)));
  return chunk;
}

}  // namespace

std::size_t memory_bytes(Type t) { return t == Type::byte ? 1 : t == Type::text ? kTextBytes : 8; }

Writer::Writer(const std::filesystem::path& path) : name_(path.string()) {
  const Quiet quiet;
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  check(use_unmarked_files(access) ? 0 : -1, name_, "use its driver");
  H5Pset_alignment(access, 1, kPageBytes);
  H5Pset_meta_block_size(access, 0);
  H5Pset_small_data_block_size(access, 0);
  const Id form(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_file_space_strategy(form, H5F_FSPACE_STRATEGY_AGGR, false, 1);  // no list of gaps: it would grow with the file
  file_ = check(H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, form, access), name_, "make the file");
}
Writer::~Writer() { close_ids(); }

void Writer::add_group(const std::string& path) {
  const Quiet quiet;
  const Id group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(static_cast<hid_t>(group), name_, "add " + path);
}
void Writer::add_attribute(const std::string& object, const char* name, const std::string& text) {
  const Quiet quiet;
  const Id type(make_text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id a(H5Acreate_by_name(file_, object.c_str(), name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Aclose);
  const char* data = text.c_str();
  check(a < 0 ? -1 : H5Awrite(a, type, static_cast<const void*>(&data)), name_, std::string("add attribute ") + name);
}
void Writer::add_attribute(const std::string& object, const char* name, double x) {
  const Quiet quiet;
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id a(
      H5Acreate_by_name(file_, object.c_str(), name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  check(a < 0 ? -1 : H5Awrite(a, H5T_NATIVE_DOUBLE, &x), name_, std::string("add attribute ") + name);
}
void Writer::add_text(const std::string& path, const std::string& text) {
  const Quiet quiet;
  const Id type(make_text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id d(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const char* data = text.c_str();
  check(d < 0 ? -1 : H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(&data)), name_,
        "add " + path);
}
void Writer::add_texts(const std::string& path, const std::vector<std::string>& texts) {
  const Quiet quiet;
  std::vector<const char*> data;
  data.reserve(texts.size());
  for (const std::string& t : texts) data.push_back(t.c_str());
  const hsize_t n = data.size();
  const Id type(make_text_type(), H5Tclose), space(H5Screate_simple(1, &n, nullptr), H5Sclose);
  const Id d(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  check(d < 0 ? -1 : H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<const void*>(data.data())), name_,
        "add " + path);
}

int Writer::add_table(const std::string& path, Type type, const Shape& row) {
  const Quiet quiet;
  Table t{-1, type, row, make_chunk(row, memory_bytes(type))};
  const std::vector<hsize_t> none = with_rows(0, row), most = with_rows(H5S_UNLIMITED, row),
                             chunk(t.chunk.begin(), t.chunk.end());
  const Id space(H5Screate_simple(static_cast<int>(none.size()), none.data(), most.data()), H5Sclose);
  const Id form(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), file_type(make_type(type, false), H5Tclose);
  H5Pset_chunk(form, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_fletcher32(form);  // readers then see bits that flipped
  t.id = check(H5Dcreate2(file_, path.c_str(), file_type, space, H5P_DEFAULT, form, H5P_DEFAULT), name_, "add " + path);
  tables_.push_back(t);
  return static_cast<int>(tables_.size()) - 1;
}
int Writer::add_words(const std::string& path, std::size_t count) {
  const Quiet quiet;
  const hsize_t n = count;
  const std::vector<std::uint64_t> zeros(count);
  const Id space(H5Screate_simple(1, &n, nullptr), H5Sclose), form(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_alloc_time(form, H5D_ALLOC_TIME_EARLY);
  Table t{-1, Type::word, {}, {}};
  t.id = check(H5Dcreate2(file_, path.c_str(), H5T_STD_U64LE, space, H5P_DEFAULT, form, H5P_DEFAULT), name_,
               "add " + path);
  tables_.push_back(t);
  check(H5Dwrite(t.id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()), name_, "write " + path);
  return static_cast<int>(tables_.size()) - 1;
}
void Writer::start() {
  const Quiet quiet;
  check(H5Fflush(file_, H5F_SCOPE_LOCAL), name_, "write");
  check(H5Fstart_swmr_write(file_), name_, "start to write rows");
}

void Writer::append(int table, const void* rows, std::uint64_t count) {
  if (count == 0) return;
  const Quiet quiet;
  Table& t = tables_[table];
  std::vector<hsize_t> from = with_rows(t.rows, t.row), n = with_rows(count, t.row), all = with_rows(0, t.row);
  std::fill(from.begin() + 1, from.end(), 0);
  all[0] = t.rows + count;
  check(H5Dset_extent(t.id, all.data()), name_, "add rows");
  const Id space(H5Dget_space(t.id), H5Sclose), type(make_type(t.type, true), H5Tclose);
  const Id memory(H5Screate_simple(static_cast<int>(n.size()), n.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, n.data(), nullptr);
  check(H5Dwrite(t.id, type, memory, space, H5P_DEFAULT, rows), name_, "write rows");
  t.rows += count;
}
void Writer::write_words(int table, const std::uint64_t* words) {
  const Quiet quiet;
  const Table& t = tables_[table];
  check(H5Dwrite(t.id, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, words), name_, "write");
  check(H5Dflush(t.id), name_, "write");
}
void Writer::flush() {
  const Quiet quiet;
  check(H5Fflush(file_, H5F_SCOPE_LOCAL), name_, "write");
}
std::uint64_t Writer::end() const {
  const Quiet quiet;
  haddr_t end = 0;
  check(H5Fget_eoa(file_, &end), name_, "read the size of the file");
  return end;
}
std::uint64_t Writer::bytes_for(int table, std::uint64_t rows) const {
  const Table& t = tables_[table];
  std::uint64_t pages = rows / t.chunk[0] + 2;
  for (std::size_t i = 0; i < t.row.size(); ++i) pages *= (t.row[i] + t.chunk[i + 1] - 1) / t.chunk[i + 1];
  return pages * kPageBytes;
}
bool Writer::close_ids() noexcept {
  if (file_ < 0) return true;
  const Quiet quiet;
  herr_t worst = 0;
  for (const Table& t : tables_) worst = std::min(worst, H5Dclose(t.id));
  worst = std::min(worst, H5Fclose(file_));
  file_ = -1;
  tables_.clear();
  return worst >= 0;
}
void Writer::close() {
  if (!close_ids()) throw std::runtime_error(name_ + ": HDF5 cannot close the file");
}

Reader::Reader(const std::filesystem::path& path, const char* finished) : name_(path.string()) {
  const Quiet quiet;
  file_ = H5Fopen(name_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  closed_ = file_ >= 0;
  if (closed_ && finished && has(finished)) {
    std::uint64_t word = 0;
    read(finished, Type::word, 0, 1, &word);
    closed_ = word != 0;
    if (!closed_) H5Fclose(file_);
  }
  if (closed_) return;
  // Its writer may be at work: the library then reads again what was being written.
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_metadata_read_attempts(access, kReadTries);
  file_ = check(H5Fopen(name_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access), name_, "open the file");
}
Reader::~Reader() {
  const Quiet quiet;
  H5Fclose(file_);
}
bool Reader::has(const std::string& path) const {
  const Quiet quiet;
  const Id object(H5Oopen(file_, path.c_str(), H5P_DEFAULT), H5Oclose);
  return object >= 0;
}
std::vector<std::string> Reader::list(const std::string& group) const {
  const Quiet quiet;
  H5G_info_t info{};
  check(H5Gget_info_by_name(file_, group.c_str(), &info, H5P_DEFAULT), name_, "read " + group);
  std::vector<std::string> out;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[kTextBytes] = {};
    check(H5Lget_name_by_idx(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT),
          name_, "read " + group);
    out.emplace_back(name);
  }
  return out;
}
std::string Reader::read_attribute(const std::string& object, const char* name) const {
  const Quiet quiet;
  const Id a(H5Aopen_by_name(file_, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Id type(make_text_type(), H5Tclose);
  char* data = nullptr;
  check(a < 0 ? -1 : H5Aread(a, type, static_cast<void*>(&data)), name_, std::string("read attribute ") + name);
  std::string out(data ? data : "");
  H5free_memory(data);
  return out;
}
std::string Reader::read_text(const std::string& path) const {
  const Quiet quiet;
  if (!shape(path).empty()) throw std::runtime_error(name_ + ": " + path + " is a list, not one text");
  const Id d(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose), type(make_text_type(), H5Tclose);
  char* data = nullptr;
  check(d < 0 ? -1 : H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(&data)), name_, "read " + path);
  std::string out(data ? data : "");
  H5free_memory(data);
  return out;
}
std::vector<std::string> Reader::read_texts(const std::string& path) const {
  const Quiet quiet;
  const Shape n = shape(path);
  std::vector<char*> data(n.size() == 1 ? n[0] : 0);
  const Id d(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose), type(make_text_type(), H5Tclose);
  if (!data.empty())
    check(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(data.data())), name_, "read " + path);
  std::vector<std::string> out;
  for (char* text : data) out.emplace_back(text ? text : ""), H5free_memory(text);
  return out;
}
Shape Reader::shape(const std::string& path) const {
  const Quiet quiet;
  const Id d(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  check(static_cast<hid_t>(d), name_, "find " + path);
  const Id space(H5Dget_space(d), H5Sclose);
  std::vector<hsize_t> dims(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space), name_, "read " + path)));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}
void Reader::read(const std::string& path, Type type, std::uint64_t first, std::uint64_t count, void* out) const {
  if (count == 0) return;
  const Quiet quiet;
  const Id d(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose), memory_type(make_type(type, true), H5Tclose);
  check(static_cast<hid_t>(d), name_, "find " + path);
  const Shape dims = shape(path);
  std::vector<hsize_t> from(dims.size(), 0), n(dims.begin(), dims.end());
  if (dims.empty() || first + count > dims[0])
    throw std::runtime_error(name_ + ": there are no rows " + std::to_string(first) + " .. " +
                             std::to_string(first + count - 1) + " of " + path);
  from[0] = first, n[0] = count;
  const Id space(H5Dget_space(d), H5Sclose),
      memory(H5Screate_simple(static_cast<int>(n.size()), n.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, n.data(), nullptr);
  check(H5Dread(d, memory_type, memory, space, H5P_DEFAULT, out), name_, "read " + path);
}

}  // namespace sinew::hdf5
