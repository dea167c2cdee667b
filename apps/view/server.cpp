// apps/view/server.cpp
#include "view/server.hpp"

#include <fmt/format.h>

#include "view/hub.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>

#include "common/input_error.hpp"

// NOLINTBEGIN(bugprone-unused-return-value): Asio returns the error that it also writes into its argument.
namespace sinew::app {
namespace {

constexpr int kSendBuffer = 1 << 17;  // [bytes] of the system, per client: less, and frames wait there and grow old

}  // namespace

struct Server::Work {
  explicit Work(const ServerOptions& o, ServerEvents e) : acceptor(io), signals(io), pause(io) {
    hub.door = {o.bind, o.token}, hub.page = o.page, hub.longest_message = o.longest_message;
    hub.events = std::move(e);
    Error error;
    const auto address = net::ip::make_address(o.bind, error);
    if (error) throw InputError(fmt::format("--bind {}: give an address of this machine, as in 127.0.0.1", o.bind), 3);
    const Tcp::endpoint place(address, static_cast<unsigned short>(o.port));
    acceptor.open(place.protocol(), error);
    if (!error) acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(place, error);
    if (!error) acceptor.listen(kMostConnections, error);
    if (error == net::error::address_in_use)
      throw InputError(
          fmt::format("port {} of {} is in use; give another with --port, or 0 for one that is free", o.port, o.bind));
    if (error) throw InputError(fmt::format("cannot listen on port {} of {}: {}", o.port, o.bind, error.message()));
    // Here, so that a signal that comes before run() is not lost.
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) signals.add(s);
  }

  void accept() {
    acceptor.async_accept([this](Error e, Tcp::socket socket) {
      if (e == net::error::operation_aborted) return;
      if (e) {  // too many open files, say: later again
        pause.expires_after(std::chrono::milliseconds(100));
        pause.async_wait([this](Error stopped) {
          if (!stopped) accept();
        });
        return;
      }
      // Beyond the limit a connection is closed without a word.
      if (hub.connections < kMostConnections) {
        Error ignored;
        socket.set_option(Tcp::no_delay(true), ignored);
        socket.set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
        receive(hub, std::move(socket));
      }
      accept();
    });
  }
  void send_latest() {
    Text frame;
    {
      const std::lock_guard lock(mutex);
      frame = std::exchange(latest, nullptr), posted = false;
    }
    for_each([&](Viewer& v) { v.offer(frame); });
  }
  // A viewer may go while it is served.
  template <class Serve>
  void for_each(Serve serve) {
    std::vector<std::shared_ptr<Viewer>> all;
    all.reserve(hub.viewers.size());
    for (const auto& [client, viewer] : hub.viewers) all.push_back(viewer);
    for (const auto& viewer : all) serve(*viewer);
  }

  Hub hub;  // before io, whose handlers refer to it until it is gone
  net::io_context io{1};
  Tcp::acceptor acceptor;
  net::signal_set signals;
  net::steady_timer pause;
  int signal = 0;
  std::mutex mutex;
  Text latest;          // the next frame for all
  bool posted = false;  // send_latest() will come
};

Server::Server(const ServerOptions& o, ServerEvents e) : work_(std::make_shared<Work>(o, std::move(e))) {}
Server::~Server() = default;

std::string Server::address() const {
  const Tcp::endpoint place = work_->acceptor.local_endpoint();
  const net::ip::address host = place.address().is_unspecified() ? net::ip::make_address("127.0.0.1") : place.address();
  const std::string name = host.is_v6() ? "[" + host.to_string() + "]" : host.to_string();
  return fmt::format("http://{}:{}/?token={}", name, place.port(), work_->hub.door.token);
}

int Server::run() {
  Work& w = *work_;
  w.signals.async_wait([&w](Error e, int signal) {
    if (e) return;
    w.signal = signal;
    w.signals.clear();  // a second one ends the program
    w.io.stop();
  });
  w.accept();
  w.io.run();
  w.for_each([](Viewer& v) { v.drop(); });
  return w.signal;
}

void Server::stop() { work_->io.stop(); }

void Server::send_frame(Text frame) {
  {
    const std::lock_guard lock(work_->mutex);
    work_->latest = std::move(frame);
    if (std::exchange(work_->posted, true)) return;
  }
  net::post(work_->io, [w = work_.get()] { w->send_latest(); });
}
void Server::send_text(int client, std::string message) {
  Text text = std::make_shared<const std::string>(std::move(message));
  net::post(work_->io, [w = work_.get(), client, text = std::move(text)] {
    if (client == 0) return w->for_each([&](Viewer& v) { v.tell(text); });
    if (const auto found = w->hub.viewers.find(client); found != w->hub.viewers.end()) found->second->tell(text);
  });
}

}  // namespace sinew::app
// NOLINTEND(bugprone-unused-return-value)
