// apps/view/door.hpp - who may come in: the host they ask for, the page they come from, the token they show
// Any page in the user's browser can talk to a server on this machine. So a request must name the server by an address
// of this machine (a stranger's name that resolves to it is refused), a WebSocket must come from our own page, and both
// must show the token, which only the address printed at the start has.
#pragma once
#include <string>
#include <string_view>

namespace sinew::app {

struct Visit {
  std::string_view host, origin;  // headers; empty: not there
  std::string_view target;        // path and query
};
struct Door {
  std::string bind;  // the address that the server listens on
  std::string token;
};

std::string make_token();  // 128 random bits of the system, in hex
// In a time that depends on the lengths only.
bool is_same_secret(std::string_view, std::string_view);

std::string_view find_path(std::string_view target);
// A value of the query, as written; empty: it is not there.
std::string_view find_query(std::string_view target, std::string_view name);

// A sentence for the visitor; empty: come in. stream: a WebSocket, which must state its origin.
std::string refuse_visit(const Door&, const Visit&, bool stream);

}  // namespace sinew::app
