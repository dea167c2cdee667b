// bench/peers/delassus/sinew_delassus_peer.cpp - Sinew's side of `make bench-peers`, suite delassus
//   sinew_delassus_peer --scaling OUT.json   times against the number of joints and of rows
#include <memory>

#include "../sinew_side.hpp"
#include "sinew/delassus/cost.hpp"
#include "sinew/delassus/pv_dynamics.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew_contacts.hpp"

namespace {

using namespace sinew;
using peers::Numbers;

// Everything that yields W or an acceleration, on one problem.
class Ways {
 public:
  Ways(const Model& m, const peers::Contacts& c)
      : model_(m),
        contacts_(c),
        problem_(c.problem(m)),
        target_(c.K.size()),
        W_(c.K.size() * c.K.size()),
        qdd_(static_cast<std::size_t>(m.nv())),
        lambda_(c.K.size()) {
    for (const delassus::Algorithm a : delassus::kAlgorithms)
      matrix_.push_back(std::make_unique<delassus::Delassus<double>>(m, problem_, a, c.K));
  }

  const Numbers& W() const { return W_; }
  const Numbers& qdd() const { return qdd_; }
  std::string choice() const { return std::string(to_string(delassus::best(model_, problem_, contacts_.K).algorithm)); }

  template <class Visit>  // visit(name, call)
  void each_matrix(Visit visit) {
    for (const auto& way : matrix_)
      visit("delassus " + std::string(to_string(way->algorithm())), [this, w = way.get()](const peers::State& s) {
        w->calc(s.q, contacts_.K, MatrixView<double>(W_.data(), contacts_.K.size(), contacts_.K.size()));
      });
  }

  template <class Visit>
  void each_dynamics(Visit visit) {
    const auto add = [&](const char* name, delassus::Plan plan) {
      dynamics_.push_back(std::make_unique<delassus::PvDynamicsWorkspace>(model_, problem_, std::move(plan)));
      visit(name, [this, w = dynamics_.back().get()](const peers::State& s) {
        if (!pv_forward_dynamics(model_, *w, s.q, s.v, s.tau, contacts_.K, contacts_.points, target_, qdd_, lambda_))
          throw std::runtime_error("the contacts are redundant");
      });
    };
    add("dynamics pv", make_pv_plan(model_, problem_));
    add("dynamics pvr", make_pvr_plan(model_, problem_));
    add("dynamics mixed", make_mixed_plan(model_, problem_, contacts_.K));
  }

 private:
  const Model& model_;
  const peers::Contacts& contacts_;
  delassus::Problem problem_;
  std::vector<std::unique_ptr<delassus::Delassus<double>>> matrix_;
  std::vector<std::unique_ptr<delassus::PvDynamicsWorkspace>> dynamics_;
  Numbers target_, W_, qdd_, lambda_;  // target: nothing accelerates
};

void run(const peers::Arguments& arguments) {
  const Model model = compile(load(arguments.urdf, {.floating_base = arguments.floating}).value()).value();
  const peers::Peer peer(model);
  const peers::Contacts contacts = peers::read_contacts(model, arguments.contacts);
  std::vector<peers::State> states = peers::read_states(arguments.states, peer.map().nq(), model.nv());
  for (peers::State& s : states) s = peer.from_other(s);

  Ways ways(model, contacts);
  peers::Report report(states.size());
  Numbers y(static_cast<std::size_t>(model.nv()));
  const auto adder = [&](auto result) {
    return [&, result](const std::string& name, auto call) {
      const auto at = [&states, call](std::size_t i) { call(states[i]); };
      report.add(name, at, [&states, at, result](std::size_t i) { return at(i), result(states[i]); });
    };
  };
  ways.each_matrix(adder([&](const peers::State&) { return ways.W(); }));
  if (!arguments.redundant)
    ways.each_dynamics(adder([&](const peers::State& s) { return peer.map().to_other_a(s.q, s.v, ways.qdd(), y), y; }));
  report.measure(arguments.repeats);
  report.write(arguments.out, "\"program\": \"Sinew\", \"nv\": " + std::to_string(model.nv()) + ", \"choice\": \"" +
                                  ways.choice() + "\", \"joints\": " + peers::to_json(peer.joint_names()) + ",\n");
}

// One point of a scaling: contacts on frames of one of our mechanisms.
std::string scale(const ModelSpec& spec, const std::vector<std::string>& frames) {
  const Model model = compile(spec).value();
  peers::Contacts contacts;
  for (const std::string& f : frames) contacts.add(model.find_frame(f).value(), 6);
  Random rng(3);
  std::vector<peers::State> states;
  for (int i = 0; i < 16; ++i) states.push_back({random_configuration(model, rng), {}, {}, {}});
  Ways ways(model, contacts);
  peers::Report report(states.size());
  std::vector<std::string> names;
  ways.each_matrix([&](const std::string& name, auto call) {
    report.add(
        name, [&states, call](std::size_t i) { call(states[i]); }, [](std::size_t) { return Numbers{}; });
  });
  report.measure(7);
  return "{\"n\": " + std::to_string(model.nv()) + ", \"m\": " + std::to_string(contacts.K.size()) +
         ", \"us\": " + report.medians() + "}";
}

void write_scaling(const std::string& file) {
  std::string joints, rows;
  for (const int n : {25, 50, 100, 200, 400})
    joints += (joints.empty() ? "" : ",\n") + scale(mechanisms::chain(n), {"link1", "tip"});
  constexpr int kLevels = 7, kLeaves = 1 << (kLevels - 1);
  const ModelSpec tree = mechanisms::binary_tree(kLevels);
  for (int leaves = 2; leaves <= kLeaves; leaves *= 2) {
    std::vector<std::string> frames;
    for (int i = 0; i < leaves; ++i)
      frames.push_back(tree.bodies[static_cast<std::size_t>(kLeaves - 1 + i * (kLeaves / leaves))].name);
    rows += (rows.empty() ? "" : ",\n") + scale(tree, frames);
  }
  std::ofstream out(file);
  out << "{\"joints\": [" << joints << "],\n\"rows\": [" << rows << "]}\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::string_view(argv[1]) == "--scaling") {
    write_scaling(argv[2]);
  } else {
    run(peers::parse(argc, argv));
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sinew_delassus_peer: %s\n", e.what());
  return 1;
}
