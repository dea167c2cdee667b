// src/io/flexible.cpp
#include "sinew/io/flexible.hpp"

#include <algorithm>
#include <cmath>

#include "io/json_place.hpp"
#include "sinew/io/input_file.hpp"
#include "sinew/io/matrix_market.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/operators/finite_elements.hpp"

namespace sinew {
namespace {

constexpr int kMostCount = 1'000'000;

Vec3<double> read_vector(const JsonPlace& x) {
  if (x.size() != 3) x.refuse(Code::bad_value, "it must be three numbers", "as in [1, 0, 0]");
  return {x.entry(0).number(), x.entry(1).number(), x.entry(2).number()};
}
Mat3<double> read_matrix3(const JsonPlace& x) {
  if (x.size() != 3) x.refuse(Code::bad_value, "it must be a 3 x 3 matrix", "write three rows of three numbers");
  const Vec3<double> a = read_vector(x.entry(0)), b = read_vector(x.entry(1)), c = read_vector(x.entry(2));
  return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}
// A list of `count` entries, or of `rows` lists of them.
template <class T, class Read>
std::vector<T> read_list(const JsonPlace& x, std::size_t count, Read&& read) {
  if (x.size() != count)
    x.refuse(Code::bad_value, "it has " + std::to_string(x.size()) + " entries, and must have " + std::to_string(count),
             "give one per mode");
  std::vector<T> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.push_back(read(x.entry(i)));
  return out;
}
template <class T, class Read>
std::vector<T> read_square(const JsonPlace& x, std::size_t n, Read&& read) {
  std::vector<T> out;
  for (const auto& row : read_list<std::vector<T>>(x, n, [&](const JsonPlace& r) { return read_list<T>(r, n, read); }))
    out.insert(out.end(), row.begin(), row.end());
  return out;
}
double read_number(const JsonPlace& x) { return x.number(); }
std::vector<int> read_numbers_of_nodes(const JsonPlace& x) {
  std::vector<int> out;
  out.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x.entry(i).count(kMostCount));
  return out;
}

// The frame whose x axis is `along` and whose z axis is nearest to `up`.
Rotation<double> make_axes(const JsonPlace& x, const Vec3<double>& along, const Vec3<double>& up) {
  const double length = norm(along);
  const Vec3<double> ex = (1 / length) * along, across = cross(up, ex);
  if (!(length > 0) || !(norm(across) > 1e-9 * norm(up)))
    x.refuse(Code::bad_value, "'axis' must not be zero, nor along 'up'", "give another 'up'");
  const Vec3<double> ey = (1 / norm(across)) * across, ez = cross(ex, ey);
  return {{ex.x, ex.y, ex.z, ey.x, ey.y, ey.z, ez.x, ez.y, ez.z}};
}

class FlexibleReader {
 public:
  FlexibleReader(const Model& m, const std::filesystem::path& file) : model_(m), file_(file) {}

  FlexibleInput read(const JsonPlace& root) {
    root.check_keys({"bodies", "attach"});
    const JsonPlace bodies = root.get("bodies");
    for (std::size_t i = 0; i < bodies.size(); ++i) read_body(bodies.entry(i));
    if (root.has("attach")) {
      const JsonPlace attach = root.get("attach");
      if (!attach.value().is_object())
        attach.refuse(Code::bad_value, "it must be an object of joints and nodes", R"(as in {"wrist": "tip"})");
      for (const auto& [joint, unused] : attach.value().items())
        out_.attach.emplace_back(joint, attach.get(joint.c_str()).text());
    }
    return std::move(out_);
  }
  Diagnostics files;  // what is wrong with a file that this one names

