// sinew/batch/thread_pool.hpp - a few threads that run one loop together
// run(count, body) calls body(worker, begin, end) so that the ranges cover 0 .. count - 1 once. The caller works too.
// Nothing is allocated after construction. An exception from the body is thrown to the caller when all have stopped.
#pragma once
#include <cstddef>
#include <memory>

namespace sinew {

class ThreadPool {
 public:
  // 0: one per hardware thread. Throws std::invalid_argument for more than 1024, std::system_error where the system
  // has no more.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }
  template <class Body>  // body(int worker, std::size_t begin, std::size_t end)
  void run(std::size_t count, const Body& body) {
    run_any(count, &body, [](const void* b, int worker, std::size_t begin, std::size_t end) {
      (*static_cast<const Body*>(b))(worker, begin, end);
    });
  }

 private:
  using Call = void (*)(const void*, int, std::size_t, std::size_t);
  void run_any(std::size_t count, const void* body, Call call);

  struct Shared;
  int size_ = 1;
  std::unique_ptr<Shared> shared_;
};

}  // namespace sinew
