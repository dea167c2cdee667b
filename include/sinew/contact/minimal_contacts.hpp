// sinew/contact/minimal_contacts.hpp - which contacts of a set are enough: the others follow from them [F08
// section 11.6] A contact asks of the relative velocity v of its two bodies that n . v + gap / dt >= 0, where n =
// (point x normal, normal) is a spatial force. It follows from others of the same two bodies, and can be left out, if
//   n = sum a_i n_i   and   gap >= sum a_i gap_i   with all a_i >= 0:
// its normal is positively dependent on theirs. Of an edge on a plane the ends remain, of a face on a plane the corners
// of the hull, of a disc its rim, of an edge on a twisted surface (contact/line_contact.hpp) every point.
// A contact with friction follows only from contacts with its own normal, and with at least its friction and the same
// restitution: what it could transmit, they can.
// Every contact is tried once, the last first, against all that are left: what remains is minimal. O(c^2) for c
// contacts, by least squares with coefficients that are not negative [Lawson, Hanson: Solving Least Squares Problems,
// chapter 23].
#pragma once
#include <array>
#include <span>
#include <vector>

#include "sinew/contact/contact_point.hpp"

namespace sinew {

class MinimalContacts {
 public:
  // For sets of at most so many contacts; negative throws std::invalid_argument.
  explicit MinimalContacts(int most);
  // Numbers of the contacts that are enough, in their order; valid until the next call. Allocates nothing. Throws
  // std::invalid_argument where there are more contacts than `most`.
  std::span<const int> find(std::span<const ContactPoint> contacts);

 private:
  static constexpr std::size_t kRows = 7;  // moment, force, gap
  using Column = std::array<double, kRows>;

  void fill(std::span<const ContactPoint> contacts);
  bool follows(int contact, std::span<const ContactPoint> contacts);
  bool is_combination(const Column& b);
  void solve_chosen(const Column& b);
  void drop_negative();

  std::vector<Column> columns_;  // (most) of the contacts, to one scale
  std::vector<char> left_;       // (most) not left out so far
  std::vector<int> kept_;        // (most) the answer
  std::vector<Column> others_;   // (most + 1) columns that a contact may follow from, and that of a larger gap
  // Of the others, those with a coefficient: which, what it is, and what least squares would make it.
  std::vector<int> chosen_;               // (kRows)
  std::array<double, kRows> has_, want_;  // has_: >= 0
};

}  // namespace sinew
