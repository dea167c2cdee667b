// src/contact/os.cpp - the operational space form: loop impulses and contacts [J14 42-53]
// W = [Q_b; Q_u] Lambda [Q_b; Q_u]^T is a sum over the trees of the model, each by PV-OSIMr, O(n + m^2); the free
// velocity and the answer by one sweep each, O(n). Trees that no row joins are problems of their own: islands.
#include "os.hpp"

#include <algorithm>
#include <cmath>

#include "base/same_bits.hpp"
#include "constants.hpp"

namespace sinew::contact {
namespace {

// Whether an island is solved without W: where the matrix of velocities is smaller and there are many rows; fewer rows
// where it is much smaller, as of cylinders that stand on many points.
bool is_sparse(int rows, int velocities, int sparse_rows) {
  if (sparse_rows == 0) return velocities > 0;
  const double least = rows > kManyRows * velocities ? kSparseEarlier * sparse_rows : sparse_rows;
  return velocities > 0 && rows >= least && 2 * rows > velocities;
}

// Sets numbers, and forgets `same` where that changes their bits.
template <class T>
void take(const T& from, T& to, bool& same) {
  same = same && same_bits(from, to);
  to = from;
}

bool depends_on_time(const Model& m) {
  return std::any_of(m.nodes().begin() + 1, m.nodes().end(), [](const Node& n) {
    return n.joint.kind == JointKind::prescribed || n.joint.kind == JointKind::user;
  });
}

// See ContactStep::least_bias.
void clear_least_biases(StepData& d, const ProblemData& island) {
  const lcp::RowLayout layout = d.layout();
  for (const int r : island.rows) {
    if (d.bias.empty() || layout.block_of(r) != lcp::RowBlock::contacts || layout.axis_of(r) != 0) continue;
    double& bias = d.bias[at(layout.contact_of(r))];
    if (std::abs(bias) > d.step->least_bias) continue;
    d.approach[at(r - layout.free)] -= bias, bias = 0;
  }
}

}  // namespace

Os::Os(const Model& m, const ConstraintSet& set)
    : parts_(split_trees(m)),
      tree_of_(m.nodes().size(), 0),
      loop_entries_(set.problem().entries().begin(), set.problem().entries().end()),
      aba_(m),
      x_(at(m.nv())),
      columns_(at(m.nv())) {
  tree_of_[0] = -1;
  if (parts_.empty()) trees_.emplace_back(m, m.nv());
  int count_v = 0;
  for (const ModelPart& p : parts_) {
    OsTree& t = trees_.emplace_back(p.model, p.model.nv());
    t.shift = p.shift, t.qs = p.q, t.vs = p.v, t.first_v = count_v, count_v += p.model.nv();
    t.keeps = !depends_on_time(p.model);
    for (std::size_t i = 1; i < p.model.nodes().size(); ++i)
      tree_of_[at(p.shift) + i] = static_cast<int>(trees_.size()) - 1;
  }
}

void Os::reserve(const lcp::RowLayout& most, Islands& islands) {
  const int trees = static_cast<int>(trees_.size());
  const std::size_t rows = at(most.rows()), loops = loop_entries_.size(), entries = loops + 2 * (rows - at(most.free));
  velocities_.reserve(trees_.size() + 1), entries_.reserve(entries), K_.reserve(entries), first_tree_.reserve(rows),
      place_.reserve(rows);
  lcp::RowLayout share = most;
  if (trees > 1) share.contacts = std::min(most.contacts, std::max(kTreeContacts, kTreeShare * most.contacts) / trees);
  islands.problems.resize(std::max(islands.problems.size(), trees_.size() + 1));
  islands.dense = most;
  if (trees > kFewTrees) islands.dense.contacts = std::min(most.contacts, kDenseContacts);
  for (std::size_t i = 0; i < islands.problems.size(); ++i)
    islands.problems[i].reserve(i == 0 || trees <= kFewTrees ? islands.dense : share);
  if (is_sparse(most.rows(), 1, islands.sparse_rows)) reserve_sparse(most, islands);
  if (share.contacts == 0 && trees > 1) return;
  const std::size_t n = at(share.rows()), pushing = n - at(share.free);
  for (OsTree& t : trees_) {
    const std::size_t on_tree =
        loops + (t.model->nodes().size() > 2 ? 2 : 1) * pushing;  // a body does not touch itself
    t.structures.reserve(static_cast<int>(n), static_cast<int>(on_tree));
    t.W.reserve(n * n), t.rows.reserve(n), t.places.reserve(n);
    t.entries.reserve(on_tree), t.sources.reserve(on_tree);
    t.q.reserve(at(t.model->nq())), t.f.reserve(at(t.model->nv()));
  }
}

void Os::set_armature(int v, double armature) {
  for (OsTree& t : trees_) t.assembled = nullptr;
  for (ModelPart& p : parts_)
    if (const auto place = std::find(p.v.begin(), p.v.end(), v); place != p.v.end())
      sinew::set_armature(p.model, static_cast<int>(place - p.v.begin()), armature);
}

int Os::root_of(int t) const {
  while (trees_[t].above != t) t = trees_[t].above;
  return t;
}

// Finds the rows of each tree, and the trees that rows connect.
void Os::find_rows(const StepData& d) {
  const lcp::RowLayout layout = d.layout();
  entries_ = loop_entries_;
  add_step_entries(d.pushing(), layout.first_unilateral(), entries_);
  K_.resize(entries_.size());
  std::copy(d.rows.K.begin(), d.rows.K.end(), K_.begin());
  calc_step_forces(d.pushing(), d.motion->kinematics, K_.data() + d.rows.K.size());
  first_tree_.assign(at(layout.rows()), -1), first_entry_.clear();
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    OsTree& tree = trees_[t];
    tree.rows.clear(), tree.entries.clear(), tree.sources.clear(), tree.last_row = -1;
    tree.above = static_cast<int>(t), tree.problem = tree.sparse_tree = -1;
  }
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const auto [row, node] = entries_[e];
    const int t = tree_of_[node];
    if (t < 0) continue;
    OsTree& tree = trees_[t];
    // Most rows come in ascending order; one that is known already is among the last.
    const bool beyond = row > tree.last_row;
    const auto known = beyond ? tree.rows.rend() : std::find(tree.rows.rbegin(), tree.rows.rend(), row);
    tree.last_row = std::max(tree.last_row, row);
    const int local = static_cast<int>(known == tree.rows.rend() ? tree.rows.size() : tree.rows.rend() - known - 1);
    if (known == tree.rows.rend()) tree.rows.push_back(row);
    tree.entries.push_back({local, node - tree.shift});
    tree.sources.push_back(static_cast<int>(e));
    int& first = first_tree_[row];
    if (first < 0) first = t;
    const int a = root_of(first), b = root_of(t);
    trees_[std::max(a, b)].above = std::min(a, b);
  }
}

