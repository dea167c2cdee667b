// src/contact/line_contact.cpp
#include "sinew/contact/line_contact.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sinew {
namespace {

// The closing speed that one metre between points would allow; it grows with the square of their distance.
double closing_of_a_metre(const LineContact& line, double speed, double spin) {
  const double t = std::abs(line.turn) / norm(line.to - line.from);
  return (t * t * speed + 2 * t * spin) / 8;
}

void check_line(const LineContact& line, const char* who) {
  const double length = norm(line.to - line.from);
  if (!(length > 0)) throw std::invalid_argument(std::string(who) + ": the line has no length");
  const double along = dot(line.normal, line.to - line.from) / length;
  if (!(std::abs(norm(line.normal) - 1) <= 1e-6) || !(std::abs(along) <= 1e-6))
    throw std::invalid_argument(std::string(who) + ": the normal must be of length 1 and square to the line; it has " +
                                std::to_string(norm(line.normal)) + " and " + std::to_string(along) + " along it");
}

}  // namespace

void add_line_contacts(const LineContact& line, int count, std::vector<ContactPoint>& out) {
  check_line(line, "add_line_contacts");
  if (count < 2)
    throw std::invalid_argument("add_line_contacts: " + std::to_string(count) + " points; a line needs two");
  const Vec3<double> along = line.to - line.from, side = (1 / norm(along)) * cross(along, line.normal);
  for (int i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / (count - 1), angle = share * line.turn;
    ContactPoint p = line.like;
    p.point = line.from + share * along;
    p.normal = std::cos(angle) * line.normal + std::sin(angle) * side;
    p.id = line.like.id + static_cast<std::uint64_t>(i);
    out.push_back(p);
  }
}

double calc_line_closing(const LineContact& line, int count, double speed, double spin) {
  check_line(line, "calc_line_closing");
  if (count < 2)
    throw std::invalid_argument("calc_line_closing: " + std::to_string(count) + " points; a line needs two");
  const double h = norm(line.to - line.from) / (count - 1);
  return h * h * closing_of_a_metre(line, speed, spin);
}

int count_line_contacts(const LineContact& line, double allowed, double speed, double spin) {
  check_line(line, "count_line_contacts");
  if (!(allowed > 0)) throw std::invalid_argument("count_line_contacts: allowed must be positive");
  const double gaps = norm(line.to - line.from) * std::sqrt(closing_of_a_metre(line, speed, spin) / allowed);
  return 1 + std::max(1, static_cast<int>(std::ceil(gaps)));
}

}  // namespace sinew
