// python/src/spec.hpp - parts of a ModelSpec as Python holds them
// An Item is a value of its own (BodySpec(...)), a handle on an entry of a specification (spec.bodies[2]: assignments
// reach the specification), or a frozen copy of something nested (joint.dofs[0]: assignments are refused, because they
// would be lost). A handle is a number, as in a list: after an entry before it was removed it stands for the next one.
#pragma once
#include <functional>

#include "common.hpp"
#include "sinew/base/nearest_name.hpp"

namespace sinew::py {

// A specification with what its loader remarked.
struct PySpec {
  ModelSpec spec;
  Diagnostics remarks;
};

template <class T>
class Item {
 public:
  Item() : own_(std::make_shared<T>()) {}
  explicit Item(T value, bool frozen = false) : own_(std::make_shared<T>(std::move(value))), frozen_(frozen) {}
  Item(std::shared_ptr<PySpec> owner, std::vector<T> ModelSpec::*list, std::size_t index)
      : owner_(std::move(owner)), list_(list), index_(index) {}

  const T& get() const { return own_ ? *own_ : entry(); }
  T& edit() {
    if (frozen_)
      throw nb::attribute_error("this is a copy: assign the whole list, as in  joint.dofs = [DofSpec(damping=0.1)]");
    return own_ ? *own_ : entry();
  }

 private:
  T& entry() const {
    std::vector<T>& all = owner_->spec.*list_;
    if (index_ >= all.size()) throw nb::index_error("this entry was removed from its specification");
    return all[index_];
  }

  std::shared_ptr<T> own_;
  std::shared_ptr<PySpec> owner_;
  std::vector<T> ModelSpec::*list_ = nullptr;
  std::size_t index_ = 0;
  bool frozen_ = false;
};

// How a field is seen in Python: numbers as arrays, parts as frozen items, all else as nanobind casts it.
template <class V>
struct Shown {
  static V out(const V& v) { return v; }
  static V in(V v) { return v; }
};
template <>
struct Shown<std::vector<double>> {
  static Array out(const std::vector<double>& v) { return freeze(copy_vector(v)); }
  static std::vector<double> in(ArrayIn v) { return read_numbers("assignment", "the value", v); }
};
template <std::size_t n>
struct Shown<std::array<double, n>> {
  static Array out(const std::array<double, n>& v) { return freeze(copy_vector(v)); }
  static std::array<double, n> in(ArrayIn v) {
    const InVector x("assignment", "the value", v, n);
    std::array<double, n> out;
    std::copy(x.data(), x.data() + n, out.begin());
    return out;
  }
};
template <class T>
std::vector<Item<T>> frozen_items(const std::vector<T>& values) {
  std::vector<Item<T>> out;
  for (const T& v : values) out.emplace_back(v, true);
  return out;
}
template <class T>
std::vector<T> plain_values(const std::vector<Item<T>>& items) {
  std::vector<T> out;
  for (const Item<T>& i : items) out.push_back(i.get());
  return out;
}

// Names of the fields of T in Python, and how to assign each from an object.
template <class T>
struct FieldTable {
  std::string type;
  std::vector<std::pair<std::string, std::function<void(T&, nb::handle)>>> fields;
  static FieldTable& get() {
    static FieldTable table;
    return table;
  }
  void assign(T& value, const nb::kwargs& given) const {
    for (auto [key, v] : given) {
      const auto name = nb::cast<std::string>(key);
      bool found = false;
      for (const auto& [field, set] : fields)
        if (field == name) set(value, v), found = true;
      if (found) continue;
      std::string all;
      for (const auto& [field, set] : fields) all += (all.empty() ? "" : ", ") + field;
      throw nb::type_error((type + " has no field '" + name + "'; it has " + all).c_str());
    }
  }
};

template <class T>
class SpecClass {
 public:
  SpecClass(nb::module_& m, const char* name, const char* doc) : class_(m, name, doc) {
    FieldTable<T>::get().type = name;
    class_.def(
        "__init__",
        [](Item<T>* self, const nb::kwargs& fields) {
          T value;
          FieldTable<T>::get().assign(value, fields);
          new (self) Item<T>(std::move(value));
        },
        "fields"_a, nb::sig("def __init__(self, **fields: typing.Any) -> None"));
    class_.def(
        "replace",
        [](const Item<T>& self, const nb::kwargs& fields) {
          T value = self.get();
          FieldTable<T>::get().assign(value, fields);
          return Item<T>(std::move(value));
        },
        "fields"_a, nb::sig(("def replace(self, **fields: typing.Any) -> " + std::string(name)).c_str()),
        "A copy with these fields changed.");
    class_.def("__repr__", [](nb::handle self) {
      std::string s = FieldTable<T>::get().type + "(";
      const nb::object fresh = nb::cast(Item<T>());
      bool first = true;
      for (const auto& [field, set] : FieldTable<T>::get().fields) {
        const nb::object value = self.attr(field.c_str());
        const std::string text = nb::repr(value).c_str();
        if (text == nb::repr(fresh.attr(field.c_str())).c_str()) continue;  // the default
        s += (first ? "" : ", ") + field + "=" + text;
        first = false;
      }
      return s + ")";
    });
  }

