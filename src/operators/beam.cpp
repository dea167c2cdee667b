// src/operators/beam.cpp
#include "sinew/operators/beam.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "sinew/base/view.hpp"

namespace sinew::sko {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kMostModes = 40;

// Gauss-Legendre, 5 points, exact to the ninth degree.
constexpr std::array<double, 5> kGaussPlace{-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                            0.9061798459386640};
constexpr std::array<double, 5> kGaussWeight{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                             0.4786286704993665, 0.2369268850561891};

// A shape at one place: value, slope, curvature over the dimensionless length.
struct ShapeValue {
  double f = 0, df = 0, ddf = 0;
};
using BeamShape = std::function<ShapeValue(double)>;  // of x / length

// z of mode n = 1, 2, ..: cos z cosh z = sign [Blevins: Formulas for Natural Frequency and Mode Shape, Table 8-1].
double find_bending_root(int n, double sign) {
  double z = sign < 0 ? (n - 0.5) * kPi : (n + 0.5) * kPi;
  for (int i = 0; i < 30; ++i) {
    const double c = 1 / std::cosh(z), g = std::cos(z) - sign * c;
    z -= g / (-std::sin(z) + sign * c * std::tanh(z));
  }
  return z;
}

// f = a e^(z x) + b e^(-z x) + c cos(z x) + d sin(z x), from cosh x -+ cos x - sigma (sinh x -+ sin x). The factor of
// the growing term is a difference of nearly equal numbers, so it is written out.
BeamShape make_bending_shape(int n, bool clamped) {
  const double z = find_bending_root(n, clamped ? -1 : 1), s = clamped ? 1 : -1;
  const double denominator = std::sinh(z) + s * std::sin(z);
  const double sigma = (std::cosh(z) + s * std::cos(z)) / denominator;
  const double a = 0.5 * (s * (std::sin(z) - std::cos(z)) - std::exp(-z)) / denominator, b = 0.5 * (1 + sigma);
  const double most = clamped ? 2 : 2;  // at the free end
  return [=](double x) {
    const double grow = a * std::exp(z * x), fall = b * std::exp(-z * x), co = std::cos(z * x), si = std::sin(z * x);
    return ShapeValue{(grow + fall - s * co + s * sigma * si) / most,
                      z * (grow - fall + s * si + s * sigma * co) / most,
                      z * z * (grow + fall + s * co - s * sigma * si) / most};
  };
}
BeamShape make_sine(double z) {
  return [z](double x) { return ShapeValue{std::sin(z * x), z * std::cos(z * x), -z * z * std::sin(z * x)}; };
}
BeamShape make_cosine(double z) {
  return [z](double x) { return ShapeValue{std::cos(z * x), -z * std::sin(z * x), -z * z * std::cos(z * x)}; };
}

enum class ModeKind { y, z, axial, torsion };
struct BeamMode {
  ModeKind kind;
  BeamShape shape;
};

std::vector<BeamMode> make_modes(const BeamSpec& o) {
  std::vector<BeamMode> out;
  for (const auto& [kind, count] : {std::pair{ModeKind::y, o.modes_y}, {ModeKind::z, o.modes_z}})
    for (int n = 1; n <= count; ++n)
      out.push_back({kind, o.support == BeamSupport::pinned
                               ? make_sine(n * kPi)
                               : make_bending_shape(n, o.support == BeamSupport::cantilever)});
  for (const auto& [kind, count] : {std::pair{ModeKind::axial, o.modes_axial}, {ModeKind::torsion, o.modes_torsion}})
    for (int n = 1; n <= count; ++n)
      out.push_back({kind, o.support == BeamSupport::free_free ? make_cosine(n * kPi) : make_sine((n - 0.5) * kPi)});
  return out;
}

[[noreturn]] void refuse_beam(const BeamSpec& o, const std::string& why) {
  throw std::invalid_argument("beam of body '" + o.body + "': " + why);
}

void check_beam(const BeamSpec& o) {
  const auto positive = [&](const char* name, double x, const char* why = "") {
    if (!(x > 0) || !std::isfinite(x))
      refuse_beam(o, std::string(name) + " is " + std::to_string(x) + "; it must be positive and finite" + why);
  };
  positive("length", o.length), positive("mass", o.mass);
  for (const auto& [name, modes] : {std::pair{"modes_y", o.modes_y},
                                    {"modes_z", o.modes_z},
                                    {"modes_axial", o.modes_axial},
                                    {"modes_torsion", o.modes_torsion}})
    if (modes < 0 || modes > kMostModes)
      refuse_beam(
          o, std::string(name) + " is " + std::to_string(modes) + "; it must be 0 to " + std::to_string(kMostModes));
  if (o.modes_y + o.modes_z + o.modes_axial + o.modes_torsion == 0)
    refuse_beam(o, "it has no modes; ask for some by modes_y, modes_z, modes_axial or modes_torsion");
  if (o.modes_y > 0) positive("bending_y", o.bending_y, " where modes_y is");
  if (o.modes_z > 0) positive("bending_z", o.bending_z, " where modes_z is");
  if (o.modes_axial > 0) positive("axial", o.axial, " where modes_axial is");
  if (o.modes_torsion > 0) {
    positive("torsion", o.torsion, " where modes_torsion is");
    positive("section_y + section_z", o.section_y + o.section_z, " where modes_torsion is");
  }
  if (!(o.section_y >= 0) || !(o.section_z >= 0)) refuse_beam(o, "section_y and section_z must not be negative");
  if (!(o.damping_ratio >= 0) || !std::isfinite(o.damping_ratio))
    refuse_beam(o, "damping_ratio is " + std::to_string(o.damping_ratio) + "; it must not be negative");
  for (const auto& [name, x] : o.stations)
    if (!(x >= 0 && x <= o.length))
      refuse_beam(o, "station '" + name + "' is at x = " + std::to_string(x) + ", outside the beam, 0 to " +
                         std::to_string(o.length));
}

// The beam at one place: shapes of all modes, and the foreshortening of pairs of them up to there.
class BeamKinematics {
 public:
  explicit BeamKinematics(const BeamSpec& o) : o_(o), modes_(make_modes(o)), panels_(8 * most_per_kind(o)) {
    const std::size_t m = modes_.size();
    shorter_.assign(at(panels_ + 1), std::vector<double>(m * m, 0.0));
    for (int p = 0; p < panels_; ++p) {
      shorter_[at(p + 1)] = shorter_[at(p)];
      add_shortening(double(p) / panels_, double(p + 1) / panels_, shorter_[at(p + 1)]);
    }
    if (o.support != BeamSupport::free_free) return;
    // So that the centre of mass does not move along x: less the mean of the foreshortening.
    mean_.assign(m * m, 0.0);
    each_place([&](double x, double weight) {
      const std::vector<double> here = calc_shortening(x);
      for (std::size_t k = 0; k < mean_.size(); ++k) mean_[k] += weight * here[k];
    });
  }
  int modes() const { return static_cast<int>(modes_.size()); }

