// src/base/interrupt.cpp
#include "sinew/base/interrupt.hpp"

namespace sinew {

Interrupted::Interrupted() : std::runtime_error("interrupted: its caller asked for an end") {}

void Interrupt::end() { throw Interrupted(); }

}  // namespace sinew
