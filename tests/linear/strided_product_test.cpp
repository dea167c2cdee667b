// tests/linear/strided_product_test.cpp
#include "linear/strided_product.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sinew/base/index.hpp"
#include "sinew/base/random.hpp"

namespace sinew::test {

// Against three loops, for every rest of four rows and eight columns, both orientations, and with indices left out.
TEST(StridedProduct, IsThatOfThreeLoops) {
  Random rng(1);
  for (int rows = 1; rows < 7; ++rows)
    for (const int cols : {1, 7, 8, 13})
      for (const bool turned : {false, true}) {
        const int inner = 5, wide = static_cast<int>(linear::pad_columns(cols));
        std::vector<double> A(at(rows * inner)), B(at(inner * wide)), C(at(rows * wide), 1.0);
        for (double& x : A) x = rng.uniform(-1, 1);
        for (int k = 0; k < inner; ++k)
          for (int j = 0; j < cols; ++j) B[at(k * wide + j)] = rng.uniform(-1, 1);
        const std::vector<int> some{0, 2, 3};
        const linear::StridedRows a =
            turned ? linear::StridedRows{A.data(), 1, rows} : linear::StridedRows{A.data(), inner, 1};
        linear::add_product(-2, a, B.data(), wide, C.data(), wide, rows, cols, some);
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < cols; ++j) {
            double expected = 1;
            for (const int k : some) expected -= 2 * A[at(turned ? k * rows + i : i * inner + k)] * B[at(k * wide + j)];
            EXPECT_NEAR(C[at(i * wide + j)], expected, 1e-14) << rows << " x " << cols;
          }
      }
}

}  // namespace sinew::test
