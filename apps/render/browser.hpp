// apps/render/browser.hpp - a page in a browser without a window, driven through Chrome's DevTools protocol
// The protocol goes through two pipes (--remote-debugging-pipe), so that no port is opened.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace sinew::app {

class Browser {
 public:
  // Opens the file, with `folder` for what the browser keeps. Throws InputError.
  Browser(const std::string& program, const std::filesystem::path& page, const std::filesystem::path& folder, int width,
          int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // The value of an expression of JavaScript in the page. Throws InputError with what the page says.
  nlohmann::json evaluate(const std::string& expression);

 private:
  nlohmann::json call(const char* method, nlohmann::json parameters);  // and waits for the answer
  std::string read_message();
  void stop();

  pid_t child_ = 0;
  int to_ = -1, from_ = -1;  // pipes
  std::string unread_, session_;
  int last_ = 0;  // number of the last call
};

}  // namespace sinew::app
