// tests/support/friction_problems.cpp
#include "support/friction_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/random.hpp"

namespace sinew::test {
namespace {

using Vec = std::array<double, 3>;

Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec minus(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec scaled(double s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
Vec random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }
Vec random_unit(Random& random) {
  const Vec v = random_vector(random);
  return scaled(1 / std::sqrt(dot(v, v)), v);
}

struct Body {
  double mass = 1, radius = 0.5;  // inertia of a ball of that radius of gyration
  Vec at{}, v{}, w{};
};
struct Touch {
  int a = 0, b = -1;  // the normal points from b to a; -1 is the world
  Vec at{}, normal{0, 0, 1};
  double mu = 0.5;
};

// W = J M^-1 J^T and q = J v over the rows n, t, t of each contact.
FrictionCase assemble(std::string_view kind, const std::vector<Body>& bodies, const std::vector<Touch>& touches) {
  const std::size_t c = touches.size(), n = 3 * c;
  FrictionCase out{kind, std::vector<double>(n * n), std::vector<double>(n), {}, {}};
  // direction and moment arm of each row at each of its bodies
  struct Row {
    std::array<int, 2> body;
    std::array<Vec, 2> linear, angular;
  };
  std::vector<Row> rows;
  for (const Touch& t : touches) {
    const Vec along = std::abs(t.normal[0]) < 0.7 ? Vec{1, 0, 0} : Vec{0, 1, 0};
    Vec t1 = cross(t.normal, along);
    t1 = scaled(1 / std::sqrt(dot(t1, t1)), t1);
    for (const Vec& d : {t.normal, t1, cross(t.normal, t1)}) {
      Row r{{t.a, t.b}, {d, scaled(-1, d)}, {}};
      for (std::size_t s = 0; s < 2; ++s)
        if (r.body[s] >= 0) r.angular[s] = cross(minus(t.at, bodies[r.body[s]].at), r.linear[s]);
      rows.push_back(r);
    }
    out.mu.push_back(t.mu);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < 2; ++s) {
      if (rows[i].body[s] < 0) continue;
      const Body& body = bodies[rows[i].body[s]];
      const double inertia = body.mass * body.radius * body.radius;
      out.q[i] += dot(rows[i].linear[s], body.v) + dot(rows[i].angular[s], body.w);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < 2; ++k)
          if (rows[j].body[k] == rows[i].body[s])
            out.W[i * n + j] += dot(rows[i].linear[s], rows[j].linear[k]) / body.mass +
                                dot(rows[i].angular[s], rows[j].angular[k]) / inertia;
    }
  }
  out.sparse.begin({0, 0, static_cast<int>(c)});
  for (const Body& body : bodies) {
    const MatrixView<double> M = out.sparse.mass_of(out.sparse.add_tree(6));
    for (std::size_t i = 0; i < 6; ++i) M(i, i) = i < 3 ? body.mass : body.mass * body.radius * body.radius;
  }
  for (std::size_t k = 0; k < c; ++k)
    for (std::size_t s = 0; s < 2; ++s) {
      if (rows[3 * k].body[s] < 0) continue;
      double* J = out.sparse.add_term(static_cast<int>(k), rows[3 * k].body[s]);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t i = 0; i < 3; ++i)
          J[6 * r + i] = rows[3 * k + r].linear[s][i], J[6 * r + 3 + i] = rows[3 * k + r].angular[s][i];
    }
  out.sparse.q = out.q, out.sparse.mu = out.mu;
  out.sparse.finish();
  return out;
}

double log_uniform(Random& random, double low, double high) { return low * std::pow(high / low, random.uniform()); }
// Gravity over a hundredth of a second, and a push.
void set_moving(Body& body, Random& random, double push) {
  body.v = scaled(push, random_vector(random)), body.w = scaled(push, random_vector(random));
  body.v[2] -= 0.0981;
}

FrictionCase make_random(Random& random, int contacts, bool deficient) {
  const std::size_t n = 3 * static_cast<std::size_t>(contacts);
  const std::size_t rank = deficient ? std::max<std::size_t>(2, n * 2 / 5) : 2 * n;
  std::vector<double> A(n * rank), v(rank);
  for (double& a : A) a = random.normal() / std::sqrt(static_cast<double>(rank));
  for (double& x : v) x = random.normal();
  FrictionCase out{deficient ? "low rank" : "random", std::vector<double>(n * n), std::vector<double>(n), {}, {}};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < rank; ++k) {
      for (std::size_t j = 0; j < n; ++j) out.W[i * n + j] += A[i * rank + k] * A[j * rank + k];
      out.q[i] += A[i * rank + k] * v[k];
    }
  if (!deficient)
    for (double& q : out.q) q = random.normal();
  for (int c = 0; c < contacts; ++c) out.mu.push_back(random.uniform(0.05, deficient ? 0.6 : 1));
  return out;
}

