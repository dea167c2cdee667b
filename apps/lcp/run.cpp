// apps/lcp/run.cpp
#include "lcp/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/problem_file.hpp"
#include "common/terminal.hpp"
#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/one_contact.hpp"
#include "sinew/lcp/solve.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;
using lcp::Method;
using lcp::Status;
constexpr int kOkCode = 0, kRefusedCode = 2, kUsageCode = 3, kUnsolvedCode = 5;

struct Answer {
  Method method = Method::automatic;
  lcp::Certificate certificate;
  std::vector<double> z, pyramid;     // contact impulses for a friction problem; the pyramid's own unknowns
  std::vector<double> contradiction;  // impulses of all rows, where these contradict
  double seconds = 0;
  std::string refusal;         // the solver cannot take this problem, and says why
  bool to_its_digits = false;  // solved as well as W is symmetric, which is less than was asked for
  bool solved() const { return refusal.empty() && certificate.status == Status::solved; }
  std::string status() const { return refusal.empty() ? std::string(to_string(certificate.status)) : "refused"; }
};

// Answers within this times the asymmetry of W count as solved, with a remark: its entries are not known better. The
// solvers' own limit, src/lcp/cascade.hpp.
constexpr double kAsymmetryShare = 10;
constexpr double kRounded = 1e-9;  // asymmetry of a matrix that was written with all digits

