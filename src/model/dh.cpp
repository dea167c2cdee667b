// src/model/dh.cpp
#include "sinew/model/dh.hpp"

#include <cmath>

namespace sinew {

Transform<double> dh_transform(const DhRow& row) {
  const Transform<double> about_x{rotation_x(row.alpha), {row.a, 0, 0}};
  const Transform<double> about_z{rotation_z(row.theta), {0, 0, row.d}};
  return about_z * about_x;
}

Result<ModelSpec> make_dh_chain(const std::string& name, const std::vector<DhRow>& table, const Pose& base) {
  Diagnostics out;
  ModelSpec spec;
  spec.name = name;
  std::string parent = spec.world;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const DhRow& row = table[i];
    const std::string number = std::to_string(i + 1);
    if (row.kind != JointKind::revolute && row.kind != JointKind::prismatic)
      out.add(Code::unsupported_joint, "row " + number, "is " + std::string(to_string(row.kind)),
              "a table has revolute and prismatic joints");
    for (const double x : {row.a, row.alpha, row.d, row.theta})
      if (!std::isfinite(x))
        out.add(Code::not_finite, "row " + number, "has a number that is not finite", "give finite numbers");

    BodySpec body;
    body.name = "link" + number;
    body.mass = row.link.mass;
    body.com = row.link.com;
    body.inertia = row.link.inertia;
    JointSpec joint;
    joint.name = "joint" + number;
    joint.parent = parent;
    joint.child = body.name;
    joint.kind = row.kind;
    joint.placement = i == 0 ? dh_transform(row) * base : dh_transform(row);
    parent = body.name;
    spec.bodies.push_back(std::move(body));
    spec.joints.push_back(std::move(joint));
  }
  if (table.empty()) out.add(Code::missing_element, "table '" + name + "'", "has no rows", "give at least one");
  if (out.has_errors()) return out;
  return {std::move(spec), std::move(out)};
}

}  // namespace sinew
