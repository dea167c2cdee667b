// src/model/mechanisms_space.cpp - spacecraft that meet
#include <algorithm>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"

namespace sinew::mechanisms {
namespace {

constexpr double kLink = 0.5;                                        // [m]
constexpr double kBend[] = {0, -0.5, 1.7, 0, -1.0, 0};               // [rad] of the right arm; the left one mirrors it
constexpr bool kTwists[] = {true, false, false, true, false, true};  // about the link, or across it

void add_servicer(ModelBuilder& b) {
  b.body("bus").mass(solid_box(400, {0.6, 0.6, 0.5})).box({0.6, 0.6, 0.5});
  b.free("bus", "world", "bus");
  for (const bool right : {false, true}) {
    const std::string side = right ? "right" : "left";
    for (int i = 0; i < 6; ++i) {
      const std::string link = side + std::to_string(i), parent = i == 0 ? "bus" : side + std::to_string(i - 1);
      const Pose middle = make_placement({0, 0, kLink / 2});
      b.body(link).mass(solid_cylinder(8, 0.05, kLink / 2), middle).cylinder(0.05, 0.4 * kLink, middle);
      b.revolute(link, parent, link)
          .at(i == 0 ? Vec3<double>{right ? 0.6 : -0.6, 0, 0.5} : Vec3<double>{0, 0, kLink})
          .axis(kTwists[i] ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0})
          .neutral({right ? kBend[i] : -kBend[i]})
          .armature(0.5);
    }
    b.spec().frames.push_back({side + "_hand", side + "5", make_placement({0, 0, kLink}), {}});
  }
}

void add_satellite(ModelBuilder& b) {
  b.body("satellite").mass(solid_box(120, {0.5, 0.4, 0.3}), make_placement({0.02, -0.03, 0.05})).box({0.5, 0.4, 0.3});
  b.free("satellite", "world", "satellite").neutral({1, 0, 0, 0, 0.1, 0.15, 2.4});
  for (const bool right : {false, true})
    b.spec().frames.push_back(
        {right ? "right_fixture" : "left_fixture", "satellite", make_placement({right ? 0.5 : -0.5, 0, 0}), {}});
}

ModelSpec in_space(const char* name, std::initializer_list<void (*)(ModelBuilder&)> parts) {
  ModelBuilder b(name);
  b.gravity({});
  for (const auto& add : parts) add(b);
  for (ShapeSpec& s : b.spec().shapes) s.collides = false;
  return std::move(b.spec());
}

}  // namespace

ModelSpec servicer() { return in_space("servicer", {add_servicer}); }

ModelSpec satellite() { return in_space("satellite", {add_satellite}); }

ModelSpec servicer_and_satellite() {
  ModelSpec spec = in_space("servicer_and_satellite", {add_servicer, add_satellite});
  const Model model = compile(spec).value();
  KeyframeSpec key{.name = "tumbling", .time = 0, .q = {model.neutral().begin(), model.neutral().end()}};
  key.v.assign(static_cast<std::size_t>(model.nv()), 0.0);
  const double tumbles[] = {0.04, 0.1, 0.06, -0.01, 0.005, -0.015};  // [rad/s, m/s]
  std::copy(tumbles, tumbles + 6, key.v.end() - 6);
  spec.keyframes.push_back(std::move(key));
  return spec;
}

}  // namespace sinew::mechanisms
