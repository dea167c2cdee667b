// apps/view/server.cpp
#include "view/server.hpp"

#include <fmt/format.h>

#include <utility>  // Asio 1.18 needs it

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "common/input_error.hpp"

// NOLINTBEGIN(bugprone-unused-return-value): Asio returns the error that it also writes into its argument.
namespace sinew::app {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr auto kHeaderTime = std::chrono::seconds(5);
constexpr std::uint32_t kHeaderBytes = 8192;
constexpr int kSendBuffer = 1 << 17;  // [bytes] of the system, per client: less, and frames wait there and grow old

std::string_view view_of(beast::string_view s) { return {s.data(), s.size()}; }

// What the server's parts share.
struct Hub {
  Door door;
  std::string page;
  std::size_t longest_message = 0;
  ServerEvents events;
  int connections = 0, last_client = 0;
  std::map<int, std::shared_ptr<class Viewer>> viewers;
};

// --- one client of the stream ---------------------------------------------------------------------------------------

class Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(Hub& hub, beast::tcp_stream&& stream, int client) : hub_(hub), ws_(std::move(stream)), client_(client) {}

  void start(const Request& request) {
    auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeout.idle_timeout = std::chrono::seconds(kSilence), timeout.keep_alive_pings = true;
    timeout.handshake_timeout = kHeaderTime;
    ws_.set_option(timeout);
    ws_.read_message_max(hub_.longest_message);
    ws_.auto_fragment(false);
    ws_.async_accept(request, [self = shared_from_this()](Error e) { self->come(e); });
  }
  void offer(const Text& frame) {
    frame_ = frame;  // one that still waits is skipped
    send();
  }
  // A client that does not read loses the oldest.
  void tell(Text text) {
    texts_.push_back(std::move(text));
    if (texts_.size() > kMostTexts) texts_.pop_front();
    send();
  }
  void drop() {
    if (gone_) return;
    gone_ = true;
    Error ignored;
    beast::get_lowest_layer(ws_).socket().close(ignored);
    hub_.events.leave(client_);
    hub_.viewers.erase(client_), --hub_.connections;
  }

 private:
  void come(Error e) {
    if (e) return drop();
    open_ = true;
    for (Text& text : hub_.events.come(client_)) texts_.push_back(std::move(text));
    send();
    read();
  }
  void read() {
    if (gone_ || reading_) return;
    reading_ = true;
    ws_.async_read(buffer_, [self = shared_from_this()](Error e, std::size_t) { self->take(e); });
  }
  void take(Error e) {
    reading_ = false;
    if (e) return drop();
    if (!ws_.got_text())
      tell(std::make_shared<const std::string>(R"({"type":"error","text":"messages are text"})"));
    else if (const std::string text = beast::buffers_to_string(buffer_.data()); text != kSeen)
      hub_.events.message(client_, text);
    else if (ahead_ > 0)
      --ahead_;
    buffer_.consume(buffer_.size());
    send();
    if (texts_.size() < kMostTexts / 2) read();  // else: when they are sent
  }
  // Messages go first: they are few.
  void send() {
    if (gone_ || !open_ || on_its_way_) return;
    const bool text = !texts_.empty();
    if (text)
      on_its_way_ = std::move(texts_.front()), texts_.pop_front();
    else if (ahead_ < kFramesAhead && frame_)
      ++ahead_, on_its_way_ = std::exchange(frame_, nullptr);
    if (!on_its_way_) return;
    ws_.text(text);
    ws_.async_write(net::buffer(*on_its_way_), [self = shared_from_this()](Error e, std::size_t) { self->sent(e); });
  }
  void sent(Error e) {
    on_its_way_.reset();
    if (e) return drop();
    if (texts_.size() < kMostTexts / 2) read();
    send();
  }

  Hub& hub_;
  websocket::stream<beast::tcp_stream> ws_;
  beast::flat_buffer buffer_;
  int client_;
  std::deque<Text> texts_;  // that wait
  Text frame_;              // the next one, if it waits
  Text on_its_way_;
  int ahead_ = 0;  // frames that were sent and not yet said to be seen
  bool open_ = false, reading_ = false, gone_ = false;
};

// --- one request ----------------------------------------------------------------------------------------------------

class Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  Visitor(Hub& hub, Tcp::socket&& socket) : hub_(hub), stream_(std::move(socket)) { ++hub_.connections; }
  ~Visitor() {
    if (!handed_over_) --hub_.connections;
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void start() {
    parser_.header_limit(kHeaderBytes), parser_.body_limit(0);
    stream_.expires_after(kHeaderTime);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](Error e, std::size_t) { self->read(e); });
  }

 private:
  void read(Error e) {
    if (e == http::error::end_of_stream || e == beast::error::timeout) return;
    if (e == http::error::header_limit)
      return answer(http::status::request_header_fields_too_large, "too many headers\n");
    if (e) return answer(http::status::bad_request, "this is not a request that sinew view understands\n");
    const Request& r = parser_.get();
    const bool stream = websocket::is_upgrade(r);
    const Visit visit{view_of(r[http::field::host]), view_of(r[http::field::origin]), view_of(r.target())};
    if (std::string why = refuse_visit(hub_.door, visit, stream); !why.empty())
      return answer(http::status::forbidden, "sinew view: " + why + "\n");
    const std::string_view path = find_path(visit.target);
    if (path == "/stream") return stream ? hand_over() : describe_stream();
    if (r.method() != http::verb::get && r.method() != http::verb::head)
      return answer(http::status::method_not_allowed, "there is only something to GET here\n");
    if (path != "/") return answer(http::status::not_found, "there is no such page\n");
    answer(http::status::ok, hub_.page, "text/html; charset=utf-8");
  }

  bool is_full() const { return hub_.viewers.size() >= kMostViewers; }
  void refuse_more() {
    answer(http::status::service_unavailable,
           fmt::format("{} viewers are watching already; close one of them\n", kMostViewers));
  }
  // A page that could not connect asks why.
  void describe_stream() {
    if (is_full()) return refuse_more();
    answer(http::status::upgrade_required, "this is a WebSocket\n");
  }
  void hand_over() {
    if (is_full()) return refuse_more();
    handed_over_ = true;
    stream_.expires_never();  // the WebSocket has its own clock
    const int client = ++hub_.last_client;
    auto viewer = std::make_shared<Viewer>(hub_, std::move(stream_), client);
    hub_.viewers.emplace(client, viewer);
    viewer->start(parser_.get());
  }

  void answer(http::status status, std::string body, const char* type = "text/plain; charset=utf-8") {
    response_.emplace(status, 11);
    response_->set(http::field::content_type, type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    response_->set("Referrer-Policy", "no-referrer");
    response_->set("X-Frame-Options", "DENY");
    response_->set("Content-Security-Policy",
                   "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
                   "img-src data: blob:; worker-src blob:; frame-ancestors 'none'; connect-src 'self' ws://" +
                       (status == http::status::ok ? std::string(view_of(parser_.get()[http::field::host])) : "none"));
    response_->keep_alive(false);
    response_->content_length(body.size());
    if (parser_.get().method() != http::verb::head) response_->body() = std::move(body);
    stream_.expires_after(kHeaderTime);
    http::async_write(stream_, *response_, [self = shared_from_this()](Error, std::size_t) {
      Error ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    });
  }

  Hub& hub_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kHeaderBytes + 4096};
  http::request_parser<http::empty_body> parser_;
  std::optional<Response> response_;
  bool handed_over_ = false;
};

}  // namespace

// --- the server -----------------------------------------------------------------------------------------------------

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
        std::make_shared<Visitor>(hub, std::move(socket))->start();
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
