// tests/support/sanitized.hpp - whether a sanitizer watches this program: everything takes tens of times as long
// Answered at run time, for the tests themselves may come from a build without one (cmake/SinewPlainObjects.cmake).
#pragma once

namespace sinew::test {

bool is_sanitized();

}  // namespace sinew::test