  template <class V>
  SpecClass& field(const char* name, V T::*member, const char* doc = "") {
    add<V>(
        name, doc, [member](const T& t) -> const V& { return t.*member; }, [member](T& t) -> V& { return t.*member; });
    return *this;
  }
  // A list of parts, each an Item.
  template <class P>
  SpecClass& parts(const char* name, std::vector<P> T::*member, const char* doc = "") {
    class_.def_prop_rw(
        name, [member](const Item<T>& i) { return frozen_items(i.get().*member); },
        [member](Item<T>& i, const std::vector<Item<P>>& v) { i.edit().*member = plain_values(v); }, doc);
    table(name, [member](T& t, nb::handle h) {
      std::vector<Item<P>> v;
      if (!nb::try_cast(h, v)) refuse();
      t.*member = plain_values(v);
    });
    return *this;
  }
  // Where it stands in its file.
  SpecClass& where() {
    class_.def_prop_ro(
        "where", [](const Item<T>& i) { return std::pair(i.get().where.file, i.get().where.line); },
        "File and line that it was read from; line 0: unknown.");
    return *this;
  }
  nb::class_<Item<T>>& get() { return class_; }

  [[noreturn]] static void refuse() { throw nb::type_error("the value has the wrong type"); }
  template <class F>
  void table(const char* name, F&& set) {
    FieldTable<T>::get().fields.emplace_back(name, std::forward<F>(set));
  }

 private:
  template <class V, class Get, class Edit>
  void add(const char* name, const char* doc, Get get, Edit edit) {
    using S = Shown<V>;
    class_.def_prop_rw(
        name, [get](const Item<T>& i) { return S::out(get(i.get())); },
        [edit](Item<T>& i, Argument<V> v) { edit(i.edit()) = S::in(std::move(v)); }, doc);
    table(name, [edit, field = std::string(name)](T& t, nb::handle h) {
      Argument<V> v{};
      if (!nb::try_cast(h, v))
        throw nb::type_error(
            (FieldTable<T>::get().type + ": " + field + " has the wrong type, it is " + nb::repr(h).c_str()).c_str());
      edit(t) = S::in(std::move(v));
    });
  }
  template <class V>
  struct ArgumentOf {
    using Type = V;
  };
  template <class V>
    requires(std::same_as<decltype(Shown<V>::out(std::declval<const V&>())), Array>)
  struct ArgumentOf<V> {
    using Type = ArrayIn;
  };
  template <class V>
  using Argument = typename ArgumentOf<V>::Type;

  nb::class_<Item<T>> class_;
};

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
              "append", [](const L& l, const Item<T>& v) { l.get().push_back(T(v.get())); }, "value"_a)
          .def("clear", [](const L& l) { l.get().clear(); })
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
