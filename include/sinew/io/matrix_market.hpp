// sinew/io/matrix_market.hpp - sparse matrices in Matrix Market files
// "%%MatrixMarket matrix coordinate real general" or "symmetric" (also integer); entries count from 1. A symmetric file
// holds one triangle: the answer has both. Errors come as diagnostics with the line.
#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/linear/sparse_entry.hpp"

namespace sinew {

// A matrix by its entries.
struct SparseMatrix {
  int rows = 0, cols = 0;
  std::vector<linear::SparseEntry> entries;  // counted from 0
};

// From a file, or from text; `name` is its name in diagnostics.
Result<SparseMatrix> load_matrix_market(const std::filesystem::path&);
Result<SparseMatrix> parse_matrix_market(std::string_view text, const std::filesystem::path& name);

}  // namespace sinew
