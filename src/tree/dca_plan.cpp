// src/tree/dca_plan.cpp - which joints are cut first, where ties are closed, which bodies borrow inertia
#include <algorithm>
#include <cmath>

#include "dca_run.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/tree/dca.hpp"

namespace sinew {
namespace {

using Body = DcaPlan::Body;
using Assembly = DcaPlan::Assembly;
using Kind = DcaPlan::Kind;
// Connected bodies, ascending: the first is nearest to the world.
using Fragment = std::vector<int>;

// Where a body gives back what it borrowed: when its last joint has been made; when its tree stands on the world; when
// all ties are closed.
enum class Stage { joined, grounded, tied };

[[noreturn]] void refuse(const Model& m, int node, const char* why) {
  std::string name = "node " + std::to_string(node);
  for (const BodyEntry& b : m.bodies())
    if (b.node == node) name = "body '" + b.name + "'";
  throw std::invalid_argument("dca: " + name + " of model '" + m.name() + "' " + why);
}
bool is_massless(const RigidInertia<double>& i) {
  return i.m == 0 && i.h == Vec3<double>{} && i.I.xx == 0 && i.I.xy == 0 && i.I.xz == 0 && i.I.yy == 0 && i.I.yz == 0 &&
         i.I.zz == 0;
}
// True where the mass and the pivots of the inertia about the centre of mass are above rounding: that of the inertia
// itself, and that of the one about the origin, from which it is a difference.
bool has_inverse(const RigidInertia<double>& i) {
  if (!(i.m > 0)) return false;
  const Sym3<double> J = inertia_about_centre(i);
  const double small = std::max(1e-12 * (J.xx + J.yy + J.zz), 1e-14 * (i.I.xx + i.I.yy + i.I.zz));
  const double x = J.xx, y = J.yy - J.xy * J.xy / x, yz = J.yz - J.xy * J.xz / x;
  return x > small && y > small && J.zz - J.xz * J.xz / x - yz * yz / y > small;
}

// Mass and length that are usual in the model.
struct Usual {
  explicit Usual(const Model& m) {
    double count = 0;
    for (const Node& n : m.nodes().subspan(1)) {
      mass += n.inertia.m;
      length += norm(n.placement.r) + (n.inertia.m > 0 ? norm(n.inertia.h) / n.inertia.m : 0);
      ++count;
    }
    mass = mass > 0 ? mass / count : 1;
    length = length > 0 ? length / count : 1;
  }
  double mass = 0, length = 0;
};
// A moment of inertia of the size that the body has about its origin; what has no mass borrows that too.
void borrow(const RigidInertia<double>& i, const Usual& usual, Body& body) {
  body.mass = i.m > 0 ? 0 : usual.mass;
  const double own = (i.I.xx + i.I.yy + i.I.zz) / 2;
  body.turning = own > 0 ? own : (i.m > 0 ? i.m : usual.mass) * usual.length * usual.length;
}

// `kept`: nodes that must be bodies, whatever their mass.
std::vector<Body> find_bodies(const Model& m, const std::vector<bool>& kept) {
  std::vector<Body> bodies;
  std::vector<int> body_of(m.nodes().size(), -1);  // of a massless node inside a joint: the body above it
  std::vector<std::vector<int>> path(m.nodes().size());
  std::vector<bool> inside(m.nodes().size(), false);  // a joint
  const Usual usual(m);
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const std::size_t up = at(n.parent);
    Body body{int(i), body_of[up], {}, {}};
    if (inside[up]) path[i] = path[up];
    path[i].push_back(int(i));
    for (const int p : path[i])
      for (int v = m.nodes()[p].v; v < m.nodes()[p].v + m.nodes()[p].nv; ++v) body.coords.push_back(v);
    const auto children = m.topology().children(int(i));
    inside[i] = is_massless(n.inertia) && !kept[i] && children.size() == 1 &&
                int(body.coords.size()) + m.nodes()[children.front()].nv <= kMaxJointDofs;
    body_of[i] = body_of[up];
    if (inside[i]) continue;
    body.path = path[i];
    if (!has_inverse(n.inertia)) borrow(n.inertia, usual, body);
    body_of[i] = int(bodies.size());
    bodies.push_back(std::move(body));
  }
  return bodies;
}

class Cutter {
 public:
  explicit Cutter(const std::vector<Body>& bodies) : bodies_(bodies), children_(bodies.size()), count_(bodies.size()) {
    for (const Body& b : bodies)
      if (b.parent >= 0) ++children_[b.parent];
  }
  // Bodies with a joint that leads out of the fragment.
  std::vector<int> find_ends(const Fragment& all) {
    for (const int b : all) count_[b] = 0;
    for (std::size_t k = 1; k < all.size(); ++k) ++count_[bodies_[all[k]].parent];
    std::vector<int> out;
    for (const int b : all)
      if (b == all.front() || count_[b] < children_[b]) out.push_back(b);
    return out;
  }
  // The body whose joint leaves the most equal halves.
  int find_cut(const Fragment& all) {
    for (const int b : all) count_[b] = 1;
    const int total = int(all.size());
    int best = all.back(), best_size = total;
    for (std::size_t k = all.size() - 1; k > 0; --k) {
      const int below = count_[all[k]], larger = std::max(below, total - below);
      if (larger < best_size) best = all[k], best_size = larger;
      count_[bodies_[all[k]].parent] += below;
    }
    return best;
  }
  void cut(const Fragment& all, int at_body, Fragment& upper, Fragment& lower) {
    for (const int b : all) {
      const int parent = bodies_[b].parent;
      const bool below = b == at_body || (b != all.front() && count_[parent] < 0);
      count_[b] = below ? -1 : 0;
      (below ? lower : upper).push_back(b);
    }
  }
  bool is_below(int body) const { return count_[body] < 0; }  // the last cut

