// tests/tree/crba_test.cpp - the joint-space inertia matrix and its inverse
#include "sinew/tree/crba.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <type_traits>

#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/textbook.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

TEST(Crba, AgreesWithTheTextbookOnRandomTrees) {
  for_random_trees(200, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    CrbaWorkspace<double> ws(m);
    Grid<double> M(m.nv(), m.nv());
    crba<double>(m, ws, s.q, M, 0.3);
    EXPECT_TRUE(near(M.numbers, textbook::crba(m, s.q, 0.3), 400));
    for (int i = 0; i < m.nv(); ++i)
      for (int j = 0; j < i; ++j) EXPECT_EQ(M(i, j), M(j, i));
  });
}

// M_ij is zero by shape unless one of i, j lies on the path to the other [F08 6.3]; packed rows hold all the rest.
TEST(Crba, PacksTheEntriesAlongPaths) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    CrbaWorkspace<double> ws(m, CrbaBy::link_frames);
    Grid<double> M(m.nv(), m.nv());
    crba<double>(m, ws, s.q, M);
    const DofTree& tree = m.dof_tree();
    std::vector<double> packed(tree.packed_size());
    crba_packed(m, ws, s.q, packed);
    std::size_t seen = 0;
    for (int k = 0; k < tree.size(); ++k) {
      int place = tree.depth(k);
      for (int i = k; i >= 0; i = tree.parent(i), --place) {
        EXPECT_EQ(packed[tree.row(k) + static_cast<std::size_t>(place)], M(tree.velocity(k), tree.velocity(i)));
        M(tree.velocity(k), tree.velocity(i)) = M(tree.velocity(i), tree.velocity(k)) = 0;
        ++seen;
      }
    }
    EXPECT_EQ(seen, tree.packed_size());
    EXPECT_EQ(largest(M.numbers), 0);
  });
}

TEST(Crba, IsTheSameInEveryScalar) {
  expect_parity(15, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>&) {
                  CrbaWorkspace<T> ws(m);
                  Grid<T> M(static_cast<int>(v.size()), static_cast<int>(v.size()));
                  crba<T>(m, ws, q, M);
                  return M.numbers;
                });
}

// Every mechanism, and chains of all lengths up to some registers of any width.
template <class Body>
void for_mechanisms(Body body) {
  std::vector<ModelSpec> specs = mechanisms::gallery();
  for (int n = 1; n <= 40; ++n) specs.push_back(mechanisms::chain(n));
  for (const ModelSpec& spec : {mechanisms::binary_tree(5), mechanisms::stem_with_branches(20, 2),
                                mechanisms::stem_with_branches(3, 2, 17), mechanisms::humanoid_with_hands(2)})
    specs.push_back(spec);
  for (const ModelSpec& spec : specs) {
    SCOPED_TRACE(spec.name);
    const Model m = compile(spec).value();
    Random rng(1);
    body(m, rng);
  }
}
template <class T>
std::vector<T> mass_matrix(const Model& m, const std::vector<T>& q, CrbaBy way, double time = 0) {
  CrbaWorkspace<T> ws(m, way);
  Grid<T> M(m.nv(), m.nv());
  for (int repeat = 0; repeat < 2; ++repeat) crba<T>(m, ws, q, M, time);  // what the first call left must not matter
  return M.numbers;
}

TEST(Crba, IsTheSameInTheCommonFrame) {
  const auto compare = [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<double> M = mass_matrix(m, s.q, CrbaBy::common_frame, 0.3);
    EXPECT_TRUE(near(M, mass_matrix(m, s.q, CrbaBy::link_frames, 0.3), 400));
    EXPECT_TRUE(near(M, numbers_of(naive_mass_matrix(m, s.q, 0.3)), 400));
    const std::size_t n = static_cast<std::size_t>(m.nv());
    const DofTree& tree = m.dof_tree();
    for (int i = 0; i < tree.size(); ++i)
      for (int j = i + 1; j < tree.size(); ++j) {
        const auto u = static_cast<std::size_t>(tree.velocity(i)), v = static_cast<std::size_t>(tree.velocity(j));
        EXPECT_EQ(M[u * n + v], M[v * n + u]);
        if (j >= tree.end(i)) {
          EXPECT_EQ(M[u * n + v], 0);
        }
      }
  };
  for_random_trees(200, compare);
  for (int seed = 0; seed < 20; ++seed) {  // wide ones, and such as have several trees and user joints
    SCOPED_TRACE("large " + std::to_string(seed));
    Random rng(static_cast<std::uint64_t>(seed));
    compare(compile(random_tree(static_cast<std::uint64_t>(seed), {30, {}, 0.1 * (seed % 10)})).value(), rng);
  }
  for_mechanisms(compare);
}

