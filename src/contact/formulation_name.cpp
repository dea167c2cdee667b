// src/contact/formulation_name.cpp - apart from the formulations, for readers of words
#include "sinew/contact/formulation.hpp"

namespace sinew {

std::string_view to_string(Formulation f) {
  switch (f) {
    case Formulation::nmc: return "nmc";
    case Formulation::mc: return "mc";
    case Formulation::rmc: return "rmc";
    case Formulation::os: return "os";
    case Formulation::nmc_os: return "nmc_os";
    case Formulation::hinge_pairs: return "hinge_pairs";
  }
  return "";
}
std::optional<Formulation> find_formulation(std::string_view name) {
  for (const Formulation f : kFormulations)
    if (to_string(f) == name) return f;
  return std::nullopt;
}

}  // namespace sinew
