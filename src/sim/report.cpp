// src/sim/report.cpp
#include "sinew/sim/report.hpp"

namespace sinew {

double WorkAccount::total() const {
  return actuators + springs + dampers + applied + external + contact_normal + contact_friction + collisions + stops +
         joint_friction + loops;
}

WorkAccount& WorkAccount::operator+=(const WorkAccount& w) {
  actuators += w.actuators, springs += w.springs, dampers += w.dampers, applied += w.applied;
  external += w.external, contact_normal += w.contact_normal, contact_friction += w.contact_friction;
  collisions += w.collisions, stops += w.stops, joint_friction += w.joint_friction, loops += w.loops;
  return *this;
}

ImpulseAccount& ImpulseAccount::operator+=(const ImpulseAccount& i) {
  weight += i.weight, external += i.external, contacts += i.contacts;
  return *this;
}

}  // namespace sinew
