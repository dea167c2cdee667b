// sinew/base/code.hpp - the catalogue of numbered diagnostics
// A code never changes its meaning. `describe` gives its law; docs/diagnostics.md is made from the same table.
#pragma once
#include <string_view>

namespace sinew {

enum class Severity;

// S1xx files and XML, S2xx physical laws, S3xx graph and names, S4xx joints, tendons and actuators, S5xx things not
// understood or kept.
enum class Code {
  // files and XML
  file_unreadable = 101,
  file_too_large = 102,
  bad_encoding = 103,
  bad_xml = 104,
  xml_too_deep = 105,
  wrong_root = 106,
  bad_number = 107,
  missing_attribute = 108,
  missing_element = 109,
  bad_value = 110,
  include_failed = 111,
  mesh_unreadable = 112,
  too_many_elements = 113,
  // physical laws
  not_finite = 201,
  negative_mass = 202,
  inertia_not_positive = 203,
  inertia_triangle = 204,
  axis_not_unit = 205,
  rotation_not_orthonormal = 206,
  massless_tip = 207,
  bad_shape_size = 208,
  empty_limit_range = 209,
  negative_coefficient = 210,
  mesh_volume = 211,
  massless_inertia = 212,
  negative_joint_inertia = 213,
  // graph and names
  duplicate_name = 301,
  unknown_name = 302,
  no_root = 303,
  several_roots = 304,
  several_parents = 305,
  cycle = 306,
  empty_name = 307,
  no_bodies = 308,
  self_joint = 309,
  loop_cut = 310,
  // joints, tendons, actuators
  wrong_coordinate_count = 401,
  bad_joint_parameter = 402,
  unsupported_joint = 403,
  missing_limit = 404,
  bad_tendon = 405,
  bad_actuator = 406,
  // not understood or not kept
  unknown_element = 501,
  unknown_attribute = 502,
  unsupported_element = 503,
  ignored_element = 504,
  deprecated = 505,
  value_adjusted = 506,
};

// What a code means.
struct CodeEntry {
  Code code;
  Severity severity;      // unless the caller says otherwise
  std::string_view name;  // the enumerator's name
  std::string_view law;   // one line: what must hold
};

// Throws std::out_of_range on a value outside the catalogue.
const CodeEntry& describe(Code);

// The whole catalogue, in order of number.
struct CodeTable {
  const CodeEntry* first;
  const CodeEntry* last;
  const CodeEntry* begin() const { return first; }
  const CodeEntry* end() const { return last; }
};
CodeTable all_codes();

}  // namespace sinew
