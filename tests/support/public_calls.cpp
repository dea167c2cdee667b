// tests/support/public_calls.cpp
#include "support/public_calls.hpp"

#include <cstdio>
#include <stdexcept>

namespace sinew::test {

int Arguments::way(const char* name, int ways) {
  seen_.push_back({name, ways});
  return static_cast<int>(seen_.size()) - 1 == wrong_argument_ ? wrong_way_ : 0;
}

std::size_t Arguments::wrong_size(const char* name, std::size_t right) {
  const int w = way(name, 2);
  const std::size_t size = w == 0 ? right : w == 1 ? right - 1 : right + 1;
  if (w != 0) expected_ = {std::to_string(size), std::to_string(right)};
  return size;
}

std::vector<double>& Arguments::numbers(const char* name, int size, double value) {
  const std::size_t wrong = wrong_size(name, at(size));
  return *numbers_.emplace_back(std::make_unique<std::vector<double>>(wrong, value));
}
std::vector<double>& Arguments::numbers(const char* name, In<double> values) {
  const std::size_t size = wrong_size(name, values.size());
  auto out = std::make_unique<std::vector<double>>(values.begin(), values.end());
  out->resize(size);
  return *numbers_.emplace_back(std::move(out));
}
std::vector<Force<double>>& Arguments::forces(const char* name, std::size_t size) {
  const std::size_t wrong = wrong_size(name, size);
  return *forces_.emplace_back(std::make_unique<std::vector<Force<double>>>(wrong));
}
std::vector<int>& Arguments::integers(const char* name, const std::vector<int>& values) {
  (void)name;
  return *integers_.emplace_back(std::make_unique<std::vector<int>>(values));
}

MatrixView<double> Arguments::matrix(const char* name, int rows, int cols) {
  const int w = way(name, 4);
  const int r = rows + (w == 1 ? -1 : w == 2 ? 1 : 0), c = cols + (w == 3 ? -1 : w == 4 ? 1 : 0);
  if (w == 1 || w == 2) expected_ = {std::to_string(r), std::to_string(rows)};
  if (w == 3 || w == 4) expected_ = {std::to_string(c), std::to_string(cols)};
  std::vector<double>& room = *numbers_.emplace_back(std::make_unique<std::vector<double>>(at(r) * at(c)));
  return {room.data(), at(r), at(c)};
}

int Arguments::index(const char* name, int right, std::size_t count) {
  const int w = way(name, 2);
  if (w == 0) return right;
  const int wrong = w == 1 ? -1 : static_cast<int>(count);
  expected_ = {std::to_string(wrong), std::to_string(count)};
  return wrong;
}

std::size_t Arguments::place(const char* name, std::size_t right, std::size_t count) {
  const int w = way(name, 2);
  if (w == 0) return right;
  const std::size_t wrong = w == 1 ? count : 99999999;
  expected_ = {std::to_string(wrong), std::to_string(count)};
  return wrong;
}

std::size_t Arguments::choose_model(const char* name) {
  const int w = way(name, 2);
  if (w != 0) expected_ = {"another model"};
  return at(w);
}

std::string CallTable::run(const char* layer) const {
  int arguments = 0, refusals = 0;
  std::string complaints;
  for (const Row& row : rows_) {
    const auto complain = [&](const std::string& text) { complaints += row.name + ": " + text + "\n"; };
    Arguments right;
    try {
      row.call(right);
    } catch (const std::exception& e) {
      complain(std::string("with all arguments right it throws: ") + e.what());
      continue;
    }
    for (std::size_t a = 0; a < right.seen_.size(); ++a)
      for (int w = 1; w <= right.seen_[a].ways; ++w) {
        Arguments wrong;
        wrong.wrong_argument_ = static_cast<int>(a), wrong.wrong_way_ = w;
        const std::string what = right.seen_[a].name + ", way " + std::to_string(w);
        ++refusals;
        try {
          row.call(wrong);
          complain(what + " is wrong, and nothing is said");
        } catch (const std::invalid_argument& e) {
          const std::string message = e.what();
          for (const std::string& word : wrong.expected_)
            if (message.find(word) == std::string::npos) complain(what + ": '" + word + "' is not in: " + message);
        } catch (const std::exception& e) {
          complain(what + " throws something else: " + e.what());
        }
      }
    arguments += static_cast<int>(right.seen_.size());
  }
  std::printf("%s: %zu public calls, %d arguments, %d refusals\n", layer, rows_.size(), arguments, refusals);
  if (refusals == 0) complaints += std::string(layer) + ": the table has no argument to get wrong\n";
  return complaints;
}

ThreeModels::ThreeModels(ModelSpec spec, ModelSpec larger_spec)
    : right(compile(spec).value()), twin(compile(spec).value()), larger(compile(std::move(larger_spec)).value()) {}

}  // namespace sinew::test
