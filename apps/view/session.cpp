// apps/view/session.cpp
#include "view/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/input_error.hpp"

namespace sinew::app {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds kFrame{1 / kFramesPerSecond}, kRateWindow{0.5}, kQuietFrame{0.5};

}  // namespace

Session::Session(LiveRun& run, const SessionOptions& o, Outlet outlet)
    : run_(run), outlet_(std::move(outlet)), speed_(o.speed), seconds_(o.seconds), paused_(o.paused) {
  run_.set_interrupt(Interrupt(ending_));
  note_settings();
  thread_ = std::thread([this] { loop(); });
}
Session::~Session() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Session::post(int client, const Order& o) {
  {
    const std::lock_guard lock(mutex_);
    if (orders_.size() >= kMostOrders) return false;
    orders_.emplace_back(client, o);
  }
  wake_.notify_all();
  return true;
}
void Session::leave(int client) {
  const std::lock_guard lock(mutex_);
  left_.push_back(client);
}
void Session::show() {
  const std::lock_guard lock(mutex_);
  show_ = true;
}
std::string Session::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

// --- the thread -----------------------------------------------------------------------------------------------------

void Session::loop() {
  try {
    work();
  } catch (const std::exception& e) {  // a defect of Sinew; the page shows it, and the server stays
    paused_ = true;
    say(kEveryone, "error", fmt::format("the simulation has ended: {}; start sinew view again", e.what()));
  }
  if (const std::string said = run_.stop_recording(); !said.empty()) fmt::print("{}\n", said);
}

void Session::work() {
  const auto frame = std::chrono::duration_cast<Clock::duration>(kFrame);
  Clock::time_point last = Clock::now(), next = last;
  restart_rate();
  while (!ending_) {
    take_orders();
    const Clock::time_point now = Clock::now();
    // A run that cannot keep up does not owe the past: at most three frames are made up for.
    const double most = 3 * speed_ * kFrame.count() + run_.step_length();
    owed_ = paused_ ? 0 : std::min(owed_ + speed_ * Seconds(now - last).count(), most);
    last = now;
    const bool due = now >= next;
    if (due) next = next + frame > now ? next + frame : now + frame;
    advance(next);
    if (due) publish();
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, next, [this] { return ending_ || !orders_.empty(); });
  }
}

// Steps until the clock is caught up with, or the next frame is due.
void Session::advance(Clock::time_point until) {
  const double dt = run_.step_length();
  while (owed_ >= dt && !ending_) {
    if (!step()) return;
    owed_ -= dt;
    if (seconds_ > 0 && run_.time() >= seconds_ - dt / 2) {
      paused_ = true, seconds_ = 0, owed_ = 0, note_settings();
      say(kEveryone, "note", fmt::format("paused at t = {:g} s, as --for says", run_.time()));
    }
    if (Clock::now() >= until) return;
  }
}

bool Session::step() {
  try {
    run_.step();
    changed_ = true;
    return true;
  } catch (const Interrupted&) {
    return false;
  } catch (const std::exception& e) {
    paused_ = true, owed_ = 0;
    std::string text = fmt::format("{}; the run is paused before that step", e.what());
    if (const std::string said = run_.stop_recording(); !said.empty()) text += "; " + said;
    note_settings();
    say(kEveryone, "error", text);
    return false;
  }
}

void Session::take_orders() {
  std::vector<std::pair<int, Order>> orders;
  std::vector<int> left;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_), left.swap(left_);
    changed_ = changed_ || show_, show_ = false;
  }
  // A slider sends many; only the last one of a kind that makes everything new again is worth its time.
  std::size_t last_gravity = orders.size();
  for (std::size_t i = 0; i < orders.size(); ++i)
    if (std::holds_alternative<order::Gravity>(orders[i].second)) last_gravity = i;
  for (std::size_t i = 0; i < orders.size() && !ending_; ++i) {
    const auto& [client, o] = orders[i];
    if (std::holds_alternative<order::Gravity>(o) && i != last_gravity) continue;
    try {
      obey(o, client);
    } catch (const std::exception& e) {
      say(client, "error", e.what());
    }
    changed_ = true;
  }
  for (const int client : left) run_.release(client);
}

void Session::obey(const Order& o, int client) {
  const auto* pause = std::get_if<order::Pause>(&o);
  const auto* speed = std::get_if<order::Speed>(&o);
  const auto* steps = std::get_if<order::Step>(&o);
  const auto* record = std::get_if<order::Record>(&o);
  if (pause) {
    paused_ = pause->on, owed_ = 0, restart_rate();
  } else if (speed) {
    speed_ = speed->factor, owed_ = 0, restart_rate();
  } else if (steps) {
    if (!paused_) throw InputError("step: the run is not paused; pause it first");
    for (int i = 0; i < steps->count && step() && !ending_; ++i) {
    }
    return;
  } else if (record && !record->on) {
    if (!run_.is_recording()) throw InputError("record: it is off already");
    say(kEveryone, "note", run_.stop_recording());
  } else {
    if (std::holds_alternative<order::Position>(o) && !paused_)
      throw InputError("position: joints are set while the run is paused; pause it first");
    run_.obey(o, client);
    const bool moves = std::holds_alternative<order::Drag>(o) || std::holds_alternative<order::Release>(o) ||
                       std::holds_alternative<order::Position>(o) || std::holds_alternative<order::Control>(o);
    if (moves) return;  // frames show it
    if (std::holds_alternative<order::Reset>(o)) restart_rate();
    if (record) say(kEveryone, "note", "recording to " + run_.record_file().string());
  }
  note_settings();
}

void Session::restart_rate() { rate_ = 0, rated_ = Clock::now(), rated_time_ = run_.time(); }

void Session::publish() {
  const Clock::time_point now = Clock::now();
  if (!changed_ && Seconds(now - shown_) < kQuietFrame) return;
  if (const Seconds since = now - rated_; since >= kRateWindow) {
    const double advanced = run_.time() - rated_time_;
    restart_rate();
    rate_ = advanced / since.count();
  }
  run_.get_frame(frame_);
  if (paused_) frame_.head.flags |= FrameHead::kPaused;
  frame_.head.rate = paused_ ? 0 : rate_;
  outlet_.frame(std::make_shared<const std::string>(to_bytes(frame_)));
  changed_ = false, shown_ = now;
}

void Session::note_settings() {
  nlohmann::ordered_json j;
  const Vec3<double>& g = run_.model().gravity();
  j["type"] = "settings", j["paused"] = paused_, j["speed"] = speed_, j["gravity"] = {g.x, g.y, g.z};
  j["formulation"] = run_.formulation(), j["can_change_formulation"] = run_.can_change_formulation();
  j["recording"] = run_.is_recording(), j["dt"] = run_.step_length();
  std::string text = j.dump();
  {
    const std::lock_guard lock(mutex_);
    settings_ = text;
  }
  outlet_.say(kEveryone, std::move(text));
}

// Names may hold any bytes.
void Session::say(int client, const char* type, const std::string& text) {
  nlohmann::ordered_json j;
  j["type"] = type, j["text"] = text;
  outlet_.say(client, j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace sinew::app
