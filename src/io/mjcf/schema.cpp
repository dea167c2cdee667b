// src/io/mjcf/schema.cpp - facts of the format, MuJoCo 4.0
#include "io/mjcf/schema.hpp"

#include <algorithm>
#include <iterator>

namespace sinew::mjcf {
namespace {

#define SINEW_ORIENTATION " quat axisangle xyaxes zaxis euler"
#define SINEW_TARGET " joint jointinparent site refsite tendon slidersite cranksite"
#define SINEW_DRIVE \
  "name class gear ctrlrange ctrllimited forcerange forcelimited lengthrange cranklength armature damping"
#define SINEW_DRIVE_NOTED "group user"
#define SINEW_DRIVE_EFFECTIVE "delay interp nsample"
#define SINEW_ACTIVATION " actlimited actrange"

constexpr Rule kRules[] = {
    {"compiler",
     "angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq fitaabb inertiafromgeom "
     "inertiagrouprange meshdir assetdir settotalmass strippath alignfree",
     "conflict discardvisual fusestatic passthrough savecanonical savecompiled saveinertial texturedir usethread", ""},
    {"option", "gravity timestep density viscosity wind magnetic",
     "actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations jacobian ls_iterations "
     "ls_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints "
     "sdf_iterations sleep_tolerance solver tolerance",
     ""},
    {"default", "class", "", ""},
    {"body", "name childclass pos mocap gravcomp" SINEW_ORIENTATION, "user simple sleep fuse", ""},
    {"frame", "name childclass pos scale massscale scaling" SINEW_ORIENTATION, "", ""},
    {"attach", "model body frame prefix", "", ""},
    {"asset/model", "name file content_type", "", ""},
    {"replicate", "count sep offset euler", "", ""},
    {"inertial", "pos mass diaginertia fullinertia" SINEW_ORIENTATION, "", ""},
    {"joint",
     "name class type pos axis range limited ref springref springdamper stiffness damping frictionloss armature "
     "actuatorfrcrange actuatorfrclimited",
     "group user margin solimpfriction solimplimit solreffriction solreflimit actuatorgravcomp", "springyield"},
    {"freejoint", "name align", "group", ""},
    {"geom",
     "name class type size pos fromto mass density shellinertia friction condim priority contype conaffinity group "
     "margin rgba "
     "mesh "
     "hfield fitscale fluidshape fluidcoef" SINEW_ORIENTATION,
     "castshadow gap material solimp solmix solref user", "adhesion surfacevel"},
    {"site", "name class type size pos fromto" SINEW_ORIENTATION, "group material mesh rgba user", ""},
    {"mesh", "name class file scale vertex face refpos refquat inertia builtin content_type",
     "material maxhullvert normal params smoothnormal texcoord", ""},
    {"hfield", "name file nrow ncol size elevation", "content_type", ""},
    {"contact/pair", "name class geom1 geom2 friction condim margin", "gap solimp solref solreffriction", "adhesion"},
    {"contact/exclude", "name body1 body2", "", ""},
    {"equality/connect", "name class active body1 body2 anchor site1 site2", "solimp solref", ""},
    {"equality/weld", "name class active body1 body2 anchor relpose site1 site2", "solimp solref torquescale", ""},
    {"equality/joint", "name class active joint1 joint2 polycoef", "solimp solref", ""},
    {"equality/tendon", "name class active tendon1 tendon2 polycoef", "solimp solref", ""},
    {"equality", "active", "solimp solref", ""},
    {"tendon",
     "name class range limited actuatorfrcrange actuatorfrclimited stiffness damping springlength frictionloss "
     "armature",
     "group margin material rgba solimpfriction solimplimit solreffriction solreflimit user width", "springyield"},
    {"spatial/site", "site", "", ""},
    {"spatial/geom", "geom sidesite", "", ""},
    {"spatial/pulley", "divisor", "", ""},
    {"fixed/joint", "joint coef", "", ""},
    {"key", "name time qpos qvel ctrl act mpos mquat", "", "plastic"},
    {"actuator/general",
     SINEW_DRIVE SINEW_TARGET " body gaintype gainprm biastype biasprm dyntype dynprm inheritrange "
                              "actearly actdim" SINEW_ACTIVATION,
     SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE " ffrange velrange input"},
    {"actuator/motor", SINEW_DRIVE SINEW_TARGET, SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE},
    {"actuator/position", SINEW_DRIVE SINEW_TARGET " kp kv inheritrange timeconst dampratio", SINEW_DRIVE_NOTED,
     SINEW_DRIVE_EFFECTIVE},
    {"actuator/velocity", SINEW_DRIVE SINEW_TARGET " kv", SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE},
    {"actuator/intvelocity", SINEW_DRIVE SINEW_TARGET " kp kv inheritrange dampratio" SINEW_ACTIVATION,
     SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE},
    {"actuator/damper", SINEW_DRIVE SINEW_TARGET " kv", SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE},
    {"actuator/cylinder", SINEW_DRIVE SINEW_TARGET " area diameter bias timeconst", SINEW_DRIVE_NOTED,
     SINEW_DRIVE_EFFECTIVE},
    {"actuator/muscle", SINEW_DRIVE SINEW_TARGET " force fpmax fvmax lmax lmin range scale tausmooth timeconst vmax",
     SINEW_DRIVE_NOTED, SINEW_DRIVE_EFFECTIVE},
    {"actuator/adhesion", "name class body ctrlrange forcerange forcelimited gain", "group user",
     "delay interp nsample"},
};

struct Section {
  std::string_view name, children;
};
constexpr std::string_view kInBody =
    "inertial joint freejoint geom site camera light body frame replicate attach plugin flexcomp composite";
constexpr Section kSections[] = {
    {"mujoco",
     "compiler option size statistic visual default extension asset worldbody deformable contact tendon equality "
     "actuator sensor custom keyframe"},
    {"asset", "mesh hfield skin texture material model"},
    {"worldbody", kInBody},
    {"body", kInBody},
    {"frame", kInBody},
    {"replicate", kInBody},
    {"default",
     "default mesh texture material joint geom site camera light pair equality tendon general motor position velocity "
     "intvelocity orientation pid damper cylinder muscle adhesion dcmotor"},
    {"contact", "pair exclude"},
    {"equality", "connect weld joint tendon flex flexstrain flexvert distance"},
    {"keyframe", "key"},
    {"actuator",
     "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor plugin"},
    {"tendon", "spatial fixed"},
    {"spatial", "site geom pulley"},
    {"fixed", "joint"},
    {"deformable", "flex skin"},
    {"sensor",
     "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos jointvel "
     "tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel "
     "jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat "
     "framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel "
     "subtreeangmom insidesite distance normal fromto contact e_potential e_kinetic clock tactile user plugin"},
};

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return !word.empty();
  }
  return false;
}

const Rule* find_rule(std::string_view element) {
  const auto* r =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& x) { return x.element == element; });
  return r == std::end(kRules) ? nullptr : r;
}

std::string_view known_children(std::string_view section) {
  for (const Section& s : kSections)
    if (s.name == section) return s.children;
  return {};
}

void check_attributes(const Node& node, std::string_view element, Remarks& remarks, Diagnostics& out) {
  const Rule* rule = find_rule(element);
  if (!rule) return;
  for (const auto* a = node.xml->FirstAttribute(); a; a = a->Next()) {
    const std::string_view name = a->Name();
    if (has_word(rule->kept, name)) continue;
    if (out.list().size() > 1000) return;  // enough diagnostics
    const std::string subject = std::string(element) + ' ' + std::string(name);
    if (has_word(rule->noted, name))
      remarks.count(Code::ignored_element, subject, "is not kept", node);
    else if (has_word(rule->effective, name))
      remarks.count(Code::unsupported_element, subject, "changes the motion but is not modelled", node);
    else
      out.add(Code::unknown_attribute, node.label(), "MJCF has no attribute " + xml::quote(name) + " here", "remove it",
              node.where());
  }
}

}  // namespace sinew::mjcf
