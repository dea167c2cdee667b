// src/linear/fronts.cpp
#include "linear/fronts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/rows.hpp"
#include "linear/wide.hpp"
#include "sinew/base/unroll.hpp"

namespace sinew::linear {
namespace {

using wide::Four, wide::load, wide::sum_products;

// C -= A B with R rows of A, n columns of B and `depth` products each, sums in registers. Rows lie a stride apart.
struct Strided {
  const double* at;
  int stride;
};
template <int R, int V>
[[gnu::always_inline]] inline void subtract_tile(double* C, int stride, Strided A, Strided B, int depth) {
  Four sum[R][V];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) sum[r][v] = Four{};
  for (int k = 0; k < depth; ++k) {
    Four b[V];
    for (int v = 0; v < V; ++v) load(B.at + at(k) * at(B.stride) + at(4 * v), b[v]);
    for (int r = 0; r < R; ++r) {
      const double a = A.at[at(r) * at(A.stride) + at(k)];
      for (int v = 0; v < V; ++v) sum[r][v] += a * b[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) {
      double* c = C + at(r) * at(stride) + at(4 * v);
      Four x;
      load(c, x);
      x -= sum[r][v];
      std::memcpy(c, &x, sizeof x);
    }
}
template <int R>
[[gnu::always_inline]] inline void subtract_rows(double* C, int stride, int n, Strided A, Strided B, int depth) {
  int j = 0;
  for (; j + 7 < n; j += 8) subtract_tile<R, 2>(C + j, stride, A, {B.at + j, B.stride}, depth);
  for (; j + 3 < n; j += 4) subtract_tile<R, 1>(C + j, stride, A, {B.at + j, B.stride}, depth);
  for (; j < n; ++j)
    for (int r = 0; r < R; ++r) {
      double sum = 0;
      for (int k = 0; k < depth; ++k) sum += A.at[at(r) * at(A.stride) + at(k)] * B.at[at(k) * at(B.stride) + at(j)];
      C[at(r) * at(stride) + at(j)] -= sum;
    }
}
[[gnu::always_inline]] inline void subtract_product(double* C, int stride, int rows, int n, Strided A, Strided B,
                                                    int depth) {
  int i = 0;
  for (; i + 3 < rows; i += 4)
    subtract_rows<4>(C + at(i) * at(stride), stride, n, {A.at + at(i) * at(A.stride), A.stride}, B, depth);
  for (; i < rows; ++i)
    subtract_rows<1>(C + at(i) * at(stride), stride, n, {A.at + at(i) * at(A.stride), A.stride}, B, depth);
}

constexpr double kHeapFill = 12;  // numbers in the factors of heaps, over the power 1.5 of the unknowns
constexpr int kFrontPanel = 6;    // columns eliminated at a time, as a body has; what is right of them is a product
constexpr double kPivot = 0.1;    // of the largest entry of its column: a diagonal entry of at least this is the pivot

// work<n> for n unknowns of a panel
template <class Work>
[[gnu::always_inline]] inline auto with_panel(int n, Work work) {
  switch (n) {
    case 1: return work.template operator()<1>();
    case 2: return work.template operator()<2>();
    case 3: return work.template operator()<3>();
    case 4: return work.template operator()<4>();
    case 5: return work.template operator()<5>();
    default: return work.template operator()<kFrontPanel>();
  }
}

// Columns [first, first + P) of P A = L U, from row `first` on; rows are exchanged whole. False: singular.
template <int P>
[[gnu::always_inline]] inline bool factor_panel(double* A, int first, int rows, int width, int* pivots) {
  const auto row_of = [&](int i) SINEW_INLINE_LAMBDA { return A + at(i) * at(width) + at(first); };
  bool regular = true;
  unroll<P>([&](auto column) SINEW_INLINE_LAMBDA {
    constexpr int k = column;
    double* pivot = row_of(first + k);
    double most = 0;
    for (int i = first + k; i < rows; ++i) most = std::max(most, std::abs(row_of(i)[k]));
    int best = first + k;
    if (!(std::abs(pivot[k]) >= kPivot * most))
      while (best + 1 < rows && std::abs(row_of(best)[k]) != most) ++best;
    pivots[first + k] = best;
    if (best != first + k) std::swap_ranges(pivot - first, pivot - first + width, A + at(best) * at(width));
    regular = regular && std::abs(pivot[k]) > 0 && std::isfinite(pivot[k]);
    const double inverse = 1 / pivot[k];
    // what is right of column k in the panel
    Four right[2] = {};
    unroll<P>([&](auto j) SINEW_INLINE_LAMBDA {
      if constexpr (j > k) right[j / 4][j % 4] = pivot[j];
    });
    for (int i = first + k + 1; i < rows; ++i) {
      double* row = row_of(i);
      const double share = row[k] * inverse;
      unroll<2>([&](auto v) SINEW_INLINE_LAMBDA {
        if constexpr (v >= k / 4 && 4 * v < P) {
          Four part;
          load(row + 4 * v, part);
          part -= share * right[v];
          if constexpr (v == k / 4) part[k % 4] = share;
          std::memcpy(row + 4 * v, &part, sizeof part);
        }
      });
    }
    pivot[k] = inverse;
  });
  return regular;
}

// L^-1 times what is right of a panel, n columns.
template <int P>
[[gnu::always_inline]] inline void divide_right(const double* L, double* right, int width, int n) {
  const auto divide_strip = [&]<int count>(int j) SINEW_INLINE_LAMBDA {
    Four x[P];
    unroll<P>([&](auto r) SINEW_INLINE_LAMBDA { load(right + at(r) * at(width) + at(j), x[r]); });
    unroll<P>([&](auto k) SINEW_INLINE_LAMBDA {
      unroll<P>([&](auto i) SINEW_INLINE_LAMBDA {
        if constexpr (i > k) x[i] -= L[at(i) * at(width) + at(k)] * x[k];
      });
    });
    unroll<P>([&](auto r) SINEW_INLINE_LAMBDA {
      std::memcpy(right + at(r) * at(width) + at(j), &x[r], count * sizeof(double));
    });
  };
  int j = 0;
  for (; j + 3 < n; j += 4) divide_strip.template operator()<4>(j);
  switch (n - j) {
    case 1: return divide_strip.template operator()<1>(j);
    case 2: return divide_strip.template operator()<2>(j);
    case 3: return divide_strip.template operator()<3>(j);
    default: return;
  }
}

// P A = L U of the first `own` columns of the upper rows; exchanges are noted in pivots. On the diagonal of U are its
// inverses. False: singular.
SINEW_WIDE bool factor_upper(double* A, int own, int width, int* pivots) {
  const auto row_of = [&](int i) { return A + at(i) * at(width); };
  for (int first = 0; first < own; first += kFrontPanel) {
    const int end = std::min(first + kFrontPanel, own);
    const bool regular = with_panel(end - first, [&]<int P>() SINEW_INLINE_LAMBDA {
      if (!factor_panel<P>(A, first, own, width, pivots)) return false;
      divide_right<P>(row_of(first) + first, row_of(first) + end, width, width - end);
      return true;
    });
    if (!regular) return false;
    subtract_product(row_of(end) + end, width, own - end, width - end, {row_of(end) + first, width},
                     {row_of(first) + end, width}, end - first);
  }
  return true;
}

// P columns of rows times U^-1, four rows at a time.
template <int P>
[[gnu::always_inline]] inline void divide_rows(double* lower, int stride, int rows, const double* U, int width) {
  for (int i = 0; i < rows; i += 4) {
    double* row[4];
    for (int r = 0; r < 4; ++r) row[r] = lower + at(std::min(i + r, rows - 1)) * at(stride);
    Four x[P];
    unroll<P>([&](auto k) SINEW_INLINE_LAMBDA { x[k] = Four{row[0][k], row[1][k], row[2][k], row[3][k]}; });
    unroll<P>([&](auto k) SINEW_INLINE_LAMBDA {
      const double* u = U + at(k) * at(width);
      x[k] *= u[k];
      unroll<P>([&](auto j) SINEW_INLINE_LAMBDA {
        if constexpr (j > k) x[j] -= u[j] * x[k];
      });
    });
    unroll<4>([&](auto r)
                  SINEW_INLINE_LAMBDA { unroll<P>([&](auto k) SINEW_INLINE_LAMBDA { row[r][k] = x[k][int{r}]; }); });
  }
}

// The lower rows times U^-1.
SINEW_WIDE void divide_lower(double* lower, int rest, const double* upper, int own, int width) {
  for (int first = 0; first < own; first += kFrontPanel) {
    const int end = std::min(first + kFrontPanel, own);
    with_panel(end - first, [&]<int P>() SINEW_INLINE_LAMBDA {
      divide_rows<P>(lower + first, own, rest, upper + at(first) * at(width) + at(first), width);
    });
    subtract_product(lower + end, own, rest, own - end, {lower + first, own},
                     {upper + at(first) * at(width) + at(end), width}, end - first);
  }
}

// x = L^-1 x and x = U^-1 x of a panel.
template <int P>
[[gnu::always_inline]] inline void divide_by_lower(const double* L, int width, double* x) {
  unroll<P>([&](auto k) SINEW_INLINE_LAMBDA {
    unroll<P>([&](auto i) SINEW_INLINE_LAMBDA {
      if constexpr (i > k) x[i] -= L[at(i) * at(width) + at(k)] * x[k];
    });
  });
}
template <int P>
[[gnu::always_inline]] inline void divide_by_upper(const double* U, int width, double* x) {
  unroll<P>([&](auto above) SINEW_INLINE_LAMBDA {
    constexpr int k = P - 1 - above;
    x[k] *= U[at(k) * at(width) + at(k)];
    unroll<k>([&](auto i) SINEW_INLINE_LAMBDA { x[i] -= U[at(i) * at(width) + at(k)] * x[k]; });
  });
}

// What is left for the parent: rest -= lower * (upper, right of its own columns).
SINEW_WIDE void subtract_from_rest(double* rest, int n, const double* lower, const double* upper, int own) {
  subtract_product(rest, n, n, n, {lower, own}, {upper + own, own + n}, own);
}

[[gnu::always_inline]] inline void add(double* __restrict to, const double* __restrict from, int n) {
  for (int j = 0; j < n; ++j) to[j] += from[j];
}

}  // namespace

void Fronts::reserve(int groups, int unknowns, int edges, int widest) {
  const std::size_t n = at(groups), m = at(edges), size = at(unknowns), block = at(widest) * at(widest);
  const std::size_t fill = std::min(size * size, static_cast<std::size_t>(kHeapFill * std::pow(unknowns, 1.5)));
  order_.reserve(groups, edges);
  sizes_.reserve(n), edges_.reserve(m), fronts_.reserve(n), y_.reserve(size), gathered_.reserve(size);
  for (auto* x : {&diagonal_, &edge_, &mirror_}) x->reserve(std::max(n, m));
  for (auto* x : {&start_, &first_child_, &next_child_, &block_count_}) x->reserve(n + 1);
  rest_offset_.reserve(16 * (n + m));
  pivots_.reserve(size), rows_.reserve(16 * size), runs_.reserve(16 * (n + m)), placed_.reserve(n + 2 * m);
  values_.reserve(std::min(size * size, (n + 2 * m) * block)), factor_.reserve(fill + kSpare);
  stack_.reserve(fill);
}

void Fronts::analyse(const std::vector<int>& sizes, const std::vector<Edge>& edges) {
  if (sizes == sizes_ && edges == edges_) return;
  sizes_ = sizes, edges_ = edges;
  order_.find(sizes_, edges_);
  lay_out();
}

// Row of a group in a front.
int Fronts::find_place(int front, int group) const {
  const FrontOrder::Front& f = order_.fronts[at(front)];
  const int position = order_.position[at(group)];
  if (order_.front_of[at(group)] == front) return position - fronts_[at(front)].first;
  const auto begin = order_.rest_groups.begin() + static_cast<std::ptrdiff_t>(f.rest_first),
             end = order_.rest_groups.begin() + static_cast<std::ptrdiff_t>(f.rest_end);
  const auto found =
      std::lower_bound(begin, end, position, [&](int g, int value) { return order_.position[at(g)] < value; });
  return f.own + rest_offset_[at(static_cast<int>(found - order_.rest_groups.begin()))];
}

// Runs of rows that stay together on their way to the parent; none crosses the border of what the parent owns.
void Fronts::find_runs(int front) {
  Front& f = fronts_[at(front)];
  const FrontOrder::Front& o = order_.fronts[at(front)];
  f.runs = runs_.size();
  for (std::size_t k = o.rest_first; k < o.rest_end && o.parent >= 0; ++k) {
    const int g = order_.rest_groups[k], to = find_place(o.parent, g), from = rest_offset_[k];
    const bool goes_on = runs_.size() > f.runs && runs_.back().from + runs_.back().count == from &&
                         runs_.back().to + runs_.back().count == to && to != order_.fronts[at(o.parent)].own;
    if (goes_on)
      runs_.back().count += sizes_[at(g)];
    else
      runs_.push_back({from, to, sizes_[at(g)]});
  }
  f.runs_end = runs_.size();
}

// Places of all that is known from the pattern.
void Fronts::lay_out() {
  const std::size_t groups = sizes_.size(), count = order_.fronts.size();
  start_.resize(groups), diagonal_.resize(groups), edge_.resize(edges_.size()), mirror_.resize(edges_.size());
  std::size_t values = 0;
  int unknowns = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    start_[g] = unknowns, unknowns += sizes_[g];
    diagonal_[g] = values, values += at(sizes_[g]) * at(sizes_[g]);
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const std::size_t block = at(sizes_[at(edges_[e].high)]) * at(sizes_[at(edges_[e].low)]);
    edge_[e] = values, mirror_[e] = values + block, values += 2 * block;
  }
  values_.resize(values), y_.resize(at(unknowns)), gathered_.resize(at(unknowns)), pivots_.resize(at(unknowns));

