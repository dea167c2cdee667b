// src/batch/thread_pool.cpp
#include "sinew/batch/thread_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sinew {
namespace {

constexpr int kMostThreads = 1024;  // more is a mistake, and would take the machine's memory

}  // namespace

struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable start, done;
  unsigned long round = 0;
  int running = 0;
  bool stop = false;
  std::size_t count = 0;
  const void* body = nullptr;
  Call call = nullptr;
  std::exception_ptr error;
  std::vector<std::thread> threads;

  // Worker k of n takes the k-th of n equal parts.
  void work(int k, int n) {
    const std::size_t part = (count + static_cast<std::size_t>(n) - 1) / static_cast<std::size_t>(n);
    const std::size_t begin = std::min(count, part * static_cast<std::size_t>(k)), end = std::min(count, begin + part);
    if (begin == end) return;
    try {
      call(body, k, begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  }

  // Waits for rounds until the end.
  void serve(int k, int n) {
    for (unsigned long seen = 0;;) {
      {
        std::unique_lock lock(mutex);
        start.wait(lock, [&] { return stop || round != seen; });
        if (stop) return;
        seen = round;
      }
      work(k, n);
      const std::lock_guard lock(mutex);
      if (--running == 0) done.notify_one();
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    start.notify_all();
    for (std::thread& t : threads) t.join();
  }
};

ThreadPool::ThreadPool(int threads) : shared_(std::make_unique<Shared>()) {
  if (threads > kMostThreads)
    throw std::invalid_argument("ThreadPool: " + std::to_string(threads) + " threads, but at most " +
                                std::to_string(kMostThreads) + " are meant; 0 is one per processor");
  size_ = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  try {
    shared_->threads.reserve(static_cast<std::size_t>(size_));
    for (int k = 1; k < size_; ++k)
      shared_->threads.emplace_back([s = shared_.get(), k, n = size_] { s->serve(k, n); });
  } catch (...) {  // the system has no more of them
    shared_->end();
    throw;
  }
}

ThreadPool::~ThreadPool() { shared_->end(); }

void ThreadPool::run_any(std::size_t count, const void* body, Call call) {
  Shared& s = *shared_;
  {
    const std::lock_guard lock(s.mutex);
    s.count = count;
    s.body = body;
    s.call = call;
    s.error = nullptr;
    s.running = size_ - 1;
    ++s.round;
  }
  s.start.notify_all();
  s.work(0, size_);
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.running == 0; });
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace sinew
