// tests/support/public_calls.hpp - a table of public calls, each made wrong in one argument at a time
// A row of the table is a call that takes its arguments from Arguments. It is run once with all of them right, which
// must not throw and tells what arguments there are; then once for each argument and each way of being wrong, which
// must throw std::invalid_argument with both sizes (index and count) in its message.
//   numbers   one too short, one too long
//   matrix    one row or one column too few or too many
//   index     -1 and the count; place: the count and a large number
//   choose    of another model with the same sizes; of a larger one
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/spatial/force.hpp"

namespace sinew::test {

class Arguments {
 public:
  std::vector<double>& numbers(const char* name, int size, double value = 0);
  std::vector<double>& numbers(const char* name, In<double> values);  // as these are, where the size is right
  std::vector<Force<double>>& forces(const char* name, std::size_t size);
  std::vector<int>& integers(const char* name, const std::vector<int>& values);
  MatrixView<double> matrix(const char* name, int rows, int cols);
  int index(const char* name, int right, std::size_t count);
  std::size_t place(const char* name, std::size_t right, std::size_t count);  // an index without a sign
  template <class T>
  T& choose(const char* name, T& right, T& twin, T& larger) {
    T* const all[] = {&right, &twin, &larger};
    return *all[choose_model(name)];
  }

 private:
  friend class CallTable;
  int way(const char* name, int ways);  // 0: right
  std::size_t wrong_size(const char* name, std::size_t right);
  std::size_t choose_model(const char* name);

  struct Argument {
    std::string name;
    int ways = 0;
  };
  std::vector<Argument> seen_;
  int wrong_argument_ = -1, wrong_way_ = 0;
  std::vector<std::string> expected_;  // what the message must say
  std::vector<std::unique_ptr<std::vector<double>>> numbers_;
  std::vector<std::unique_ptr<std::vector<Force<double>>>> forces_;
  std::vector<std::unique_ptr<std::vector<int>>> integers_;
};

class CallTable {
 public:
  using Call = std::function<void(Arguments&)>;
  // `name`: as tools/check_public_calls.py finds it in the headers, "aba" or "ContactSolver::solve".
  void add(std::string name, Call call) { rows_.push_back({std::move(name), std::move(call)}); }
  // Runs all and prints how many calls, arguments and refusals there were. Returns what was not as it must be, one line
  // each; empty: all is well.
  std::string run(const char* layer) const;

 private:
  struct Row {
    std::string name;
    Call call;
  };
  std::vector<Row> rows_;
};

// A model, the same one compiled again (all sizes agree, but it is another model), and a larger one.
struct ThreeModels {
  ThreeModels(ModelSpec spec, ModelSpec larger_spec);
  Model right, twin, larger;
};
// Something made of each of them.
template <class T>
struct Three {
  template <class Make>
  Three(const ThreeModels& m, Make make) : right(make(m.right)), twin(make(m.twin)), larger(make(m.larger)) {}
  explicit Three(const ThreeModels& m) : right(m.right), twin(m.twin), larger(m.larger) {}
  T right, twin, larger;
  T& take(Arguments& x, const char* name = "the workspace") { return x.choose(name, right, twin, larger); }
};

}  // namespace sinew::test
