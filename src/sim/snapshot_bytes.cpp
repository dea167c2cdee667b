// src/sim/snapshot_bytes.cpp - snapshots by name and as bytes
#include <algorithm>
#include <bit>
#include <cstring>

#include "refuse_snapshot.hpp"
#include "sinew/sim/snapshot.hpp"

namespace sinew {
namespace {

static_assert(std::endian::native == std::endian::little, "snapshots are written as the numbers lie in memory");

constexpr char kMagic[8] = {'S', 'i', 'n', 'e', 'w', 's', 'n', 'p'};

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const std::byte b : bytes) h = (h ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  return h;
}

struct Sink {
  std::vector<std::byte> bytes;
  void put(const void* data, std::size_t n) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + n);
  }
  void put(std::uint64_t x) { put(&x, sizeof x); }
  void put(const std::string& s) { put(s.size()), put(s.data(), s.size()); }
};

struct Source {
  std::span<const std::byte> left;
  void get(void* data, std::size_t n) {
    if (n > left.size()) refuse_snapshot("the bytes end too early");
    if (n > 0) std::memcpy(data, left.data(), n);
    left = left.subspan(n);
  }
  std::uint64_t number() {
    std::uint64_t x;
    get(&x, sizeof x);
    return x;
  }
  std::size_t count(std::size_t each) {
    const std::uint64_t n = number();
    if (n > left.size() / each) refuse_snapshot("the bytes end too early");
    return static_cast<std::size_t>(n);
  }
  std::string text() {
    std::string s(count(1), ' ');
    get(s.data(), s.size());
    return s;
  }
  template <class T>
  std::vector<T> list() {
    std::vector<T> x(count(sizeof(T)));
    get(x.data(), x.size() * sizeof(T));
    return x;
  }
};

template <class T>
const std::vector<T>& get_array(const Snapshot& s, std::string_view name) {
  const Snapshot::Array* array = s.find(name);
  if (!array) refuse_snapshot("it has no array '" + std::string(name) + "'");
  const auto* list = std::get_if<std::vector<T>>(array);
  if (!list) refuse_snapshot("'" + std::string(name) + "' holds numbers of another kind");
  return *list;
}

}  // namespace

void Snapshot::set(std::string_view name, Array array) {
  const auto old = std::find_if(arrays.begin(), arrays.end(), [&](const auto& a) { return a.first == name; });
  if (old != arrays.end())
    old->second = std::move(array);
  else
    arrays.emplace_back(name, std::move(array));
}
const Snapshot::Array* Snapshot::find(std::string_view name) const {
  const auto a = std::find_if(arrays.begin(), arrays.end(), [&](const auto& x) { return x.first == name; });
  return a == arrays.end() ? nullptr : &a->second;
}
const std::vector<double>& Snapshot::reals(std::string_view name) const { return get_array<double>(*this, name); }
const std::vector<std::int64_t>& Snapshot::integers(std::string_view name) const {
  return get_array<std::int64_t>(*this, name);
}
const std::vector<std::uint64_t>& Snapshot::words(std::string_view name) const {
  return get_array<std::uint64_t>(*this, name);
}

std::vector<std::byte> to_bytes(const Snapshot& s) {
  Sink sink;
  sink.put(kMagic, sizeof kMagic);
  sink.put(static_cast<std::uint64_t>(s.version));
  sink.put(s.model);
  sink.put(s.options.size());
  for (const auto& [name, value] : s.options) sink.put(name), sink.put(value);
  sink.put(s.arrays.size());
  for (const auto& [name, array] : s.arrays) {
    sink.put(name);
    sink.put(array.index());
    std::visit([&](const auto& list) { sink.put(list.size()), sink.put(list.data(), 8 * list.size()); }, array);
  }
  sink.put(checksum(sink.bytes));
  return std::move(sink.bytes);
}

Snapshot snapshot_from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof kMagic + 8 || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    refuse_snapshot("these bytes are not a snapshot");
  Source sum{bytes.last(8)};
  if (sum.number() != checksum(bytes.first(bytes.size() - 8))) refuse_snapshot("its bytes are damaged or cut off");
  Source source{bytes.first(bytes.size() - 8).subspan(sizeof kMagic)};
  Snapshot s;
  const std::uint64_t version = source.number();
  if (version != kSnapshotVersion)
    refuse_snapshot("it has version " + std::to_string(version) + ", this program reads version " +
                    std::to_string(kSnapshotVersion));
  s.model = source.number();
  s.options.resize(source.count(16));
  for (auto& [name, value] : s.options) name = source.text(), value = source.text();
  s.arrays.resize(source.count(24));
  for (auto& [name, array] : s.arrays) {
    name = source.text();
    switch (source.number()) {
      case 0: array = source.list<double>(); break;
      case 1: array = source.list<std::int64_t>(); break;
      case 2: array = source.list<std::uint64_t>(); break;
      default: refuse_snapshot("'" + name + "' holds numbers of no known kind");
    }
  }
  if (!source.left.empty()) refuse_snapshot("more bytes follow than it has arrays for");
  return s;
}

}  // namespace sinew