 private:
  const std::vector<Body>& bodies_;
  std::vector<int> children_, count_;
};

// One fragment per child of the world.
std::vector<Fragment> find_trees(const std::vector<Body>& bodies) {
  std::vector<Fragment> trees;
  std::vector<std::size_t> tree_of(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].parent < 0) trees.emplace_back();
    tree_of[b] = bodies[b].parent < 0 ? trees.size() - 1 : tree_of[bodies[b].parent];
    trees[tree_of[b]].push_back(int(b));
  }
  return trees;
}

// A fragment and how it is put together.
struct Piece {
  std::vector<int> ends;       // bodies with joints that lead out
  int upper = -1, lower = -1;  // pieces
  int body = 0;                // whose joint is made, or the only one
  std::vector<int> ties;       // closed here
};
// Wholes before parts: the first pieces are the trees.
std::vector<Piece> cut_in_pieces(const std::vector<Body>& bodies, std::vector<Fragment> trees,
                                 const std::vector<std::vector<int>>& bodies_of_tie, const std::vector<bool>& floats) {
  Cutter cutter(bodies);
  struct Open {
    Fragment all;
    std::vector<int> ties;
    int piece;
  };
  std::vector<Piece> pieces;
  std::vector<Open> open;
  const auto add = [&](Fragment all, std::vector<int> ties) {
    pieces.emplace_back();
    open.push_back({std::move(all), std::move(ties), int(pieces.size()) - 1});
    return int(pieces.size()) - 1;
  };
  for (Fragment& tree : trees) {
    std::vector<int> ties;
    for (std::size_t t = 0; t < floats.size(); ++t)
      if (floats[t] && std::all_of(bodies_of_tie[t].begin(), bodies_of_tie[t].end(),
                                   [&](int b) { return std::binary_search(tree.begin(), tree.end(), b); }))
        ties.push_back(int(t));
    add(std::move(tree), std::move(ties));
  }
  while (!open.empty()) {
    const Open now = std::move(open.back());
    open.pop_back();
    Piece here;
    here.ends = cutter.find_ends(now.all);
    here.body = now.all.front();
    if (now.all.size() == 1) {
      here.ties = now.ties;
    } else {
      here.body = cutter.find_cut(now.all);
      Fragment upper, lower;
      cutter.cut(now.all, here.body, upper, lower);
      std::vector<int> above, below;
      for (const int t : now.ties) {
        const std::size_t lows = at(int(std::count_if(bodies_of_tie[t].begin(), bodies_of_tie[t].end(),
                                                      [&](int b) { return cutter.is_below(b); })));
        (lows == 0 ? above : lows == bodies_of_tie[t].size() ? below : here.ties).push_back(t);
      }
      here.upper = add(std::move(upper), std::move(above));
      here.lower = add(std::move(lower), std::move(below));
    }
    pieces[now.piece] = std::move(here);
  }
  return pieces;
}

