// sinew/delassus/algorithm.hpp - the Delassus algorithms by name, and one object for any of them
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "sinew/base/view.hpp"
#include "sinew/delassus/problem.hpp"

namespace sinew::delassus {

enum class Algorithm { dense, ltl, kjr, chang_khatib, efpa, pv, pvr, mixed };
inline constexpr std::array kAlgorithms{Algorithm::dense, Algorithm::ltl, Algorithm::kjr, Algorithm::chang_khatib,
                                        Algorithm::efpa,  Algorithm::pv,  Algorithm::pvr, Algorithm::mixed};
std::string_view to_string(Algorithm);
std::optional<Algorithm> find_algorithm(std::string_view name);

// The model must outlive it. For double, float, counted and dual scalars. K: sample rows, with which `mixed`
// counts operations; none: rows without special zeros.
template <class T>
class Delassus {
 public:
  Delassus(const Model&, const Problem&, Algorithm, std::span<const Force<double>> K = {});
  Delassus(const Model&&, const Problem&, Algorithm, std::span<const Force<double>> K = {}) = delete;
  ~Delassus();
  Delassus(Delassus&&) noexcept;
  Delassus& operator=(Delassus&&) noexcept;

  Algorithm algorithm() const { return algorithm_; }
  // W = J M^-1 J^T, rows x rows; K: one force per entry of the problem, in the node's coordinates. Allocates nothing.
  void calc(In<T> q, In<Force<T>> K, OutMatrix<T> W, double time = 0);

 private:
  struct Any;
  Algorithm algorithm_;
  std::unique_ptr<Any> any_;
};

}  // namespace sinew::delassus