  // Rows of the fronts, and where their numbers are.
  fronts_.resize(count), rest_offset_.resize(order_.rest_groups.size()), rows_.clear(), runs_.clear();
  std::size_t numbers = 0;
  int first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const FrontOrder::Front& o = order_.fronts[i];
    Front& f = fronts_[i];
    f = {.own = o.own, .rest = o.rest, .first = first, .upper = numbers};
    numbers += at(f.own) * at(f.width()), f.lower = numbers, numbers += at(f.rest) * at(f.own);
    f.rows = rows_.size(), first += f.own;
    int offset = 0;
    for (std::size_t k = o.rest_first; k < o.rest_end; ++k) {
      const int g = order_.rest_groups[k];
      rest_offset_[k] = offset, offset += sizes_[at(g)];
      for (int j = 0; j < sizes_[at(g)]; ++j) rows_.push_back(order_.position[at(g)] + j);
    }
  }
  factor_.resize(numbers + kSpare);
  for (std::size_t i = 0; i < count; ++i) find_runs(static_cast<int>(i));

  // The stack, and the children whose updates lie on top of it when a front comes.
  first_child_.assign(count, -1), next_child_.assign(count, -1);
  for (std::size_t i = count; i-- > 0;)
    if (const int p = order_.fronts[i].parent; p >= 0)
      next_child_[i] = first_child_[at(p)], first_child_[at(p)] = static_cast<int>(i);
  std::size_t top = 0, most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Front& f = fronts_[i];
    const std::size_t left = at(f.rest) * at(f.rest);
    f.children = first_child_[i] < 0 ? top : fronts_[at(first_child_[i])].children;
    f.update = top, most = std::max(most, top + left), top = f.children + left;
  }
  stack_.resize(most);

  // Blocks of the matrix, by the front that meets them first.
  block_count_.assign(count + 1, 0);
  const auto front_of_edge = [&](const Edge& e) {
    return std::min(order_.front_of[at(e.high)], order_.front_of[at(e.low)]);
  };
  for (std::size_t g = 0; g < groups; ++g) ++block_count_[at(order_.front_of[g]) + 1];
  for (const Edge& e : edges_) block_count_[at(front_of_edge(e)) + 1] += 2;
  for (std::size_t i = 0; i < count; ++i) {
    block_count_[i + 1] += block_count_[i];
    fronts_[i].blocks = fronts_[i].blocks_end = at(block_count_[i]);
  }
  placed_.resize(groups + 2 * edges_.size());
  const auto place = [&](int front, std::size_t from, int row_group, int column_group) {
    placed_[fronts_[at(front)].blocks_end++] = {from, find_place(front, row_group), find_place(front, column_group),
                                                sizes_[at(row_group)], sizes_[at(column_group)]};
  };
  for (std::size_t g = 0; g < groups; ++g)
    place(order_.front_of[g], diagonal_[g], static_cast<int>(g), static_cast<int>(g));
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    place(front_of_edge(edges_[e]), edge_[e], edges_[e].high, edges_[e].low);
    place(front_of_edge(edges_[e]), mirror_[e], edges_[e].low, edges_[e].high);
  }
}

