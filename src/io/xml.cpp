// src/io/xml.cpp - reading files, the parser behind the guards, typed attributes
#include "io/xml.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "io/xml_deep.hpp"
#include "io/xml_scan.hpp"

namespace sinew::xml {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next word of `text` and what follows it.
std::string_view next_word(std::string_view& text) {
  std::size_t i = 0;
  while (i < text.size() && is_space(text[i])) ++i;
  std::size_t j = i;
  while (j < text.size() && !is_space(text[j])) ++j;
  const std::string_view word = text.substr(i, j - i);
  text.remove_prefix(j);
  return word;
}

enum class Numeral { good, bad, out_of_range };

template <class T>
Numeral read(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);  // from_chars takes no plus
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end) return Numeral::bad;
  if (error != std::errc{}) return Numeral::out_of_range;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return Numeral::out_of_range;
  return Numeral::good;
}

}  // namespace

std::optional<std::string> read_file(const std::filesystem::path& file, Diagnostics& out,
                                     const SourceLocation& asked_from) {
  const auto fail = [&](Code code, const std::string& why, const std::string& repair) {
    out.add(code, "file " + quote_path(file.string()), why, repair,
            asked_from.file.empty() ? SourceLocation{file.string(), 0} : asked_from);
    return std::nullopt;
  };
  // Streams are read only if the user named them: one named in a file could make us wait for ever.
  InputFile in = read_input_file(file, kMaxBytes, asked_from.file.empty() ? NamedBy::user : NamedBy::file);
  if (in.fault.empty()) return std::move(in.bytes);
  return fail(in.too_large ? Code::file_too_large : Code::file_unreadable, in.fault, in.repair);
}

std::unique_ptr<Document> parse(std::string_view text, const std::string& file, Diagnostics& out) {
  std::vector<Cut> cuts;
  if (const auto fault = scan(text, &cuts)) {
    out.add(fault->code, fault->element, fault->message, fault->repair, {file, fault->line});
    return nullptr;
  }
  int line = 0;
  auto document = parse_in_pieces(text, cuts, line);
  if (!document->Error() && document->RootElement()) return document;

  // The scan has checked how tags nest; the fault is inside a tag, or an instruction out of place.
  std::string why = "the parser stopped with " + std::string(document->ErrorName()), repair = "check the text here";
  if (document->ErrorID() == tinyxml2::XML_ERROR_PARSING_ATTRIBUTE) {
    why = "an attribute is malformed or given twice";
    repair = "write each attribute once, as name=\"value\"";
  } else if (document->ErrorID() == tinyxml2::XML_ERROR_PARSING_DECLARATION) {
    why = "an instruction <?...?> comes after other text";
    repair = "move it to the top of the file, or remove it";
  }
  out.add(Code::bad_xml, "XML", std::move(why), std::move(repair), {file, line});
  return nullptr;
}

SourceLocation where(const Element& e, const std::string& file) { return {file, get_line(e)}; }

std::string shorten(std::string_view text, std::size_t bytes) {
  std::size_t n = std::min(text.size(), bytes);
  while (n < text.size() && n > 0 && (text[n] & 0xC0) == 0x80) --n;
  std::string s(text.substr(0, n));
  for (char& c : s)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return n < text.size() ? s + "..." : s;
}

std::string quote(std::string_view text) { return "'" + shorten(text) + "'"; }
std::string quote_path(const std::string& path) { return "'" + shorten(path, 4096) + "'"; }

std::string label(const Element& e) {
  std::string s = shorten(e.Name());
  if (const char* name = e.Attribute("name")) return s + ' ' + quote(name);
  for (const auto* p = e.Parent() ? e.Parent()->ToElement() : nullptr; p;
       p = p->Parent() ? p->Parent()->ToElement() : nullptr)
    if (const char* name = p->Attribute("name")) return s + " of " + shorten(p->Name()) + ' ' + quote(name);
  return s;
}

std::optional<std::string_view> Attributes::text(const char* name) const {
  const char* value = e_.Attribute(name);
  return value ? std::optional<std::string_view>(value) : std::nullopt;
}