// The islands in the order of their first rows; rows without a tree make one of their own.
void Os::find_islands(StepData& d, Islands& out) {
  const lcp::RowLayout layout = d.layout();
  out.count = 0, out.unknowns = first_tree_.size();
  place_.resize(first_tree_.size());
  int without_tree = -1;  // the island of rows without a tree
  for (std::size_t r = 0; r < first_tree_.size(); ++r) {
    int& island = first_tree_[r] < 0 ? without_tree : trees_[root_of(first_tree_[r])].problem;
    if (island < 0) {
      island = static_cast<int>(out.count++);
      if (out.problems.size() < out.count) out.problems.resize(out.count);
      out.problems[island].rows.clear();
    }
    place_[r] = static_cast<int>(out.problems[island].rows.size());
    out.problems[island].rows.push_back(static_cast<int>(r));
  }
  velocities_.assign(out.count, 0);
  for (OsTree& t : trees_) {
    t.island = nullptr;
    if (t.rows.empty()) continue;
    const std::size_t island = at(trees_[at(root_of(static_cast<int>(&t - trees_.data())))].problem);
    velocities_[island] += t.model->nv(), t.island = &out.problems[island];
  }
  int largest = -1;  // island without W
  for (std::size_t i = 0; i < out.count; ++i) {
    ProblemData& p = out.problems[i];
    lcp::RowLayout own;
    for (const int r : p.rows) {
      const lcp::RowBlock block = layout.block_of(r);
      own.free += block == lcp::RowBlock::free, own.unilateral += block == lcp::RowBlock::unilateral;
      own.contacts += block == lcp::RowBlock::contacts && layout.axis_of(r) == 0;
    }
    p.without_matrix = is_sparse(own.rows(), velocities_[i], out.sparse_rows);
    p.resize(own);
    if (p.without_matrix && (largest < 0 || p.q.size() > out.problems[at(largest)].q.size()))
      largest = static_cast<int>(i);
    if (p.without_matrix)
      clear_least_biases(d, p);
    else
      std::fill(p.W.begin(), p.W.end(), 0.0);
    for (std::size_t k = 0; k < p.rows.size(); ++k) {
      const int r = p.rows[k];
      p.q[k] = r < layout.free ? d.loop_error[r] : d.approach[r - layout.free];
    }
  }
  if (largest < 0 || at(largest) == out.roomy) return;
  ProblemData &from = out.problems[out.roomy], &to = out.problems[at(largest)];
  std::swap(from.sparse, to.sparse), std::swap(from.trees, to.trees);
  std::swap(from.pushed, to.pushed), std::swap(from.pushed_terms, to.pushed_terms);
  out.roomy = at(largest);
}

