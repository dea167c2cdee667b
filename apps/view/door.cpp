// apps/view/door.cpp
#include "view/door.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace sinew::app {
namespace {

// The host without its port: "[::1]:80" is "[::1]".
std::string_view strip_port(std::string_view host) {
  const std::size_t colon = host.rfind(':'), bracket = host.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) return host;
  const std::string_view port = host.substr(colon + 1);
  const bool digits =
      !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? host.substr(0, colon) : std::string_view();
}
// Names cannot be told from those that somebody else's DNS makes; addresses can.
bool is_address(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[')
    return host.back() == ']' && host.find_first_not_of("[]0123456789abcdefABCDEF:.") == std::string_view::npos;
  return host.find_first_not_of("0123456789.") == std::string_view::npos;
}
bool is_ours(const Door& door, std::string_view host) {
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]") return true;
  return door.bind != "127.0.0.1" && door.bind != "::1" && is_address(host);
}

}  // namespace

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
  std::string out;
  for (const unsigned char b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

std::string_view find_path(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view find_query(std::string_view target, std::string_view name) {
  std::size_t at = target.find('?');
  while (at != std::string_view::npos) {
    const std::size_t begin = at + 1;
    at = target.find('&', begin);
    const std::string_view part = target.substr(begin, at == std::string_view::npos ? at : at - begin);
    if (part.starts_with(name) && part.substr(name.size()).starts_with('=')) return part.substr(name.size() + 1);
  }
  return {};
}

std::string refuse_visit(const Door& door, const Visit& visit, bool stream) {
  if (!is_ours(door, strip_port(visit.host)))
    return "this server is asked for by the address that sinew view printed, not by another name";
  if (visit.origin.empty() ? stream : visit.origin != "http://" + std::string(visit.host))
    return "this page comes from somewhere else; open the address that sinew view printed";
  if (!is_same_secret(find_query(visit.target, "token"), door.token))
    return "the token is missing or wrong; open the whole address that sinew view printed";
  return "";
}

}  // namespace sinew::app