TEST(Crba, InTheCommonFrameIsTheSameInEveryScalar) {
  auto run = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>&, const std::vector<T>&) {
    return mass_matrix(m, q, CrbaBy::common_frame);
  };
  expect_parity(15, 100, run);
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::chain(19)}) {
    const Model m = compile(spec).value();
    Random rng(1);
    expect_parity_of_all(m, rng, 100, run);
  }
}

// Whole registers are written within M only: here it is a part of a larger matrix.
TEST(Crba, WritesNothingBesideM) {
  for_mechanisms([](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::size_t n = static_cast<std::size_t>(m.nv()), width = n + 3;
    for (const CrbaBy way : {CrbaBy::link_frames, CrbaBy::common_frame}) {
      std::vector<double> numbers((n + 4) * width, -7.5);
      CrbaWorkspace<double> ws(m, way);
      crba<double>(m, ws, s.q, MatrixView<double>(numbers.data() + 2 * width + 1, n, n, width));
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::size_t row = k / width, column = k % width;
        if (row < 2 || row >= n + 2 || column < 1 || column > n) {
          EXPECT_EQ(numbers[k], -7.5);
        }
      }
    }
  });
}

TEST(Crba, UsesTheCommonFrameWhereATreeIsNearlyAChain) {
  const auto is_chosen = [](const ModelSpec& spec) {
    return CrbaWorkspace<double>(compile(spec).value()).in_common_frame;
  };
  EXPECT_FALSE(is_chosen(mechanisms::chain(20)));
  EXPECT_TRUE(is_chosen(mechanisms::chain(30)));
  EXPECT_TRUE(is_chosen(mechanisms::stem_with_branches(60, 1)));
  EXPECT_FALSE(is_chosen(mechanisms::humanoid_with_hands(2)));
  EXPECT_FALSE(is_chosen(mechanisms::binary_tree(7)));
  const Model chain = compile(mechanisms::chain(30)).value();
  EXPECT_FALSE(CrbaWorkspace<Counted>(chain).in_common_frame);
  EXPECT_FALSE(CrbaWorkspace<float>(chain).in_common_frame);
}

// Moments about the base of a straight chain of n rods are n^2 times those about its last joint: so much is lost there,
// and nothing beside the largest entry.
TEST(Crba, LosesDigitsAtTheTipsOfLongChainsInTheCommonFrame) {
  for (const int n : {30, 100, 500}) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::pendulum(n)).value();
    Random rng(1);
    std::vector<double> q(static_cast<std::size_t>(n));
    for (double& x : q) x = rng.uniform(-0.02, 0.02);
    const std::vector<double> M = mass_matrix(m, q, CrbaBy::common_frame),
                              want = mass_matrix(m, q, CrbaBy::link_frames);
    EXPECT_TRUE(near(M, want, 100));
    double worst = 0;
    for (std::size_t k = 0; k < want.size(); k += static_cast<std::size_t>(n) + 1)
      worst = std::max(worst, std::abs(M[k] / want[k] - 1));
    EXPECT_TRUE(is_small(worst, 5e-15 * n * n));
    EXPECT_GT(worst, 1e-17 * n * n);
  }
}

TEST(Crba, AllocatesNothingAndRefusesWrongSizes) {
  const Model m = compile(random_tree(3, {30, {}, 0.4})).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  CrbaWorkspace<double> ws(m), common_ws(m, CrbaBy::common_frame);
  MassInverseWorkspace<double> inverse_ws(m);
  Grid<double> M(m.nv(), m.nv()), N(m.nv(), m.nv()), small(m.nv() - 1, m.nv());
  AllocationCount allocations;
  crba<double>(m, ws, s.q, M);
  crba<double>(m, common_ws, s.q, M);
  calc_mass_inverse<double>(m, inverse_ws, s.q, N);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_THROW(crba<double>(m, ws, s.q, small), std::invalid_argument);
  EXPECT_THROW(crba<double>(m, ws, s.v, M), std::invalid_argument);
  EXPECT_THROW(crba<double>(m, common_ws, s.q, small), std::invalid_argument);
  EXPECT_THROW(calc_mass_inverse<double>(m, inverse_ws, s.q, small), std::invalid_argument);
}