void Fronts::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

// Rows of a front lie in three places: the upper rows, the lower ones left, and the rest.
void Fronts::add_block(const Front& f, const Placed& b) {
  for (int i = 0; i < b.rows; ++i) {
    const double* from = values_.data() + b.from + at(i) * at(b.columns);
    const int row = b.row + i;
    double* to = row < f.own ? factor_.data() + f.upper + at(row) * at(f.width())
                             : factor_.data() + f.lower + at(row - f.own) * at(f.own);
    add(to + b.column, from, b.columns);
  }
}

void Fronts::add_update(const Front& child, const double* update, const Front& f, double* rest) {
  for (std::size_t a = child.runs; a < child.runs_end; ++a)
    for (int i = 0; i < runs_[a].count; ++i) {
      const double* from = update + at(runs_[a].from + i) * at(child.rest);
      const int row = runs_[a].to + i;
      double* left = row < f.own ? factor_.data() + f.upper + at(row) * at(f.width())
                                 : factor_.data() + f.lower + at(row - f.own) * at(f.own);
      double* right = row < f.own ? left + f.own : rest + at(row - f.own) * at(f.rest);
      for (std::size_t b = child.runs; b < child.runs_end; ++b) {
        const Run& run = runs_[b];
        add(run.to < f.own ? left + run.to : right + (run.to - f.own), from + run.from, run.count);
      }
    }
}

