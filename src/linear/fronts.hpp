// src/linear/fronts.hpp - L U of a sparse matrix of blocks with symmetric pattern, by fronts
// Unknowns come in groups (the velocities of a tree). The matrix has a dense block for each group and two for each edge
// between groups. Groups are eliminated in an order of approximately minimum degree [Amestoy, Davis, Duff: An
// approximate minimum degree ordering algorithm, 1996]; groups that have nearly the same neighbours later on are
// eliminated together, in one dense front [Duff, Reid: The multifrontal solution of indefinite sparse symmetric linear
// systems, 1983]. Rows are exchanged within a front only.
// The order depends on the pattern alone: the same matrix gives the same bits, whatever was solved before.
#pragma once
#include <compare>
#include <cstddef>
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"

namespace sinew::linear {

struct Edge {
  int high = 0, low = 0;  // groups, high > low
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// The order of elimination, and which groups are in which front. All arrays keep their memory.
class FrontOrder {
 public:
  void reserve(int groups, int edges);
  void find(const std::vector<int>& sizes, const std::vector<Edge>& edges);

  struct Front {
    int own = 0, rest = 0;                     // unknowns eliminated here, and those that come later
    int parent = -1;                           // front that takes what is left; -1: none
    int own_first = 0, own_end = 0;            // in own_groups, by the order of elimination
    std::size_t rest_first = 0, rest_end = 0;  // in rest_groups, likewise
  };
  std::vector<Front> fronts;  // children before parents, each right before the next of its family
  std::vector<int> own_groups, rest_groups;
  std::vector<int> front_of, position;  // (groups) its front; its first unknown in the order of elimination

 private:
  void eliminate(const std::vector<int>& sizes, const std::vector<Edge>& edges);
  void take(int group, const std::vector<int>& sizes);
  void join(const std::vector<int>& sizes);
  void number(const std::vector<int>& sizes);
  int& next_of(int list) { return link_next_[at(list)]; }

  std::vector<int> order_;  // groups
  std::vector<int> parent_, degree_, weight_, mark_, outside_, outside_mark_;
  std::vector<char> state_;
  std::vector<int> neighbours_, neighbour_first_, neighbour_end_;
  std::vector<int> members_, member_first_, member_end_;  // groups in the front of each group, without itself
  std::vector<int> link_head_, link_front_, link_next_;   // the fronts that a group is in, as lists
  std::vector<int> own_, rest_, top_, child_first_, child_next_, walk_, count_;
  std::vector<double> zeros_;
};

class Fronts {
 public:
  // Room for patterns of heaps: their factors have about as many numbers as those of a body with so many neighbours in
  // space. Other patterns may need more. widest: unknowns of the largest group.
  void reserve(int groups, int unknowns, int edges, int widest);
  // Does nothing where the pattern is that of the last call. `edges`: sorted, each once.
  void analyse(const std::vector<int>& sizes, const std::vector<Edge>& edges);
  const std::vector<Edge>& edges() const { return edges_; }

  // Where blocks are: row-major, without gaps. The caller fills them before factor().
  double* diagonal(int group) { return values_.data() + diagonal_[at(group)]; }
  double* high_low(int edge) { return values_.data() + edge_[at(edge)]; }  // rows of the high group
  double* low_high(int edge) { return values_.data() + mirror_[at(edge)]; }
  void clear();  // all blocks zero
  // False: singular, or not finite. Looks at the interrupt once a front.
  bool factor(Interrupt = {});
  // x = A^-1 b, in the order of the groups; may be the same array.
  void solve(const double* b, double* x);

  std::size_t fronts() const { return fronts_.size(); }
  std::size_t entries() const { return factor_.empty() ? 0 : factor_.size() - kSpare; }  // numbers in the factors

 private:
  // Its first `own` rows are kept whole (upper), of the others the first `own` columns (lower). What is left for the
  // parent lies on a stack.
  struct Front {
    int own = 0, rest = 0, first = 0;        // first: its first unknown in the order of elimination
    std::size_t upper = 0, lower = 0;        // in factor_
    std::size_t rows = 0;                    // in rows_: where the other unknowns are in that order
    std::size_t update = 0, children = 0;    // in the stack: what it leaves, from where its children's begins
    std::size_t runs = 0, runs_end = 0;      // in runs_: where its rest goes in the parent's front
    std::size_t blocks = 0, blocks_end = 0;  // in placed_
    int width() const { return own + rest; }
  };
  static constexpr std::size_t kSpare = 8;  // numbers behind the factors, for rows are read in fours
  struct Run {
    int from = 0, to = 0, count = 0;  // row of the rest, row of the parent's front
  };
  struct Placed {
    std::size_t from = 0;                            // in values_
    int row = 0, column = 0, rows = 0, columns = 0;  // in the front
  };
  void lay_out();
  int find_place(int front, int group) const;
  void find_runs(int front);
  void add_block(const Front&, const Placed&);
  void add_update(const Front& child, const double* update, const Front&, double* rest);

  std::vector<int> sizes_;
  std::vector<Edge> edges_;
  FrontOrder order_;
  std::vector<std::size_t> diagonal_, edge_, mirror_;
  std::vector<int> start_;  // (groups) first unknown
  std::vector<Front> fronts_;
  std::vector<int> rows_, first_child_, next_child_, block_count_, pivots_, rest_offset_;
  std::vector<Run> runs_;
  std::vector<Placed> placed_;
  std::vector<double> values_, factor_, stack_, y_, gathered_;
};

}  // namespace sinew::linear
