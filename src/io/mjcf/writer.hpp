// src/io/mjcf/writer.hpp - pieces of the MJCF writer
#pragma once
#include <tinyxml2.h>

#include <initializer_list>
#include <map>
#include <span>

#include "io/mjcf/settings.hpp"
#include "sinew/io/mjcf_write.hpp"

namespace sinew::mjcf {

// One joint as MJCF has it: in its body's frame at the reference position.
struct WrittenJoint {
  const JointSpec* spec;  // a whole joint or a part
  std::string name;
  JointKind kind;  // free, spherical, prismatic, revolute
  Vec3<double> pos, axis;
  double ref = 0;
  std::size_t first_dof = 0, dof_count = 0;
};

struct WrittenBody {
  const BodySpec* spec;
  const JointSpec* joint;  // towards its parent
  Frame frame, world;      // in the parent and in the world at the reference position
  std::vector<WrittenJoint> joints;
  std::vector<int> children;
};

class Writer {
 public:
  Writer(const ModelSpec& spec, const MjcfWriteOptions& options, Diagnostics& out)
      : spec_(spec), options_(options), out_(out) {}
  std::string write();

 private:
  // tree: writer_tree.cpp
  bool place_bodies();
  bool place(WrittenBody&, const Frame& parent_world);
  bool chain(const JointSpec&, std::vector<WrittenJoint>&, std::vector<Frame>&, Frame& at);
  void write_contents(const std::string& body);
  void write_body(int index, int depth);
  void write_joint(const WrittenBody&, const WrittenJoint&);
  void write_shape(const ShapeSpec&);
  // the rest: writer_rest.cpp
  void write_assets();
  void write_contact();
  void write_loop(const LoopSpec&);
  void write_coupling(const CouplingSpec&);
  void write_tendon(const TendonSpec&);
  void write_tendon_coupling(const TendonCouplingSpec&);
  void write_actuator(const ActuatorSpec&);
  void write_activation(const ActuatorSpec&);
  void write_range(const char* range, double low, double high, const std::string& element, const SourceLocation& where);
  void check_site(const std::string& frame, const std::string& element, const SourceLocation& where);
  void write_keyframe(const KeyframeSpec&);
  void write_sensor(const SensorSpec& s);
  void find_open_loops();

  void open(const char* tag) { xml_.OpenElement(tag); }
  void close() { xml_.CloseElement(); }
  void text(const char* name, const std::string& value) { xml_.PushAttribute(name, value.c_str()); }
  void name(const std::string& value) {
    if (!value.empty()) text("name", value);
  }
  void numbers(const char* name, std::span<const double> values);
  void numbers(const char* name, std::initializer_list<double> values) {
    numbers(name, std::span(values.begin(), values.size()));
  }
  void vec(const char* name, const Vec3<double>& v) { numbers(name, {v.x, v.y, v.z}); }
  void frame(const Frame&);
  std::string body_name(const std::string& name) const { return name == spec_.world ? "world" : name; }
  Frame world_frame(const std::string& body) const;
  const WrittenJoint* scalar(const std::string& joint) const;
  // An error, or a warning when losses are allowed.
  void lost(const std::string& element, const std::string& message, const SourceLocation&);
  void impossible(const std::string& element, const std::string& message, const SourceLocation&);

  const ModelSpec& spec_;
  const MjcfWriteOptions& options_;
  Diagnostics& out_;
  tinyxml2::XMLPrinter xml_;
  std::vector<WrittenBody> bodies_;  // in the order of spec.joints
  std::vector<int> roots_;
  std::vector<const LoopSpec*> open_loops_;  // balls that are not closed at the reference position
  std::multimap<std::string, const ShapeSpec*, std::less<>> shapes_;
  std::multimap<std::string, const FrameSpec*, std::less<>> frames_;
  std::map<std::string, int, std::less<>> body_index_;
};

Frame to_frame(const Pose&);

}  // namespace sinew::mjcf
