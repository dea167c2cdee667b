// python/src/spec_list.hpp - the lists of a ModelSpec as Python holds them
#pragma once
#include "sinew/base/nearest_name.hpp"
#include "spec.hpp"

namespace sinew::py {

void bind_spec_parts(nb::module_&);  // a part of bind_spec

// spec.bodies: a list whose entries are handles.
template <class T>
struct SpecList {
  std::shared_ptr<PySpec> owner;
  std::vector<T> ModelSpec::*list;
  std::vector<T>& get() const { return owner->spec.*list; }
  std::size_t index(Py_ssize_t i) const {
    const auto n = static_cast<Py_ssize_t>(get().size());
    if (i < -n || i >= n)
      throw nb::index_error(("there is no entry " + std::to_string(i) + ", there are " + std::to_string(n)).c_str());
    return static_cast<std::size_t>(i < 0 ? i + n : i);
  }
};

template <class T>
void bind_list(nb::module_& m, const char* name) {
  using L = SpecList<T>;
  auto c =
      nb::class_<L>(m, name, "Entries of a specification, by number or name; assignments to them reach it.")
          .def("__len__", [](const L& l) { return l.get().size(); })
          .def(
              "__getitem__", [](const L& l, Py_ssize_t i) { return Item<T>(l.owner, l.list, l.index(i)); }, "i"_a)
          .def(
              "__setitem__", [](const L& l, Py_ssize_t i, const Item<T>& v) { l.get()[l.index(i)] = T(v.get()); },
              "i"_a, "value"_a)
          .def(
              "__delitem__",
              [](const L& l, Py_ssize_t i) { l.get().erase(l.get().begin() + static_cast<Py_ssize_t>(l.index(i))); },
              "i"_a)
          .def(
              "append", [](const L& l, const Item<T>& v) { l.get().push_back(T(v.get())); }, "value"_a,
              "Adds a copy at the end.")
          .def(
              "clear", [](const L& l) { l.get().clear(); }, "Removes all entries.")
          .def(
              "__iter__",
              [](const L& l) {
                std::vector<Item<T>> all;
                for (std::size_t i = 0; i < l.get().size(); ++i) all.emplace_back(l.owner, l.list, i);
                return nb::iter(nb::cast(all));
              },
              nb::sig(("def __iter__(self) -> collections.abc.Iterator[" + FieldTable<T>::get().type + "]").c_str()))
          .def("__repr__", [](nb::handle self) { return nb::repr(nb::list(self)); });
  if constexpr (requires(T t) { t.name; })
    c.def(
        "__getitem__",
        [](const L& l, const std::string& wanted) {
          std::vector<std::string> names;
          for (std::size_t i = 0; i < l.get().size(); ++i) {
            if (l.get()[i].name == wanted) return Item<T>(l.owner, l.list, i);
            names.push_back(l.get()[i].name);
          }
          throw nb::key_error(("there is no entry named '" + wanted + "'" + suggest_name(wanted, names)).c_str());
        },
        "name"_a);
}

}  // namespace sinew::py
