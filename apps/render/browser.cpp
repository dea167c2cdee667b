// apps/render/browser.cpp
#include "render/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "common/command.hpp"
#include "common/input_error.hpp"

namespace sinew::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWait = 120'000;  // [ms] for one answer: a large page on a slow machine

[[noreturn]] void fail_browser(const std::string& why) { throw InputError("the browser " + why, kNotSaved); }

// Between fork and exec: the pipes become 3 and 4, as the browser expects, and it says nothing.
[[noreturn]] void become(const std::vector<std::string>& words, int in, int out) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const int quiet = ::open("/dev/null", O_RDWR);
  ::dup2(quiet, 0), ::dup2(quiet, 1), ::dup2(quiet, 2);
  const int a = ::fcntl(in, F_DUPFD, 10), b = ::fcntl(out, F_DUPFD, 10);
  ::dup2(a, 3), ::dup2(b, 4);
  ::close(a), ::close(b);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Browser::Browser(const std::string& program, const std::filesystem::path& page, const std::filesystem::path& folder,
                 int width, int height) {
  int down[2], up[2];
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0) fail_browser("cannot be talked to: no pipe");
  std::vector<std::string> words{program,
                                 "--headless=new",
                                 "--remote-debugging-pipe",
                                 "--user-data-dir=" + (folder / "browser").string(),
                                 fmt::format("--window-size={},{}", width, height),
                                 "--force-device-scale-factor=1",
                                 "--no-first-run",
                                 "--disable-extensions",
                                 "--disable-background-networking",
                                 "--enable-unsafe-swiftshader",
                                 "--ignore-gpu-blocklist",
                                 "--hide-scrollbars",
                                 "about:blank"};
  if (::geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");  // it refuses to run as root with one
  child_ = ::fork();
  if (child_ == 0) {
    ::setpgid(0, 0);
    become(words, down[0], up[1]);
  }
  ::close(down[0]), ::close(up[1]);
  to_ = down[1], from_ = up[0];
  if (child_ < 0) fail_browser(std::string("cannot be started: ") + std::strerror(errno));
  try {
    const std::string target = call("Target.createTarget", {{"url", "about:blank"}}).at("targetId");
    session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}}).at("sessionId");
    call("Page.navigate", {{"url", "file://" + std::filesystem::absolute(page).string()}});
    const auto start = Clock::now();
    while (!evaluate("document.documentElement?.dataset.ready === 'true'").get<bool>()) {
      if (Clock::now() - start > std::chrono::milliseconds(kWait))
        fail_browser("does not show the page: " + evaluate("document.body.innerText.slice(0, 300)").dump());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  } catch (const nlohmann::json::exception& e) {
    stop();
    fail_browser(std::string("answered something else: ") + e.what());
  } catch (...) {
    stop();
    throw;
  }
}
Browser::~Browser() { stop(); }

void Browser::stop() {
  if (child_ <= 0) return;
  ::close(to_), ::close(from_);
  ::kill(-child_, SIGKILL);  // with its helpers
  ::waitpid(child_, nullptr, 0);
  child_ = 0;
}

std::string Browser::read_message() {
  for (;;) {
    if (const std::size_t end = unread_.find('\0'); end != std::string::npos) {
      std::string message = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return message;
    }
    pollfd waiting{from_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, kWait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) fail_browser("does not answer");
    char buffer[65536];
    const ssize_t n = ::read(from_, buffer, sizeof buffer);
    if (n <= 0) fail_browser("ended: it cannot be started here, or it crashed");
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
}

nlohmann::json Browser::call(const char* method, nlohmann::json parameters) {
  nlohmann::json message{{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(to_, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_browser("ended");
    at += static_cast<std::size_t>(n);
  }
  for (;;) {
    nlohmann::json answer = nlohmann::json::parse(read_message());
    if (answer.value("id", 0) != last_) continue;  // an event
    if (answer.contains("error")) fail_browser("refuses " + std::string(method) + ": " + answer["error"].dump());
    return answer.at("result");
  }
}

nlohmann::json Browser::evaluate(const std::string& expression) {
  nlohmann::json result = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (result.contains("exceptionDetails"))
    fail_browser("reports an error of the page: " +
                 result["exceptionDetails"].value("/exception/description"_json_pointer, std::string("unknown")));
  return result.at("result").value("value", nlohmann::json());
}

}  // namespace sinew::app
