// apps/view/viewer.hpp - a client of the stream, on a WebSocket
#pragma once
#include "view/hub.hpp"

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

namespace sinew::app {

namespace beast = boost::beast;
namespace http = beast::http;
using Request = http::request<http::empty_body>;

// Takes the connection over from the request that asked for it; the client is one of the hub's viewers until it goes.
void start_viewer(Hub&, beast::tcp_stream&&, const Request&);

}  // namespace sinew::app