  // Calls f(x / length, weight): quadrature over the length, weights add up to 1.
  template <class F>
  void each_place(const F& f) const {
    const double h = 1.0 / panels_;
    for (int p = 0; p < panels_; ++p)
      for (std::size_t g = 0; g < kGaussPlace.size(); ++g)
        f(h * (p + 0.5 + 0.5 * kGaussPlace[g]), 0.5 * h * kGaussWeight[g]);
  }

  // The point at height (y, z) of the section at x, in the body's frame.
  FlexibleNode at_point(double x, double y, double z) const {
    const std::size_t m = modes_.size();
    FlexibleNode out;
    const Rotation<double>& E = o_.placement.E;
    const auto turned = [&](const Vec3<double>& a) { return apply_inverse(E, a); };
    out.position = apply_inverse_to_point(o_.placement, {o_.length * x, y, z});
    std::vector<ShapeValue> shape(m);
    for (std::size_t i = 0; i < m; ++i) {
      shape[i] = modes_[i].shape(x);
      const double f = shape[i].f, slope = shape[i].df / o_.length;
      switch (modes_[i].kind) {
        case ModeKind::y: out.shift.push_back(turned({0, f, 0})), out.turn.push_back(turned({0, 0, slope})); break;
        case ModeKind::z: out.shift.push_back(turned({0, 0, f})), out.turn.push_back(turned({0, -slope, 0})); break;
        case ModeKind::axial: out.shift.push_back(turned({f, 0, 0})), out.turn.push_back({}); break;
        case ModeKind::torsion:
          out.shift.push_back(turned({0, -f * z, f * y})), out.turn.push_back(turned({f, 0, 0}));
          break;
      }
    }
    const std::vector<double> shorter = calc_shortening(x);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        const double mean = mean_.empty() ? 0 : mean_[i * m + j];
        Vec3<double> q{-(shorter[i * m + j] - mean), 0, 0};
        if (modes_[i].kind == ModeKind::torsion && modes_[j].kind == ModeKind::torsion) {
          const double ff = shape[i].f * shape[j].f;  // (y, z) turned by f, to second order
          q = {0, -ff * y, -ff * z};
        }
        out.second.push_back(turned(q));
      }
    return out;
  }