bool Fronts::factor(Interrupt interrupt) {
  std::fill(factor_.begin(), factor_.end(), 0.0);
  for (std::size_t i = 0; i < fronts_.size(); ++i) {
    interrupt.check();
    const Front& f = fronts_[i];
    double* rest = stack_.data() + f.update;
    const std::size_t left = at(f.rest) * at(f.rest);
    std::fill_n(rest, left, 0.0);
    for (std::size_t b = f.blocks; b < f.blocks_end; ++b) add_block(f, placed_[b]);
    const double* update = stack_.data() + f.children;
    for (int c = first_child_[i]; c >= 0; c = next_child_[at(c)]) {
      const Front& child = fronts_[at(c)];
      add_update(child, update, f, rest), update += at(child.rest) * at(child.rest);
    }
    double *upper = factor_.data() + f.upper, *lower = factor_.data() + f.lower;
    if (!factor_upper(upper, f.own, f.width(), pivots_.data() + f.first)) return false;
    if (f.rest == 0) continue;
    divide_lower(lower, f.rest, upper, f.own, f.width());
    subtract_from_rest(rest, f.rest, lower, upper, f.own);
    std::copy_n(rest, left, stack_.data() + f.children);
  }
  return is_finite(factor_.data(), factor_.size());
}

SINEW_WIDE void Fronts::solve(const double* b, double* x) {
  for (std::size_t g = 0; g < sizes_.size(); ++g) std::copy_n(b + start_[g], sizes_[g], y_.data() + order_.position[g]);
  for (const Front& f : fronts_) {
    double* y = y_.data() + f.first;
    const double *upper = factor_.data() + f.upper, *lower = factor_.data() + f.lower;
    const int width = f.width();
    for (int k = 0; k < f.own; ++k) std::swap(y[k], y[pivots_[at(f.first + k)]]);
    for (int first = 0; first < f.own; first += kFrontPanel) {
      const double* L = upper + at(first) * at(width);
      const int count = std::min(kFrontPanel, f.own - first);
      for (int k = 0; k < count && first > 0; ++k) y[first + k] -= sum_products(L + at(k) * at(width), y, first);
      with_panel(count, [&]<int P>() SINEW_INLINE_LAMBDA { divide_by_lower<P>(L + first, width, y + first); });
    }
    for (int i = 0; i < f.rest; ++i) y_[at(rows_[f.rows + at(i)])] -= sum_products(lower + at(i) * at(f.own), y, f.own);
  }
  for (std::size_t i = fronts_.size(); i-- > 0;) {
    const Front& f = fronts_[i];
    double* y = y_.data() + f.first;
    const int width = f.width();
    for (int k = 0; k < f.rest; ++k) gathered_[at(k)] = y_[at(rows_[f.rows + at(k)])];
    for (int first = (f.own - 1) / kFrontPanel * kFrontPanel; first >= 0; first -= kFrontPanel) {
      const double* U = factor_.data() + f.upper + at(first) * at(width);
      const int count = std::min(kFrontPanel, f.own - first), end = first + count;
      for (int k = 0; k < count; ++k) {
        const double* row = U + at(k) * at(width);
        y[first + k] -= sum_products(row + f.own, gathered_.data(), f.rest);
        if (end < f.own) y[first + k] -= sum_products(row + end, y + end, f.own - end);
      }
      with_panel(count, [&]<int P>() SINEW_INLINE_LAMBDA { divide_by_upper<P>(U + first, width, y + first); });
    }
  }
  for (std::size_t g = 0; g < sizes_.size(); ++g) std::copy_n(y_.data() + order_.position[g], sizes_[g], x + start_[g]);
}

}  // namespace sinew::linear
