// tests/support/no_alloc.hpp - traps the allocator: how often this thread asked for memory since a point
//   AllocationCount allocations;  aba(...);  EXPECT_EQ(allocations.count(), 0);
// Counts every operator new and, on glibc without sanitizers, every malloc (which is what Eigen calls).
#pragma once

namespace sinew::test {

class AllocationCount {
 public:
  AllocationCount();
  long count() const;
  static bool works();  // false under the thread sanitizer: nothing is counted

 private:
  long start_;
};

}  // namespace sinew::test
