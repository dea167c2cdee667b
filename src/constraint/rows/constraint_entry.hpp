// src/constraint/rows/constraint_entry.hpp - a constraint as the set keeps it: nodes instead of names
// Each kind writes its rows through RowWriter. Entries of a row come one after the other, side b before side a; a side
// on the world has none.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// A frame on node a and one on node b.
struct FramePair {
  int node_a = 0, node_b = 0;
  Transform<double> in_a, in_b;  // frame <- node
};

struct LoopRows {
  FramePair frames;  // F_p and F_s
  Joint joint;
};

struct MaskRows {
  FramePair frames;
  std::array<bool, 6> blocked{};
  std::array<MotionLaw, 6> laws;  // one an axis, most of them empty
  bool holds_positions = true;    // the free axes make a group
  bool world_axes = false;        // the next two are for these
  bool holds_turns = false, holds_shifts = false;
};

struct RollingRows {
  FramePair frames;  // a: on the plane, z its normal; b: at the centre of the sphere
  double radius = 0;
};

// A coordinate with the node whose joint it is the only coordinate of.
struct CouplingRows {
  struct Term {
    int node = 0;
    std::vector<double> coefficients;
    double reference = 0;
  };
  int node = 0;
  double offset = 0;
  std::vector<Term> terms;
};

// The lengths of two tendons. They are copies: a set may be used with a model without tendons (with_armature).
struct TendonRows {
  TendonEntry dependent, driver;                     // driver without parts: none
  double dependent_neutral = 0, driver_neutral = 0;  // [m] lengths at the neutral position
  double offset = 0;
  std::vector<double> coefficients;
};

using CustomRows = std::shared_ptr<const CustomConstraint>;

struct ConstraintEntry {
  std::string name;  // with its kind: "loop 'knee'"
  std::vector<std::string> row_names;
  int row = 0;    // the first of its rows
  int entry = 0;  // the first of its entries
  int entries = 0;
  std::variant<LoopRows, MaskRows, RollingRows, CouplingRows, TendonRows, CustomRows> kind;

  int rows() const { return static_cast<int>(row_names.size()); }
};

// Where one constraint writes its numbers.
struct RowWriter {
  Force<double>* K;
  double *k, *position, *velocity;
};

void calc_rows(const LoopRows&, const ConstraintState&, RowWriter);
void calc_rows(const MaskRows&, const ConstraintState&, RowWriter);
void calc_rows(const RollingRows&, const ConstraintState&, RowWriter);
void calc_rows(const CouplingRows&, const ConstraintState&, RowWriter);
void calc_rows(const TendonRows&, const ConstraintState&, RowWriter);

// p, p' and p'' of sum_k c[k - 1] x^k.
struct Polynomial {
  double value = 0, slope = 0, curvature = 0;
};
Polynomial evaluate(const std::vector<double>& c, double x);

}  // namespace sinew
