// apps/view/session.hpp - a run in a thread of its own, in step with the clock
// Orders come in through a queue of at most kMostOrders; frames and messages go out through the two functions of
// Outlet, which the thread calls and which must not block. So no client can hold the run up.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "view/live_run.hpp"

namespace sinew::app {

inline constexpr int kEveryone = 0;  // clients have numbers from 1
inline constexpr std::size_t kMostOrders = 256;
inline constexpr double kFramesPerSecond = 60;

struct Outlet {
  std::function<void(std::shared_ptr<const std::string>)> frame;
  std::function<void(int client, std::string json)> say;
};
struct SessionOptions {
  double speed = 1;    // simulated seconds per second
  double seconds = 0;  // [s] simulated after which it pauses; 0: never
  bool paused = false;
};

class Session {
 public:
  Session(LiveRun&, const SessionOptions&, Outlet);  // starts the thread
  ~Session();                                        // ends it; a record is completed

  // From any thread. false: too many wait already, and this one is not taken.
  bool post(int client, const Order&);
  void leave(int client);        // what it holds is let go
  void show();                   // a frame soon, though nothing moves: somebody has come
  std::string settings() const;  // JSON, as broadcast after each change

 private:
  using Clock = std::chrono::steady_clock;
  void loop();
  void work();
  void take_orders();
  void obey(const Order&, int client);
  void advance(Clock::time_point until);
  bool step();  // false: it cannot go on, and is paused
  void restart_rate();
  void publish();
  void note_settings();
  void say(int client, const char* type, const std::string& text);

  LiveRun& run_;
  Outlet outlet_;
  // Of the thread.
  double speed_, seconds_, owed_ = 0;  // owed_: [s] simulated that the clock is ahead
  bool paused_;
  bool changed_ = true;  // since the last frame
  FrameData frame_;
  double rate_ = 0, rated_time_ = 0;
  Clock::time_point rated_{}, shown_{};

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::pair<int, Order>> orders_;
  std::vector<int> left_;
  std::string settings_;
  bool show_ = false;
  std::atomic<bool> ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sinew::app
