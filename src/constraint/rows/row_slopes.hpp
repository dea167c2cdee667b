// src/constraint/rows/row_slopes.hpp - how rows, and the forces along them, change with position and velocity
// A row of a pair of frames is a function of the relative motion as frame b sees it: pose X, velocity u, rate w
// (pair_rows.hpp). Let s be the motion along freedom k, psi, chi and phi as in docs/derivatives.md (what is not carried
// along by s), sigma = 1 where k moves b only, -1 where it moves a only, 0 where it moves both. Then
//   (1) along q_k:  dX = sigma s,   du = sigma psi',   dw = sigma chi',
//                   psi' = psi + s x v_a,   chi' = chi + s x a_a + psi x v_a - v_b x psi'
//   (2) along v_k:  du = sigma s,   dw = sigma phi',   phi' = phi + s x (v_a + v_b)
// Proof for k on the side of b: b is carried by s, so it sees v_a and a_a change by -s x v_a and -s x a_a, and its own
// motion change by psi, and by psi x v_b + chi; w = a_b - a_a + v_b x v_a. On the side of a only v_a and a_a change, by
// what is the opposite; both together change nothing.
// Rows along the world's axes also change as b turns relative to the world: T by T x s, T x w_b by that and T x psi.
// The force f = sum of lambda T on b, -f on a. Derivatives of the tree keep forces as they are in the frames of their
// bodies; what is missing there is, in the axes of the world,
//   (3) df_b = sum of lambda (dT as b sees it),   df_a = -(df_b + sigma s x* f)
// Couplings are polynomials of sums of coordinates, and are differentiated as such.
#pragma once
#include "constraint/rows/pair_rows.hpp"
#include "sinew/derivative/joint_slopes.hpp"

namespace sinew {

// How much of the rate K a - k, of the velocity error and of the position error is asked for.
struct RowWeights {
  double rate = 1, velocity = 0, position = 0;
};

// One row of a pair: gradients along unit motions of b, in the axes of the world about the origin of frame b.
struct RowGradient {
  Force<double> T;
  Force<double> rate_X, rate_u, velocity_X, position_X;
  Vec3<double> rate_turn, rate_spin, velocity_turn, position_turn;  // rows along the world's axes: of s, of psi
  std::array<Force<double>, 6> T_X;                                 // of T, in frame b
};

// A constraint between two frames.
struct SlopePair {
  struct Step {
    int node = 0;
    bool moves_a = false, moves_b = false;
    double sigma() const { return double(moves_b) - double(moves_a); }
  };
  std::size_t entry = 0;  // of the set
  int row = 0;            // the first
  FramePair frames;
  bool constant = true, world_axes = false;
  // Whether motions of that node change the rows.
  bool changes_with(const Step& s) const { return world_axes || s.moves_a != s.moves_b; }
  std::vector<Step> path;  // nodes above a or b
  // At the last state; in the axes of the world, about the origin of frame b.
  Rotation<double> E;   // frame b <- world
  Vec3<double> origin;  // of frame b
  Motion<double> v_a, v_b, a_a;
  std::vector<RowGradient> rows;
};

// A row  sum of factor q - sum of p(sum of factor q - reference).
struct SlopeGear {
  struct Coordinate {
    int q = 0, v = 0;
    double factor = 1;
  };
  struct Term {
    std::vector<Coordinate> of;
    std::vector<double> coefficients;
    double reference = 0;
  };
  int row = 0;
  std::vector<Coordinate> linear;
  std::vector<Term> terms;
};

struct RowSlopes {
  // Throws std::invalid_argument naming a constraint whose rows cannot be differentiated.
  RowSlopes(const Model&, const ConstraintSet&);
  VelocityWorkspace<double> motion;
  std::vector<Motion<double>> S, psi, chi, phi;  // (nv) axes of the world, about the node's origin
  std::vector<Motion<double>> u, chi_x;          // (nodes), (nv) scratch of calc_product_slopes
  std::vector<SlopePair> pairs;
  std::vector<SlopeGear> gears;
  std::vector<int> body_of;  // (nodes) a body of each; -1: none
};

// At q, v and accelerations a. with_positions: gradients of position errors too.
void place_row_slopes(const Model&, const ConstraintSet&, RowSlopes&, In<double> q, In<double> v, In<double> a,
                      double time, bool with_positions);
// After place_row_slopes at q, v, a: the derivatives of (weighted) K a - k and of the errors, rows x nv each.
void calc_row_slopes(const Model&, const RowSlopes&, In<double> q, In<double> v, In<double> a, const RowWeights&,
                     OutMatrix<double> G_q, OutMatrix<double> G_v);
// After place_row_slopes at q: d(K x)/dq of a constant x, rows x nv.
void calc_product_slopes(const Model&, RowSlopes&, In<double> q, In<double> x, double time, OutMatrix<double> D);
// After place_row_slopes at q: adds d(K^T lambda)/dq to C (nv x nv), less what forces do that stay as they are in the
// frames of their bodies. touched[h]: row h of C may be nonzero. False where nothing was added.
bool add_force_slopes(const Model&, const RowSlopes&, In<double> q, In<double> lambda, OutMatrix<double> C,
                      Out<unsigned char> touched);
// What the rows of pairs do to their bodies, added to external forces (one per body, in its frame). `rows`: at q.
void add_pair_forces(const Model&, const ConstraintSet&, const RowSlopes&, const ConstraintRows& rows,
                     In<double> lambda, Out<Force<double>> external);
// Couplings act on coordinates, not on bodies: adds their K^T lambda to tau.
void add_gear_forces(const RowSlopes&, In<double> q, In<double> lambda, Out<double> tau);

}  // namespace sinew
