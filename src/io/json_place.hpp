// src/io/json_place.hpp - JSON values with their places in the file
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sinew/base/diagnostic.hpp"

namespace sinew {

// 1-based line of the value that the steps lead to from the root: keys of objects, or numbers of list entries written
// as text. The text must be JSON that was parsed; 0: there is no such value.
int find_json_line(std::string_view text, const std::vector<std::string>& steps);

// Thrown while a file is read, and turned into a diagnostic there.
struct JsonRefusal : std::runtime_error {
  JsonRefusal(Code c, std::vector<std::string> way, const std::string& message, std::string cure)
      : std::runtime_error(message), code(c), steps(std::move(way)), repair(std::move(cure)) {}
  Code code;
  std::vector<std::string> steps;
  std::string repair;
};

// A value and the way to it. Each call throws JsonRefusal where the value is missing or of another kind.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::vector<std::string> steps) : value_(&value), steps_(std::move(steps)) {}
  const nlohmann::json& value() const { return *value_; }
  std::string name() const;  // "bodies[0].beam"
  [[noreturn]] void refuse(Code, const std::string& message, const std::string& repair) const;

  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  JsonPlace get(const char* key) const;
  JsonPlace entry(std::size_t index) const;
  std::size_t size() const;  // of a list
  void check_keys(std::initializer_list<const char*> known) const;
  std::string text() const;
  double number() const;
  int count(int most) const;
  double number(const char* key, double otherwise) const { return has(key) ? get(key).number() : otherwise; }
  int count(const char* key, int otherwise, int most) const { return has(key) ? get(key).count(most) : otherwise; }

 private:
  const nlohmann::json* value_;
  std::vector<std::string> steps_;
};

}  // namespace sinew