template <class T>
bool Attributes::read_word(const char* name, std::string_view word, T& value) const {
  const Numeral n = read(word, value);
  if (n == Numeral::good) return true;
  const bool whole = std::is_integral_v<T>;
  const std::string found = std::string(name) + " has " + quote(word);
  if (n == Numeral::bad)
    fail(Code::bad_number, found + (whole ? ", not a whole number" : ", not a number"), "write a decimal number");
  else
    fail(whole ? Code::bad_number : Code::not_finite, found + (whole ? ", too large" : ", not a finite double"),
         "write a number within range");
  return false;
}

template <class T>
std::optional<T> Attributes::single(const char* name) const {
  std::optional<std::string_view> rest = text(name);
  if (!rest) return std::nullopt;
  const std::string_view word = next_word(*rest);
  T value{};
  if (!read_word(name, word, value)) return std::nullopt;
  if (!next_word(*rest).empty()) {
    fail(Code::bad_value, std::string(name) + " is " + quote(*text(name)) + ", must be one number", "keep one");
    return std::nullopt;
  }
  return value;
}

std::optional<double> Attributes::number(const char* name) const { return single<double>(name); }
std::optional<int> Attributes::integer(const char* name) const { return single<int>(name); }

std::optional<bool> Attributes::boolean(const char* name) const {
  std::optional<std::string_view> rest = text(name);
  if (!rest) return std::nullopt;
  const std::string_view word = next_word(*rest);
  if (next_word(*rest).empty()) {
    if (word == "true" || word == "1") return true;
    if (word == "false" || word == "0") return false;
  }
  fail(Code::bad_value, std::string(name) + " is " + quote(*text(name)), "write true or false");
  return std::nullopt;
}

std::size_t Attributes::numbers(const char* name, std::span<double> values, std::size_t least) const {
  std::optional<std::string_view> rest = text(name);
  if (!rest) return 0;
  std::size_t n = 0;
  for (std::string_view word; !(word = next_word(*rest)).empty(); ++n) {
    if (n == values.size()) {
      while (!next_word(*rest).empty()) ++n;
      ++n;
      break;
    }
    if (!read_word(name, word, values[n])) return 0;
  }
  if (n >= least && n <= values.size()) return n;
  const std::string most = std::to_string(values.size());
  fail(Code::bad_value,
       std::string(name) + " has " + std::to_string(n) + " numbers, must have " +
           (least == values.size() ? most : std::to_string(least) + " to " + most),
       "give that many numbers, separated by spaces");
  return 0;
}

std::vector<double> Attributes::numbers(const char* name) const {
  std::vector<double> values;
  std::optional<std::string_view> rest = text(name);
  if (!rest) return values;
  for (std::string_view word; !(word = next_word(*rest)).empty();)
    if (!read_word(name, word, values.emplace_back())) return {};
  return values;
}

bool Attributes::looks(const char* name, std::span<double> values, std::size_t least) const {
  Diagnostics odd;
  std::vector<double> found(values.begin(), values.end());
  const bool good = Attributes(e_, file_, odd).numbers(name, found, least) > 0;
  if (good) std::copy(found.begin(), found.end(), values.begin());
  for (Diagnostic d : odd) {
    d.code = Code::ignored_element, d.severity = Severity::note, d.message += "; it is not used";
    out_.add(std::move(d));
  }
  return good;
}

std::optional<std::string_view> Attributes::required_text(const char* name) const {
  const auto value = text(name);
  if (!value) fail(Code::missing_attribute, std::string("has no ") + name, std::string("add ") + name + "=\"...\"");
  return value;
}

std::optional<double> Attributes::required_number(const char* name) const {
  return required_text(name) ? number(name) : std::nullopt;
}

void Attributes::allow_only(std::span<const std::string_view> names) const {
  for (const auto* a = e_.FirstAttribute(); a; a = a->Next()) {
    const std::string_view name = a->Name();
    if (name.starts_with("xmlns") || name.starts_with("xml:")) continue;
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(Code::unknown_attribute, "attribute " + quote(name) + " is not understood",
           "remove it or mend its spelling");
  }
}

void Attributes::fail(Code code, std::string message, std::string repair) const {
  out_.add(code, label(e_), std::move(message), std::move(repair), where(e_, file_));
}

}  // namespace sinew::xml
