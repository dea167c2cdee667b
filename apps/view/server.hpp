// apps/view/server.hpp - the page and a stream of frames over HTTP and WebSocket, by Boost.Beast
// One thread calls run(). A client says kSeen for each frame; kFramesAhead are sent before that, then the latest one
// waits and replaces the one that waited before. So memory per client is bounded, and what it sees is not old, even
// where its browser reads faster than it draws. Of messages kMostTexts wait; a client whose messages wait is not read
// from. Whoever does not answer for kSilence is dropped.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "view/door.hpp"

namespace sinew::app {

inline constexpr int kMostViewers = 16, kMostConnections = 128;
inline constexpr std::size_t kMostTexts = 16;
inline constexpr int kFramesAhead = 3;
inline constexpr const char* kSeen = R"({"do":"seen"})";
inline constexpr int kSilence = 10;  // [s]

using Text = std::shared_ptr<const std::string>;

struct ServerOptions {
  std::string bind = "127.0.0.1";
  int port = 0;  // 0: any that is free
  std::string token, page;
  std::size_t longest_message = 4096;
};
// Called by the thread of run().
struct ServerEvents {
  std::function<std::vector<Text>(int client)> come;  // what it is told first
  std::function<void(int client, const std::string& message)> message;
  std::function<void(int client)> leave;
};

class Server {
 public:
  // Listens. Throws InputError where the port is taken or the address is not one of this machine.
  Server(const ServerOptions&, ServerEvents);
  ~Server();
  std::string address() const;  // of the page, with the token
  // Until SIGINT, SIGTERM or SIGHUP, or stop(); returns the signal, or 0. A second signal ends the program.
  int run();

  // From any thread; they do not block.
  void stop();
  void send_frame(Text);                    // to all
  void send_text(int client, std::string);  // 0: to all

 private:
  struct Work;
  std::shared_ptr<Work> work_;
};

}  // namespace sinew::app
