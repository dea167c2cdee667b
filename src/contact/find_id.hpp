// src/contact/find_id.hpp - contacts and rows of two steps, matched by id
#pragma once
#include <cstddef>
#include <cstdint>

namespace sinew::contact {

// In the id of a contact that is the second of its place within one step: it ended elsewhere on its bodies.
inline constexpr std::uint64_t kOtherPlace = std::uint64_t{1} << 63;

inline std::uint64_t get_id(std::uint64_t id) { return id; }
template <class Row>
std::uint64_t get_id(const Row& r) {
  return r.id;
}

// place: out, the place of the id in the list; in, where the search begins. Most rows follow the one found before, so a
// caller keeps it from call to call. False if there is none.
template <class List>
bool find_id(const List& list, std::uint64_t id, std::size_t& place) {
  if (place >= list.size()) place = 0;
  for (std::size_t tried = 0; tried < list.size(); ++tried) {
    if (get_id(list[place]) == id) return true;
    place = place + 1 < list.size() ? place + 1 : 0;
  }
  return false;
}

}  // namespace sinew::contact
