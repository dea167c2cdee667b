// sinew/model/dh.hpp - chains given by a table of Denavit-Hartenberg parameters [F08 section 4.3, Fig 4.8]
// Modified convention: row i leads from joint frame i-1 to joint frame i by a along and alpha about x of frame i-1,
// then d along and theta about z of frame i. A revolute joint turns by q + theta, a prismatic one slides by q + d.
// The link transform is two axial screws, one about x and one about z, which is what exact counts build on.
#pragma once
#include <string>
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/model/solids.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

// One row of a Denavit-Hartenberg table.
struct DhRow {
  double a = 0, alpha = 0, d = 0, theta = 0;
  JointKind kind = JointKind::revolute;  // or prismatic
  MassProperties link;                   // in the link's own frame, the joint frame of this row
};

// X_T(i): frame i at q = 0 <- frame i-1.
Transform<double> dh_transform(const DhRow&);

// Bodies "link1".., joints "joint1".. from the world outwards; the first frame stands at `base` in the world.
Result<ModelSpec> make_dh_chain(const std::string& name, const std::vector<DhRow>& table, const Pose& base = {});

}  // namespace sinew
