// apps/view/hub.hpp - what the parts of the server share: requests (visitor.cpp), clients of the stream (viewer.cpp)
// and who accepts them (server.cpp)
#pragma once
#include <utility>  // Asio 1.18 needs it

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "view/server.hpp"

namespace sinew::app {

namespace net = boost::asio;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;

inline constexpr auto kHeaderTime = std::chrono::seconds(5);

// A client of the stream.
class Viewer {
 public:
  virtual ~Viewer() = default;
  virtual void offer(const Text& frame) = 0;  // one that still waits is skipped
  virtual void tell(Text) = 0;                // a client that does not read loses the oldest
  virtual void drop() = 0;
};

struct Hub {
  Door door;
  std::string page;
  std::size_t longest_message = 0;
  ServerEvents events;
  int connections = 0, last_client = 0;
  std::map<int, std::shared_ptr<Viewer>> viewers;
};

// Answers the request that comes, or makes its sender a viewer.
void receive(Hub&, Tcp::socket&&);

}  // namespace sinew::app
