// src/io/xml_deep.cpp
#include "io/xml_deep.hpp"

#include <algorithm>
#include <cstdint>

namespace sinew::xml {
namespace {

using Node = tinyxml2::XMLNode;

int count_lines(std::string_view s) { return static_cast<int>(std::count(s.begin(), s.end(), '\n')); }

int line_in(const Node& node, int first_line) {
  return node.GetUserData() ? get_line(node) : first_line - 1 + node.GetLineNum();
}

// No deeper than kMaxDepth calls.
Node* copy(const Node& from, Document& to, int first_line) {
  Node* node = from.ShallowClone(&to);
  const std::intptr_t line = line_in(from, first_line);
  node->SetUserData(reinterpret_cast<void*>(line));  // NOLINT(performance-no-int-to-ptr): tinyxml2 keeps pointers only
  for (const Node* child = from.FirstChild(); child; child = child->NextSibling())
    node->InsertEndChild(copy(*child, to, first_line));
  return node;
}

void find_named(Node& node, std::string_view name, std::vector<Node*>& found) {
  for (Node* child = node.FirstChild(); child; child = child->NextSibling())
    if (child->ToElement()) {
      if (child->Value() == name) found.push_back(child);
      find_named(*child, name, found);
    }
}

class Joiner {
 public:
  Joiner(std::string_view text, const std::vector<Cut>& cuts) : text_(text), cuts_(cuts) {
    while (!cuts.empty() && text.find(mark_) != std::string_view::npos) mark_ += '_';
  }

  int error_line() const { return error_line_; }

  // The text from begin to end, with the pieces inside it.
  std::unique_ptr<Document> parse(std::size_t begin, std::size_t end, int first_line) {
    struct Inner {
      std::unique_ptr<Document> document;
      int first_line;
    };
    std::vector<Inner> inner;
    std::string around;
    int line = first_line;
    std::size_t at = begin;
    while (next_ < cuts_.size() && cuts_[next_].begin < end) {
      const Cut cut = cuts_[next_++];
      const std::string_view before = text_.substr(at, cut.begin - at),
                             inside = text_.substr(cut.begin, cut.end - cut.begin);
      line += count_lines(before);
      inner.push_back({parse(cut.begin, cut.end, line), line});
      if (inner.back().document->Error()) return std::move(inner.back().document);
      const int lines = count_lines(inside);
      around.append(before).append("<").append(mark_).append("/>").append(static_cast<std::size_t>(lines), '\n');
      line += lines;
      at = cut.end;
    }
    auto document = std::make_unique<Document>();
    const std::string_view rest = text_.substr(at, end - at);
    if (inner.empty()) {
      document->Parse(rest.data(), rest.size());
    } else {
      around += rest;
      document->Parse(around.data(), around.size());
    }
    if (document->Error()) {
      error_line_ = first_line - 1 + document->ErrorLineNum();
      return document;
    }
    if (inner.empty()) return document;

    std::vector<Node*> marks;
    find_named(*document, mark_, marks);
    for (std::size_t i = 0; i < marks.size(); ++i) {
      Node* parent = marks[i]->Parent();
      parent->InsertAfterChild(marks[i], copy(*inner[i].document->RootElement(), *document, inner[i].first_line));
      parent->DeleteChild(marks[i]);
    }
    return document;
  }

 private:
  std::string_view text_;
  const std::vector<Cut>& cuts_;
  std::string mark_ = "cut";  // element that stands for a piece; a name that the text does not use
  std::size_t next_ = 0;
  int error_line_ = 0;
};

}  // namespace

int get_line(const Node& node) {
  const void* kept = node.GetUserData();
  return kept ? static_cast<int>(reinterpret_cast<std::intptr_t>(kept)) : node.GetLineNum();
}

std::unique_ptr<Document> parse_in_pieces(std::string_view text, const std::vector<Cut>& cuts, int& error_line) {
  const std::size_t bom = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  Joiner joiner(text, cuts);
  auto document = joiner.parse(bom, text.size(), 1);
  error_line = joiner.error_line();
  return document;
}

}  // namespace sinew::xml
