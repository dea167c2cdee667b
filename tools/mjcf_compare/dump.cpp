// tools/mjcf_compare/dump.cpp - what the loader and the kinematics make of MJCF files, one JSON line each
//   dump FILE...          poses at the neutral position and at a sample, whose coordinates are given as MuJoCo's
//   dump --write FILE...  the same after to_mjcf and back
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/kinematics.hpp"

using nlohmann::json;
using namespace sinew;

static json list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
static json list(const Pose& p) {
  const auto q = to_quaternion(p.E);
  return {p.r.x, p.r.y, p.r.z, q.w, q.x, q.y, q.z};
}

static json poses(const Model& m, const std::vector<double>& q) {
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, q, ws);
  const ConventionMap map(m, Convention::mujoco);
  std::vector<double> other(static_cast<std::size_t>(map.nq()));
  map.to_other_q(q, other);
  json o{{"qpos", other}, {"bodies", json::array()}, {"sites", json::array()}};
  for (int b = 1; b < static_cast<int>(m.bodies().size()); ++b) o["bodies"].push_back(list(get_body_pose(m, ws, b)));
  for (const FrameEntry& f : m.frames()) o["sites"].push_back(list(get_frame_pose(ws, f)));
  return o;
}

int main(int argc, char** argv) {
  const bool rewrite = argc > 1 && std::strcmp(argv[1], "--write") == 0;
  for (int i = rewrite ? 2 : 1; i < argc; ++i) {
    const auto start = std::chrono::steady_clock::now();
    auto spec = load_mjcf(argv[i]);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    json o{{"file", argv[i]}, {"seconds", time.count()}, {"loads", spec.ok()}, {"diagnostics", json::array()}};
    for (const Diagnostic& d : spec.diagnostics()) o["diagnostics"].push_back(to_string(d));
    if (spec.ok() && rewrite) {
      const auto text = to_mjcf(*spec, {.lossy = true});
      for (const Diagnostic& d : text.diagnostics()) o["write"].push_back(to_string(d));
      if (text.ok()) {
        o["text"] = *text;
        spec = parse_mjcf(*text, argv[i]);
        for (const Diagnostic& d : spec.diagnostics())
          if (d.severity == Severity::error) o["write"].push_back(to_string(d));
      }
    }
    if (spec.ok()) {
      o["gravity"] = list(spec->gravity);
      o["timestep"] = spec->timestep;
      o["inertia"] = json::array();
      for (const BodySpec& b : spec->bodies) {
        const auto& I = b.inertia;
        o["inertia"].push_back({b.mass, b.com.x, b.com.y, b.com.z, I.xx, I.xy, I.xz, I.yy, I.yz, I.zz});
      }
      o["shapes"] = spec->shapes.size();
      const auto model = compile(*spec);
      o["compiles"] = model.ok();
      for (const Diagnostic& d : model.diagnostics()) o["compile"].push_back(to_string(d));
      if (model.ok()) {
        o["nv"] = model->nv();
        std::vector<double> q(model->neutral().begin(), model->neutral().end()),
            v(static_cast<std::size_t>(model->nv())), next(q.size());
        o["poses"].push_back(poses(*model, q));
        for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::sin(1.0 + 7.0 * static_cast<double>(k));
        integrate(*model, q, v, 1.0, next);
        o["poses"].push_back(poses(*model, next));
      }
    }
    std::puts(o.dump().c_str());
  }
}