int place_in(const Assembly& part, int body) {
  for (std::size_t k = 0; k < part.handles.size(); ++k)
    if (part.handles[k].body == body) return int(k);
  return -1;
}

// Writes down the assemblies, parts before wholes.
class Writer {
 public:
  Writer(DcaPlan& plan, const std::vector<std::vector<int>>& bodies_of_tie, const std::vector<int>& body_on,
         const std::vector<Stage>& stages)
      : plan_(plan),
        bodies_of_tie_(bodies_of_tie),
        body_on_(body_on),
        stages_(stages),
        open_ties_(plan.bodies.size(), 0),
        owes_(plan.bodies.size()),
        end_(plan.bodies.size(), false) {
    for (std::size_t b = 0; b < owes_.size(); ++b) owes_[b] = plan.bodies[b].borrows();
    for (const std::vector<int>& bodies : bodies_of_tie)
      for (const int b : bodies) ++open_ties_[b];
  }

  void write(const std::vector<Piece>& pieces, std::size_t trees) {
    std::vector<int> whole(pieces.size());  // assembly of each piece
    std::vector<bool> closed(plan_.ties.size(), false);
    plan_.leaves.resize(plan_.bodies.size());
    for (std::size_t p = pieces.size(); p-- > 0;) {
      const Piece& piece = pieces[p];
      for (const int b : piece.ends) end_[b] = true;
      if (piece.upper < 0) {
        whole[p] = add({.kind = Kind::body, .body = piece.body});
        plan_.leaves[piece.body] = whole[p];
      } else {
        const int above = plan_.bodies[piece.body].parent;
        for (const int b : {piece.body, above})  // whether other joints lead out of the whole
          end_[b] = std::binary_search(piece.ends.begin(), piece.ends.end(), b);
        whole[p] =
            add({.kind = Kind::joint, .upper = whole[piece.upper], .lower = whole[piece.lower], .body = piece.body});
      }
      for (const int t : piece.ties) {
        whole[p] = add_tie(whole[p], t);
        closed[t] = true;
      }
      if (piece.upper >= 0)
        for (const int b : {plan_.bodies[piece.body].parent, piece.body})
          if (!end_[b]) whole[p] = give_back(whole[p], b, Stage::joined);
    }
    std::vector<int> standing(trees);  // assembly of each tree
    for (std::size_t t = 0; t < trees; ++t) {
      const int root = plan_.assemblies[whole[t]].handles[0].body;
      plan_.roots.push_back(whole[t]);
      end_[root] = false;
      standing[t] = add({.kind = Kind::ground, .lower = whole[t], .body = root});
      give_all_back(standing[t], Stage::grounded);
    }
    for (std::size_t t = 0; t < closed.size(); ++t)
      if (!closed[t]) close_among(standing, int(t));
    std::sort(standing.begin(), standing.end());
    standing.erase(std::unique(standing.begin(), standing.end()), standing.end());
    for (int& s : standing) give_all_back(s, Stage::tied);
  }