TEST(MassInverse, IsTheInverse) {
  for_random_trees(200, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    Grid<double> N(m.nv(), m.nv());
    const Eigen::MatrixXd M = naive_mass_matrix(m, s.q, 0.3);
    const Eigen::MatrixXd want = dense_inverse(M);
    for (const InverseBy way : {InverseBy::factors, InverseBy::columns}) {
      MassInverseWorkspace<double> ws(m, way);
      for (int repeat = 0; repeat < 2; ++repeat) {  // what the first call left behind must not matter
        calc_mass_inverse<double>(m, ws, s.q, N, 0.3);
        EXPECT_TRUE(near(N.numbers, numbers_of(want), 20 * M.norm() * want.norm()));
      }
    }
  });
}

// Trees without branches, with every kind of joint, go along the path.
TEST(MassInverse, OfPathsIsTheInverse) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = compile(random_tree(seed, {1 + static_cast<int>(seed % 9), {}, 0})).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const Eigen::MatrixXd M = naive_mass_matrix(m, s.q, 0.3);
    const Eigen::MatrixXd want = dense_inverse(M);
    const auto run = [&]<class T>(const std::vector<T>& q) {
      MassInverseWorkspace<T> ws(m, InverseBy::columns);
      EXPECT_EQ(static_cast<int>(ws.path.size()), m.nv());
      Grid<T> N(m.nv(), m.nv());
      for (int repeat = 0; repeat < 2; ++repeat) {
        std::fill(N.numbers.begin(), N.numbers.end(), lit<T>(NAN));
        calc_mass_inverse<T>(m, ws, q, N, 0.3);
        EXPECT_TRUE(near(flatten(N.numbers), numbers_of(want), 20 * M.norm() * want.norm()));
      }
    };
    run(s.q);
    std::vector<NativePack<double>> q;
    for (const double x : s.q) q.push_back(lit<NativePack<double>>(x));
    run(q);
  }
}

// It points into itself: a copy would share memory with its original.
TEST(MassInverse, WorkspacesAreMovedNotCopied) {
  static_assert(!std::is_copy_constructible_v<MassInverseWorkspace<double>>);
  static_assert(!std::is_copy_assignable_v<MassInverseWorkspace<double>>);
  const Model m = compile(mechanisms::binary_tree(5)).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  Grid<double> want(m.nv(), m.nv()), found(m.nv(), m.nv());
  std::optional<MassInverseWorkspace<double>> first(m);
  calc_mass_inverse<double>(m, *first, s.q, want);
  MassInverseWorkspace<double> second = std::move(*first);
  first.reset();
  calc_mass_inverse<double>(m, second, s.q, found);
  EXPECT_EQ(found.numbers, want.numbers);
}

TEST(MassInverse, OfLargerTrees) {
  for (const auto& spec : {mechanisms::humanoid_with_hands(2), mechanisms::binary_tree(6), mechanisms::chain(40)}) {
    const Model m = compile(spec).value();
    Random rng(1);
    const TreeState s = random_state(m, rng);
    CrbaWorkspace<double> crba_ws(m);
    Grid<double> N(m.nv(), m.nv()), M(m.nv(), m.nv());
    crba<double>(m, crba_ws, s.q, M);
    for (const InverseBy way : {InverseBy::factors, InverseBy::columns}) {
      MassInverseWorkspace<double> ws(m, way);
      calc_mass_inverse<double>(m, ws, s.q, N);
      const std::vector<double> y = N * s.a, x = M * y;
      EXPECT_TRUE(near(x, s.a, 100, largest(y) * largest(M.numbers))) << m.name();
    }
  }
}

TEST(MassInverse, IsFactoredWhereLimbsAreShort) {
  EXPECT_TRUE(MassInverseWorkspace<double>(compile(mechanisms::humanoid()).value()).by_factors);
  EXPECT_TRUE(MassInverseWorkspace<double>(compile(mechanisms::chain(24)).value()).by_factors);
  EXPECT_FALSE(MassInverseWorkspace<double>(compile(mechanisms::chain(25)).value()).by_factors);
  const Model tree = compile(mechanisms::binary_tree(5)).value();
  EXPECT_TRUE(MassInverseWorkspace<double>(tree, InverseBy::columns).path.empty());
}

// On machines: the inverse of a random tree's matrix may have no digits in float.
TEST(MassInverse, IsTheSameInEveryScalar) {
  auto run = []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>&) {
    MassInverseWorkspace<T> ws(m);
    Grid<T> N(static_cast<int>(v.size()), static_cast<int>(v.size()));
    calc_mass_inverse<T>(m, ws, q, N);
    return N.numbers;
  };
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::hand(), mechanisms::dual_arm()}) {
    const Model m = compile(spec).value();
    Random rng(1);
    expect_parity_of_all(m, rng, 100, run);
  }
}

}  // namespace
}  // namespace sinew::test