 private:
  void read_body(const JsonPlace& x) {
    x.check_keys({"body", "beam", "finite_elements", "modal", "replaces_inertia"});
    const JsonPlace name = x.get("body");
    if (const auto body = model_.find_body(name.text()); !body || *body == 0)
      name.refuse(Code::unknown_name, "the model has no moving body '" + name.text() + "'", "name one of its bodies");
    if (x.has("beam") + x.has("finite_elements") + x.has("modal") != 1)
      x.refuse(Code::bad_value, "it must have one of the keys beam, finite_elements, modal", "give the body's data");
    try {
      sko::FlexibleBody b = x.has("beam")              ? read_beam(x.get("beam"), name.text())
                            : x.has("finite_elements") ? read_elements(x.get("finite_elements"), name.text())
                                                       : read_modal(x.get("modal"), name.text());
      if (x.has("replaces_inertia")) {
        if (!x.value()["replaces_inertia"].is_boolean())
          x.get("replaces_inertia").refuse(Code::bad_value, "it must be true or false", "correct it");
        b.replaces_inertia = x.value()["replaces_inertia"].get<bool>();
      }
      sko::check_flexible_body(b);
      out_.bodies.push_back(std::move(b));
    } catch (const std::invalid_argument& e) {
      x.refuse(Code::bad_value, e.what(), "correct the body's data");
    }
  }

  sko::FlexibleBody read_beam(const JsonPlace& x, const std::string& body) {
    x.check_keys({"support", "length", "mass", "bending_y", "bending_z", "axial", "torsion", "section_y", "section_z",
                  "modes_y", "modes_z", "modes_axial", "modes_torsion", "damping_ratio", "from", "axis", "up",
                  "stations"});
    sko::BeamSpec o;
    o.body = body;
    if (x.has("support")) {
      const std::string support = x.get("support").text();
      if (support != "cantilever" && support != "pinned" && support != "free_free")
        x.get("support").refuse(Code::bad_value, "there is no support '" + support + "'",
                                "known: cantilever, pinned, free_free");
      o.support = support == "pinned"      ? sko::BeamSupport::pinned
                  : support == "free_free" ? sko::BeamSupport::free_free
                                           : sko::BeamSupport::cantilever;
    }
    o.length = x.get("length").number(), o.mass = x.get("mass").number();
    if (!(o.length > 0))
      x.get("length").refuse(Code::bad_value, "the length is " + std::to_string(o.length) + " m",
                             "it must be positive");
    o.bending_y = x.number("bending_y", 0), o.bending_z = x.number("bending_z", 0);
    o.axial = x.number("axial", 0), o.torsion = x.number("torsion", 0);
    o.section_y = x.number("section_y", 0), o.section_z = x.number("section_z", 0);
    o.modes_y = x.count("modes_y", 0, kMostCount), o.modes_z = x.count("modes_z", 0, kMostCount);
    o.modes_axial = x.count("modes_axial", 0, kMostCount), o.modes_torsion = x.count("modes_torsion", 0, kMostCount);
    o.damping_ratio = x.number("damping_ratio", 0);
    const Vec3<double> from = x.has("from") ? read_vector(x.get("from")) : Vec3<double>{};
    const Vec3<double> axis = x.has("axis") ? read_vector(x.get("axis")) : Vec3<double>{1, 0, 0};
    const Vec3<double> up = x.has("up") ? read_vector(x.get("up")) : Vec3<double>{0, 0, 1};
    o.placement = {make_axes(x, axis, up), from};
    if (x.has("stations")) {
      const JsonPlace list = x.get("stations");
      if (!list.value().is_object())
        list.refuse(Code::bad_value, "it must be an object of names and places", R"(as in {"tip": 1.0})");
      for (const auto& [name, unused] : list.value().items())
        o.stations.emplace_back(name, list.get(name.c_str()).number());
    }
    // A node below every joint that hangs on the body, at a rigid offset where the joint is beside the beam.
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const JointEntry& joint = model_.joints()[j];
      if (model_.bodies()[at(joint.parent)].name != body) continue;
      const double place = apply_to_point(o.placement, model_.spec().joints[j].placement.r).x;
      if (!(place >= -1e-9 * o.length && place <= (1 + 1e-9) * o.length))
        x.refuse(Code::bad_value,
                 "joint '" + joint.name + "' hangs on it at x = " + std::to_string(place) + ", beyond its length of " +
                     std::to_string(o.length),
                 "make the beam longer, or move the joint");
      const std::string name = "at joint '" + joint.name + "'";
      o.stations.emplace_back(name, std::clamp(place, 0.0, o.length));
      out_.attach.emplace_back(joint.name, name);
    }
    return sko::make_beam(o);
  }

