// apps/view/viewer.cpp
#include "view/viewer.hpp"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <optional>

// NOLINTBEGIN(bugprone-unused-return-value): Asio returns the error that it also writes into its argument.
namespace sinew::app {
namespace {

namespace websocket = beast::websocket;

class StreamViewer final : public Viewer, public std::enable_shared_from_this<StreamViewer> {
 public:
  StreamViewer(Hub& hub, beast::tcp_stream&& stream, int client) : hub_(hub), ws_(std::move(stream)), client_(client) {}

  void start(const Request& request) {
    auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
    timeout.idle_timeout = std::chrono::seconds(kSilence), timeout.keep_alive_pings = true;
    timeout.handshake_timeout = kHeaderTime;
    ws_.set_option(timeout);
    ws_.read_message_max(hub_.longest_message);
    ws_.auto_fragment(false);
    ws_.async_accept(request, [self = shared_from_this()](Error e) { self->come(e); });
  }
  void offer(const Text& frame) override {
    frame_ = frame;
    send();
  }
  void tell(Text text) override {
    texts_.push_back(std::move(text));
    if (texts_.size() > kMostTexts) texts_.pop_front();
    send();
  }
  void drop() override {
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

}  // namespace

void start_viewer(Hub& hub, beast::tcp_stream&& stream, const Request& request) {
  const int client = ++hub.last_client;
  auto viewer = std::make_shared<StreamViewer>(hub, std::move(stream), client);
  hub.viewers.emplace(client, viewer);
  viewer->start(request);
}

}  // namespace sinew::app
// NOLINTEND(bugprone-unused-return-value)
