#include "support/sanitized.hpp"

namespace sinew::test {

#ifdef SINEW_SANITIZED
bool is_sanitized() { return true; }
#else
bool is_sanitized() { return false; }
#endif

}  // namespace sinew::test