  std::vector<linear::SparseEntry> read_matrix_file(const JsonPlace& x, int& rows) {
    const std::filesystem::path named = x.text(), file = named.is_absolute() ? named : file_.parent_path() / named;
    Result<SparseMatrix> m = load_matrix_market(file);
    if (!m.ok()) {
      for (const Diagnostic& d : m.diagnostics()) files.add(d);
      x.refuse(Code::include_failed, "the matrix '" + x.text() + "' is refused", "see the other message");
    }
    if (m->rows != m->cols || (rows != 0 && m->rows != rows))
      x.refuse(Code::bad_value,
               "the matrix is " + std::to_string(m->rows) + " x " + std::to_string(m->cols) +
                   ", and must be square and of the size of the other one",
               "mass and stiffness must be of the same mesh");
    rows = m->rows;
    return std::move(m).value().entries;
  }

  sko::FlexibleBody read_elements(const JsonPlace& x, const std::string& body) {
    x.check_keys({"mass", "stiffness", "nodes", "freedoms", "root", "interfaces", "lines", "inner_modes", "modes",
                  "damping_ratio"});
    sko::FiniteElements e;
    e.body = body;
    e.mass = read_matrix_file(x.get("mass"), e.rows);
    e.stiffness = read_matrix_file(x.get("stiffness"), e.rows);
    const JsonPlace nodes = x.get("nodes");
    for (std::size_t i = 0; i < nodes.size(); ++i) e.nodes.push_back(read_vector(nodes.entry(i)));
    e.freedoms = x.count("freedoms", e.freedoms, 6);
    e.root = read_numbers_of_nodes(x.get("root"));
    if (x.has("interfaces")) {
      const JsonPlace list = x.get("interfaces");
      for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonPlace one = list.entry(i);
        one.check_keys({"name", "nodes"});
        e.interfaces.push_back({one.get("name").text(), read_numbers_of_nodes(one.get("nodes"))});
      }
    }
    if (x.has("lines")) {
      const JsonPlace lines = x.get("lines");
      for (std::size_t i = 0; i < lines.size(); ++i) e.lines.push_back(read_numbers_of_nodes(lines.entry(i)));
    }
    e.inner_modes = x.count("inner_modes", e.inner_modes, kMostCount);
    e.modes = x.count("modes", e.modes, kMostCount);
    e.damping_ratio = x.number("damping_ratio", 0);
    return sko::make_flexible_body(e);
  }

  sko::FlexibleNode read_node(const JsonPlace& x, std::size_t m) {
    x.check_keys({"name", "position", "shift", "turn", "second"});
    sko::FlexibleNode out;
    out.name = x.get("name").text(), out.position = read_vector(x.get("position"));
    out.shift = read_list<Vec3<double>>(x.get("shift"), m, read_vector);
    out.turn = read_list<Vec3<double>>(x.get("turn"), m, read_vector);
    if (x.has("second")) out.second = read_square<Vec3<double>>(x.get("second"), m, read_vector);
    return out;
  }

  sko::FlexibleBody read_modal(const JsonPlace& x, const std::string& body) {
    x.check_keys({"mass", "stiffness", "damping", "damping_ratio", "points", "rigid", "momentum", "angular_momentum",
                  "first_moments", "second_moments", "second_momentum", "stiffening", "nodes", "root"});
    sko::FlexibleBody b;
    b.body = body;
    const std::size_t m = x.get("stiffness").size();
    b.modes = static_cast<int>(m);
    if (x.has("points")) {
      const JsonPlace list = x.get("points");
      std::vector<sko::MaterialPoint> points;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const JsonPlace p = list.entry(i);
        p.check_keys({"mass", "position", "shift", "second"});
        points.push_back({p.get("mass").number(),
                          read_vector(p.get("position")),
                          read_list<Vec3<double>>(p.get("shift"), m, read_vector),
                          {}});
        if (p.has("second")) points.back().second = read_square<Vec3<double>>(p.get("second"), m, read_vector);
      }
      sko::set_material(b, b.modes, points);
    } else {
      const JsonPlace rigid = x.get("rigid");
      rigid.check_keys({"mass", "centre", "inertia"});
      const JsonPlace I = rigid.get("inertia");
      const auto numbers = read_list<double>(I, 6, read_number);
      b.rigid = make_inertia(rigid.get("mass").number(), read_vector(rigid.get("centre")),
                             Sym3<double>{numbers[0], numbers[3], numbers[4], numbers[1], numbers[5], numbers[2]});
      b.momentum = read_list<Vec3<double>>(x.get("momentum"), m, read_vector);
      b.angular_momentum = read_list<Vec3<double>>(x.get("angular_momentum"), m, read_vector);
      b.first_moments = read_list<Mat3<double>>(x.get("first_moments"), m, read_matrix3);
      b.second_moments = read_square<Mat3<double>>(x.get("second_moments"), m, read_matrix3);
      if (x.has("second_momentum"))
        b.second_momentum = read_square<Vec3<double>>(x.get("second_momentum"), m, read_vector);
      if (x.has("stiffening")) b.stiffening = read_square<Mat3<double>>(x.get("stiffening"), m, read_matrix3);
    }
    if (x.has("mass") || !x.has("points")) b.mass = read_square<double>(x.get("mass"), m, read_number);
    b.stiffness = read_square<double>(x.get("stiffness"), m, read_number);
    if (x.has("damping")) b.damping = read_square<double>(x.get("damping"), m, read_number);
    if (const double ratio = x.number("damping_ratio", 0); ratio > 0) sko::set_damping_ratio(b, ratio);
    if (x.has("nodes")) {
      const JsonPlace list = x.get("nodes");
      for (std::size_t i = 0; i < list.size(); ++i) b.nodes.push_back(read_node(list.entry(i), m));
    }
    if (x.has("root")) b.root = read_node(x.get("root"), m);
    return b;
  }

  const Model& model_;
  const std::filesystem::path file_;
  FlexibleInput out_;
};

}  // namespace

