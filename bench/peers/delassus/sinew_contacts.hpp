// bench/peers/delassus/sinew_contacts.hpp - contacts as rows on nodes
#pragma once
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/delassus/pv_points.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace peers {

using namespace sinew;

// Rows as Pinocchio orders them: contact by contact, forces before couples, along the contact's own axes.
struct Contacts {
  struct One {
    Place place;
    int rows;
  };
  std::vector<One> all;
  std::vector<delassus::Entry> entries;
  std::vector<Force<double>> K;
  std::vector<delassus::PointRow> points;  // contacts of three rows hold a point, others the frame

  void add(const FrameEntry& frame, int rows, const Vec3<double>& shift = {}) {
    Place place = frame;
    place.in_node = shift_frame(shift) * place.in_node;
    for (int i = 0; i < rows; ++i) {
      double f[6] = {};
      f[i] = 1;
      const Force<double> force{{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
      K.push_back(apply_inverse(place.in_node, force));
      points.push_back({});
      if (rows == 3) points.back() = {apply_inverse(place.in_node.E, force.lin), place.in_node.r};
      entries.push_back({static_cast<int>(entries.size()), place.node});
    }
    all.push_back({place, rows});
  }

  delassus::Problem problem(const Model& m) const { return {m, static_cast<int>(entries.size()), entries}; }
};

inline Contacts read_contacts(const Model& model, const std::string& file) {
  std::ifstream in(file);
  Contacts out;
  std::string name;
  int rows = 0;
  for (Vec3<double> shift; in >> name >> rows >> shift.x >> shift.y >> shift.z;) {
    const auto frame = model.find_frame(name);
    if (!frame) throw std::runtime_error("no frame " + name);
    out.add(*frame, rows, shift);
  }
  if (out.all.empty()) throw std::runtime_error("no contacts in " + file);
  return out;
}

}  // namespace peers
