// src/base/code.cpp
#include "sinew/base/code.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "sinew/base/diagnostic.hpp"

namespace sinew {
namespace {

constexpr Severity E = Severity::error, W = Severity::warning, N = Severity::note;

#define SINEW_CODE(name, severity, law) \
  CodeEntry { Code::name, severity, #name, law }
constexpr CodeEntry kTable[] = {
    SINEW_CODE(file_unreadable, E, "the file exists and can be read"),
    SINEW_CODE(file_too_large, E, "the file is smaller than the loader's limit"),
    SINEW_CODE(bad_encoding, E, "the text is UTF-8 without NUL bytes"),
    SINEW_CODE(bad_xml, E, "the text is well-formed XML without a document type declaration"),
    SINEW_CODE(xml_too_deep, E, "elements are nested no deeper than the loader's limit"),
    SINEW_CODE(wrong_root, E, "the root element is that of the format"),
    SINEW_CODE(bad_number, E, "a number is finite and written in decimal"),
    SINEW_CODE(missing_attribute, E, "a required attribute is present"),
    SINEW_CODE(missing_element, E, "a required element is present"),
    SINEW_CODE(bad_value, E, "an attribute has one of the values the format allows"),
    SINEW_CODE(include_failed, E, "an included file can be read and includes no file twice"),
    SINEW_CODE(mesh_unreadable, E, "a mesh that is needed can be read"),
    SINEW_CODE(too_many_elements, E, "the file has fewer elements than the loader's limit"),
    SINEW_CODE(not_finite, E, "every number of a model is finite"),
    SINEW_CODE(negative_mass, E, "a mass is not negative"),
    SINEW_CODE(inertia_not_positive, W, "the principal moments of inertia are not negative"),
    SINEW_CODE(inertia_triangle, W, "each principal moment of inertia is at most the sum of the other two"),
    SINEW_CODE(axis_not_unit, W, "a joint axis has length 1"),
    SINEW_CODE(rotation_not_orthonormal, E, "a rotation is orthonormal and right-handed"),
    SINEW_CODE(massless_tip, W, "every moving part carries mass that its joint can move"),
    SINEW_CODE(bad_shape_size, E, "the size of a shape is positive"),
    SINEW_CODE(empty_limit_range, E, "a lower limit is not above the upper one"),
    SINEW_CODE(negative_coefficient, E,
               "damping, friction, armature, stiffness and limits of speed and effort are not negative"),
    SINEW_CODE(mesh_volume, E, "a mesh that gives an inertia is closed and has positive volume"),
    SINEW_CODE(massless_inertia, W, "a body with rotational inertia has mass"),
    SINEW_CODE(negative_joint_inertia, E, "the inertia that a joint moves is not negative"),
    SINEW_CODE(duplicate_name, E, "names are unique among bodies, joints, frames and so on"),
    SINEW_CODE(unknown_name, E, "a reference names something that exists"),
    SINEW_CODE(no_root, E, "one body is attached to nothing but the world"),
    SINEW_CODE(several_roots, E, "one root, or each further one joined to the world"),
    SINEW_CODE(several_parents, E, "a body is the child of one tree joint"),
    SINEW_CODE(cycle, E, "tree joints form no cycle"),
    SINEW_CODE(empty_name, E, "bodies and joints have names"),
    SINEW_CODE(no_bodies, W, "a model has at least one body"),
    SINEW_CODE(self_joint, E, "a joint connects two different bodies"),
    SINEW_CODE(loop_cut, N, "a joint that closes a loop becomes a loop joint"),
    SINEW_CODE(wrong_coordinate_count, E, "a list has one entry per coordinate of its joint"),
    SINEW_CODE(bad_joint_parameter, E, "a joint has the parameters of its kind"),
    SINEW_CODE(unsupported_joint, E, "the joint's kind is one that exists"),
    SINEW_CODE(missing_limit, E, "a joint that the format wants limited has limits"),
    SINEW_CODE(bad_tendon, E, "a tendon is a sum of joints, or a string through sites around spheres and cylinders"),
    SINEW_CODE(bad_actuator, E, "an actuator has the parameters of its kind"),
    SINEW_CODE(unknown_element, W, "every element belongs to the format"),
    SINEW_CODE(unknown_attribute, W, "every attribute belongs to its element"),
    SINEW_CODE(unsupported_element, W, "every element that changes the motion is modelled"),
    SINEW_CODE(ignored_element, N, "elements without effect on the motion are not kept"),
    SINEW_CODE(deprecated, N, "no deprecated spelling is used"),
    SINEW_CODE(value_adjusted, W, "values are used as written"),
};
#undef SINEW_CODE

}  // namespace

const CodeEntry& describe(Code code) {
  const auto* e =
      std::find_if(std::begin(kTable), std::end(kTable), [code](const CodeEntry& c) { return c.code == code; });
  if (e == std::end(kTable)) throw std::out_of_range("sinew: no diagnostic S" + std::to_string(static_cast<int>(code)));
  return *e;
}

CodeTable all_codes() { return {std::begin(kTable), std::end(kTable)}; }

}  // namespace sinew
