// src/batch/thread_pool.cpp
#include "sinew/batch/thread_pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sinew {

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
};

ThreadPool::ThreadPool(int threads) : shared_(std::make_unique<Shared>()) {
  size_ = threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int k = 1; k < size_; ++k)
    shared_->threads.emplace_back([s = shared_.get(), k, n = size_] {
      for (unsigned long seen = 0;;) {
        {
          std::unique_lock lock(s->mutex);
          s->start.wait(lock, [&] { return s->stop || s->round != seen; });
          if (s->stop) return;
          seen = s->round;
        }
        s->work(k, n);
        const std::lock_guard lock(s->mutex);
        if (--s->running == 0) s->done.notify_one();
      }
    });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->start.notify_all();
  for (std::thread& t : shared_->threads) t.join();
}

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
