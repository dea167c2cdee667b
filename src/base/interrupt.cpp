// src/base/interrupt.cpp
#include "sinew/base/interrupt.hpp"

namespace sinew {

Interrupted::Interrupted() : std::runtime_error("interrupted: its caller asked for an end") {}

TimeUp::TimeUp() : std::runtime_error("the time that its caller gave is used up") {}

void Interrupt::end() { throw Interrupted(); }
void Interrupt::end_late() { throw TimeUp(); }

}  // namespace sinew
