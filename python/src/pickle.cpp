// python/src/pickle.cpp - specifications, models, scenes and constraints through pickle
#include "archive_spec.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/model/model_hash.hpp"
#include "spec.hpp"
#include "stepper.hpp"

namespace sinew::py {

template <class A>
void keep(A& a, MaskConstraint& x) {
  auto& [name, body_a, body_b, pose_a, pose_b, blocked, laws, world_axes] = x;
  keep_all(a, name, body_a, body_b, pose_a, pose_b, blocked, laws, world_axes);
}
template <class A>
void keep(A& a, RollingConstraint& x) {
  auto& [name, body_a, body_b, point, normal, centre, radius] = x;
  keep_all(a, name, body_a, body_b, point, normal, centre, radius);
}

namespace {

// To be raised when a field changes: old pickles are then refused by name.
constexpr std::uint32_t kForm = 1;

using Kept = std::tuple<nb::bytes, nb::list>;  // numbers and texts; functions
const nb::sig kGet("def __getstate__(self) -> tuple[bytes, list[typing.Any]]");
const nb::sig kSet("def __setstate__(self, state: tuple[bytes, list[typing.Any]], /) -> None");

std::uint64_t checksum(std::string_view bytes) {  // FNV-1a
  std::uint64_t h = 14695981039346656037u;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

// keep() takes what it writes by reference, and leaves it as it was.
template <class... T>
Kept write(const T&... values) {
  ArchiveWriter a;
  (keep(a, const_cast<T&>(values)), ...);  // NOLINT
  std::string all(sizeof kForm + sizeof(std::uint64_t), '\0');
  const std::uint64_t sum = checksum(a.bytes);
  std::memcpy(all.data(), &kForm, sizeof kForm);
  std::memcpy(all.data() + sizeof kForm, &sum, sizeof sum);
  all += a.bytes;
  return {nb::bytes(all.data(), all.size()), a.objects};
}

template <class... T>
void read(const Kept& kept, T&... values) {
  const auto& [b, objects] = kept;
  std::string_view bytes(static_cast<const char*>(b.data()), b.size());
  std::uint32_t form = 0;
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof form + sizeof sum) throw nb::value_error("unpickling: the bytes are cut off");
  std::memcpy(&form, bytes.data(), sizeof form);
  std::memcpy(&sum, bytes.data() + sizeof form, sizeof sum);
  bytes.remove_prefix(sizeof form + sizeof sum);
  if (form != kForm)
    throw nb::value_error(("unpickling: this was written in form " + std::to_string(form) + ", this version reads " +
                           std::to_string(kForm) + "; use the version of sinew that wrote it")
                              .c_str());
  if (sum != checksum(bytes)) throw nb::value_error("unpickling: the bytes are damaged or cut off");
  ArchiveReader a(bytes, objects);
  (keep(a, values), ...);
  if (!a.empty()) throw nb::value_error("unpickling: there are bytes left over");
}

// An entry pickles as a value, also where it is a handle.
template <class T>
void add_entry() {
  nb::borrow<nb::class_<Item<T>>>(nb::type<Item<T>>())
      .def(
          "__getstate__", [](const Item<T>& i) { return write(i.get()); }, kGet)
      .def(
          "__setstate__",
          [](Item<T>* self, const Kept& kept) {
            T value;
            read(kept, value);
            new (self) Item<T>(std::move(value));
          },
          kSet);
}
template <class... T>
void add_entries() {
  (add_entry<T>(), ...);
}

Diagnostics gather(std::vector<Diagnostic>&& list) {
  Diagnostics out;
  for (Diagnostic& d : list) out.add(std::move(d));
  return out;
}

}  // namespace

void bind_pickle(nb::module_&) {
  add_entries<BodySpec, FrameSpec, KeyframeSpec, SensorSpec, DofSpec, JointSpec, LoopSpec, CouplingTerm, CouplingSpec,
              ShapeSpec, MeshSpec, HeightfieldSpec, ExclusionSpec, PairSpec, TendonPart, TendonSpec, TendonCouplingSpec,
              MuscleSpec, ActuatorSpec, MaskConstraint, RollingConstraint>();
  nb::borrow<nb::class_<Diagnostic>>(nb::type<Diagnostic>())
      .def(
          "__getstate__", [](const Diagnostic& d) { return write(d); }, kGet)
      .def(
          "__setstate__",
          [](Diagnostic* self, const Kept& kept) {
            Diagnostic d;
            read(kept, d);
            new (self) Diagnostic(std::move(d));
          },
          kSet);
  nb::borrow<nb::class_<PySpec>>(nb::type<PySpec>())
      .def(
          "__getstate__", [](const PySpec& s) { return write(s.spec, s.remarks.list()); }, kGet)
      .def(
          "__setstate__",
          [](PySpec* self, const Kept& kept) {
            ModelSpec spec;
            std::vector<Diagnostic> remarks;
            read(kept, spec, remarks);
            new (self) PySpec{std::move(spec), gather(std::move(remarks))};
          },
          kSet);
  // A model is its specification, compiled again. The hash tells where files that it names have changed meanwhile.
  using Hashed = std::tuple<Kept, std::uint64_t>;
  nb::borrow<nb::class_<PyModel>>(nb::type<PyModel>())
      .def(
          "__getstate__", [](const PyModel& m) { return Hashed(write(m.spec(), m.remarks), calc_model_hash(m)); },
          nb::sig("def __getstate__(self) -> tuple[tuple[bytes, list[typing.Any]], int]"))
      .def(
          "__setstate__",
          [](PyModel* self, const Hashed& state) {
            ModelSpec spec;
            std::vector<Diagnostic> remarks;
            read(std::get<0>(state), spec, remarks);
            Model model = unwrap(run_long([&] { return compile(spec); }));
            if (calc_model_hash(model) != std::get<1>(state))
              throw nb::value_error(("unpickling: model '" + model.name() +
                                     "' is not the one that was pickled; files or functions that it names have changed")
                                        .c_str());
            new (self) PyModel(std::move(model), std::move(remarks));
          },
          nb::sig("def __setstate__(self, state: tuple[tuple[bytes, list[typing.Any]], int], /) -> None"));
  using Scenery = std::tuple<std::shared_ptr<PyModel>, State, Array, decltype(PyScene::left_out),
                             decltype(PyScene::held), decltype(PyScene::notes)>;
  nb::borrow<nb::class_<PyScene>>(nb::type<PyScene>())
      .def("__getstate__",
           [](const PyScene& s) {
             return Scenery(s.model, s.start, copy_vector(s.control), s.left_out, s.held, s.notes);
           })
      .def("__setstate__", [](PyScene* self, const Scenery& s) {
        const auto& [model, start, control, left_out, held, notes] = s;
        new (self) PyScene{model, start, read_numbers("unpickling", "control", {control.ptr()}), left_out, held, notes};
      });
}

}  // namespace sinew::py
