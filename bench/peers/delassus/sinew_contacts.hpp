// bench/peers/delassus/sinew_contacts.hpp - contacts as rows on nodes
#pragma once
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/delassus/problem.hpp"
#include "sinew/tree/velocity.hpp"

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

  void add(const FrameEntry& frame, int rows, const Vec3<double>& shift = {}) {
    Place place = frame;
    place.in_node = shift_frame(shift) * place.in_node;
    for (int i = 0; i < rows; ++i) {
      double f[6] = {};
      f[i] = 1;
      K.push_back(apply_inverse(place.in_node, Force<double>{{f[3], f[4], f[5]}, {f[0], f[1], f[2]}}));
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

// What the spatial accelerations along the rows must be: zero for a frame that stays; where a point stays, its own
// acceleration is zero, and the spatial one lacks w x v.
class Target {
 public:
  Target(const Model& m, const Contacts& c) : model_(m), contacts_(c), ws_(m), values_(c.K.size()) {
    for (const Contacts::One& one : c.all) points_ = points_ || one.rows == 3;
  }

  const std::vector<double>& calc(const std::vector<double>& q, const std::vector<double>& v) {
    if (!points_) return values_;
    calc_velocities<double>(model_, ws_, q, v);
    std::size_t row = 0;
    for (const Contacts::One& c : contacts_.all) {
      if (c.rows == 3) {
        const Motion<double> m = get_velocity(ws_, c.place, ReferenceFrame::body);
        const Vec3<double> a = cross(m.lin, m.ang);
        values_[row] = a.x, values_[row + 1] = a.y, values_[row + 2] = a.z;
      }
      row += static_cast<std::size_t>(c.rows);
    }
    return values_;
  }

 private:
  const Model& model_;
  const Contacts& contacts_;
  VelocityWorkspace<double> ws_;
  std::vector<double> values_;
  bool points_ = false;
};

}  // namespace peers
