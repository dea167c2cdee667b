// tests/support/tolerance.cpp
#include "support/tolerance.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

namespace sinew::test {
namespace {

// Of one line in one test, the call that came closest to its bound.
struct Note {
  long calls = 0;
  double closeness = -1, seen = 0, allowed = 0, rounding = 0;
  const char* reason = nullptr;
};

class Notes {
 public:
  explicit Notes(const char* folder) : folder_(folder) {}
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  ~Notes() {
    std::filesystem::create_directories(folder_);
    std::ofstream file(folder_ / std::to_string(getpid()), std::ios::app);
    file.precision(6);
    for (const auto& [key, note] : notes_) {
      const auto& [line, eps, where, test] = key;
      file << where << ':' << line << '\t' << (test ? test->test_suite_name() : "") << '\t'
           << (test ? test->name() : "") << '\t' << (test && test->type_param() ? test->type_param() : "") << '\t'
           << eps << '\t' << note.calls << '\t' << note.seen << '\t' << note.allowed << '\t' << note.rounding << '\t'
           << (note.reason ? note.reason : "") << '\n';
    }
  }

  void add(double seen, double allowed, const char* reason, double rounding, double eps,
           const std::source_location& where) {
    const std::lock_guard lock(mutex_);
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    Note& note = notes_[{where.line(), eps, where.file_name(), test}];
    ++note.calls;
    const double closeness = allowed > 0 ? std::max(seen, rounding) / allowed : std::numeric_limits<double>::infinity();
    if (closeness > note.closeness)
      note.closeness = closeness, note.seen = seen, note.allowed = allowed, note.rounding = rounding,
      note.reason = reason;
  }

 private:
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::tuple<unsigned, double, const char*, const ::testing::TestInfo*>, Note> notes_;
};

double tolerance_scale() {
  static const char* const kText = std::getenv("SINEW_TOL_SCALE");
  return kText ? std::atof(kText) : 1.0;
}

}  // namespace

bool holds(double seen, double allowed, const char* reason, double rounding, double eps,
           const std::source_location& where) {
  static const char* const kFolder = std::getenv("SINEW_TOLERANCES");
  if (kFolder) {
    static Notes notes(kFolder);
    notes.add(seen, allowed, reason, rounding, eps, where);
  }
  const double scale = tolerance_scale();
  return scale > 0 && seen <= allowed * scale;  // NaN does not hold
}

::testing::AssertionResult is_small(double x, const Allowed& most, const std::source_location& where) {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  if (holds(x, most.value, most.reason, kEps, kEps, where)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << ::testing::PrintToString(x) << ", allowed " << most.value;
}

::testing::AssertionResult NearAt::operator()(const char* a_text, const char* b_text, const char* allowed_text,
                                              double a, double b, const Allowed& allowed) const {
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  const double seen = a == b ? 0 : std::abs(a - b), size = std::max({1.0, std::abs(a), std::abs(b)});
  if (holds(seen, allowed.value, allowed.reason, kEps * size, kEps, where)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a_text << " is " << ::testing::PrintToString(a) << ", " << b_text << " is "
                                       << ::testing::PrintToString(b) << ": off by " << seen << ", allowed "
                                       << allowed.value << " (" << allowed_text << ")";
}

}  // namespace sinew::test
