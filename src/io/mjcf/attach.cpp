// src/io/mjcf/attach.cpp - <attach>: a body, a frame or all of another model, under a prefix
// The part is read where it is attached, as if its file stood there: with the file's own <compiler>, defaults and
// assets. Then its contacts, tendons, equalities, actuators, sensors and keyframes are read, except those that refer to
// something which was not attached. Of <option> the main file's counts.
#include <algorithm>

#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

constexpr int kMostNested = 8;  // models that attach models; a cycle ends there

using NodeSet = std::set<const Node*>;

void collect(const Node& n, NodeSet& out) {
  out.insert(&n);
  for (const Node& c : n.children) collect(c, out);
}

// The model asset of that name in the file that is read, opened if need be.
const File* find_model(Work& w, std::string_view name, const Node& user) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "asset") continue;
    for (const Node& n : section.children) {
      if (n.tag() != "model") continue;
      const char* given = n.xml->Attribute("name");
      if (given && name != given) continue;
      const char* file = n.xml->Attribute("file");
      if (!file) return w.error(n, Code::missing_attribute, "a model has no file", "write file=\"...\""), nullptr;
      if (!w.may_open) {
        w.error(n, Code::include_failed, "a text without a path cannot read the model " + xml::quote(file),
                "load the model from its file");
        return nullptr;
      }
      const auto path = find_file(w.folder(), file, n);
      auto known = std::find_if(w.models.begin(), w.models.end(), [&](const File& f) { return f.path == path; });
      if (known == w.models.end()) {
        const auto text = xml::read_file(path, w.out, n.where());
        auto tree = text ? read_tree(*text, path, w.out) : std::nullopt;
        if (!tree) return nullptr;
        w.models.push_back(make_file(path, std::move(*tree), w.remarks, w.out));
        known = std::prev(w.models.end());
      }
      const char* own = known->tree.root.xml->Attribute("model");
      if (given || name == (own ? own : "MuJoCo Model")) return &*known;
    }
  }
  w.error(user, Code::unknown_name, "there is no model " + xml::quote(name), "add it to <asset> as a <model>");
  return nullptr;
}

// The element below `n`, and the class that its surroundings give it.
bool find_element(const File& f, const Node& n, std::string_view tag, std::string_view name, Attached& out,
                  Diagnostics& diagnostics) {
  const Class* outer = out.child_class;
  for (const Node& c : n.children) {
    const char* own = c.xml->Attribute("name");
    if (c.tag() == tag && own && name == own) return out.what = &c, true;
    if (c.tag() != "body" && c.tag() != "frame") continue;
    out.child_class = f.defaults.find(c, "childclass", outer, diagnostics);
    if (find_element(f, c, tag, name, out, diagnostics)) return true;
    out.child_class = outer;
  }
  return false;
}

// What the file has beside the attached part, and where the part's coordinates are among the file's.
void compare_with_whole(const Work& w, const Node& what, Attachment& a) {
  MjcfOptions options = w.options;
  options.load_meshes = false;
  Diagnostics unheard;  // whoever reads the part hears its own
  Work whole(options, unheard, *a.file);
  whole.counts_only = a.self;
  whole.at.depth = w.at.depth;
  read_assets(whole);
  read_bodies(whole);
  NodeSet inside;
  collect(what, inside);
  std::vector<bool> attached(whole.bodies.size());
  bool before = true;
  for (std::size_t i = 1; i < whole.bodies.size(); ++i) {
    const Body& b = whole.bodies[i];
    attached[i] = inside.contains(b.node) || (b.parent > 0 && attached[static_cast<std::size_t>(b.parent)]);
    before = before && !attached[i];
    a.whole += sizes_of(b);
    if (before) a.first += sizes_of(b);
  }
  const auto in = [&](int body) { return body > 0 && attached[static_cast<std::size_t>(body)]; };
  const auto leave = [&](const char* kind, const std::string& name) { a.left_out.emplace(kind, name); };
  for (const auto& [name, i] : whole.body_names)
    if (i > 0 && !in(i)) leave("body", name);
  for (const auto& [name, i] : whole.joint_names)
    if (!in(i)) leave("joint", name);
  for (const auto& [name, i] : whole.geom_names)
    if (const Geom& g = whole.geoms[i]; !in(g.body) && !inside.contains(g.node)) leave("geom", name);
  for (const auto& [name, i] : whole.site_names)
    if (const Site& s = whole.sites[i]; !in(s.body) && !inside.contains(s.node)) leave("site", name);
}

// Options of an attached file have no effect, unless the main file asks for something else.
void check_options(Work& w, const File& file, const Node& n) {
  std::string policy = "warning";
  for (const Node& c : w.main.tree.root.children)
    if (const char* word = c.tag() == "compiler" ? c.xml->Attribute("conflict") : nullptr) policy = word;
  for (const Node& c : file.tree.root.children) {
    if (c.tag() != "option" || !c.xml->FirstAttribute()) continue;
    if (policy == "warning")
      w.remarks.count(Code::ignored_element, "<option> of an attached model", "has no effect: the main file's counts",
                      c);
    else
      w.error(c, Code::unsupported_element, "options of an attached model are not merged (compiler conflict)",
              "move them to the main file");
    return;
  }
  if (policy != "warning" && policy != "merge" && policy != "error")
    w.error(n, Code::bad_value, "compiler conflict is " + xml::quote(policy), "write warning");
}

}  // namespace