// What problems without W need within so many rows.
lcp::SparseRoom Os::find_sparse_room(const lcp::RowLayout& most) const {
  lcp::SparseRoom out{.rows = most};
  int total = 0;
  std::size_t mass = 0;
  for (const OsTree& t : trees_) {
    const int n = t.model->nv();
    out.widest = std::max(out.widest, n), total += n, mass += at(n) * at(n);
  }
  out.trees = std::min(static_cast<int>(trees_.size()), 2 * out.blocks());
  out.velocities = std::min(total, out.trees * out.widest);
  out.mass = std::min(mass, at(out.trees) * at(out.widest) * at(out.widest));
  return out;
}

void Os::reserve_sparse(const lcp::RowLayout& most, Islands& islands) {
  const lcp::SparseRoom room = islands.sparse = find_sparse_room(most);
  const std::size_t rows = at(most.rows());
  ProblemData& p = islands.problems[islands.roomy];
  p.sparse.reserve(room), p.trees.reserve(at(room.trees));
  for (auto* x : {&p.pushed, &p.pushed_terms, &impulse_}) x->reserve(at(room.velocities));
  first_entry_.reserve(rows + 1), cursor_.reserve(rows), given_.reserve(rows),
      entry_order_.reserve(entries_.capacity());
  for (OsTree& t : trees_)
    if (!t.crba) t.crba.emplace(*t.model);
}

// W of the tree, and velocities of its rows if only forces and given impulses act: v- + alpha_f dt [J14 44, 49-52]
void Os::add_tree(StepData& d, OsTree& t) {
  const ContactStep& step = *d.step;
  const bool whole = parts_.empty();
  const std::size_t m = t.rows.size();
  t.q.resize(whole ? step.q.size() : t.qs.size()), t.f.resize(whole ? step.v.size() : t.vs.size());
  bool same = t.keeps;  // as when W was assembled
  for (std::size_t i = 0; i < t.q.size(); ++i) take(step.q[whole ? i : at(t.qs[i])], t.q[i], same);
  for (std::size_t i = 0; i < t.f.size(); ++i) t.f[i] = d.f[whole ? i : at(t.vs[i])];
  if (m > 0) {
    ProblemData& p = *t.island;
    if (p.without_matrix) {
      t.assembled = nullptr;
      return add_sparse_tree(d, t, p);
    }
  }
  RowStructure& s = t.structures.find(t.entries, static_cast<int>(m));
  for (std::size_t e = 0; e < s.K.size(); ++e) take(K_[t.sources[e]], s.K[e], same);
  t.W.resize(m * m), t.places.resize(m);
  if (t.assembled != &s || !(same || step.same_place))
    delassus::pv(*t.model, s.pv.pv, t.q, s.K, MatrixView<double>(t.W.data(), m, m), step.time);
  t.assembled = &s;
  const std::size_t first = at(d.layout().first_contact());
  for (std::size_t r = 0; r < m; ++r)
    s.lambda[r] = step.impulse.size() == 0 || at(t.rows[r]) < first ? 0 : step.impulse[at(t.rows[r]) - first];
  calc_response(*t.model, s.pv, t.q, t.f, s.K, s.lambda, t.x);
  if (m == 0) return;

  ProblemData& p = *t.island;
  const std::size_t n = p.q.size();
  // Consecutive rows of the tree are mostly consecutive in the island: add run by run.
  for (std::size_t r = 0; r < m; ++r) t.places[r] = at(place_[t.rows[r]]);
  for (std::size_t first_column = 0, end = 0; first_column < m; first_column = end) {
    const std::size_t place = t.places[first_column];
    for (end = first_column + 1; end < m && t.places[end] == place + (end - first_column);) ++end;
    for (std::size_t r = 0; r < m; ++r) {
      double* to = p.W.data() + t.places[r] * n + place;
      const double* from = t.W.data() + r * m + first_column;
      for (std::size_t c = 0; c < end - first_column; ++c) to[c] += from[c];
    }
  }
  for (std::size_t e = 0; e < t.entries.size(); ++e)
    p.q[place_[t.rows[t.entries[e].row]]] += dot(s.K[e], s.pv.accelerations[t.entries[e].node]);
}

