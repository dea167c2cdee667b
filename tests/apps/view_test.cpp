// tests/apps/view_test.cpp - what `sinew view` takes from the network: orders, and who may come in
#include <gtest/gtest.h>

#include <string>

#include "common/input_error.hpp"
#include "sinew/base/random.hpp"
#include "sinew/model/mechanisms.hpp"
#include "view/door.hpp"
#include "view/orders.hpp"

namespace sinew::app {
namespace {

const OrderLimits& limits() {
  static const OrderLimits out = make_order_limits(compile(mechanisms::pendulum(3)).value());
  return out;
}
std::string complaint(const std::string& message) {
  try {
    (void)read_order(message, limits());
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ViewOrders, AreReadAsWritten) {
  const Order drag = read_order(R"({"do": "drag", "body": 2, "point": [1, 2, 3], "target": [-4, 5.5, 6e1]})", limits());
  const auto& d = std::get<order::Drag>(drag);
  EXPECT_EQ(d.body, 2);
  EXPECT_EQ(d.point.z, 3);
  EXPECT_EQ(d.target.x, -4);
  EXPECT_EQ(d.target.z, 60);
  EXPECT_TRUE(std::get<order::Pause>(read_order(R"({"on": true, "do": "pause"})", limits())).on);
  EXPECT_EQ(std::get<order::Formulate>(read_order(R"({"do": "formulation", "name": "rmc"})", limits())).by,
            Formulation::rmc);
}

TEST(ViewOrders, NameWhatIsWrong) {
  EXPECT_NE(complaint(R"({"do": "drag", "body": 4, "point": [0,0,0], "target": [0,0,0]})").find("between 0 and 3"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"do": "drag", "body": 0, "point": [0,0,0], "target": [0,0,0]})").find("fixed"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"do": "pause", "on": "yes"})").find("'on' must be true or false"), std::string::npos);
  EXPECT_NE(complaint(R"({"do": "pause"})").find("'on' is missing"), std::string::npos);
  EXPECT_NE(complaint(R"({"do": "reset", "to": 1})").find("no key 'to'; it has none"), std::string::npos);
  EXPECT_NE(complaint(R"({"do": "control", "actuator": 0, "value": 1})").find("no actuators"), std::string::npos);
  EXPECT_NE(complaint(R"({"do": "record", "on": true, "file": "/etc/passwd"})").find("no key 'file'"),
            std::string::npos);
  EXPECT_NE(complaint("{\"do\": \"reset\", \"\x1b[2J\": 1}").size(), 0U);
  EXPECT_NE(complaint(std::string(kLongestMessage + 1, ' ')).find("at most"), std::string::npos);
}

// Nearly right messages and noise: each is read or refused, by InputError and nothing else.
TEST(ViewOrders, GarbageIsRefused) {
  const std::string seeds[] = {R"({"do": "drag", "body": 1, "point": [0, 0, 0], "target": [1, 2, 3]})",
                               R"({"do": "position", "joint": 1, "value": 0.5})", R"({"do": "step", "count": 12})",
                               R"({"do": "gravity", "value": [0, 0, -9.81]})", R"({"do": "pause", "on": false})"};
  Random rng(7);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seeds[rng.below(static_cast<int>(std::size(seeds)))];
    for (int change = rng.below(5); change > 0 && !text.empty(); --change) {
      const auto at = static_cast<std::size_t>(rng.below(static_cast<int>(text.size())));
      switch (rng.below(3)) {
        case 0: text[at] = static_cast<char>(rng.below(256)); break;
        case 1: text.erase(at, 1); break;
        default: text.insert(at, text.substr(0, static_cast<std::size_t>(rng.below(9))));
      }
    }
    taken += complaint(text).empty();
  }
  EXPECT_GT(taken, 1000);
  EXPECT_LT(taken, 19000);
}

TEST(ViewDoor, LetsInWhoHasTheAddress) {
  const Door door{"127.0.0.1", "secret"};
  const auto refused = [&](const char* host, const char* origin, const char* target, bool stream) {
    return !refuse_visit(door, {host, origin, target}, stream).empty();
  };
  EXPECT_FALSE(refused("127.0.0.1:80", "", "/?token=secret", false));
  EXPECT_FALSE(refused("localhost", "http://localhost", "/stream?a=b&token=secret", true));
  EXPECT_TRUE(refused("127.0.0.1:80", "", "/stream?token=secret", true));  // a stream states its origin
  EXPECT_TRUE(refused("127.0.0.1:80", "http://127.0.0.1:81", "/stream?token=secret", true));
  EXPECT_TRUE(refused("127.0.0.1:80", "http://localhost:80", "/stream?token=secret", true));
  EXPECT_TRUE(refused("evil.example", "", "/?token=secret", false));
  EXPECT_TRUE(refused("localhost.evil.example:80", "", "/?token=secret", false));
  EXPECT_TRUE(refused("192.168.1.2:80", "", "/?token=secret", false));
  EXPECT_TRUE(refused("127.0.0.1:80", "", "/?token=secre", false));
  EXPECT_TRUE(refused("127.0.0.1:80", "", "/?token=secret2", false));
  EXPECT_TRUE(refused("127.0.0.1:80", "", "/token=secret", false));
  EXPECT_TRUE(refused("", "", "/?token=secret", false));
}

TEST(ViewDoor, KnowsAddressesFromNamesWhereItIsOpenToOthers) {
  const Door door{"0.0.0.0", "secret"};
  EXPECT_EQ(refuse_visit(door, {"192.168.1.2:80", "", "/?token=secret"}, false), "");
  EXPECT_EQ(refuse_visit(door, {"[fe80::1]:80", "", "/?token=secret"}, false), "");
  EXPECT_NE(refuse_visit(door, {"machine.example:80", "", "/?token=secret"}, false), "");
  EXPECT_NE(refuse_visit(door, {"1.2.3.4.evil.example:80", "", "/?token=secret"}, false), "");
}

TEST(ViewDoor, TokensAreLongAndDifferent) {
  EXPECT_EQ(make_token().size(), 32U);
  EXPECT_NE(make_token(), make_token());
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("abc", "abd"));
  EXPECT_FALSE(is_same_secret("abc", "ab"));
}

}  // namespace
}  // namespace sinew::app