Answer solve(const LcpFile& file, Method method, const LcpRequest& in, int directions, double asymmetry) {
  Answer out;
  out.method = method, out.z.assign(file.q.size(), 0.0);
  lcp::Solver solver(
      {.method = method, .directions = directions, .tolerance = in.tolerance, .iterations = in.iterations});
  const auto start = std::chrono::steady_clock::now();
  try {
    out.certificate = file.contacts ? solver.solve(file.friction(), out.z) : solver.solve(file.linear(), out.z);
  } catch (const std::invalid_argument& e) {
    out.refusal = e.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  lcp::Certificate& c = out.certificate;
  if (asymmetry > kRounded && c.status == Status::limit && c.residual <= kAsymmetryShare * asymmetry)
    c.status = Status::solved, c.tolerance = kAsymmetryShare * asymmetry, out.to_its_digits = true;
  out.contradiction.assign(solver.contradiction().begin(), solver.contradiction().end());
  if (directions > 0 && out.refusal.empty())
    out.pyramid.assign(solver.polyhedral_unknowns().begin(), solver.polyhedral_unknowns().end());
  return out;
}

// Open, sticking or sliding, from the impulse and the velocity that it leaves.
struct Contact {
  double velocity[3] = {};
  const char* state = "open";
};
Contact look_at(const LcpFile& file, const Answer& a, std::size_t c) {
  const std::size_t n = file.q.size(), row = at(file.friction().layout().row_of_contact(c));
  Contact out;
  double scale = 0;
  for (const double q : file.q) scale = std::max(scale, std::abs(q));
  for (std::size_t i = 0; i < 3; ++i) {
    out.velocity[i] = file.q[row + i];
    for (std::size_t j = 0; j < n; ++j) out.velocity[i] += file.M[(row + i) * n + j] * a.z[j];
  }
  const bool slips = std::hypot(out.velocity[1], out.velocity[2]) > 1e-7 * scale;
  const double load = a.z[row] + (file.preload.empty() ? 0 : file.preload[c]);
  if (load > 0 && out.velocity[0] <= 1e-7 * scale) out.state = slips ? "sliding" : "sticking";
  return out;
}

Json to_json(const LcpFile& file, const Answer& a) {
  Json out = {{"status", a.status()}, {"method", to_string(a.method)}};
  if (!a.refusal.empty()) {
    out["reason"] = a.refusal;
    return out;
  }
  const lcp::Certificate& c = a.certificate;
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  out["solver"] = c.solver;
  if (!file.contacts || !a.pyramid.empty()) out["z"] = file.contacts ? a.pyramid : a.z;
  if (file.contacts) {
    out["r"] = a.z;
    for (std::size_t i = 0; i < file.mu.size(); ++i) out["states"].push_back(look_at(file, a, i).state);
  }
  if (!a.contradiction.empty()) out["contradiction"] = a.contradiction;
  out["residual"] = number(c.residual), out["absolute_residual"] = number(c.absolute);
  out["tolerance"] = c.tolerance, out["iterations"] = c.iterations, out["seconds"] = a.seconds, out["size"] = c.size;
  return out;
}

std::string to_row(const Answer& a) {
  if (!a.refusal.empty()) return fmt::format("{:<16}refused: {}\n", to_string(a.method), a.refusal);
  return fmt::format("{:<16}{:<12}{:<16}{:>11.2e}{:>11.2e}{:>9}{:>12.1f}\n", to_string(a.method), a.status(),
                     a.certificate.solver, a.certificate.residual, a.certificate.absolute, a.certificate.iterations,
                     1e6 * a.seconds);
}
std::string to_text(const LcpFile& file, const std::vector<Answer>& answers, int directions) {
  const Paint paint(stdout);
  std::string out;
  if (file.contacts)
    out += fmt::format("{}: {}, {} free and {} unilateral rows, {}; {} unknowns\n", paint.bold("contact problem"),
                       counted(static_cast<int>(file.mu.size()), "contact"), file.free, file.unilateral,
                       directions ? fmt::format("pyramids of {} directions", directions) : "exact cones",
                       answers[0].certificate.size);
  else
    out += fmt::format("{}: {} unknowns\n", paint.bold("linear problem"), file.q.size());
  out += fmt::format("{:<16}{:<12}{:<16}{:>11}{:>11}{:>9}{:>12}\n", "asked", "status", "answer of", "relative",
                     "absolute", "steps", "us");
  for (const Answer& a : answers) out += to_row(a);
  if (answers.size() > 1 || answers[0].certificate.status == Status::non_finite) return out;
  const Answer& a = answers[0];
  constexpr std::size_t kMost = 40;
  if (file.contacts) {
    out += fmt::format("\n{:<9}{:<10}{:>13}{:>13}{:>13}{:>14}{:>13}\n", "contact", "state", "normal", "tangent",
                       "tangent", "u normal", "slip speed");
    const lcp::RowLayout layout = file.friction().layout();
    for (std::size_t c = 0; c < std::min(kMost, file.mu.size()); ++c) {
      const Contact contact = look_at(file, a, c);
      const double* r = a.z.data() + layout.row_of_contact(c);
      out += fmt::format("{:<9}{:<10}{:>13.6g}{:>13.6g}{:>13.6g}{:>14.6g}{:>13.6g}\n", c, contact.state, r[0], r[1],
                         r[2], contact.velocity[0], std::hypot(contact.velocity[1], contact.velocity[2]));
    }
  } else {
    out += "\nz =";
    for (std::size_t i = 0; i < std::min(kMost, a.z.size()); ++i) out += fmt::format(" {:.10g}", a.z[i]);
    out += '\n';
  }
  if ((file.contacts ? file.mu.size() : a.z.size()) > kMost) out += "..  (all of them with --json)\n";
  return out;
}

// The rows and contacts that contradict each other, with words.
std::string name_contradiction(const LcpFile& file, const std::vector<double>& d) {
  constexpr double kLeast = 1e-9;  // of the largest: rounding is less
  const lcp::RowLayout layout = file.friction().layout();
  std::string rows, contacts;
  for (int i = 0; i < layout.first_contact(); ++i)
    if (std::abs(d[at(i)]) > kLeast) rows += fmt::format("{}{}", rows.empty() ? "" : ", ", i);
  for (int c = 0; c < file.friction().contacts(); ++c)
    if (std::abs(d[at(layout.row_of_contact(c))]) > kLeast)
      contacts += fmt::format("{}{}", contacts.empty() ? "" : ", ", c);
  return fmt::format(
      "no motion without slip satisfies {}{}{} together, and none with slip was found; the answer violates them by the "
      "least",
      contacts.empty() ? "" : "contacts " + contacts, !contacts.empty() && !rows.empty() ? " and " : "",
      rows.empty() ? "" : "rows " + rows);
}

// How far W is from symmetric, relative to its diagonal. More than the digits of a file can explain is refused.
double check_symmetry(const LcpFile& file) {
  constexpr double kMost = 1e-3;
  for (const double x : file.M)
    if (!std::isfinite(x)) return 0;  // the solver says so
  for (const double x : file.q)
    if (!std::isfinite(x)) return 0;
  const lcp::FrictionProblem p = file.friction();
  const lcp::ConeReduction::Asymmetry found = lcp::find_asymmetry(p);
  if (found.largest <= kMost) return found.largest;
  const std::size_t i = at(found.row), j = at(found.column);
  throw InputError(
      fmt::format("W is not symmetric{}: rows {} and {} differ by {:.2g} of the diagonal (W[{}][{}] = {:.6g}, "
                  "W[{}][{}] = {:.6g}), at most {:g} is allowed; mend the file, or use --directions 4, which takes any "
                  "matrix",
                  file.free > 0 ? " once its free rows are eliminated" : "", i, j, found.largest, i, j, p.W(i, j), j, i,
                  p.W(j, i), kMost));
}

std::vector<Method> find_methods(const std::string& name, bool cones) {
  if (name != "all") {
    const std::optional<Method> method = lcp::find_method(name);
    if (!method) throw InputError(fmt::format("there is no solver '{}'; see sinew lcp --help", name), kUsageCode);
    return {*method};
  }
  if (cones) return {Method::automatic, Method::gauss_seidel, Method::alart_curnier};
  return {Method::automatic, Method::lemke,    Method::pivoting, Method::pgs,
          Method::newton,    Method::proximal, Method::qp};
}

}  // namespace

