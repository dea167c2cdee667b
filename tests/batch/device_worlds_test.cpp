// tests/batch/device_worlds_test.cpp - worlds of a DeviceSimulation: the bits of each are its own, in any company, on
// any device, with any variant; room and resets
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "sinew/batch/kernel/team.hpp"
#include "support/device_case.hpp"
#include "support/near.hpp"

namespace sinew::test::device_case {

TEST(DeviceWorlds, ItemsOfALoopDoNotDependOnTheirOrder) {
  for (const std::string& text : {std::string(kWalker), std::string(kHeap), std::string(kPile), make_gems()}) {
    const Model m = parse(text);
    const std::vector<Case> cases = make_cases(m, 2, 60, 10, 5);
    const DeviceSimulationOptions o{.contacts = 60, .rows = 100};
    auto forward = make_worlds<double>(m, cases, o, device::make_cpu_backend<double>(device::Order::forward));
    auto backward = make_worlds<double>(m, cases, o, device::make_cpu_backend<double>(device::Order::backward));
    forward.step(20), backward.step(20);
    EXPECT_EQ(state_of(forward), state_of(backward));
  }
}

TEST(DeviceWorlds, AWorldHasTheSameBitsInAnyBatch) {
  const Model m = parse(kWalker);
  std::vector<Case> cases = make_cases(m, 2, 60, 10, 9);
  const DeviceSimulationOptions o{.contacts = 40, .rows = 60};
  auto all = make_worlds<float>(m, cases, o);
  all.step(30);
  const std::vector<float> together = state_of(all);
  const std::size_t nq = at(m.nq()), n = cases.size();
  for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
    auto alone = make_worlds<float>(m, {cases[i]}, o);
    alone.step(30);
    const std::vector<float> state = state_of(alone);
    EXPECT_TRUE(std::equal(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(nq),
                           together.begin() + static_cast<std::ptrdiff_t>(i * nq)));
  }
  // Every third is poisoned: the others do not notice.
  for (std::size_t i = 0; i < n; i += 3) cases[i].state.v[i % at(m.nv())] = std::numeric_limits<double>::quiet_NaN();
  auto poisoned = make_worlds<float>(m, cases, o);
  poisoned.step(30);
  const std::vector<float> state = state_of(poisoned);
  const auto failures = poisoned.failures();
  ASSERT_EQ(failures.size(), (n + 2) / 3);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 3 == 0) {
      EXPECT_EQ(failures[i / 3].world, i);
      EXPECT_FALSE(failures[i / 3].text.empty());
    } else {
      EXPECT_TRUE(std::equal(state.begin() + static_cast<std::ptrdiff_t>(i * nq),
                             state.begin() + static_cast<std::ptrdiff_t>((i + 1) * nq),
                             together.begin() + static_cast<std::ptrdiff_t>(i * nq)));
    }
  }
}

