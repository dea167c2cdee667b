// bench/peers/pinocchio_model.cpp
#include "pinocchio_model.hpp"

#include <cstdio>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace peers {
namespace {

using namespace pinocchio;

JointModel make_joint(const std::string& type, const Eigen::Vector3d& axis) {
  if (type == "JointModelRX") return JointModelRX();
  if (type == "JointModelRY") return JointModelRY();
  if (type == "JointModelRZ") return JointModelRZ();
  if (type == "JointModelRUBX") return JointModelRUBX();
  if (type == "JointModelRUBY") return JointModelRUBY();
  if (type == "JointModelRUBZ") return JointModelRUBZ();
  if (type == "JointModelPX") return JointModelPX();
  if (type == "JointModelPY") return JointModelPY();
  if (type == "JointModelPZ") return JointModelPZ();
  if (type == "JointModelRevoluteUnaligned") return JointModelRevoluteUnaligned(axis);
  if (type == "JointModelRevoluteUnboundedUnaligned") return JointModelRevoluteUnboundedUnaligned(axis);
  if (type == "JointModelPrismaticUnaligned") return JointModelPrismaticUnaligned(axis);
  if (type == "JointModelPlanar") return JointModelPlanar();
  if (type == "JointModelFreeFlyer") return JointModelFreeFlyer();
  throw std::runtime_error("pinocchio_peer: no joint " + type);
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

template <int Rows, int Cols>
Eigen::Matrix<double, Rows, Cols> read(std::istream& in) {
  Eigen::Matrix<double, Rows, Cols> m;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j) in >> m(i, j);
  return m;
}

SE3 read_place(std::istream& in) {
  const Eigen::Matrix3d rotation = read<3, 3>(in);
  return {rotation, read<3, 1>(in)};
}

std::string ask_reader(const std::string& urdf, bool floating, const std::string& contacts = {}) {
  return output_of(quoted(PEERS_PYTHON) + " " + quoted(PEERS_READER) + " " + quoted(urdf) +
                   (floating ? " --floating" : "") + (contacts.empty() ? "" : " --contacts " + quoted(contacts)));
}

}  // namespace

Model load_pinocchio(const std::string& urdf, bool floating) {
  std::istringstream text(ask_reader(urdf, floating));
  Model model;
  std::string name, type;
  for (JointIndex parent; text >> std::quoted(name) >> type >> parent;) {
    const Eigen::Vector3d axis = read<3, 1>(text);
    const SE3 place = read_place(text);
    const double mass = read<1, 1>(text)(0);
    const Eigen::Vector3d lever = read<3, 1>(text);
    const Eigen::Matrix<double, 6, 1> inertia = read<6, 1>(text);
    const JointIndex k = model.addJoint(parent, make_joint(type, axis), place, name);
    model.appendBodyToJoint(k, Inertia(mass, lever, Symmetric3(inertia)), SE3::Identity());
    for (int i = 0; i < model.nvs[k]; ++i) text >> model.armature[model.idx_vs[k] + i];
  }
  if (!text.eof()) throw std::runtime_error("pinocchio_peer: cannot read the joint " + name);
  return model;
}

std::vector<Contact> load_contacts(const std::string& urdf, bool floating, const std::string& contacts) {
  std::istringstream text(ask_reader(urdf, floating, contacts));
  std::vector<Contact> out;
  Contact c{};
  while (text >> c.joint >> c.rows) {
    c.placement = read_place(text);
    out.push_back(c);
  }
  return out;
}

}  // namespace peers