int run_lcp(const LcpRequest& in) {
  try {
    const LcpFile file = read_problem(in.file);
    const int directions = !file.contacts ? 0 : in.directions >= 0 ? in.directions : file.directions;
    const double asymmetry = file.contacts && directions == 0 ? check_symmetry(file) : 0;
    std::vector<Answer> answers;
    for (const Method m : find_methods(in.solver, file.contacts && directions == 0))
      answers.push_back(solve(file, m, in, directions, asymmetry));
    const bool refused = answers.size() == 1 && !answers[0].refusal.empty();
    if (std::any_of(answers.begin(), answers.end(), [](const Answer& a) { return a.to_its_digits; }))
      fmt::print(stderr,
                 "sinew lcp: {}: W is symmetric to {:.1e} only, and is solved to that; write it with more digits for "
                 "more\n",
                 in.file, asymmetry);
    if (in.json) {
      Json out = to_json(file, answers[0]);
      if (in.solver == "all") {
        out = Json::object();
        for (const Answer& a : answers) out["solvers"].push_back(to_json(file, a));
      }
      fmt::print("{}", write_short(out));
    } else if (!refused) {
      fmt::print("{}", to_text(file, answers, directions));
    }
    bool any = false;
    for (const Answer& a : answers) any = any || a.solved();
    if (any) return kOkCode;
    if (refused) {
      fmt::print(stderr, "sinew lcp: {}: {}\n", in.file, answers[0].refusal);
      return kRefusedCode;
    }
    fmt::print(stderr, "sinew lcp: {}: not solved ({}), relative residual {:.2e}, asked for {:.0e}\n", in.file,
               answers[0].status(), answers[0].certificate.residual, in.tolerance);
    if (!answers[0].contradiction.empty())
      fmt::print(stderr, "sinew lcp: {}: {}\n", in.file, name_contradiction(file, answers[0].contradiction));
    return answers[0].certificate.status == Status::non_finite ? kRefusedCode : kUnsolvedCode;
  } catch (const InputError& e) {
    fmt::print(stderr, "sinew lcp: {}: {}\n", in.file, e.what());
    return e.code;
  }
}

}  // namespace sinew::app
