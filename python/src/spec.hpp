// python/src/spec.hpp - classes of Python for the parts of a ModelSpec, field by field
#pragma once
#include <functional>

#include "item.hpp"

namespace sinew::py {

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

}  // namespace sinew::py
