// src/io/urdf_tree.cpp - names, the tree of links, the root's joint, mimic references
#include <algorithm>

#include "io/urdf_reader.hpp"

namespace sinew::urdf {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
using Index = std::unordered_map<std::string_view, std::size_t>;

std::string link_label(std::string_view name) { return "link " + xml::quote(name); }
std::string joint_label(std::string_view name) { return "joint " + xml::quote(name); }
std::string at_line(const SourceLocation& where) { return " (line " + std::to_string(where.line) + ")"; }

template <class Spec>
Index index_names(const std::vector<Spec>& list, const char* kind, Diagnostics& out) {
  Index index;
  index.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Spec& s = list[i];
    const auto [entry, fresh] = index.try_emplace(s.name, i);
    if (s.name.empty())
      out.add(Code::empty_name, kind, "has an empty name", "name it", s.where);
    else if (!fresh)
      out.add(Code::duplicate_name, kind + (' ' + xml::quote(s.name)),
              "has the same name as another" + at_line(list[entry->second].where), "rename one", s.where);
  }
  return index;
}

std::string unused_name(std::string name, const Index& taken) {
  while (taken.contains(name)) name += '_';
  return name;
}

class Tree {
 public:
  Tree(const ModelSpec& spec, Diagnostics& out)
      : spec_(spec),
        out_(out),
        links_(index_names(spec.bodies, "link", out)),
        joints_(index_names(spec.joints, "joint", out)),
        joint_above_(spec.bodies.size(), kNone),
        link_above_(spec.bodies.size(), kNone) {}

  const Index& links() const { return links_; }
  const Index& joints() const { return joints_; }

  // The root link, kNone when the joints do not make one tree of all links.
  std::size_t find_root() {
    bool known = true;
    for (std::size_t j = 0; j < spec_.joints.size(); ++j) known &= enter(j);
    const bool looped = report_cycles();
    if (!known) return kNone;  // a broken reference would be reported again as a second root
    std::vector<std::size_t> roots;
    for (std::size_t b = 0; b < link_above_.size(); ++b)
      if (joint_above_[b] == kNone) roots.push_back(b);
    if (roots.size() == 1) return looped ? kNone : roots[0];
    if (roots.empty())
      out_.add(Code::no_root, "robot", "every link is the child of a joint", "leave one link without a parent",
               spec_.bodies[0].where);
    else
      report_roots(roots);
    return kNone;
  }

 private:
  // Enters joint j into the tree; false when an end is not known.
  bool enter(std::size_t j) {
    const JointSpec& joint = spec_.joints[j];
    const auto end = [&](const std::string& name, const char* role) {
      const auto link = links_.find(name);
      if (link != links_.end()) return link->second;
      if (!name.empty())
        out_.add(Code::unknown_name, joint_label(joint.name),
                 std::string(role) + " link " + xml::quote(name) + " does not exist",
                 "mend the name or define the link", joint.where);
      return kNone;
    };
    const std::size_t parent = end(joint.parent, "parent"), child = end(joint.child, "child");
    if (child == kNone) return false;
    if (parent == child) {
      out_.add(Code::self_joint, joint_label(joint.name), "joins " + link_label(joint.child) + " to itself",
               "name two different links", joint.where);
      return false;
    }
    if (joint_above_[child] != kNone) {
      const JointSpec& first = spec_.joints[joint_above_[child]];
      out_.add(Code::several_parents, link_label(joint.child),
               "is the child of joint " + xml::quote(first.name) + at_line(first.where) + " and of joint " +
                   xml::quote(joint.name),
               "a URDF tree closes no loops: remove one joint", joint.where);
      return parent != kNone;
    }
    joint_above_[child] = j;
    link_above_[child] = parent;
    return parent != kNone;
  }

