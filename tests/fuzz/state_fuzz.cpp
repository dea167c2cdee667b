// tests/fuzz/state_fuzz.cpp - any bytes as a complementarity problem, as states, or as a snapshot: read, or refused
#include <cstdlib>

#include "common/input_error.hpp"
#include "common/problem_file.hpp"
#include "common/start_state.hpp"
#include "eval/state_json.hpp"
#include "fuzz/small_arm.hpp"
#include "fuzz/target.hpp"
#include "sinew/sim/snapshot.hpp"

namespace sinew::fuzz {
namespace {

template <class Read>
void expect_refusal_or_none(Read read) {
  try {
    read();
  } catch (const app::InputError&) {
  }
}

}  // namespace

const Target kProblem("problem", [](std::string_view text) {
  expect_refusal_or_none([&] { (void)app::parse_problem(std::string(text)); });
});

const Target kEvalState("eval_state", [](std::string_view text) {
  static const app::Exchange exchange(small_arm(), Convention::pinocchio);
  expect_refusal_or_none([&] { (void)app::read_states(std::string(text), small_arm(), exchange, {}); });
});

const Target kStartState("start_state", [](std::string_view text) {
  SceneOptions options;
  expect_refusal_or_none([&] { app::parse_start_state(std::string(text), options); });
});

// Also with its checksum made right, so that what lies behind it is reached.
const Target kSnapshot("snapshot", [](std::string_view text) {
  const auto read = [](const std::vector<std::byte>& bytes) {
    try {
      const Snapshot snapshot = snapshot_from_bytes(bytes);
      if (to_bytes(snapshot) != bytes) std::abort();
      for (const auto& [name, array] : snapshot.arrays) (void)snapshot.reals(name);
    } catch (const std::invalid_argument&) {
    }
  };
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  std::vector<std::byte> bytes(from, from + text.size());
  read(bytes);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : bytes) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  const auto* more = reinterpret_cast<const std::byte*>(&sum);
  bytes.insert(bytes.end(), more, more + sizeof sum);
  read(bytes);
});

}  // namespace sinew::fuzz
