// src/constraint/two_trees/coupling_steps.hpp - what the versions of step D share, and changes of the coupling
#pragma once
#include "sinew/constraint/two_trees/primary_secondary.hpp"

namespace sinew {

// Sizes, and that everything belongs together. x: what is asked for of each tree.
void check_coupling(const char* call, const Model& primary, const CoupledTree&, const Model& secondary,
                    const CoupledTree&, const CouplingWorkspace&, MatrixView<const double> A_P,
                    MatrixView<const double> A_S, std::size_t rows, std::size_t x_P, std::size_t x_S,
                    std::size_t forces);

// gap = A_P x_P + A_S x_S - U, with x of the closure points, and the rows as forces on the carriers.
void take_rows(const CoupledTree& p, const CoupledTree& s, CouplingWorkspace&, MatrixView<const double> A_P,
               MatrixView<const double> A_S, In<double> x_P, In<double> x_S, In<double> U);

// [A_P Lambda_P A_P^* + A_S Lambda_S A_S^*] f = gap, group by group: step D.
void solve_forces(const CoupledTree& p, const CoupledTree& s, CouplingWorkspace&, Out<double> f, const RankOptions&);

// x = x - M^-1 J^* A^* f, with the loops of the tree obeyed: steps E and F.
void add_correction(const Model&, CoupledTree&, CouplingWorkspace::Side&, In<double> f, Out<double> x);

// Steps E and F of couple and couple_primary_first: both answers, and whether all numbers are finite.
const SolveCertificate& finish(const Model& primary, CoupledTree&, const Model& secondary, CoupledTree&,
                               CouplingWorkspace&, Out<double> a_P, Out<double> a_S, In<double> f);

// Groups of rows that can be solved one by one. Two rows are in one group where they touch the same group of carriers
// of the primary, or of the secondary if one is given, or where a third row links them in this way.
void find_row_groups(const CoupledTree& p, const CoupledTree* s, CouplingWorkspace&);
// ws.members: the rows of the group that begins with `row`; false where `row` is not the first of one.
bool take_members(CouplingWorkspace&, int row);

// Lower triangle of A Lambda A^* of the members: add(i, j, number), i and j counted among them, i >= j.
template <class Add>
void for_each_entry(const CoupledTree& t, CouplingWorkspace::Side& side, const std::vector<int>& members, Add&& add) {
  const std::size_t carriers = t.nodes.size(), carried = 6 * carriers;
  for (std::size_t j = 0; j < members.size(); ++j) {
    const double* row = side.A.data() + at(members[j]) * carried;
    const char* touches = side.touches.data() + at(members[j]) * carriers;
    std::fill(side.column.begin(), side.column.end(), 0.0);
    for (std::size_t d = 0; d < carriers; ++d) {
      if (!touches[d] || t.group[d] < 0) continue;
      for (std::size_t c = 0; c < carriers; ++c) {
        if (t.group[c] != t.group[d]) continue;
        for (std::size_t i = 6 * c; i < 6 * c + 6; ++i)
          for (std::size_t k = 6 * d; k < 6 * d + 6; ++k) side.column[i] += t.Omega[i * carried + k] * row[k];
      }
    }
    for (std::size_t i = j; i < members.size(); ++i) {
      const double* other = side.A.data() + at(members[i]) * carried;
      const char* there = side.touches.data() + at(members[i]) * carriers;
      double sum = 0;
      for (std::size_t c = 0; c < carriers; ++c)
        if (there[c])
          for (std::size_t k = 6 * c; k < 6 * c + 6; ++k) sum += other[k] * side.column[k];
      add(static_cast<int>(i), static_cast<int>(j), sum);
    }
  }
}

}  // namespace sinew