Result<FlexibleInput> parse_flexible(std::string_view text, const std::filesystem::path& name, const Model& m) {
  Diagnostics out;
  // Recursion of the parser and of copies is as deep as the text is nested.
  constexpr int kMostDepth = 64;
  int depth = 0, deepest = 0;
  for (const char c : text)
    depth += (c == '[' || c == '{') - (c == ']' || c == '}'), deepest = std::max(deepest, depth);
  if (deepest > kMostDepth) {
    out.add(Code::too_many_elements, "flexible bodies", "brackets are nested deeper than 64", "the format needs six",
            {name.string(), 0});
    return out;
  }
  nlohmann::json root;
  try {
    root = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    const std::size_t end = std::min(e.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    out.add(Code::bad_value, "flexible bodies", std::string("the text is not JSON: ") + e.what(), "correct it",
            {name.string(), static_cast<int>(line)});
    return out;
  } catch (const nlohmann::json::exception& e) {
    out.add(Code::bad_number, "flexible bodies", e.what(), "write finite numbers", {name.string(), 0});
    return out;
  }
  FlexibleReader reader(m, name);
  try {
    FlexibleInput in = reader.read(JsonPlace(root, {}));
    const sko::FlexibleModel checked(m, in.bodies, in.attach);
    return in;
  } catch (const JsonRefusal& e) {
    out.append(std::move(reader.files));
    out.add({e.code,
             Severity::error,
             {name.string(), find_json_line(text, e.steps)},
             "flexible bodies",
             e.what(),
             e.repair});
  } catch (const std::invalid_argument& e) {
    out.add(Code::bad_value, "flexible bodies", e.what(), "correct the file or the model", {name.string(), 0});
  }
  return out;
}

Result<FlexibleInput> load_flexible(const std::filesystem::path& file, const Model& m) {
  const InputFile in = read_input_file(file);
  if (!in.fault.empty()) {
    Diagnostics out;
    out.add(in.too_large ? Code::file_too_large : Code::file_unreadable, "flexible bodies", "the file " + in.fault,
            in.repair, {file.string(), 0});
    return out;
  }
  return parse_flexible(in.bytes, file, m);
}

}  // namespace sinew
