// src/io/xml_scan.cpp
#include "io/xml_scan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "io/xml.hpp"

namespace sinew::xml {
namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view kSpace = " \t\r\n";

constexpr unsigned byte_at(std::string_view s, std::size_t i) {
  return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
}

// The first of a set of bytes at or after `from`, or the end; several times faster than find_first_of.
class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) in_[static_cast<unsigned char>(c)] = true;
  }
  std::size_t find(std::string_view s, std::size_t from) const {
    while (from < s.size() && !in_[static_cast<unsigned char>(s[from])]) ++from;
    return from;
  }

 private:
  std::array<bool, 256> in_{};
};
constexpr ByteSet kNameEnd(" \t\r\n/><"), kTagPart("\"'><");

constexpr bool allowed_control(unsigned c) { return c == '\t' || c == '\n' || c == '\r'; }

// Length of the well-formed UTF-8 sequence at i, 0 if there is none.
std::size_t sequence_length(std::string_view s, std::size_t i) {
  const unsigned a = byte_at(s, i), b = byte_at(s, i + 1);
  const auto tail = [&](std::size_t k) { return (byte_at(s, i + k) & 0xC0u) == 0x80u; };
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
  if ((a & 0xF0u) == 0xE0u) {
    const bool overlong = a == 0xE0 && b < 0xA0, surrogate = a == 0xED && b > 0x9F;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool overlong = a == 0xF0 && b < 0x90, beyond = a == 0xF4 && b > 0x8F;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : s_(text) {}

  std::vector<Cut> take_cuts() { return std::move(cuts_); }

  std::optional<ScanFault> run() {
    if (s_.size() > kMaxBytes)
      return fail(Code::file_too_large, 0, "has more than " + std::to_string(kMaxBytes >> 20) + " MiB",
                  "split the file");
    if (auto fault = check_bytes()) return fault;
    has_references_ = s_.find('&') != npos;
    std::size_t i = s_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    while (i < s_.size()) {
      const std::size_t open = std::min(s_.find('<', i), s_.size());
      if (auto fault = check_text(i, open)) return fault;
      if (open == s_.size()) break;
      if (auto fault = skip_markup(open, i)) return fault;
    }
    if (depth_ > 0)
      return fail(Code::bad_xml, s_.size(), "the text ends inside <" + shown(stack_[index(depth_ - 1)]) + '>',
                  "the file may be cut short; close the element");
    if (elements_ == 0)
      return fail(Code::bad_xml, s_.size(), "the text has no element", "the file may be empty or cut short");
    return std::nullopt;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static std::string shown(std::string_view name) { return shorten(name, 60); }

  std::optional<ScanFault> fail(Code code, std::size_t at, std::string message, std::string repair) const {
    const auto lines = std::count(s_.begin(), s_.begin() + static_cast<std::ptrdiff_t>(std::min(at, s_.size())), '\n');
    return ScanFault{code, static_cast<int>(lines) + 1, "XML", std::move(message), std::move(repair)};
  }

  std::optional<ScanFault> check_bytes() const {
    const char* repair = "save the file as UTF-8";
    if (s_.starts_with("\xFF\xFE") || s_.starts_with("\xFE\xFF"))
      return fail(Code::bad_encoding, 0, "the text is UTF-16 or UTF-32", repair);
    unsigned odd = 0;  // without branches, so that the compiler can vectorise the loop
    for (const char c : s_) {
      const auto u = static_cast<unsigned char>(c);
      odd |= unsigned((u < ' ') & (u != '\n') & (u != '\t') & (u != '\r')) | (u & 0x80u);
    }
    if (odd == 0) return std::nullopt;  // ASCII, the usual case
    for (std::size_t i = 0; i < s_.size();) {
      const unsigned c = byte_at(s_, i);
      if (c == 0) return fail(Code::bad_encoding, i, "the text has a NUL byte: it is UTF-16 or not text", repair);
      if (c < ' ' && !allowed_control(c))
        return fail(Code::bad_encoding, i, "the text has control character " + std::to_string(c), "remove it");
      const std::size_t n = sequence_length(s_, i);
      if (n == 0)
        return fail(Code::bad_encoding, i,
                    "byte " + std::to_string(c) + " begins no UTF-8 character: the text may be Latin-1", repair);
      i += n;
    }
    return std::nullopt;
  }

  // Between tags: references must be known, and outside the root there is only space.
  std::optional<ScanFault> check_text(std::size_t from, std::size_t to) const {
    const std::string_view part = s_.substr(from, to - from);
    if (depth_ == 0) {
      const std::size_t at = part.find_first_not_of(kSpace);
      if (at != npos) return fail(Code::bad_xml, from + at, "there is text outside the root element", "remove it");
    }
    return check_references(from, to);
  }

  // Only the five names and the characters XML allows; there is no DOCTYPE to define others.
  std::optional<ScanFault> check_references(std::size_t from, std::size_t to) const {
    if (!has_references_) return std::nullopt;
    for (std::size_t i = s_.find('&', from); i < to; i = s_.find('&', i + 1)) {
      const std::string_view tail = s_.substr(i + 1, std::min<std::size_t>(to - i - 1, 12));
      const std::size_t end = tail.find(';');
      const std::string_view name = tail.substr(0, end);
      if (end == npos || !known_reference(name))
        return fail(Code::bad_xml, i, "'" + shorten(s_.substr(i, to - i), 12) + "' refers to nothing",
                    "write &amp; for the character &");
    }
    return std::nullopt;
  }

  static bool known_reference(std::string_view name) {
    constexpr std::array<std::string_view, 5> kNames{"amp", "lt", "gt", "quot", "apos"};
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
    if (!name.starts_with('#')) return false;
    const bool hex = name.starts_with("#x");
    name.remove_prefix(hex ? 2 : 1);
    unsigned c = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), c, hex ? 16 : 10);
    return error == std::errc{} && rest == name.data() + name.size() && (c >= ' ' || allowed_control(c)) &&
           c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
  }

  // The markup that begins at `open`; `next` is left behind it.
  std::optional<ScanFault> skip_markup(std::size_t open, std::size_t& next) {
    const std::string_view rest = s_.substr(open, 10);
    if (rest.starts_with("<!--")) return skip_past("-->", "comment", open, open + 4, next);
    if (rest.starts_with("<?")) return skip_past("?>", "processing instruction", open, open + 2, next);
    if (rest.starts_with("<![CDATA[") && depth_ > 0) return skip_past("]]>", "CDATA section", open, open + 9, next);
    if (rest.starts_with("<!"))
      return fail(Code::bad_xml, open, "document type declarations and entities are refused",
                  "remove the <!...> declaration");
    if (rest.starts_with("</")) return close_tag(open, next);
    return open_tag(open, next);
  }

  std::optional<ScanFault> skip_past(std::string_view end, const char* what, std::size_t open, std::size_t from,
                                     std::size_t& next) const {
    const std::size_t at = s_.find(end, from);
    if (at == npos)
      return fail(Code::bad_xml, open, std::string("a ") + what + " has no end", "close it with " + std::string(end));
    next = at + end.size();
    return std::nullopt;
  }

  std::optional<ScanFault> close_tag(std::size_t open, std::size_t& next) {
    const std::size_t at = s_.find('>', open);
    std::string_view name = at == npos ? "" : s_.substr(open + 2, at - open - 2);
    name = name.substr(0, name.find_last_not_of(kSpace) + 1);
    if (depth_ == 0) return fail(Code::bad_xml, open, "</" + shown(name) + "> closes nothing", "remove it");
    if (name != stack_[index(depth_ - 1)])
      return fail(Code::bad_xml, open, "</" + shown(name) + "> closes <" + shown(stack_[index(depth_ - 1)]) + '>',
                  "make the tags match");
    next = at + 1;
    if (begins_piece(depth_--)) end_piece(next);
    return std::nullopt;
  }

  std::optional<ScanFault> open_tag(std::size_t open, std::size_t& next) {
    const std::size_t name_end = kNameEnd.find(s_, open + 1);
    const std::string_view name = s_.substr(open + 1, name_end - open - 1);
    if (name.empty()) return fail(Code::bad_xml, open, "'<' begins no tag", "write &lt; for the character <");
    if (++elements_ > kMaxElements)
      return fail(Code::too_many_elements, open, "has more than " + std::to_string(kMaxElements) + " elements",
                  "split the file");
    if (depth_ == 0 && elements_ > 1)
      return fail(Code::bad_xml, open, "a second root element <" + shown(name) + '>', "keep one");
    if (depth_ == kMaxDepth)
      return fail(Code::xml_too_deep, open, "elements are nested deeper than " + std::to_string(kMaxDepth),
                  "flatten the file");
    int attributes = 0;
    for (std::size_t i = name_end;;) {
      i = kTagPart.find(s_, i);
      if (i == s_.size() || s_[i] == '<')
        return fail(Code::bad_xml, open, "<" + shown(name) + " has no closing '>'", "close the tag");
      if (s_[i] == '>') {
        next = i + 1;
        const int d = depth_ + 1;
        if (d > kPieceDepth && d % kPieceDepth == kOverlap + 1) pieces_.back().needed = true;
        if (s_[i - 1] == '/') return std::nullopt;
        stack_[index(depth_++)] = name;
        if (begins_piece(d)) begin_piece(open);
        return std::nullopt;
      }
      const std::size_t quote_end = s_.find(s_[i], i + 1);
      if (quote_end == npos)
        return fail(Code::bad_xml, i, "a value of <" + shown(name) + "> has no closing quote", "close the quote");
      if (++attributes > kMaxAttributes)
        return fail(Code::bad_xml, i,
                    "<" + shown(name) + "> has more than " + std::to_string(kMaxAttributes) + " attributes",
                    "remove some; no format has so many");
      if (auto fault = check_references(i, quote_end)) return fault;
      i = quote_end + 1;
    }
  }

  // A piece may begin every kPieceDepth levels, but only for an element too deep for the parser within the piece above
  // it. So a thousand shallow elements on that level do not become a thousand pieces.
  static constexpr int kOverlap = 8, kPieceDepth = TINYXML2_MAX_ELEMENT_DEPTH - 2 - kOverlap;
  static bool begins_piece(int depth) { return depth > 1 && depth % kPieceDepth == 1; }
  void begin_piece(std::size_t open) {
    pieces_.push_back({cuts_.size(), false});
    cuts_.push_back({open, 0});
  }
  void end_piece(std::size_t end) {
    if (pieces_.back().needed)
      cuts_[pieces_.back().cut].end = end;
    else
      cuts_.pop_back();
    pieces_.pop_back();
  }
  struct Piece {
    std::size_t cut;
    bool needed;
  };

  std::string_view s_;
  std::vector<Cut> cuts_;
  std::vector<Piece> pieces_;  // the open ones
  std::array<std::string_view, static_cast<std::size_t>(kMaxDepth)> stack_{};
  int depth_ = 0;
  std::size_t elements_ = 0;
  bool has_references_ = false;
};

}  // namespace

std::optional<ScanFault> scan(std::string_view text, std::vector<Cut>* cuts) {
  Scanner scanner(text);
  auto fault = scanner.run();
  if (cuts) *cuts = scanner.take_cuts();
  return fault;
}

std::string_view find_root_name(std::string_view text) {
  std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while ((i = text.find_first_not_of(kSpace, i)) != npos) {
    const std::string_view rest = text.substr(i);
    const bool comment = rest.starts_with("<!--");
    if (!comment && !rest.starts_with("<?")) {
      const std::size_t end = kNameEnd.find(rest, 1);
      return rest.starts_with('<') ? rest.substr(1, end - 1) : std::string_view{};
    }
    i = text.find(comment ? "-->" : "?>", i + 2);
    if (i == npos) break;
    i += 2;
    if (comment) ++i;
  }
  return {};
}

}  // namespace sinew::xml
