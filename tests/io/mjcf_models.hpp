// tests/io/mjcf_models.hpp - small MJCF texts, and where their bodies stand
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "io/remarks.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/model/model.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew::test {

inline std::string mjcf_text(const std::string& world, const std::string& before = "", const std::string& after = "") {
  return "<mujoco>\n" + before + "<worldbody>" + world + "</worldbody>\n" + after + "</mujoco>";
}

inline ModelSpec spec_of(const std::string& text) {
  auto r = parse_mjcf(text);
  if (!r.ok()) throw std::runtime_error(all_remarks(r.diagnostics()));
  return std::move(r).value();
}

inline Pose pose_at(const ModelSpec& spec, const std::string& body, const std::vector<double>& q) {
  const auto model = compile(spec);
  if (!model.ok()) throw std::runtime_error(all_remarks(model.diagnostics()));
  KinematicsWorkspace<double> ws(*model);
  calc_kinematics(*model, ws, q);
  return get_body_pose(*model, ws, *model->find_body(body));
}

inline double distance(const Vec3<double>& a, const Vec3<double>& b) { return norm(a - b); }
inline double distance(const Rotation<double>& a, const Rotation<double>& b) {
  return norm(Vec3<double>{norm(a.m * Vec3<double>{1, 0, 0} - b.m * Vec3<double>{1, 0, 0}),
                           norm(a.m * Vec3<double>{0, 1, 0} - b.m * Vec3<double>{0, 1, 0}),
                           norm(a.m * Vec3<double>{0, 0, 1} - b.m * Vec3<double>{0, 0, 1})});
}
inline double distance(const Pose& a, const Pose& b) { return distance(a.r, b.r) + distance(a.E, b.E); }

// An L-shaped prism, closed and not convex: footprint 4 m^2, height 1.5 m.
inline const char* const kPrism =
    "vertex=\"0 0 0 3 0 0 3 1 0 1 1 0 1 2 0 0 2 0 0 0 1.5 3 0 1.5 3 1 1.5 1 1 1.5 1 2 1.5 0 2 1.5\" "
    "face=\"0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 "
    "11 "
    "4 11 10 5 0 6 5 6 11\"";

}  // namespace sinew::test