// Seven worlds on three devices, two of them on one: each goes its way as it does among the others.
TEST(DeviceWorlds, WorldsMayBeOnSeveralDevices) {
  const Model m = parse(kWalker), other = parse(replaced(kWalker, "mass=\"5\"", "mass=\"8\""));
  const std::vector<Case> cases = make_cases(m, 1, 70, 10, 21);
  ASSERT_EQ(cases.size(), 7u);
  const auto prepare = [&](DeviceSimulation<float>& worlds) {
    worlds.set_start(rows_of<float>(cases, [](const Case& c) { return c.state.q; }),
                     rows_of<float>(cases, [](const Case& c) { return c.state.v; }));
    worlds.set_control(rows_of<float>(cases, [](const Case& c) { return c.control; }));
    worlds.set_applied(rows_of<float>(cases, [](const Case& c) { return c.applied; }));
    worlds.set_variants(std::vector<Model>{m, other}, std::vector<int>{0, 1, 0, 1, 1, 0, 0});
    worlds.reset();
    worlds.step(20);
    worlds.reset(std::vector<unsigned char>{0, 0, 1, 1, 0, 0, 0});
    worlds.step(3);
  };
  const DeviceSimulationOptions o{.contacts = 40, .rows = 100};
  DeviceSimulation<float> one(m, 7, o);
  std::vector<std::unique_ptr<device::Backend<float>>> backends;
  for (const device::Order order : {device::Order::forward, device::Order::backward, device::Order::forward})
    backends.push_back(device::make_cpu_backend<float>(order));
  DeviceSimulation<float> several(m, 7, o, std::move(backends));
  ASSERT_EQ(several.parts(), 3u);
  EXPECT_EQ(several.first_world(0), 0u);
  EXPECT_EQ(several.first_world(1), 2u);
  EXPECT_EQ(several.first_world(3), 7u);
  EXPECT_EQ(several.bytes_per_world(), one.bytes_per_world());
  prepare(one), prepare(several);
  EXPECT_EQ(state_of(one), state_of(several));
  EXPECT_EQ(several.summary().steps, 7 * 3 + 5 * 20);
  EXPECT_EQ(several.arrays(1).q[0], state_of(one)[2 * at(m.nq())]);
  EXPECT_THROW(several.backend(3), std::invalid_argument);
  EXPECT_THROW(DeviceSimulation<float>(m, 1, {}, std::vector<std::unique_ptr<device::Backend<float>>>{}),
               std::invalid_argument);
  // A failure in one part is told by its number among all worlds.
  std::vector<float> q(7 * at(m.nq())), v(7 * at(m.nv()));
  several.get_state(q, v);
  v[5 * at(m.nv())] = std::numeric_limits<float>::quiet_NaN();
  several.set_state(q, v);
  several.step();
  ASSERT_EQ(several.failures().size(), 1u);
  EXPECT_EQ(several.failures()[0].world, 5u);
}

// Worlds with variants of a model have the bits that they have among worlds of that model alone.
TEST(DeviceWorlds, WorldsMayHaveOtherNumbers) {
  const Model walker = parse(kWalker);
  const std::vector<Model> variants{
      parse(replaced(kWalker, "mass=\"5\"", "mass=\"8\"")),
      parse(replaced(kWalker, "friction=\"0.7\"", "friction=\"0.1\"")),
      parse(replaced(kWalker, "kp=\"60\"", "kp=\"20\"")),
      parse(replaced(kWalker, "timestep=\"0.005\"", "timestep=\"0.005\" gravity=\"1 0 -3\"")),
      parse(replaced(kWalker, "size=\"5 5 0.1\"", "size=\"5 5 0.1\" pos=\"0 0 0.1\" euler=\"10 0 0\"")),
      parse(replaced(kWalker, "size=\"0.04\" pos", "size=\"0.06\" pos"))};
  const auto run = [](auto& worlds) {
    using R = double;
    std::vector<R> control(worlds.size() * at(worlds.controls()), R(0.2));
    worlds.set_control(control);
    worlds.step(150);
    std::vector<R> q(worlds.size() * at(worlds.nq())), v(worlds.size() * at(worlds.nv()));
    worlds.get_state(q, v);
    q.insert(q.end(), v.begin(), v.end());
    return q;
  };
  DeviceSimulation<double> mixed(walker, 12);
  std::vector<int> variant(12);
  for (int i = 0; i < 12; ++i) variant[at(i)] = (5 * i) % 6;
  mixed.set_variants(variants, variant);
  const std::vector<double> all = run(mixed);
  const auto row = [](const std::vector<double>& x, std::size_t worlds, std::size_t world, int nq, int nv) {
    std::vector<double> out(x.begin() + static_cast<std::ptrdiff_t>(world * at(nq)),
                            x.begin() + static_cast<std::ptrdiff_t>((world + 1) * at(nq)));
    const auto v = x.begin() + static_cast<std::ptrdiff_t>(worlds * at(nq) + world * at(nv));
    out.insert(out.end(), v, v + nv);
    return out;
  };
  std::vector<std::vector<double>> ends;
  for (std::size_t k = 0; k < variants.size(); ++k) {
    DeviceSimulation<double> alone(variants[k], 1);
    ends.push_back(row(run(alone), 1, 0, walker.nq(), walker.nv()));
  }
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(row(all, 12, i, walker.nq(), walker.nv()), ends[at(variant[i])]) << "world " << i;
  for (std::size_t k = 1; k < ends.size(); ++k) EXPECT_NE(ends[k], ends[0]) << "variant " << k;
  // Without variants, all have the model again.
  DeviceSimulation<double> plain(walker, 12);
  mixed.set_variants({}, {}), mixed.reset();
  EXPECT_EQ(run(mixed), run(plain));
}

