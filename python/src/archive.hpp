// python/src/archive.hpp - values as bytes and back, for pickle: numbers, texts, lists, small values
// Functions written in Python (laws) cannot be bytes: they are kept as objects beside, and pickle decides about them.
#pragma once
#include <bit>
#include <cstring>

#include "common.hpp"

namespace sinew::py {

class ArchiveWriter {
 public:
  static constexpr bool kReads = false;
  void raw(const void* p, std::size_t n) { bytes.append(static_cast<const char*>(p), n); }
  void count(std::size_t& n) {
    const std::uint64_t x = n;
    raw(&x, sizeof x);
  }
  void object(nb::object& o) { objects.append(o); }
  std::string bytes;
  nb::list objects;
};

// Throws ValueError where the bytes end too early.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;
  ArchiveReader(std::string_view b, nb::list o) : bytes_(b), objects_(std::move(o)) {}
  void raw(void* p, std::size_t n) {
    if (n > bytes_.size()) throw nb::value_error("unpickling: the bytes are cut off");
    std::memcpy(p, bytes_.data(), n);
    bytes_.remove_prefix(n);
  }
  void count(std::size_t& n) {
    std::uint64_t x = 0;
    raw(&x, sizeof x);
    if (x > bytes_.size()) throw nb::value_error("unpickling: the bytes are damaged");  // an entry has at least a byte
    n = x;
  }
  void object(nb::object& o) { o = objects_[next_++]; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  nb::list objects_;
  std::size_t next_ = 0;
};

template <class A, class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
void keep(A& a, T& x) {
  a.raw(&x, sizeof x);
}
template <class A>
void keep(A& a, std::string& s) {
  std::size_t n = s.size();
  a.count(n);
  if constexpr (A::kReads) s.resize(n);
  a.raw(s.data(), n);
}
// Declared before what uses them within each other.
template <class A, class T>
void keep(A&, std::vector<T>&);
template <class A, class T>
void keep(A&, std::optional<T>&);
template <class A, class T, std::size_t n>
void keep(A&, std::array<T, n>&);

template <class A, class... Fields>
void keep_all(A& a, Fields&... fields) {
  (keep(a, fields), ...);
}

template <class A>
void keep(A& a, Vec3<double>& x) {
  auto& [x0, x1, x2] = x;
  keep_all(a, x0, x1, x2);
}
template <class A>
void keep(A& a, Sym3<double>& x) {
  auto& [xx, xy, xz, yy, yz, zz] = x;
  keep_all(a, xx, xy, xz, yy, yz, zz);
}
template <class A, class T>
  requires(std::same_as<T, Rotation<double>> || std::same_as<T, Quaternion<double>>)
void keep(A& a, T& x) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  a.raw(&x, sizeof x);
}
template <class A>
void keep(A& a, Transform<double>& x) {
  auto& [E, r] = x;
  keep_all(a, E, r);
}
template <class A, class T>
void keep(A& a, std::vector<T>& list) {
  std::size_t n = list.size();
  a.count(n);
  if constexpr (A::kReads) list.resize(n);
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::size_t bytes = n * sizeof(T);
    a.count(bytes);  // a reader must not reserve more than there is
    if (bytes != n * sizeof(T)) throw nb::value_error("unpickling: the bytes are of another version");
    a.raw(list.data(), bytes);
  } else {
    for (T& x : list) keep(a, x);
  }
}
template <class A, class T>
void keep(A& a, std::optional<T>& x) {
  bool any = x.has_value();
  keep(a, any);
  if constexpr (A::kReads)
    if (any) x.emplace();
  if (any) keep(a, *x);
}
template <class A, class T, std::size_t n>
void keep(A& a, std::array<T, n>& list) {
  for (T& x : list) keep(a, x);
}

}  // namespace sinew::py
