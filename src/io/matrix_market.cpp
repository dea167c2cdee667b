// src/io/matrix_market.cpp
#include "sinew/io/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "sinew/io/input_file.hpp"

namespace sinew {
namespace {

// Lines of the text, and their words.
class MarketText {
 public:
  explicit MarketText(std::string_view text) : rest_(text) {}
  int line() const { return line_; }
  // The next line that is no comment; false at the end.
  bool next(bool comments = true) {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      words_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (!words_.empty() && words_.back() == '\r') words_.remove_suffix(1);
      if (comments && (words_.empty() || words_[0] == '%' || words_.find_first_not_of(" \t") == std::string_view::npos))
        continue;
      return true;
    }
    return false;
  }
  std::string_view word() {
    words_.remove_prefix(std::min(words_.find_first_not_of(" \t"), words_.size()));
    const std::size_t end = std::min(words_.find_first_of(" \t"), words_.size());
    const std::string_view out = words_.substr(0, end);
    words_.remove_prefix(end);
    return out;
  }
  template <class T>
  std::optional<T> number() {
    const std::string_view w = word();
    T out{};
    const auto [stop, error] = std::from_chars(w.data(), w.data() + w.size(), out);
    if (error != std::errc() || stop != w.data() + w.size()) return std::nullopt;
    return out;
  }
  bool at_end() { return words_.find_first_not_of(" \t") == std::string_view::npos; }

 private:
  std::string_view rest_, words_;
  int line_ = 0;
};

std::string lower_case(std::string_view a) {
  std::string out(a);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

Result<SparseMatrix> parse_matrix_market(std::string_view text, const std::filesystem::path& name) {
  MarketText in(text);
  const auto fail = [&](Code code, std::string message, std::string repair) {
    Diagnostics out;
    out.add(code, "matrix", std::move(message), std::move(repair), {name.string(), in.line()});
    return Result<SparseMatrix>(std::move(out));
  };
  const bool any = in.next(false);
  const std::string banner = any ? lower_case(in.word()) : "", object = lower_case(in.word());
  const std::string format = lower_case(in.word()), field = lower_case(in.word()), symmetry = lower_case(in.word());
  if (banner != "%%matrixmarket" || object != "matrix" || format != "coordinate" ||
      (field != "real" && field != "integer") || (symmetry != "general" && symmetry != "symmetric"))
    return fail(Code::bad_value, "the first line is not that of a sparse real matrix",
                "begin with '%%MatrixMarket matrix coordinate real symmetric', or general");
  if (!in.next()) return fail(Code::missing_element, "there is no line with the sizes", "write rows, columns, entries");
  const auto rows = in.number<int>(), cols = in.number<int>();
  const auto count = in.number<long>();
  constexpr int kMostRows = 10'000'000;
  constexpr long kMostEntries = 100'000'000;
  if (!rows || !cols || !count || *rows < 0 || *cols < 0 || *count < 0 || !in.at_end())
    return fail(Code::bad_number, "the sizes are not three counts", "write rows, columns, entries");
  if (*rows > kMostRows || *cols > kMostRows || *count > kMostEntries)
    return fail(Code::too_many_elements, "the matrix is larger than 10^7 rows or 10^8 entries", "make it smaller");
  if (symmetry == "symmetric" && *rows != *cols)
    return fail(Code::bad_value,
                "a symmetric matrix is not square, " + std::to_string(*rows) + " x " + std::to_string(*cols),
                "correct the sizes, or call it general");
  SparseMatrix out{*rows, *cols, {}};
  for (long k = 0; k < *count; ++k) {
    if (!in.next())
      return fail(Code::missing_element,
                  "it ends after " + std::to_string(k) + " of " + std::to_string(*count) + " entries",
                  "write the whole matrix");
    const auto row = in.number<int>(), col = in.number<int>();
    const auto value = in.number<double>();
    if (!row || !col || !value || !std::isfinite(*value) || !in.at_end())
      return fail(Code::bad_number, "an entry is not a row, a column and a finite number", "as in '3 1 -2.5e3'");
    if (*row < 1 || *row > *rows || *col < 1 || *col > *cols)
      return fail(Code::bad_value,
                  "entry (" + std::to_string(*row) + ", " + std::to_string(*col) + ") is outside the matrix, " +
                      std::to_string(*rows) + " x " + std::to_string(*cols),
                  "rows and columns count from 1");
    out.entries.push_back({*row - 1, *col - 1, *value});
    if (symmetry == "symmetric" && *row != *col) out.entries.push_back({*col - 1, *row - 1, *value});
  }
  if (in.next())
    return fail(Code::bad_value, "there are more entries than the sizes say", "correct the number of entries");
  return out;
}

Result<SparseMatrix> load_matrix_market(const std::filesystem::path& file) {
  const InputFile in = read_input_file(file, kMaxInputBytes, NamedBy::file);
  if (!in.fault.empty()) {
    Diagnostics out;
    out.add(in.too_large ? Code::file_too_large : Code::file_unreadable, "matrix", "the file " + in.fault, in.repair,
            {file.string(), 0});
    return out;
  }
  return parse_matrix_market(in.bytes, file);
}

}  // namespace sinew