  // Walks up from every link once; a link met twice in one walk closes a cycle.
  bool report_cycles() const {
    bool found = false;
    std::vector<std::size_t> walk_of(link_above_.size(), kNone);
    for (std::size_t start = 0; start < link_above_.size(); ++start) {
      std::size_t b = start;
      for (; b != kNone && walk_of[b] == kNone; b = link_above_[b]) walk_of[b] = start;
      if (b == kNone || walk_of[b] != start) continue;
      found = true;
      std::string round = xml::quote(spec_.bodies[b].name);
      int shown = 1;
      for (std::size_t k = link_above_[b]; k != b && shown < 8; k = link_above_[k], ++shown)
        round += " under " + xml::quote(spec_.bodies[k].name);
      if (shown == 8) round += " ...";
      out_.add(Code::cycle, link_label(spec_.bodies[b].name),
               "joints form a cycle: " + round + " under " + xml::quote(spec_.bodies[b].name),
               "remove one joint of the cycle", spec_.joints[joint_above_[b]].where);
    }
    return found;
  }

  void report_roots(const std::vector<std::size_t>& roots) const {
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 8); ++i) {
      const BodySpec& b = spec_.bodies[roots[i]];
      list += (i ? ", " : "") + xml::quote(b.name) + at_line(b.where);
    }
    if (roots.size() > 8) list += ", ...";
    out_.add(Code::several_roots, "robot", std::to_string(roots.size()) + " links have no parent: " + list,
             "join all but one to the tree", spec_.bodies[roots[1]].where);
  }

  const ModelSpec& spec_;
  Diagnostics& out_;
  Index links_, joints_;
  std::vector<std::size_t> joint_above_, link_above_;  // of each link
};

// A mimic of an unknown joint is dropped with a warning; other readers drop it silently.
void check_mimic(ModelSpec& spec, const Index& joints, Diagnostics& out) {
  std::unordered_map<std::string_view, const CouplingSpec*> by_joint;
  std::erase_if(spec.couplings, [&](const CouplingSpec& c) {
    const std::string& source = c.terms[0].joint;
    if (joints.contains(source)) return false;
    out.add({Code::unknown_name, Severity::warning, c.where, joint_label(c.dependent),
             "mimics joint " + xml::quote(source) + ", which does not exist, and is left to move by itself",
             "mend the name or define the joint"});
    return true;
  });
  for (const CouplingSpec& c : spec.couplings) {
    const JointSpec& source = spec.joints[joints.at(c.terms[0].joint)];
    if (source.kind != JointKind::revolute && source.kind != JointKind::prismatic)
      out.add(Code::bad_joint_parameter, joint_label(c.dependent),
              "mimics " + joint_label(source.name) + ", which does not have one coordinate",
              "mimic a joint of one axis", c.where);
    by_joint.try_emplace(c.dependent, &c);
  }
  std::unordered_map<std::string_view, const CouplingSpec*> walk_of;  // joint -> start of the walk that met it
  for (const CouplingSpec& c : spec.couplings) {
    std::string_view at = c.dependent;
    for (auto next = by_joint.find(at); next != by_joint.end() && walk_of.try_emplace(at, &c).second;
         next = by_joint.find(at))
      at = next->second->terms[0].joint;
    const auto met = walk_of.find(at);
    if (met != walk_of.end() && met->second == &c)
      out.add(Code::cycle, joint_label(at), "mimics itself, directly or through others", "let one joint move freely",
              by_joint.at(at)->where);
  }
}

}  // namespace

void check_tree(ModelSpec& spec, bool floating_base, Diagnostics& out) {
  Tree tree(spec, out);
  const std::size_t root = tree.find_root();
  check_mimic(spec, tree.joints(), out);
  if (root == kNone) return;

  if (tree.links().contains(spec.world)) spec.world = unused_name("universe", tree.links());
  JointSpec joint;
  joint.name = unused_name("root_joint", tree.joints());
  joint.kind = floating_base ? JointKind::free : JointKind::fixed;
  joint.parent = spec.world;
  joint.child = spec.bodies[root].name;
  joint.where = spec.bodies[root].where;
  spec.joints.insert(spec.joints.begin(), std::move(joint));
}

}  // namespace sinew::urdf
