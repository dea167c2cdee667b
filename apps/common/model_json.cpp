// apps/common/model_json.cpp
#include "common/model_json.hpp"

#include <cmath>

#include "common/describe.hpp"
#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew::app {
namespace {

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json vector(const Vec3<double>& v) { return Json::array({v.x, v.y, v.z}); }
Json quaternion(const Rotation<double>& E) {
  const Quaternion<double> q = to_quaternion(E);
  return Json::array({q.w, q.x, q.y, q.z});
}

class Writer {
 public:
  explicit Writer(const Model& m) : m_(m), spec_(m.spec()), ws_(kinematics_at_neutral(m)) {}

  Json run() const {
    Json out = {{"name", m_.name()},
                {"nq", m_.nq()},
                {"nv", m_.nv()},
                {"mass", m_.mass()},
                {"gravity", vector(m_.gravity())},
                {"world", spec_.world},
                {"depth", m_.topology().max_depth()}};
    out["branch_points"] = Json::array();
    for (const int b : branch_points(m_)) out["branch_points"].push_back(name(b));
    out["counts"] = counts();
    out["neutral"] = m_.neutral();
    out["bodies"] = Json::array();
    for (std::size_t b = 1; b < m_.bodies().size(); ++b) out["bodies"].push_back(body(static_cast<int>(b)));
    out["joints"] = Json::array();
    for (const JointEntry& j : m_.joints()) out["joints"].push_back(joint(j, true));
    out["frames"] = Json::array();
    for (const FrameEntry& f : m_.frames()) {
      const Transform<double> X = get_frame_pose(ws_, f);
      out["frames"].push_back(
          {{"name", f.name}, {"body", name(f.body)}, {"position", vector(X.r)}, {"quaternion", quaternion(X.E)}});
    }
    out["loops"] = Json::array();
    for (std::size_t l = 0; l < m_.loops().size(); ++l) out["loops"].push_back(loop(l));
    out["couplings"] = Json::array();
    for (const CouplingSpec& c : spec_.couplings) out["couplings"].push_back(coupling(c));
    if (!spec_.tendons.empty()) out["tendons"] = tendons();
    return out;
  }

 private:
  const std::string& name(int body) const { return m_.bodies()[body].name; }

  Json counts() const {
    return {{"bodies", spec_.bodies.size()},      {"joints", spec_.joints.size()},
            {"frames", spec_.frames.size()},      {"shapes", spec_.shapes.size()},
            {"meshes", spec_.meshes.size()},      {"heightfields", spec_.heightfields.size()},
            {"loops", spec_.loops.size()},        {"couplings", spec_.couplings.size()},
            {"tendons", spec_.tendons.size()},    {"actuators", spec_.actuators.size()},
            {"keyframes", spec_.keyframes.size()}};
  }

  Json tendons() const {
    const TendonWorkspace ws(m_);
    Json out = Json::array();
    for (std::size_t i = 0; i < spec_.tendons.size(); ++i) {
      const TendonSpec& t = spec_.tendons[i];
      Json one = {{"name", t.name}, {"length", ws.neutral[i]}, {"parts", Json::array()}};
      for (const TendonPart& p : t.parts) {
        constexpr const char* kKinds[] = {"site", "wrap", "pulley", "joint"};
        Json part = {{"kind", kKinds[static_cast<std::size_t>(p.kind)]}};
        if (!p.target.empty()) part["target"] = p.target;
        if (!p.side.empty()) part["side"] = p.side;
        if (p.kind == TendonPartKind::joint || p.kind == TendonPartKind::pulley) part["factor"] = p.factor;
        one["parts"].push_back(std::move(part));
      }
      if (std::isfinite(t.lower)) one["lower"] = t.lower;
      if (std::isfinite(t.upper)) one["upper"] = t.upper;
      for (const auto& [key, value] : {std::pair{"stiffness", t.stiffness}, std::pair{"damping", t.damping},
                                       std::pair{"friction", t.friction}, std::pair{"armature", t.armature}})
        if (value != 0) one[key] = value;
      out.push_back(std::move(one));
    }
    return out;
  }

  Json body(int b) const {
    const BodyEntry& e = m_.bodies()[b];
    const BodySpec& s = spec_.bodies[b - 1];
    const Transform<double> X = get_body_pose(m_, ws_, b);
    const int into = merged_into(m_, b);
    return {{"name", e.name},
            {"parent", name(e.parent)},
            {"joint", m_.joints()[e.joint].name},
            {"mass", s.mass},
            {"com", vector(s.com)},
            {"inertia",
             {{"xx", s.inertia.xx},
              {"yy", s.inertia.yy},
              {"zz", s.inertia.zz},
              {"xy", s.inertia.xy},
              {"xz", s.inertia.xz},
              {"yz", s.inertia.yz}}},
            {"position", vector(X.r)},
            {"quaternion", quaternion(X.E)},
            {"depth", m_.topology().depth(e.node)},
            {"merged_into", into < 0 ? Json(nullptr) : Json(name(into))}};
  }

  // Parts of a composite stand between the same two bodies as the whole.
  Json joint(const JointEntry& j, bool whole) const {
    Json out = {{"name", j.name}, {"kind", to_string(j.kind)}};
    if (whole) out.update({{"parent", name(j.parent)}, {"child", name(j.child)}});
    out.update({{"nq", j.nq}, {"nv", j.nv}, {"q_index", j.q}, {"v_index", j.v}});
    out["neutral"] = std::vector<double>(m_.neutral().begin() + j.q, m_.neutral().begin() + j.q + j.nq);
    const auto each = [&](const char* key, double DofSpec::*field) {
      out[key] = Json::array();
      for (int k = 0; k < j.nv; ++k) out[key].push_back(number(m_.dofs()[j.v + k].*field));
    };
    each("lower", &DofSpec::lower);
    each("upper", &DofSpec::upper);
    each("max_velocity", &DofSpec::max_velocity);
    each("max_effort", &DofSpec::max_effort);
    each("damping", &DofSpec::damping);
    each("friction", &DofSpec::friction);
    each("armature", &DofSpec::armature);
    for (const JointEntry& part : j.parts) out["parts"].push_back(joint(part, false));
    return out;
  }

  Json loop(std::size_t l) const {
    const LoopSpec& s = spec_.loops[l];
    return {{"name", s.name},     {"kind", to_string(s.kind)}, {"body_a", s.body_a},
            {"body_b", s.body_b}, {"active", s.active},        {"gap", loop_gap(m_.loops()[l], ws_)}};
  }

  static Json coupling(const CouplingSpec& c) {
    Json out = {{"name", c.name},
                {"dependent", c.dependent},
                {"offset", c.offset},
                {"active", c.active},
                {"terms", Json::array()}};
    for (const CouplingTerm& t : c.terms)
      out["terms"].push_back({{"joint", t.joint}, {"coefficients", t.coefficients}, {"reference", t.reference}});
    return out;
  }

  const Model& m_;
  const ModelSpec& spec_;
  KinematicsWorkspace<double> ws_;
};

}  // namespace

Json to_json(const Model& m) { return Writer(m).run(); }

Json to_json(const Diagnostics& all) {
  Json out = Json::array();
  for (const Diagnostic& d : all)
    out.push_back({{"code", static_cast<int>(d.code)},
                   {"name", describe(d.code).name},
                   {"severity", to_string(d.severity)},
                   {"file", d.where.file},
                   {"line", d.where.line > 0 ? Json(d.where.line) : Json(nullptr)},
                   {"element", d.element},
                   {"message", d.message},
                   {"repair", d.repair}});
  return out;
}

std::string write(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace sinew::app
