// sinew/sim/snapshot.hpp - a simulation at one moment, as plain data
// Simulation::make_snapshot() takes it, Simulation::restore() goes on from it bit for bit. The owner of a run
// (a recorder, a controller) may add arrays of its own.
//   const std::vector<std::byte> bytes = to_bytes(s.make_snapshot());
//   other.restore(snapshot_from_bytes(bytes));
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sinew/sim/simulation.hpp"

namespace sinew {

inline constexpr int kSnapshotVersion = 3;  // of the content; other versions are refused

// Names and values, as they stand in snapshots and records.
OptionTexts describe_options(const SimulationOptions&);

struct Snapshot {
  using Array = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>>;

  int version = kSnapshotVersion;
  std::uint64_t model = 0;  // calc_model_hash
  OptionTexts options;
  std::vector<std::pair<std::string, Array>> arrays;

  void set(std::string_view name, Array);  // replaces one of the same name
  // The array of that name; null: there is none.
  const Array* find(std::string_view name) const;
  // Throw std::invalid_argument that names the array where it is missing or holds numbers of another kind.
  const std::vector<double>& reals(std::string_view name) const;
  const std::vector<std::int64_t>& integers(std::string_view name) const;
  const std::vector<std::uint64_t>& words(std::string_view name) const;
};

// Numbers are little-endian; a checksum follows at the end.
std::vector<std::byte> to_bytes(const Snapshot&);
// Throws std::invalid_argument for bytes that are damaged, cut off or not a snapshot.
Snapshot snapshot_from_bytes(std::span<const std::byte>);

}  // namespace sinew