 private:
  int add(Assembly a) {
    for (const int p : {a.upper, a.lower})
      if (p >= 0) {
        a.level = std::max(a.level, 1 + plan_.assemblies[p].level);
        for (const DcaPlan::Handle& h : plan_.assemblies[p].handles)
          if (is_needed(h.body))
            a.handles.push_back({h.body, p == a.lower ? 1 : 0, place_in(plan_.assemblies[p], h.body)});
      }
    if (a.kind == Kind::body) a.handles.push_back({a.body, 0, 0});
    std::sort(a.handles.begin(), a.handles.end(),
              [](const DcaPlan::Handle& x, const DcaPlan::Handle& y) { return x.body < y.body; });
    if (a.kind == Kind::joint) a.upper_place = place_in(plan_.assemblies[a.upper], plan_.bodies[a.body].parent);
    if (a.kind != Kind::body && a.kind != Kind::pair && a.kind != Kind::tie)
      a.lower_place = place_in(plan_.assemblies[a.lower], a.body);
    if (a.kind == Kind::tie || a.kind == Kind::lent) a.closing = int(plan_.closings++);
    if (a.kind == Kind::tie)
      for (const DcaTie::Entry& e : plan_.ties[a.tie].entries)
        a.places.push_back(place_in(plan_.assemblies[a.lower], body_on_[e.node]));
    a.phi = plan_.phi_size, a.first = plan_.handle_count, a.g = plan_.g_size;
    plan_.phi_size += a.handles.size() * a.handles.size();
    plan_.handle_count += a.handles.size();
    plan_.most_handles = std::max(plan_.most_handles, a.handles.size());
    plan_.g_size += a.closing >= 0 ? plan_.assemblies[a.lower].handles.size() : a.handles.size();
    plan_.assemblies.push_back(std::move(a));
    return int(plan_.assemblies.size()) - 1;
  }
  bool is_needed(int b) const { return end_[b] || open_ties_[b] > 0 || owes_[b]; }
  int add_tie(int part, int t) {
    for (const int b : bodies_of_tie_[t]) --open_ties_[b];
    return add({.kind = Kind::tie, .lower = part, .tie = t});
  }
  int give_back(int part, int b, Stage now) {
    if (!owes_[b] || stages_[b] > now) return part;
    owes_[b] = false;
    return add({.kind = Kind::lent, .lower = part, .body = b});
  }
  void give_all_back(int& part, Stage now) {
    const std::vector<DcaPlan::Handle> handles = plan_.assemblies[part].handles;
    for (const DcaPlan::Handle& h : handles) part = give_back(part, h.body, now);
  }
  // A tie between trees, or to the world.
  void close_among(std::vector<int>& standing, int t) {
    int whole = -1;
    for (const int b : bodies_of_tie_[t])
      for (std::size_t k = 0; k < standing.size(); ++k) {
        const int s = standing[k];
        if (s == whole || place_in(plan_.assemblies[s], b) < 0) continue;
        const int pair = whole < 0 ? s : add({.kind = Kind::pair, .upper = whole, .lower = s});
        for (int& other : standing)
          if (other == s || other == whole) other = pair;
        whole = pair;
      }
    if (whole < 0) return;
    const int after = add_tie(whole, t);
    for (int& s : standing)
      if (s == whole) s = after;
  }

  DcaPlan& plan_;
  const std::vector<std::vector<int>>& bodies_of_tie_;
  const std::vector<int>& body_on_;
  const std::vector<Stage>& stages_;
  std::vector<int> open_ties_;
  std::vector<bool> owes_, end_;
};

// Bodies whose debt is a large part of what they feel where they are to give it back, at random positions. Of those
// that depend on each other only the first are named. `most`: borrowed inertia over what is there, as the inverse of 1
// - B^T Phi B shows it.
std::vector<int> find_overburdened(const Model& m, const DcaPlan& plan, double most) {
  std::vector<int> out;
  DcaWorkspace<double> ws(m, plan);
  Random rng(1);
  const std::vector<double> rest(at(m.nv()));
  for (int trial = 0; trial < 3 && out.empty(); ++trial) {
    const std::vector<double> q = random_configuration(m, rng);
    calc_node_motions("dca", m, ws.motions, VectorView<const double>(q), VectorView<const double>(rest), {});
    dca_steps::run_up<double>(m, ws, rest, dca_steps::OneAfterTheOther{});
    std::vector<bool> bad(plan.assemblies.size(), false);
    for (std::size_t i = 0; i < plan.assemblies.size(); ++i) {
      const Assembly& a = plan.assemblies[i];
      for (const int p : {a.upper, a.lower})
        if (p >= 0 && bad[p]) bad[i] = true;
      if (a.kind != Kind::lent || bad[i]) continue;
      double sum = 0;
      for (int k = 0; k < 6; ++k) sum += std::abs(ws.Z[a.closing](k, k)) - (ws.Z[a.closing](k, k) > 0 ? 1 : 0);
      if (std::isfinite(sum) && sum < most) continue;
      bad[i] = true;
      out.push_back(a.body);
    }
  }
  return out;
}

