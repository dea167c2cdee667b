// src/io/mjcf/tree.cpp
#include "io/mjcf/tree.hpp"

#include <algorithm>
#include <set>
#include <system_error>

namespace sinew::mjcf {
namespace {

class TreeReader {
 public:
  TreeReader(Tree& tree, const std::filesystem::path& main, Diagnostics& out) : tree_(tree), main_(main), out_(out) {
    if (!main_.empty()) seen_.insert(main_.lexically_normal());
  }

  bool read(std::string_view text) {
    const xml::Element* root = parse(text, main_.string());
    if (!root) return false;
    tree_.root = {root, &tree_.files.back(), {}};
    if (tree_.root.tag() != "mujoco") {
      const bool fragment = tree_.root.tag() == "mujocoinclude";
      out_.add(Code::wrong_root, tree_.root.label(),
               "the root is " + xml::quote(tree_.root.tag()) + ", must be 'mujoco'",
               fragment ? "load the file that includes this fragment" : "name an MJCF model", tree_.root.where());
      return false;
    }
    fill(tree_.root, root, &tree_.files.back(), 1);
    return ok_;
  }

 private:
  const xml::Element* parse(std::string_view text, std::string file) {
    tree_.files.push_back(std::move(file));
    auto document = xml::parse(text, tree_.files.back(), out_);
    if (!document) return nullptr;
    tree_.documents.push_back(std::move(document));
    return tree_.documents.back()->RootElement();
  }

  void fill(Node& to, const xml::Element* from, const std::string* file, int depth) {
    if (!from->FirstChildElement() || !ok_) return;
    if (depth > xml::kMaxDepth)
      return fail(Code::xml_too_deep, to, "too deep once its includes are in place", "nest less");
    for (const auto* e = from->FirstChildElement(); e && ok_; e = e->NextSiblingElement()) {
      if (std::string_view(e->Name()) == "include") {
        include(to, Node{e, file, {}}, depth);
      } else {
        to.children.push_back({e, file, {}});
        fill(to.children.back(), e, file, depth + 1);
      }
    }
  }

  void include(Node& to, const Node& node, int depth) {
    const char* name = node.xml->Attribute("file");
    if (!name) return fail(Code::missing_attribute, node, "an include has no file", "write file=\"...\"");
    if (main_.empty())
      return fail(Code::include_failed, node, "a text without a path cannot include " + xml::quote(name),
                  "load the model from its file");
    const auto path = find_file(main_.parent_path(), name, node);
    if (!seen_.insert(path).second)
      return fail(Code::include_failed, node, xml::quote(name) + " is included a second time", "include a file once");
    const auto text = xml::read_file(path, out_, node.where());
    if (!text) return stop();
    const xml::Element* root = parse(*text, path.string());
    if (!root) return stop();
    if (!root->FirstChildElement())
      return fail(Code::include_failed, node, xml::quote(name) + " holds no element", "remove the include");
    fill(to, root, &tree_.files.back(), depth);
  }

  void stop() { ok_ = false; }
  void fail(Code code, const Node& node, std::string message, std::string repair) {
    out_.add(code, node.label(), std::move(message), std::move(repair), node.where());
    stop();
  }

  Tree& tree_;
  const std::filesystem::path& main_;
  Diagnostics& out_;
  std::set<std::filesystem::path> seen_;
  bool ok_ = true;
};

}  // namespace

std::filesystem::path find_file(const std::filesystem::path& main_folder, const std::filesystem::path& name,
                                const Node& node) {
  auto first = (main_folder / name).lexically_normal();
  std::error_code error;
  if (name.is_absolute() || std::filesystem::exists(first, error)) return first;
  const auto beside = (std::filesystem::path(*node.file).parent_path() / name).lexically_normal();
  return std::filesystem::exists(beside, error) ? beside : first;
}

std::optional<Tree> read_tree(std::string_view text, const std::filesystem::path& file, Diagnostics& out) {
  Tree tree;
  if (!TreeReader(tree, file, out).read(text)) return std::nullopt;
  return tree;
}

}  // namespace sinew::mjcf
