// apps/view/stream_viewer.hpp - a client of the stream: what waits for it, and its WebSocket
// viewer.cpp has who comes and goes and what is to be sent, stream_viewer.cpp what goes through the socket.
#pragma once
#include "view/viewer.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <memory>

namespace sinew::app {

namespace websocket = beast::websocket;

class StreamViewer final : public Viewer, public std::enable_shared_from_this<StreamViewer> {
 public:
  StreamViewer(Hub& hub, beast::tcp_stream&& stream, int client);
  void start(const Request&);
  void offer(const Text& frame) override;
  void tell(Text) override;
  void drop() override;

 private:
  void come(Error);
  void read();
  void take(Error);
  void send();  // messages go first: they are few
  void sent(Error);

  Hub& hub_;
  websocket::stream<beast::tcp_stream, false> ws_;  // without compression, which is not used
  beast::flat_buffer buffer_;
  int client_;
  std::deque<Text> texts_;  // that wait
  Text frame_;              // the next one, if it waits
  Text on_its_way_;
  int ahead_ = 0;  // frames that were sent and not yet said to be seen
  bool open_ = false, reading_ = false, gone_ = false;
};

}  // namespace sinew::app
