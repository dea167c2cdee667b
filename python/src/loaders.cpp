// python/src/loaders.cpp - URDF, MJCF and the built-in mechanisms
#include "sinew/io/load.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/model/mechanisms.hpp"
#include "spec.hpp"

namespace sinew::py {

std::shared_ptr<PySpec> unwrap_spec(Result<ModelSpec>&& r) {
  Diagnostics remarks = r.diagnostics();
  return std::make_shared<PySpec>(PySpec{unwrap(std::move(r)), std::move(remarks)});
}

namespace {

using Paths = std::vector<PathIn>;

std::vector<std::filesystem::path> plain(const Paths& paths) {
  std::vector<std::filesystem::path> out;
  for (const PathIn& p : paths) out.push_back(p.path);
  return out;
}

std::shared_ptr<PySpec> own(ModelSpec s) { return std::make_shared<PySpec>(PySpec{std::move(s), {}}); }

}  // namespace

void bind_loaders(nb::module_& m) {
  m.def(
      "load",
      [](const PathIn& file, bool floating_base, bool strict, bool load_meshes, const Paths& packages) {
        return unwrap_spec(run_long([&] {
          return load(file.path, {floating_base, strict, load_meshes, false, plain(packages)});
        }));
      },
      "file"_a, nb::kw_only(), "floating_base"_a = false, "strict"_a = false, "load_meshes"_a = false,
      "package_paths"_a = Paths{},
      "The ModelSpec of a URDF or MJCF file, told apart by its root element. Its `remarks` say what was not kept;\n"
      "LoadError where it is not a model. floating_base: URDF only, the root hangs on a free joint.");
  m.def(
      "load_urdf",
      [](const PathIn& file, bool floating_base, bool strict, const Paths& packages) {
        return unwrap_spec(run_long([&] { return load_urdf(file.path, {floating_base, strict, plain(packages)}); }));
      },
      "file"_a, nb::kw_only(), "floating_base"_a = false, "strict"_a = false, "package_paths"_a = Paths{},
      "A ModelSpec from a URDF. LoadError says what is wrong with the file.");
  m.def(
      "parse_urdf",
      [](std::string_view text, const PathIn& file, bool floating_base, bool strict, const Paths& packages) {
        return unwrap_spec(run_long([&] {
          return parse_urdf(text, file.path, {floating_base, strict, plain(packages)});
        }));
      },
      "text"_a, "file"_a = "", nb::kw_only(), "floating_base"_a = false, "strict"_a = false,
      "package_paths"_a = Paths{}, "From text; `file` is its name in diagnostics, and meshes are relative to it.");
  m.def(
      "load_mjcf",
      [](const PathIn& file, bool strict, bool load_meshes) {
        return unwrap_spec(run_long([&] { return load_mjcf(file.path, {strict, load_meshes}); }));
      },
      "file"_a, nb::kw_only(), "strict"_a = false, "load_meshes"_a = false,
      "A ModelSpec from MuJoCo's XML. LoadError says what is wrong with the file.");
  m.def(
      "parse_mjcf",
      [](std::string_view text, const PathIn& file, bool strict, bool load_meshes) {
        return unwrap_spec(run_long([&] { return parse_mjcf(text, file.path, {strict, load_meshes}); }));
      },
      "text"_a, "file"_a = "", nb::kw_only(), "strict"_a = false, "load_meshes"_a = false,
      "From text; `file` is its name in diagnostics, and includes and meshes are relative to it.");
  m.def(
      "to_mjcf", [](const PySpec& s, bool lossy) { return unwrap(to_mjcf(s.spec, {lossy})); }, "spec"_a, nb::kw_only(),
      "lossy"_a = false, "The model as MuJoCo's XML; what MJCF cannot express is an error, or left out if lossy.");
}

void bind_mechanisms(nb::module_& top) {
  using namespace mechanisms;
  nb::module_ m = top.def_submodule("mechanisms", "Built-in mechanisms, the same on every machine: ModelSpecs.");
  m.def(
      "pendulum",
      [](int n, double length, double mass, double height, double wall, double friction, double restitution,
         double lean, double speed) {
        return own(pendulum(n, {length, mass, height, wall, friction, restitution, lean, speed}));
      },
      "n"_a, nb::kw_only(), "length"_a = 12., "mass"_a = 1., "height"_a = 10., "wall"_a = 4., "friction"_a = .5,
      "restitution"_a = .7, "lean"_a = std::numbers::pi / 4, "speed"_a = 1.,
      "n spheres on pins, between a floor and a wall [J14 section 8].");
  m.def(
      "gu", [](int n, std::uint64_t seed) { return own(gu(n, seed)); }, "n"_a, "seed"_a = 1,
      "The general unbranched robot [F08 section 10.3].");
  m.def(
      "chain", [](int n, std::uint64_t seed) { return own(chain(n, seed)); }, "n"_a, "seed"_a = 1,
      "n revolute joints with random axes; frame \"tip\" on the last link.");
  m.def(
      "binary_tree", [](int levels) { return own(binary_tree(levels)); }, "levels"_a, "[F08 section 6.5]");
  m.def(
      "stem_with_branches",
      [](int stem, int branches, int length) { return own(stem_with_branches(stem, branches, length)); },
      "stem_length"_a, "branches"_a, "branch_length"_a = 7, "[S23 Fig 3]");
  m.def(
      "humanoid", [] { return own(humanoid()); }, "36 freedoms, standing on z = 0.");
  m.def(
      "hand", [](bool left) { return own(hand(left ? Side::left : Side::right)); }, nb::kw_only(), "left"_a = false,
      "24 freedoms on a fixed forearm.");
  m.def(
      "humanoid_with_hands", [](int hands) { return own(humanoid_with_hands(hands)); }, "hands"_a,
      "The humanoid with a hand on its left wrist (1) or on both (2).");
  m.def(
      "dual_arm", [] { return own(dual_arm()); }, "[J14 Table 1]");
  m.def(
      "geared_arm", [] { return own(geared_arm()); }, "[F08 Fig 9.2]");
  m.def(
      "crank_slider", [] { return own(crank_slider()); }, "[F08 Fig 4.1]");
  m.def(
      "four_bar", [] { return own(four_bar()); }, "[F08 section 8.10]");
  m.def(
      "crank_piston", [] { return own(crank_piston()); }, "[F08 Fig 8.3]");
  m.def(
      "stewart_platform", [] { return own(stewart_platform()); },
      "A platform with six freedoms on six legs, each closed by a spherical loop.");
  m.def(
      "scissor_lift",
      [](int stages, bool local) {
        ScissorLiftOptions o;
        o.stages = stages, o.local_loops = local;
        return own(scissor_lift(o));
      },
      "stages"_a = 3, nb::kw_only(), "local_loops"_a = false,
      "Crossed bars in stages. local_loops: pins in the middles are joints, so that each loop has three.");
  m.def(
      "bricard", [] { return own(bricard()); }, "Six links in a ring: it moves although counting says that it cannot.");
  m.def(
      "servicer", [] { return own(servicer()); }, "A spacecraft, free in space, with two arms of six joints.");
  m.def(
      "satellite", [] { return own(satellite()); }, "A box, free in space, with two fixtures.");
  m.def(
      "servicer_and_satellite", [] { return own(servicer_and_satellite()); },
      "Both in one model. Keyframe \"tumbling\": the satellite drifts and tumbles.");
}

}  // namespace sinew::py