TEST(DeviceWorlds, VariantsMustFit) {
  DeviceSimulation<double> worlds(parse(kWalker), 2);
  const auto message = [&](const std::string& text, const std::vector<int>& variant) -> std::string {
    try {
      worlds.set_variants(std::vector<Model>{parse(kWalker), parse(text)}, variant);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(kWalker, {0, 1}), "");
  EXPECT_NE(message(kWalker, {0, 2}).find("variant[1] is 2, and there are 2"), std::string::npos);
  EXPECT_NE(message(kWalker, {0}).find("variant"), std::string::npos);
  const std::string stiff = replaced(kWalker, " frictionloss=\"0.3\"", "");
  EXPECT_NE(message(stiff, {0, 1}).find("variant 1: DeviceSimulation: there are "), std::string::npos)
      << message(stiff, {0, 1});
  EXPECT_NE(message(replaced(kWalker, "type=\"sphere\" size=\"0.04\"", "type=\"box\" size=\"0.04 0.04 0.04\""), {0, 1})
                .find("variant 1: "),
            std::string::npos);
  const std::string gems = make_gems();
  DeviceSimulation<double> of_gems(parse(gems), 1);
  EXPECT_NO_THROW(of_gems.set_variants(std::vector<Model>{parse(replaced(gems, "0.5", "0.4"))}, std::vector<int>{0}));
  EXPECT_THROW(
      of_gems.set_variants(std::vector<Model>{parse(replaced(gems, ".2 .2 0", ".2 .3 0"))}, std::vector<int>{0}),
      std::invalid_argument);
}

TEST(DeviceWorlds, CountsWhatHasNoRoomAndSetsTheWorldAside) {
  const Model m = parse(kHeap);
  DeviceSimulation<double> few(m, 2, {.contacts = 3});
  const std::vector<double> before = state_of(few);
  few.step();
  ASSERT_EQ(few.failures().size(), 2u);
  EXPECT_EQ(few.failures()[0].cause, device::Cause::contacts);
  const int found = few.reports()[0].needed;
  EXPECT_GE(found, 10);  // balls 2, capsules 2 each, corners of the box 4
  EXPECT_NE(few.failures()[1].text.find(std::to_string(found) + " contacts, and room for 3"), std::string::npos);
  EXPECT_EQ(state_of(few), before);

  DeviceSimulation<double> enough(m, 1, {.contacts = found, .rows = 100});
  enough.step();
  EXPECT_TRUE(enough.failures().empty());

  DeviceSimulation<double> few_rows(m, 1, {.contacts = 40, .rows = 4});
  few_rows.step();
  ASSERT_EQ(few_rows.failures().size(), 1u);
  EXPECT_EQ(few_rows.failures()[0].cause, device::Cause::rows);
  EXPECT_NE(few_rows.failures()[0].text.find("room for 4"), std::string::npos);
}

TEST(DeviceWorlds, ResetBeginsAgainWhereItIsAsked) {
  const Model m = parse(kHeap);
  DeviceSimulation<float> worlds(m, 3, {.contacts = 40, .rows = 100});
  const std::vector<float> start = state_of(worlds);
  worlds.step(5);
  const std::vector<float> later = state_of(worlds);
  worlds.reset(std::vector<unsigned char>{0, 1, 0});
  const std::vector<float> now = state_of(worlds);
  const std::size_t nq = at(m.nq());
  for (std::size_t k = 0; k < nq; ++k) {
    EXPECT_EQ(now[k], later[k]);
    EXPECT_EQ(now[nq + k], start[nq + k]);
    EXPECT_EQ(now[2 * nq + k], later[2 * nq + k]);
  }
  EXPECT_EQ(worlds.reports()[1].steps, 0);
  EXPECT_EQ(worlds.reports()[2].steps, 5);
  worlds.reset();
  worlds.step(5);
  EXPECT_EQ(state_of(worlds), later);  // the warm start is forgotten too
  EXPECT_EQ(worlds.summary().steps, 15);
}

}  // namespace sinew::test::device_case
