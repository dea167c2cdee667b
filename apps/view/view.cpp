// apps/view/view.cpp - `sinew view`: a scene that runs, in a browser, to look at and to touch
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/input_error.hpp"
#include "view/page.hpp"
#include "view/server.hpp"
#include "view/session.hpp"

namespace sinew::app {
namespace {

struct ViewInput {
  StepperInput stepper;
  std::string bind = "127.0.0.1";
  std::filesystem::path record = "sinew-view.h5";
  double speed = 1;
  int port = 0;
  bool open = false, paused = false;
};

// The desktop's choice of a browser; where there is none, the address has been printed.
void open_browser(const std::string& address) {
  std::string program = "xdg-open", url = address;
  char* words[] = {program.data(), url.data(), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, program.c_str(), nullptr, nullptr, words, environ); error != 0)
    fmt::print(stderr, "sinew: --open: xdg-open cannot be started ({}); open the address yourself\n",
               std::strerror(error));
}

bool is_loopback(const std::string& address) { return address.starts_with("127.") || address == "::1"; }

int run(const SceneInput& in, const ViewInput& o) {
  const std::optional<Scene> scene = read_scene(in);
  if (!scene) return kRefused;
  if (!in.dump.empty()) throw InputError("--dump is for sinew sim; leave it out", kUsage);
  LiveRun live(in, o.stepper, *scene, o.record);
  const OrderLimits limits = make_order_limits(live.model());
  const Text greeting = std::make_shared<const std::string>(make_greeting(in, *scene, limits));

  std::optional<Session> session;
  std::optional<Server> server;
  ServerEvents events;
  events.come = [&](int) {
    session->show();
    return std::vector<Text>{greeting, std::make_shared<const std::string>(session->settings())};
  };
  events.leave = [&](int client) { session->leave(client); };
  events.message = [&](int client, const std::string& message) {
    try {
      if (!session->post(client, read_order(message, limits)))
        throw InputError("too many orders wait already; this one was left out");
    } catch (const InputError& e) {
      server->send_text(client, make_complaint(e.what()));
    }
  };
  server.emplace(ServerOptions{o.bind, o.port, make_token(), make_live_page(), kLongestMessage}, events);
  session.emplace(live, SessionOptions{o.speed, in.seconds, o.paused},
                  Outlet{[&](Text frame) { server->send_frame(std::move(frame)); },
                         [&](int client, std::string text) { server->send_text(client, std::move(text)); }});
  const std::string address = server->address();
  if (!is_loopback(o.bind))
    fmt::print(
        stderr,
        "sinew: --bind {}: others in the network can reach this, and whoever knows the address can steer the run "
        "and write records; there is no encryption\n",
        o.bind);
  if (in.model->json)
    fmt::print("{}\n", nlohmann::ordered_json{{"address", address}}.dump());
  else
    fmt::print("{} runs at {}\nCtrl-C ends it\n", in.model->file.string(), address);
  std::fflush(stdout);
  if (o.open) open_browser(address);
  server->run();
  session.reset();
  return kOk;
}

}  // namespace

void add_view(Command& sinew) {
  Command c = sinew.add("view", "Watch a running simulation in a browser, and touch it");
  const auto in = add_scene_input(c, 0);
  const auto o = std::make_shared<ViewInput>();
  c.option("--formulation", in->formulation, "nmc, mc, rmc, os (default), nmc_os or hinge_pairs", {.type = "NAME"});
  add_stepper_input(c, o->stepper);
  c.option("--port", o->port, "Default: one that is free",
           {.type = "N", .check = [](const std::string& text) {
              return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos &&
                             std::stoi("0" + text) <= 65535
                         ? ""
                         : "'" + text + "' is not a port: a number from 0 (one that is free) to 65535";
            }});
  c.option(
      "--bind", o->bind,
      "Listen on this address. Default: 127.0.0.1, which only this machine reaches; others can reach any other one",
      {.type = "ADDRESS"});
  c.option("--speed", o->speed, "Simulated seconds per second; default 1",
           {.type = "X", .range = {kLeastSpeed, kMostSpeed}});
  c.flag("--paused", o->paused, "Wait for somebody to press play");
  c.option("--record", o->record,
           "Where the record button writes to; a number is added where the file exists. Default: sinew-view.h5",
           {.type = "FILE"});
  c.flag("--open", o->open, "Open the page in the desktop's browser");
  c.footer(
      "Prints an address; whoever opens it sees the run, and steers it: pause, step, reset, slow motion, pulling at "
      "bodies,\njoints, controls, gravity, formulation, record. Up to 16 at once. It goes on until Ctrl-C, or pauses "
      "after --for.\nOn another machine: ssh -L 8000:127.0.0.1:8000 there, sinew view --port 8000 there, and open the "
      "address here.\n"
      "Exit codes: 0 ended by a signal, 2 the scene is refused or the port is in use, 3 wrong usage.\n"
      "Examples:\n  sinew view pendulum:6\n  sinew view robot.urdf --floating --floor --hold --open\n"
      "  sinew view models/humanoid.xml --paused --speed 0.2 --record fall.h5");
  c.run([in, o] { return run(*in, *o); });
}

}  // namespace sinew::app
