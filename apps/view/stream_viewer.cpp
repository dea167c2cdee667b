// apps/view/stream_viewer.cpp - reading and sending
#include "view/stream_viewer.hpp"

#include <boost/beast/core/buffers_to_string.hpp>

namespace sinew::app {

void StreamViewer::read() {
  if (gone_ || reading_) return;
  reading_ = true;
  ws_.async_read(buffer_, [self = shared_from_this()](Error e, std::size_t) { self->take(e); });
}

void StreamViewer::take(Error e) {
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

void StreamViewer::send() {
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

void StreamViewer::sent(Error e) {
  on_its_way_.reset();
  if (e) return drop();
  if (texts_.size() < kMostTexts / 2) read();
  send();
}

}  // namespace sinew::app
