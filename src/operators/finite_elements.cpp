// src/operators/finite_elements.cpp
#include "sinew/operators/finite_elements.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "linear/modal_reduction.hpp"
#include "operators/moments.hpp"

namespace sinew::sko {
namespace {

using linear::SparseEntry;

[[noreturn]] void refuse_elements(const FiniteElements& e, const std::string& why) {
  throw std::invalid_argument("finite elements of body '" + e.body + "': " + why);
}

void check_node_number(const FiniteElements& e, int node, const std::string& what) {
  if (node < 0 || at(node) >= e.nodes.size())
    refuse_elements(e, what + " names node " + std::to_string(node) + "; there are " + std::to_string(e.nodes.size()) +
                           ", counted from 0");
}

std::string freedom_name(const FiniteElements& e, int row) {
  constexpr const char* kNames[] = {"x", "y", "z", "turn x", "turn y", "turn z"};
  return "node " + std::to_string(row / e.freedoms) + " " + kNames[row % e.freedoms];
}

void check_symmetry(const FiniteElements& e, const std::vector<SparseEntry>& list, const char* what) {
  std::map<std::pair<int, int>, double> difference;
  double largest = 0;
  for (const SparseEntry& x : list) {
    if (x.row < 0 || x.row >= e.rows || x.col < 0 || x.col >= e.rows)
      refuse_elements(e, std::string(what) + " has an entry in row " + std::to_string(x.row) + ", column " +
                             std::to_string(x.col) + "; it has " + std::to_string(e.rows) + " rows");
    if (!std::isfinite(x.value)) refuse_elements(e, std::string(what) + " has an entry that is not finite");
    largest = std::max(largest, std::abs(x.value));
    if (x.row != x.col) difference[std::minmax(x.row, x.col)] += x.row < x.col ? x.value : -x.value;
  }
  constexpr double kRounding = 1e-9;
  for (const auto& [place, d] : difference)
    if (std::abs(d) > kRounding * largest)
      refuse_elements(e, std::string(what) + " is not symmetric: the entries between " + freedom_name(e, place.first) +
                             " and " + freedom_name(e, place.second) + " differ by " + std::to_string(d));
}

void check_elements(const FiniteElements& e) {
  if (e.freedoms != 3 && e.freedoms != 6)
    refuse_elements(e, "nodes have " + std::to_string(e.freedoms) + " freedoms; 3 or 6 are known");
  if (at(e.rows) != e.nodes.size() * at(e.freedoms))
    refuse_elements(e, "mass and stiffness have " + std::to_string(e.rows) + " rows; " +
                           std::to_string(e.nodes.size()) + " nodes of " + std::to_string(e.freedoms) +
                           " freedoms need " + std::to_string(e.nodes.size() * at(e.freedoms)));
  check_symmetry(e, e.mass, "the mass");
  check_symmetry(e, e.stiffness, "the stiffness");
  if (e.root.empty()) refuse_elements(e, "no root nodes; name the nodes that are clamped to the body's frame");
  for (const int n : e.root) check_node_number(e, n, "the root");
  for (const auto& x : e.interfaces) {
    if (x.nodes.empty()) refuse_elements(e, "interface '" + x.name + "' has no nodes");
    for (const int n : x.nodes) check_node_number(e, n, "interface '" + x.name + "'");
  }
  for (const auto& line : e.lines)
    for (const int n : line) check_node_number(e, n, "a line");
  if (e.modes < 1) refuse_elements(e, "it needs at least one mode");
  if (e.inner_modes < 0 || !(e.damping_ratio >= 0))
    refuse_elements(e, "inner_modes and damping_ratio must not be negative");
}

// How the nodes move in each mode, and the mass that stands at each.
class NodeFields {
 public:
  NodeFields(const FiniteElements& e, const linear::Matrix& shapes) : e_(e), shapes_(shapes) {}
  int modes() const { return shapes_.cols(); }
  Vec3<double> shift(int node, int mode) const { return get(node, 0, mode); }
  Vec3<double> turn(int node, int mode) const { return e_.freedoms == 6 ? get(node, 3, mode) : Vec3<double>{}; }

