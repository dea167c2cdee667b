// src/batch/observation_tables.hpp - what a device::ObservationTable reads, made from names
#pragma once
#include <string>
#include <vector>

#include "scene_tables.hpp"
#include "sinew/batch/kernel/device_observation.hpp"

namespace sinew::device {

template <class R>
struct ObservationTables {
  std::vector<ObservedItem<R>> item;
  std::vector<ObservedPart> part;  // one for each name
  int width = 0;
  bool moves = false;
};

// All names there are for a model.
std::vector<std::string> list_observable(const Model&);

// Throws std::invalid_argument naming what there is not, or what is not read on a device. tables: of the model.
template <class R>
ObservationTables<R> make_observation_tables(const Model&, const SceneTables<R>& tables,
                                             const std::vector<std::string>& names);

}  // namespace sinew::device
