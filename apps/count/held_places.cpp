// apps/count/held_places.cpp
#include "count/held_places.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/input_error.hpp"
#include "common/input_text.hpp"
#include "common/places.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew::app {
namespace {

struct Item {
  std::string place, hold;  // no hold: "model"
};

std::string find_mask(const Item& item) {
  if (item.hold == "weld") return "111111";
  if (item.hold == "point") return "000111";
  if (item.hold.size() == 6 && item.hold.find_first_not_of("01") == std::string::npos) return item.hold;
  throw InputError(
      fmt::format("'{}' is held as '{}': write weld, point, or six digits 0 and 1 (turns about x y z, shifts "
                  "along x y z), for example {}:001110",
                  item.place, item.hold, item.place));
}

std::vector<Item> split(const std::string& text) {
  std::vector<Item> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size()), colon = text.rfind(':', end - 1);
    const std::string word = text.substr(begin, end - begin);
    if (word == "model")
      out.push_back({word, ""});
    else if (colon == std::string::npos || colon < begin)
      throw InputError(fmt::format("'{}' does not say how it is held: write {}:weld or {}:point", word, word, word));
    else
      out.push_back({text.substr(begin, colon - begin), text.substr(colon + 1, end - colon - 1)});
    begin = end + 1;
  }
  return out;
}

std::vector<Item> read_file(const std::string& file) {
  const auto complain = [&](const std::string& why = {}) {
    throw InputError(fmt::format(
        "{}: {}expected a list like [{{\"place\": \"left_sole\", \"hold\": \"weld\"}}, \"model\"]", file, why));
  };
  nlohmann::json list;
  try {
    list = parse_json<nlohmann::json>(read_text_or_standard_input(file));
  } catch (const InputError& e) {
    complain(e.what() + std::string("; "));
  }
  if (!list.is_array()) complain();
  std::vector<Item> out;
  for (const auto& item : list) {
    if (item == "model")
      out.push_back({"model", ""});
    else if (item.is_object() && item.contains("place") && item.contains("hold") && item["place"].is_string() &&
             item["hold"].is_string())
      out.push_back({item["place"], item["hold"]});
    else
      complain();
  }
  return out;
}

void add_model_rows(const Model& m, const std::vector<double>& q, HeldPlaces& out) {
  const ConstraintSet set(m);
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, q, std::vector<double>(static_cast<std::size_t>(m.nv())));
  for (const delassus::Entry& e : set.problem().entries()) out.entries.push_back({out.rows + e.row, e.node});
  out.K.insert(out.K.end(), rows.K.begin(), rows.K.end());
  out.rows += set.rows();
}

}  // namespace

HeldPlaces read_held_places(const Model& m, const std::string& text, const std::vector<double>& q) {
  HeldPlaces out;
  for (const Item& item : text.ends_with(".json") ? read_file(text) : split(text)) {
    if (item.hold.empty()) {
      add_model_rows(m, q, out);
      continue;
    }
    const std::string mask = find_mask(item);
    const Place place = find_place(m, item.place);
    for (int axis = 0; axis < 6; ++axis) {
      if (mask[axis] == '0') continue;
      out.entries.push_back({out.rows++, place.node});
      out.K.push_back(apply_inverse(place.in_node, sinew::detail::unit_force<double>(axis)));
    }
  }
  return out;
}

}  // namespace sinew::app