  // The rigid motion about `middle` nearest to that of the nodes: mean shift; turn from (sum d^2 - d d^T) w = sum d x
  // u.
  Motion<double> fit(const FiniteElements::Interface& x, const Vec3<double>& middle, int mode) const {
    Motion<double> out{};
    const double share = 1.0 / static_cast<double>(x.nodes.size());
    Sym3<double> spread{};
    Vec3<double> moment{};
    for (const int n : x.nodes) {
      const Vec3<double> d = e_.nodes[at(n)] - middle, u = shift(n, mode);
      out.lin += share * u;
      out.ang += share * turn(n, mode);
      spread = spread - cross_cross(d, d);
      moment += cross(d, u);
    }
    if (e_.freedoms == 3) out.ang = inverse(spread) * moment;
    return out;
  }
  Vec3<double> middle_of(const FiniteElements::Interface& x) const {
    Vec3<double> out{};
    for (const int n : x.nodes) out += (1.0 / static_cast<double>(x.nodes.size())) * e_.nodes[at(n)];
    return out;
  }
  void check_spread(const FiniteElements::Interface& x) const {
    if (e_.freedoms == 6) return;
    Sym3<double> spread{};
    for (const int n : x.nodes) {
      const Vec3<double> d = e_.nodes[at(n)] - middle_of(x);
      spread = spread - cross_cross(d, d);
    }
    const double size = spread.xx + spread.yy + spread.zz;
    const Sym3<double>& s = spread;
    const double determinant =
        s.xx * (s.yy * s.zz - s.yz * s.yz) - s.xy * (s.xy * s.zz - s.yz * s.xz) + s.xz * (s.xy * s.yz - s.yy * s.xz);
    constexpr double kFlat = 1e-12;
    if (!(determinant > kFlat * size * size * size))
      refuse_elements(e_, "interface '" + x.name +
                              "' cannot tell turns: nodes without turns need three that do not lie on one line");
  }

