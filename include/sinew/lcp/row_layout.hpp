// sinew/lcp/row_layout.hpp - the order of the rows in every contact problem
//   [ free | unilateral | contacts ]     contacts: the rows of contact 0, then those of contact 1, and so on
// In a step the free rows are those of the loops, and the unilateral rows are those of the joints (stops, dry
// friction). Some formulations put rows of their own in front of these: velocities and hinges among the free rows, or
// every hinge row twice among the unilateral ones.
#pragma once
#include <concepts>
#include <string>

namespace sinew::lcp {

// Kinds of rows, in their order.
enum class RowBlock { free, unilateral, contacts };

struct RowLayout {
  int free = 0, unilateral = 0, contacts = 0;  // numbers of rows, rows and contacts
  // 3: normal, tangent, tangent. 1: the normal alone. Of a pyramid: normal, one per direction, slip speed.
  int rows_per_contact = 3;

  // First row, and number of rows, of a block.
  constexpr int begin(RowBlock b) const {
    return b == RowBlock::free ? 0 : b == RowBlock::unilateral ? free : free + unilateral;
  }
  constexpr int size(RowBlock b) const {
    return b == RowBlock::free ? free : b == RowBlock::unilateral ? unilateral : rows_per_contact * contacts;
  }
  constexpr int rows() const { return begin(RowBlock::contacts) + size(RowBlock::contacts); }
  constexpr int first_unilateral() const { return begin(RowBlock::unilateral); }
  constexpr int first_contact() const { return begin(RowBlock::contacts); }

  // The first row of a contact is its normal.
  constexpr int row_of_contact(std::integral auto contact) const {
    return first_contact() + rows_per_contact * static_cast<int>(contact);
  }
  constexpr RowBlock block_of(std::integral auto row) const {
    const int r = static_cast<int>(row);
    return r < first_unilateral() ? RowBlock::free : r < first_contact() ? RowBlock::unilateral : RowBlock::contacts;
  }
  // Of a row in the block of contacts: its contact, and its number within the contact (0: the normal).
  constexpr int contact_of(std::integral auto row) const {
    return (static_cast<int>(row) - first_contact()) / rows_per_contact;
  }
  constexpr int axis_of(std::integral auto row) const {
    return (static_cast<int>(row) - first_contact()) % rows_per_contact;
  }
};

// For messages: "2 free, 1 unilateral and 3 contacts make 12 rows".
std::string to_string(const RowLayout&);

}  // namespace sinew::lcp