  // E I int f'' f'' and so on.
  std::vector<double> calc_stiffness() const {
    const std::size_t m = modes_.size();
    std::vector<double> out(m * m, 0.0);
    const double L = o_.length;
    each_place([&](double x, double weight) {
      std::vector<ShapeValue> s;
      s.reserve(m);
      for (const BeamMode& mode : modes_) s.push_back(mode.shape(x));
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          if (modes_[i].kind != modes_[j].kind) continue;
          double& k = out[i * m + j];
          switch (modes_[i].kind) {
            case ModeKind::y: k += weight * o_.bending_y * s[i].ddf * s[j].ddf / (L * L * L); break;
            case ModeKind::z: k += weight * o_.bending_z * s[i].ddf * s[j].ddf / (L * L * L); break;
            case ModeKind::axial: k += weight * o_.axial * s[i].df * s[j].df / L; break;
            case ModeKind::torsion: k += weight * o_.torsion * s[i].df * s[j].df / L; break;
          }
        }
    });
    return out;
  }

 private:
  static int most_per_kind(const BeamSpec& o) {
    return std::max({o.modes_y, o.modes_z, o.modes_axial, o.modes_torsion, 2});
  }
  // Adds int f_i' f_j' dx from a to b (of x / length), for pairs that bend in the same plane.
  void add_shortening(double a, double b, std::vector<double>& out) const {
    const std::size_t m = modes_.size();
    std::vector<double> slope(m);
    for (std::size_t g = 0; g < kGaussPlace.size(); ++g) {
      const double x = 0.5 * (a + b) + 0.5 * (b - a) * kGaussPlace[g];
      for (std::size_t i = 0; i < m; ++i) slope[i] = modes_[i].shape(x).df;
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j)
          if (modes_[i].kind == modes_[j].kind && (modes_[i].kind == ModeKind::y || modes_[i].kind == ModeKind::z))
            out[i * m + j] += 0.5 * (b - a) * kGaussWeight[g] * slope[i] * slope[j] / o_.length;
    }
  }
  std::vector<double> calc_shortening(double x) const {
    const int p = std::clamp(static_cast<int>(x * panels_), 0, panels_ - 1);
    std::vector<double> out = shorter_[at(p)];
    add_shortening(double(p) / panels_, x, out);
    return out;
  }

  const BeamSpec& o_;
  std::vector<BeamMode> modes_;
  int panels_;
  std::vector<std::vector<double>> shorter_;  // at the ends of the panels
  std::vector<double> mean_;
};

}  // namespace

FlexibleBody make_beam(const BeamSpec& o) {
  check_beam(o);
  const BeamKinematics beam(o);
  // A section is one point, or four that have its moments of mass.
  std::vector<std::pair<double, double>> section{{0, 0}};
  if (o.section_y > 0 || o.section_z > 0) {
    const double y = std::sqrt(2 * o.section_y), z = std::sqrt(2 * o.section_z);
    section = {{y, 0}, {-y, 0}, {0, z}, {0, -z}};
  }
  std::vector<MaterialPoint> points;
  beam.each_place([&](double x, double weight) {
    for (const auto& [y, z] : section) {
      FlexibleNode n = beam.at_point(x, y, z);
      points.push_back(
          {o.mass * weight / static_cast<double>(section.size()), n.position, std::move(n.shift), std::move(n.second)});
    }
  });
  FlexibleBody out;
  out.body = o.body;
  set_material(out, beam.modes(), points);
  out.stiffness = beam.calc_stiffness();
  if (o.damping_ratio > 0) set_damping_ratio(out, o.damping_ratio);
  for (const auto& [name, x] : o.stations) {
    out.nodes.push_back(beam.at_point(x / o.length, 0, 0));
    out.nodes.back().name = name;
  }
  if (o.support != BeamSupport::cantilever) out.root = beam.at_point(0, 0, 0);
  return out;
}

}  // namespace sinew::sko
