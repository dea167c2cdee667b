// apps/view/visitor.cpp - one request
#include <fmt/format.h>

#include "view/viewer.hpp"

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <optional>

// NOLINTBEGIN(bugprone-unused-return-value): Asio returns the error that it also writes into its argument.
namespace sinew::app {
namespace {

using Response = http::response<http::string_body>;

constexpr std::uint32_t kHeaderBytes = 8192;

std::string_view view_of(beast::string_view s) { return {s.data(), s.size()}; }

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
    const bool stream = beast::websocket::is_upgrade(r);
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
    start_viewer(hub_, std::move(stream_), parser_.get());
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

void receive(Hub& hub, Tcp::socket&& socket) { std::make_shared<Visitor>(hub, std::move(socket))->start(); }

}  // namespace sinew::app
// NOLINTEND(bugprone-unused-return-value)
