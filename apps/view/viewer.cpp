// apps/view/viewer.cpp
#include "view/viewer.hpp"

#include "view/stream_viewer.hpp"

// NOLINTBEGIN(bugprone-unused-return-value): Asio returns the error that it also writes into its argument.
namespace sinew::app {

StreamViewer::StreamViewer(Hub& hub, beast::tcp_stream&& stream, int client)
    : hub_(hub), ws_(std::move(stream)), client_(client) {}

void StreamViewer::start(const Request& request) {
  auto timeout = websocket::stream_base::timeout::suggested(beast::role_type::server);
  timeout.idle_timeout = std::chrono::seconds(kSilence), timeout.keep_alive_pings = true;
  timeout.handshake_timeout = kHeaderTime;
  ws_.set_option(timeout);
  ws_.read_message_max(hub_.longest_message);
  ws_.auto_fragment(false);
  ws_.async_accept(request, [self = shared_from_this()](Error e) { self->come(e); });
}

void StreamViewer::offer(const Text& frame) {
  frame_ = frame;
  send();
}

void StreamViewer::tell(Text text) {
  texts_.push_back(std::move(text));
  if (texts_.size() > kMostTexts) texts_.pop_front();
  send();
}

void StreamViewer::drop() {
  if (gone_) return;
  gone_ = true;
  Error ignored;
  beast::get_lowest_layer(ws_).socket().close(ignored);
  hub_.events.leave(client_);
  hub_.viewers.erase(client_), --hub_.connections;
}

void StreamViewer::come(Error e) {
  if (e) return drop();
  open_ = true;
  for (Text& text : hub_.events.come(client_)) texts_.push_back(std::move(text));
  send();
  read();
}

void start_viewer(Hub& hub, beast::tcp_stream&& stream, const Request& request) {
  const int client = ++hub.last_client;
  auto viewer = std::make_shared<StreamViewer>(hub, std::move(stream), client);
  hub.viewers.emplace(client, viewer);
  viewer->start(request);
}

}  // namespace sinew::app
// NOLINTEND(bugprone-unused-return-value)