File make_file(const std::filesystem::path& path, Tree&& tree, Remarks& remarks, Diagnostics& out) {
  File f{path, std::move(tree), {}, {}};
  f.settings = read_settings(f.tree.root, remarks, out);
  f.defaults.read(f.tree.root, remarks, out);
  return f;
}

std::optional<Attached> begin_attachment(Work& w, const Node& n, const std::string& suffix) {
  const Reader r(n, w.out);
  const auto prefix = r.required_text("prefix");
  const auto model = r.text("model"), body = r.text("body"), frame = r.text("frame");
  if (!prefix) return std::nullopt;
  const auto fail = [&](Code code, const std::string& message, const char* repair) {
    r.error(code, message, repair);
    return std::nullopt;
  };
  if (body && frame) return fail(Code::bad_value, "names a body and a frame", "keep one");
  if (!model && !body && !frame)
    return fail(Code::missing_attribute, "attaches this model to itself without naming a part", "name a body");
  if (body && *body == w.spec.world)
    return fail(Code::unsupported_element, "the world cannot be attached as a body",
                "leave body out: then all that the world holds is attached");
  if (w.at.depth >= kMostNested)
    return fail(Code::include_failed, "models attach each other more than " + std::to_string(kMostNested) + " deep",
                "end the cycle");
  const File* file = model ? find_model(w, *model, n) : w.at.file;
  if (!file) return std::nullopt;
  Attached out{&file->tree.root, file->defaults.top()};
  if (body || frame) {
    const std::string_view name = body ? *body : *frame;
    bool found = false;
    for (const Node& section : file->tree.root.children)
      if (section.tag() == "worldbody" && !found)
        found = find_element(*file, section, body ? "body" : "frame", name, out, w.out);
    if (!found)
      return fail(
          Code::unknown_name,
          std::string("the model has no ") + (body ? "body " : "frame ") + xml::quote(name) + " outside <replicate>",
          "correct the name");
  }
  Context next{file, w.at.prefix + std::string(*prefix), nullptr, w.at.depth + 1};
  if (next.prefix.size() > kMaxName) return fail(Code::bad_value, "its prefix is too long", "shorten it");
  // A replica of the <attach> brings no second copy of what stands outside the tree.
  const auto same = std::find_if(w.attachments.begin(), w.attachments.end(), [&](const Attachment& a) {
    return !suffix.empty() && a.file == file && a.prefix == next.prefix;
  });
  if (same != w.attachments.end()) {
    next.attachment = &*same;
    w.at = std::move(next);
    return out;
  }
  Attachment a;
  a.file = file, a.prefix = next.prefix, a.self = !model;
  a.first_body = static_cast<int>(w.bodies.size());
  if (model) check_options(w, *file, n);
  w.at.depth = next.depth;
  compare_with_whole(w, *out.what, a);
  w.attachments.push_back(std::move(a));
  next.attachment = &w.attachments.back();
  w.at = std::move(next);
  if (model) read_assets(w);
  return out;
}

bool is_left_out(Work& w, const Node& n) {
  Attachment* a = w.at.attachment;
  if (!a) return false;
  constexpr std::pair<const char*, const char*> kReferences[] = {
      {"body", "body"},         {"body1", "body"},    {"body2", "body"},          {"joint", "joint"},
      {"joint1", "joint"},      {"joint2", "joint"},  {"jointinparent", "joint"}, {"geom", "geom"},
      {"geom1", "geom"},        {"geom2", "geom"},    {"site", "site"},           {"site1", "site"},
      {"site2", "site"},        {"refsite", "site"},  {"slidersite", "site"},     {"cranksite", "site"},
      {"sidesite", "site"},     {"tendon", "tendon"}, {"tendon1", "tendon"},      {"tendon2", "tendon"},
      {"actuator", "actuator"}, {"subtree1", "body"}, {"subtree2", "body"}};
  const auto left = [&](std::string kind, const char* name) {
    if (kind == "xbody") kind = "body";
    return name && a->left_out.contains({kind, name});
  };
  bool out = std::any_of(std::begin(kReferences), std::end(kReferences), [&](const auto& reference) {
    return left(reference.second, n.xml->Attribute(reference.first));
  });
  for (const auto& [kind, name] : {std::pair{"objtype", "objname"}, {"reftype", "refname"}})
    if (const char* word = n.xml->Attribute(kind)) out = out || left(word, n.xml->Attribute(name));
  for (const Node& c : n.children) out = is_left_out(w, c) || out;
  if (!out) return false;
  // What refers to it is left out, too.
  const std::string_view tag = n.tag();
  const char* name = n.xml->Attribute("name");
  if (name && (tag == "spatial" || tag == "fixed")) a->left_out.emplace("tendon", name);
  if (name && has_word(known_children("actuator"), tag)) a->left_out.emplace("actuator", name);
  return true;
}

}  // namespace sinew::mjcf