 private:
  Vec3<double> get(int node, int first, int mode) const {
    const int row = e_.freedoms * node + first;
    return {shapes_(row, mode), shapes_(row + 1, mode), shapes_(row + 2, mode)};
  }
  const FiniteElements& e_;
  const linear::Matrix& shapes_;
};

// q of every node, along the lines: each element shortens by 1/2 int |u'|^2, u Hermite's cubic between its nodes.
std::vector<std::vector<Vec3<double>>> calc_shortening(const FiniteElements& e, const NodeFields& fields) {
  const std::size_t m = at(fields.modes());
  std::vector<std::vector<Vec3<double>>> q(e.nodes.size());
  std::vector<bool> known(e.nodes.size(), false);
  for (const int n : e.root) known[at(n)] = true, q[at(n)].assign(m * m, {});
  for (const auto& line : e.lines)
    for (std::size_t k = 0; k + 1 < line.size(); ++k) {
      const int a = line[k], b = line[k + 1];
      if (!known[at(a)])
        refuse_elements(
            e, "a line begins at node " + std::to_string(a) + ", which is neither a root node nor on a line before it");
      if (known[at(b)]) refuse_elements(e, "lines reach node " + std::to_string(b) + " twice; they must form a tree");
      const Vec3<double> along = e.nodes[at(b)] - e.nodes[at(a)];
      const double L = norm(along);
      if (!(L > 0))
        refuse_elements(e, "a line has two nodes at one place, " + std::to_string(a) + " and " + std::to_string(b));
      const Vec3<double> d = (1 / L) * along;
      struct Bent {
        Vec3<double> step, slope_a, slope_b;  // across the element
      };
      std::vector<Bent> bent;
      for (std::size_t i = 0; i < m; ++i) {
        const int mode = static_cast<int>(i);
        Vec3<double> step = fields.shift(b, mode) - fields.shift(a, mode);
        step -= dot(step, d) * d;
        Bent x{step, cross(fields.turn(a, mode), d), cross(fields.turn(b, mode), d)};
        if (e.freedoms == 3) x.slope_a = x.slope_b = (1 / L) * step;
        bent.push_back(x);
      }
      q[at(b)] = q[at(a)];
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          const Bent &x = bent[i], &y = bent[j];
          const double sum = (36 * dot(x.step, y.step) -
                              3 * L * (dot(x.step, y.slope_a + y.slope_b) + dot(y.step, x.slope_a + x.slope_b)) +
                              L * L *
                                  (4 * dot(x.slope_a, y.slope_a) + 4 * dot(x.slope_b, y.slope_b) -
                                   dot(x.slope_a, y.slope_b) - dot(x.slope_b, y.slope_a))) /
                             (30 * L);
          q[at(b)][i * m + j] -= sum * d;
        }
      known[at(b)] = true;
    }
  return q;
}

std::vector<double> multiply_by(const FiniteElements& e, const std::vector<SparseEntry>& A,
                                const std::vector<double>& x) {
  std::vector<double> out(at(e.rows), 0.0);
  for (const SparseEntry& a : A) out[at(a.row)] += a.value * x[at(a.col)];
  return out;
}
double product_of(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

FlexibleBody make_flexible_body(const FiniteElements& e) {
  check_elements(e);
  std::vector<int> kind(at(e.rows), 0);
  const auto mark = [&](int node, int as) {
    for (int f = 0; f < e.freedoms; ++f) kind[at(e.freedoms * node + f)] = as;
  };
  for (const auto& x : e.interfaces)
    for (const int n : x.nodes) mark(n, 1);
  for (const int n : e.root) mark(n, 2);
  const linear::ReducedShapes reduced = linear::reduce_modes(e.rows, e.stiffness, e.mass, kind, e.inner_modes, e.modes);
  if (!reduced.fault.empty()) refuse_elements(e, reduced.fault);
  const NodeFields fields(e, reduced.shapes);
  const std::size_t m = at(fields.modes()), nodes = e.nodes.size();

  // Mass of each node: what a unit acceleration along an axis meets there, the mean of the three.
  std::vector<double> lumped(nodes, 0.0);
  std::vector<std::vector<double>> rigid(6, std::vector<double>(at(e.rows), 0.0)), momentum;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t n = 0; n < nodes; ++n) {
      const Vec3<double> axis{k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0};
      const Vec3<double> turned = cross(axis, e.nodes[n]);
      double* shift = rigid[3 + k].data() + n * at(e.freedoms);
      double* turn = rigid[k].data() + n * at(e.freedoms);
      shift[k] = 1;
      turn[0] = turned.x, turn[1] = turned.y, turn[2] = turned.z;
      if (e.freedoms == 6) turn[3 + k] = 1;
    }
  for (const auto& r : rigid) momentum.push_back(multiply_by(e, e.mass, r));
  for (std::size_t n = 0; n < nodes; ++n)
    for (std::size_t k = 0; k < 3; ++k) lumped[n] += momentum[3 + k][n * at(e.freedoms) + k] / 3;

  const bool stiffens = !e.lines.empty();
  const auto second = stiffens ? calc_shortening(e, fields) : std::vector<std::vector<Vec3<double>>>(nodes);
  std::vector<MaterialPoint> points;
  for (std::size_t n = 0; n < nodes; ++n) {
    MaterialPoint p{lumped[n], e.nodes[n], {}, second[n]};
    for (std::size_t i = 0; i < m; ++i) p.shift.push_back(fields.shift(static_cast<int>(n), static_cast<int>(i)));
    if (stiffens && p.second.empty())
      refuse_elements(e, "node " + std::to_string(n) + " has mass but is on no line; lines must reach all nodes");
    points.push_back(std::move(p));
  }
  FlexibleBody out;
  out.body = e.body;
  set_material(out, static_cast<int>(m), points);

  // What M says exactly.
  const auto inertia = [&](std::size_t i, std::size_t j) { return product_of(rigid[i], momentum[j]); };
  out.rigid.m = inertia(3, 3);
  out.rigid.h = {inertia(2, 4), inertia(0, 5), inertia(1, 3)};
  out.rigid.I = {inertia(0, 0), inertia(0, 1), inertia(0, 2), inertia(1, 1), inertia(1, 2), inertia(2, 2)};
  out.mass.assign(m * m, 0.0), out.stiffness.assign(m * m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<double> shape(at(e.rows));
    for (int r = 0; r < e.rows; ++r) shape[at(r)] = reduced.shapes(r, static_cast<int>(i));
    out.angular_momentum[i] = {product_of(momentum[0], shape), product_of(momentum[1], shape),
                               product_of(momentum[2], shape)};
    out.momentum[i] = {product_of(momentum[3], shape), product_of(momentum[4], shape), product_of(momentum[5], shape)};
    out.mass[i * (m + 1)] = 1;
    out.stiffness[i * (m + 1)] = reduced.squares[i];
  }
  if (e.damping_ratio > 0) set_damping_ratio(out, e.damping_ratio);

  for (const auto& x : e.interfaces) {
    fields.check_spread(x);
    FlexibleNode node;
    node.name = x.name;
    node.position = fields.middle_of(x);
    for (std::size_t i = 0; i < m; ++i) {
      const Motion<double> moved = fields.fit(x, node.position, static_cast<int>(i));
      node.shift.push_back(moved.lin), node.turn.push_back(moved.ang);
    }
    if (stiffens) {
      node.second.assign(m * m, {});
      for (const int n : x.nodes)
        for (std::size_t ij = 0; ij < m * m; ++ij)
          node.second[ij] += (1.0 / static_cast<double>(x.nodes.size())) * second[at(n)][ij];
    }
    out.nodes.push_back(std::move(node));
  }
  return out;
}

}  // namespace sinew::sko