// Bodies that touch their neighbours in a line or at random, masses apart by `ratio`.
FrictionCase make_heap(Random& random, int contacts, std::string_view kind, double ratio, bool chain, double mu) {
  const int bodies = std::max(1, chain ? contacts : contacts / 2);
  std::vector<Body> all(static_cast<std::size_t>(bodies));
  std::vector<Touch> touches;
  for (int i = 0; i < bodies; ++i) {
    Body& b = all[i];
    b.mass = log_uniform(random, 1 / std::sqrt(ratio), std::sqrt(ratio));
    b.at = chain ? Vec{0, 0, static_cast<double>(i)} : random_vector(random);
    set_moving(b, random, 0.3);
  }
  for (int c = 0; c < contacts; ++c) {
    Touch t;
    t.a = chain ? c : random.below(bodies), t.b = chain ? c - 1 : random.below(bodies + 1) - 1;
    if (t.b == t.a) t.b = -1;
    const Vec& at = all[t.a].at;
    t.normal = chain ? Vec{0, 0, 1} : random_unit(random);
    t.at = minus(at, scaled(0.5, t.normal));
    if (chain) t.at[0] += 0.05 * random.normal(), t.at[1] += 0.05 * random.normal();
    t.mu = mu < 0 ? random.uniform(0.8, 1.5) : mu > 0 ? mu * random.uniform(0.5, 1.5) : 0;
    touches.push_back(t);
  }
  return assemble(kind, all, touches);
}

// One box on the ground, points spread over its lower face.
FrictionCase make_box(Random& random, int contacts) {
  Body box{random.uniform(0.1, 10), 0.4, {0, 0, 0.5}, {}, {}};
  set_moving(box, random, random.below(2) ? 0.02 : 0.5);
  std::vector<Touch> touches;
  const double mu = random.uniform(0.1, 1);
  for (int c = 0; c < contacts; ++c) {
    const double x = contacts > 4 ? random.uniform(-0.5, 0.5) : (c & 1) - 0.5;
    const double y = contacts > 4 ? random.uniform(-0.5, 0.5) : ((c >> 1) & 1) - 0.5;
    touches.push_back({0, -1, {x, y, 0}, {0, 0, 1}, mu});
  }
  return assemble("box on many points", {box}, touches);
}

// Boxes on boxes, four points each, in towers side by side.
FrictionCase make_stack(Random& random, int contacts, double ratio) {
  const int boxes = std::max(1, contacts / 4), height = std::min(boxes, 2 + random.below(24));
  std::vector<Body> all;
  std::vector<Touch> touches;
  for (int i = 0; i < boxes; ++i) {
    const int level = i % height;
    Body box{log_uniform(random, 1 / std::sqrt(ratio), std::sqrt(ratio)), 0.4, {}, {}, {}};
    box.at = {3.0 * (i / height), 0, level + 0.5};
    set_moving(box, random, random.below(4) ? 0.01 : 0.2);
    all.push_back(box);
    const double mu = random.uniform(0.2, 1);
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        touches.push_back({i, level ? i - 1 : -1, {box.at[0] + x, y, static_cast<double>(level)}, {0, 0, 1}, mu});
  }
  return assemble(ratio > 1 ? "stack of unlike boxes" : "stack of boxes", all, touches);
}

// An object between fingers, each a body that closes in.
FrictionCase make_grasp(Random& random, int contacts) {
  const int fingers = std::min(contacts, 2 + random.below(4));
  std::vector<Body> all(static_cast<std::size_t>(fingers) + 1);
  std::vector<Touch> touches;
  all[0] = {1, 0.3, {}, {0, 0, -0.0981}, {}};
  for (int c = 0; c < contacts; ++c) {
    const int finger = 1 + c % fingers;
    const double angle = 6.283185307179586 * (finger - 1) / fingers;
    const Vec out{std::cos(angle), std::sin(angle), 0};
    Body& f = all[finger];
    f = {0.2, 0.1, out, scaled(-random.uniform(0.5, 1), out), {}};
    touches.push_back({0, finger, scaled(0.5, out), scaled(-1, out), random.uniform(0.2, 1.2)});
    for (std::size_t k = 0; k < 3; ++k) touches.back().at[k] += 0.1 * random.normal() * (k == 2 ? 1 : 0.2);
  }
  return assemble("grasp", all, touches);
}

}  // namespace

FrictionCase make_friction_case(int index) {
  Random random(static_cast<std::uint64_t>(index) * 7919 + 17);
  const int contacts = std::clamp(static_cast<int>(std::pow(101.0, random.uniform())), 1, 100);
  switch (index % 12) {
    case 0: return make_random(random, contacts, false);
    case 1: return make_random(random, contacts, true);
    case 2: return make_heap(random, contacts, "mass ratio 10 000", 1e4, false, 0.5);
    case 3: return make_box(random, contacts);
    case 4:
    case 5: return make_stack(random, contacts, 1);
    case 6: return make_stack(random, contacts, 1e4);
    case 7: return make_grasp(random, contacts);
    case 8: return make_heap(random, contacts, "chain", 100, true, 0.5);
    case 9: return make_heap(random, contacts, "no friction", 100, false, 0);
    case 10: return make_heap(random, contacts, "much friction", 10, false, -1);
    default: return make_heap(random, contacts, "heap", 10, false, 0.5);
  }
}

}  // namespace sinew::test