void Os::assemble(StepData& d, Islands& out) {
  const ContactStep& step = *d.step;
  no_rows_ = d.layout().rows() == 0;
  if (no_rows_) {  // no loops, no stops, no contacts
    out.count = 0, out.unknowns = 0;
    std::fill(x_.begin(), x_.end(), 0.0);
    if (step.dt == 0) return;
    aba(d.model, aba_, step.q, inertial_velocity(step), step.tau, x_, {step.external, step.time});
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_[i] = step.dt * (step.turning.size() == 0 ? x_[i] : x_[i] + step.turning[i]);
    return;
  }
  calc_force_impulse(d);
  find_rows(d);
  find_islands(d, out);
  for (std::size_t i = 0; i < out.count; ++i) {
    out.problems[i].rests = true;
    if (out.problems[i].without_matrix)
      out.problems[i].sparse.begin(out.problems[i].layout), out.problems[i].trees.clear();
  }
  for (const OsTree& t : trees_)
    if (t.island)
      for (std::size_t i = 0; i < t.x.size(); ++i)
        t.island->rests = t.island->rests && step.v[coordinate_of(t, i)] == 0;
  for (OsTree& t : trees_) add_tree(d, t);
  for (std::size_t i = 0; i < out.count; ++i) {
    if (out.problems[i].without_matrix)
      add_sparse_rows(d, out.problems[i]);
    else
      clear_immovable_rows(out.problems[i]);
  }
}

void Os::recover(StepData& d, In<double> z, ContactAnswer& out) {
  const ContactStep& step = *d.step;
  std::copy_n(z.data(), out.loops.size(), out.loops.data());
  if (!no_rows_)
    for (OsTree& t : trees_) recover_tree(d, t, z);
  // An island whose velocities are zero within the tolerance, beside the terms that they are the sums of, rests.
  for (const OsTree& t : trees_) {
    if (no_rows_ || !t.island || !t.island->comes_to_rest()) continue;
    for (std::size_t i = 0; i < t.x.size(); ++i) x_[coordinate_of(t, i)] = -step.v[coordinate_of(t, i)];
  }
  for (std::size_t i = 0; i < x_.size(); ++i) out.v[i] = step.v[i] + x_[i];
}

void Os::recover_tree(const StepData& d, OsTree& t, In<double> z) {
  const ContactStep& step = *d.step;
  if (t.sparse_tree >= 0) return recover_sparse_tree(step, t);
  const std::size_t first = at(d.layout().first_contact());
  if (t.island)
    for (std::size_t i = 0; i < t.x.size(); ++i)
      t.island->terms = std::max(t.island->terms, std::abs(step.v[coordinate_of(t, i)]) + std::abs(t.x[i]));
  // Where nothing pushes, the free velocity is the answer.
  if (std::any_of(t.rows.begin(), t.rows.end(), [&](int r) { return z[r] != 0; })) {
    RowStructure& s = t.structures.last();
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const std::size_t row = at(t.rows[r]);
      s.lambda[r] = z[row] + (step.impulse.size() == 0 || row < first ? 0 : step.impulse[row - first]);
    }
    calc_response(*t.model, s.pv, t.q, t.f, s.K, s.lambda, t.x);  // [J14 33]
  }
  for (std::size_t i = 0; i < t.x.size(); ++i) {
    const std::size_t c = coordinate_of(t, i);
    x_[c] = t.x[i];
    if (t.island) t.island->note_velocity(step.v[c] + t.x[i]);
  }
}

std::unique_ptr<Method> make_os(const Model& m, const ConstraintSet& set) { return std::make_unique<Os>(m, set); }

}  // namespace sinew::contact