void find_tasks(DcaPlan& plan) {
  const std::size_t n = plan.assemblies.size(), limit = std::max<std::size_t>(16, n / 32);
  std::vector<std::size_t> size(n, 1);
  std::vector<int> task(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (const int p : {plan.assemblies[i].upper, plan.assemblies[i].lower})
      if (p >= 0) size[i] += size[p];
  for (std::size_t i = n; i-- > 0;) {
    if (task[i] < 0 && size[i] <= limit) {
      task[i] = int(plan.tasks.size());
      plan.tasks.emplace_back();
    }
    for (const int p : {plan.assemblies[i].upper, plan.assemblies[i].lower})
      if (p >= 0) task[p] = task[i];
  }
  for (std::size_t i = 0; i < n; ++i) (task[i] < 0 ? plan.rest : plan.tasks[task[i]]).push_back(int(i));
}

void check_ties(const Model& m, const std::vector<DcaTie>& ties) {
  for (const DcaTie& t : ties) {
    if (t.rows < 0 || t.rows > 6)
      throw std::invalid_argument("dca: a tie has " + std::to_string(t.rows) + " rows; split it into ties of six");
    for (const DcaTie::Entry& e : t.entries) {
      check_index("dca", "row of a tie", e.row, at(t.rows));
      check_index("dca", "node of a tie", e.node, m.nodes().size());
      if (e.node == 0) throw std::invalid_argument("dca: an entry of a tie is on the world: leave it out");
    }
  }
}

}  // namespace

DcaPlan::DcaPlan(const Model& m, std::vector<DcaTie> with_ties) : ties(std::move(with_ties)) {
  check_ties(m, ties);
  std::vector<bool> kept(m.nodes().size(), false), floats;
  for (const DcaTie& t : ties) {
    floats.push_back(t.floats);
    first_entry.push_back(entries), first_row.push_back(rows);
    entries += t.entries.size(), rows += at(t.rows);
    for (const DcaTie::Entry& e : t.entries) kept[e.node] = true;
  }
  bodies = find_bodies(m, kept);
  std::vector<int> body_on(m.nodes().size(), -1);
  for (std::size_t b = 0; b < bodies.size(); ++b) body_on[bodies[b].node] = int(b);
  std::vector<std::vector<int>> bodies_of_tie;
  for (const DcaTie& t : ties) {
    std::vector<int>& list = bodies_of_tie.emplace_back();
    for (const DcaTie::Entry& e : t.entries) list.push_back(body_on[e.node]);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const std::vector<Fragment> trees = find_trees(bodies);
  const std::vector<Piece> pieces = cut_in_pieces(bodies, trees, bodies_of_tie, floats);
  std::vector<Stage> stages(bodies.size(), Stage::joined);
  const bool borrowed = std::any_of(bodies.begin(), bodies.end(), [](const Body& b) { return b.borrows(); });
  for (;;) {
    DcaPlan trial = *this;
    Writer(trial, bodies_of_tie, body_on, stages).write(pieces, trees.size());
    find_tasks(trial);
    std::vector<int> late;
    if (borrowed) late = find_overburdened(m, trial, 1e3);
    std::erase_if(late, [&](int b) { return stages[b] == Stage::tied; });
    if (late.empty()) {
      // What no tie can hold still must have inertia.
      if (borrowed && ties.empty())
        for (const int b : find_overburdened(m, trial, 1e9))
          refuse(m, bodies[b].node, "can move without inertia: give it moments of inertia, or its joint armature");
      *this = std::move(trial);
      return;
    }
    for (const int b : late) stages[b] = Stage(int(stages[b]) + 1);
  }
}

int DcaPlan::depth() const {
  int out = 0;
  for (const int r : roots) out = std::max(out, assemblies[r].level);
  return out;
}

}  // namespace sinew
