// apps/reproduce/f08_counts.cpp - Tables 6.6 and 10.1, Eq 10.12, Figures 10.4 and 10.5
#include <algorithm>
#include <numbers>

#include "reproduce/f08_study.hpp"
#include "sinew/base/index.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/dh.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/ltl.hpp"

namespace sinew::app {
namespace {

// Diagonally dominant, with the sparsity of the tree and no other zero.
std::vector<Counted> sparse_matrix(const DofTree& tree, Random& random) {
  std::vector<Counted> H(tree.packed_size());
  for (int k = 0; k < tree.size(); ++k) {
    for (int depth = 0; depth < tree.depth(k); ++depth)
      H[tree.row(k) + at(depth)] = Counted(random.uniform(0.05, 0.15));
    H[tree.row(k) + at(tree.depth(k))] = Counted(random.uniform(20, 30));
  }
  return H;
}

// In the order of Table 6.6. L^-1 x and L^-T x, and L x and L^T x, have one row each there.
template <class Factor>
std::vector<OperationCount> count_factor(const DofTree& tree, const std::vector<Counted>& H) {
  Factor f(tree);
  f.packed = H;
  std::vector<Counted> x(at(tree.size()), Counted(0.7)), y = x;
  std::vector<OperationCount> out;
  const auto count = [&](auto work) {
    const Tally tally;
    work();
    out.push_back(tally.count());
    std::fill(x.begin(), x.end(), Counted(0.7));
  };
  count([&] { factor(tree, f); });
  count([&] { solve(tree, f, x); });
  count([&] { multiply_by_l(tree, f, x); });
  count([&] { multiply_by_l_transpose(tree, f, x); });
  count([&] { solve_l(tree, f, x); });
  count([&] { solve_l_transpose(tree, f, x); });
  count([&] { multiply_by_packed<Counted>(tree, H, x, y); });
  return out;
}

FactorStudy study_factor(const std::string& name, const DofTree& tree) {
  Random random(6);
  const std::vector<Counted> H = sparse_matrix(tree, random);
  const long n = tree.size(), D1 = tree.d1(), D2 = tree.d2();
  const auto ltl = count_factor<LtlFactor<Counted>>(tree, H), ltdl = count_factor<LtdlFactor<Counted>>(tree, H);
  FactorStudy out{name, n, D1, D2, {}};
  const struct {
    const char* name;
    OperationCount ltl, ltdl;
  } book[] = {{"factorization", {D2, D2, D1, n}, {D2, D2, D1}},
              {"back-substitution", {2 * D1, 2 * D1, 2 * n}, {2 * D1, 2 * D1, n}},
              {"L x", {n + D1, D1}, {D1, D1}},
              {"L^T x", {n + D1, D1}, {D1, D1}},
              {"L^-1 x", {D1, D1, n}, {D1, D1}},
              {"L^-T x", {D1, D1, n}, {D1, D1}},
              {"H x", {n + 2 * D1, 2 * D1}, {n + 2 * D1, 2 * D1}}};
  for (std::size_t i = 0; i < std::size(book); ++i)
    out.rows.push_back({book[i].name, book[i].ltl, ltl[i], book[i].ltdl, ltdl[i]});
  return out;
}

DofTree chain_tree(int n) {
  std::vector<int> parent, velocity;
  for (int i = 0; i < n; ++i) parent.push_back(i - 1), velocity.push_back(i);
  return {parent, velocity};
}

double either_sign(Random& random, double lower, double upper) {
  const double x = random.uniform(lower, upper);
  return random.below(2) == 0 ? x : -x;
}

// Revolute joints; body i + 1 hangs on body parent[i], 0 is the world. General inertias; each joint's axis has a common
// normal with its parent's, near by and in a direction of its own, so that one child of each body can have DH frames.
Model general_tree(const std::string& name, const std::vector<int>& parent) {
  Random random(10);
  ModelBuilder b(name);
  const auto body = [](int i) { return i == 0 ? std::string("world") : "body" + std::to_string(i); };
  for (int i = 1; i <= static_cast<int>(parent.size()); ++i) {
    const auto point = [&] {
      const double x = either_sign(random, 0.02, 0.1), y = either_sign(random, 0.02, 0.1);
      return Vec3<double>{x, y, either_sign(random, 0.02, 0.1)};
    };
    const Vec3<double> tilt{random.uniform(0.3, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)};
    b.body(body(i)).mass(solid_box(random.uniform(0.5, 2), {0.05, 0.08, 0.12}), make_placement(point(), tilt));
    b.revolute("joint" + std::to_string(i), body(parent[at(i - 1)]), body(i)).axis({0, 0, 1});
    DhRow row;
    row.a = either_sign(random, 0.1, 0.3), row.alpha = either_sign(random, 0.3, 1.2);
    row.d = either_sign(random, 0.1, 0.3), row.theta = either_sign(random, 0.2, 1.3);
    const Transform<double> along_parent{rotation_z(random.uniform(-3, 3)), {0, 0, either_sign(random, 0.1, 0.3)}};
    b.spec().joints.back().placement = dh_transform(row) * along_parent;
  }
  return compile(b.spec()).value();
}

const OperationRow& find_row(const Operations& o, const std::string& name) {
  return *std::find_if(o.rows.begin(), o.rows.end(), [&](const OperationRow& r) { return r.name == name; });
}
long without_trig(const OperationCount& c) { return c.mul + c.add + c.div + c.sqrt; }

std::vector<int> binary_parents(int n) {
  std::vector<int> parent;
  for (int i = 1; i <= n; ++i) parent.push_back(i / 2);
  return parent;
}
// Each body on one of the three before it.
std::vector<int> random_parents(int n) {
  Random random(5);
  std::vector<int> parent;
  for (int i = 1; i <= n; ++i) parent.push_back(std::max(0, i - 1 - random.below(3)));
  return parent;
}
// A body with four legs of `n` joints.
std::vector<int> legs(int n) {
  std::vector<int> parent{0};
  for (int leg = 0; leg < 4; ++leg)
    for (int i = 0; i < n; ++i) parent.push_back(i == 0 ? 1 : static_cast<int>(parent.size()));
  return parent;
}

}  // namespace

const std::vector<PublishedCount>& published_counts() {
  using N = long;
  static const std::vector<PublishedCount> rows{
      {"RNEA", "(93n-108)m + (81n-100)a", "Balafoutis and Patel 1991", [](N n) { return 93 * n - 108; },
       [](N n) { return 81 * n - 100; }},
      {"RNEA", "(93n-69)m + (81n-66)a", "Balafoutis et al. 1988, 1991", [](N n) { return 93 * n - 69; },
       [](N n) { return 81 * n - 66; }},
      {"RNEA", "(130n-68)m + (101n-56)a", "Featherstone 1987", [](N n) { return 130 * n - 68; },
       [](N n) { return 101 * n - 56; }},
      {"RNEA", "(150n-48)m + (131n-48)a", "Hollerbach 1980", [](N n) { return 150 * n - 48; },
       [](N n) { return 131 * n - 48; }},
      {"CRBA", "(10n^2+22n-32)m + (6n^2+37n-43)a", "Featherstone 2005, Eq 10.3",
       [](N n) { return 10 * n * n + 22 * n - 32; }, [](N n) { return 6 * n * n + 37 * n - 43; }},
      {"CRBA", "(10n^2+31n-41)m + (6n^2+40n-46)a", "Featherstone 1987", [](N n) { return 10 * n * n + 31 * n - 41; },
       [](N n) { return 6 * n * n + 40 * n - 46; }},
      {"CRBA", "(10n^2+41n-51)m + (6n^2+52n-58)a", "Lilly and Orin 1991, Lilly 1993",
       [](N n) { return 10 * n * n + 41 * n - 51; }, [](N n) { return 6 * n * n + 52 * n - 58; }},
      {"CRBA", "(11n^2+11n-42)m + (11n^2/2+65n/2-54)a", "Balafoutis and Patel 1989, 1991",
       [](N n) { return 11 * n * n + 11 * n - 42; }, [](N n) { return (11 * n * n + 65 * n) / 2 - 54; }},
      {"CRBA", "(12n^2+56n-27)m + (7n^2+67n-53)a", "Walker and Orin 1982", [](N n) { return 12 * n * n + 56 * n - 27; },
       [](N n) { return 7 * n * n + 67 * n - 53; }},
      {"F&S", "(n^3/6+3n^2/2-2n/3)m + (n^3/6+n^2-7n/6)a", "Table 6.6 with Eq 6.28",
       [](N n) { return (n * n * n + 9 * n * n - 4 * n) / 6; },
       [](N n) { return (n * n * n + 6 * n * n - 7 * n) / 6; }},
      {"ABA", "(224n-259)m + (205n-248)a", "McMillan et al. 1995", [](N n) { return 224 * n - 259; },
       [](N n) { return 205 * n - 248; }},
      {"ABA", "(250n-222)m + (220n-198)a", "Brandl et al. 1988", [](N n) { return 250 * n - 222; },
       [](N n) { return 220 * n - 198; }},
      {"ABA", "(300n-267)m + (279n-259)a", "Featherstone 1987", [](N n) { return 300 * n - 267; },
       [](N n) { return 279 * n - 259; }}};
  return rows;
}
const PublishedCount& best_published(const std::string& algorithm) {
  const auto& rows = published_counts();  // the best of each comes first
  return *std::find_if(rows.begin(), rows.end(), [&](const PublishedCount& r) { return r.algorithm == algorithm; });
}

TreeCounts get_tree_counts(const Operations& o) {
  const auto total = [&](const char* name) { return without_trig(find_row(o, name).count); };
  return {o.tree.n,    total("rnea"), total("bias"), total("crba"), total("ltdl factor") + total("ltdl solve"),
          total("aba")};
}

std::vector<FactorStudy> study_factors() {
  return {study_factor("chain of 6", chain_tree(6)), study_factor("chain of 30", chain_tree(30)),
          study_factor("binary tree of 7", compile(mechanisms::binary_tree(3)).value().dof_tree()),
          study_factor("binary tree of 31", compile(mechanisms::binary_tree(5)).value().dof_tree()),
          study_factor("humanoid", compile(mechanisms::humanoid()).value().dof_tree())};
}

std::vector<TreeCase> study_trees() {
  std::vector<TreeCase> out;
  const std::pair<const char*, std::vector<int>> trees[] = {
      {"binary tree of 7", binary_parents(7)},   {"binary tree of 15", binary_parents(15)},
      {"binary tree of 31", binary_parents(31)}, {"four legs of 6", legs(6)},
      {"random tree of 20", random_parents(20)}, {"random tree of 40", random_parents(40)}};
  for (const auto& [name, parents] : trees) {
    const Operations o = count_operations(general_tree(name, parents), 1);
    const OperationRow& crba = find_row(o, "crba");
    out.push_back({name, o.tree, crba.book->count, crba.count});
  }
  return out;
}

std::vector<BinaryTreeCase> study_binary_trees(int most) {
  std::vector<BinaryTreeCase> out;
  for (int n = 2; n <= most; ++n) {
    const Operations o = count_operations(general_tree("binary", binary_parents(n)), 1);
    const auto book = [&](const char* row) { return without_trig(find_row(o, row).book->count); };
    out.push_back({get_tree_counts(o),
                   best_published("RNEA").total(n) + book("crba") + book("ltdl factor") + book("ltdl solve")});
  }
  return out;
}

}  // namespace sinew::app
