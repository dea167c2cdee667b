// tests/io/record_test.cpp - what is recorded comes back; runs that are cut go on in the same record
#include "sinew/io/record.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the test.
struct Folder {
  Folder() {
    char name[] = "/tmp/sinew_record_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

Model make_balls() {
  ModelBuilder b("balls");
  for (const char* name : {"red", "blue"}) {
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
    b.free(std::string(name) + " flies", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.5;
  return compile(b.spec()).value();
}

struct Trial {
  explicit Trial(const Model& m) : set(m), s(m, set, {.dt = 1e-3, .solver = {.warm = true}}) {
    s.state.q[6] = 0.1, s.state.q[7 + 6] = 0.25, s.state.q[7 + 4] = 0.5;
    s.state.v[1] = 3;
  }
  void steps(Recorder& r, int n) {
    for (int i = 0; i < n; ++i) r.add(s.step());
  }
  ConstraintSet set;
  Simulation s;
};

std::string slurp(const fs::path& p) {
  std::ostringstream out;
  out << std::ifstream(p).rdbuf();
  return out.str();
}

}  // namespace

TEST(Record, HoldsWhatHappened) {
  const Folder folder;
  const fs::path file = folder.path / "run.h5";
  const Model m = make_balls();
  Trial run(m);
  Recorder record(file, m, run.s, {.every = 10, .scene = "balls", .command = "a test"});
  std::vector<double> q = run.s.state.q;
  double worst = 0;
  for (int i = 1; i <= 500; ++i) {
    const StepReport& r = run.s.step();
    worst = std::max(worst, r.residual);
    record.add(r);
    if (i % 10 == 0) q.insert(q.end(), run.s.state.q.begin(), run.s.state.q.end());
  }
  record.finish();

  const RecordReader in(file);
  EXPECT_TRUE(in.closed());
  ASSERT_EQ(in.rows(), 51u);
  EXPECT_EQ(in.read("frames/q", 0, 51), q);
  EXPECT_EQ(in.read("frames/step", 50, 1).at(0), 500);
  EXPECT_EQ(in.read("frames/time", 50, 1).at(0), run.s.state.time);
  const std::vector<double> residual = in.read("certificates/residual", 0, 51);
  EXPECT_EQ(*std::max_element(residual.begin(), residual.end()), worst);
  EXPECT_EQ(in.body_names(), (std::vector<std::string>{"world", "red", "blue"}));
  EXPECT_EQ(in.row_shape("bodies/poses"), (std::vector<std::uint64_t>{3, 7}));
  EXPECT_EQ(in.read("bodies/poses", 50, 1).at(7 + 2), run.s.state.q[6]);
  EXPECT_NE(in.text("meta/options").find("\"dt\": 0.001"), std::string::npos);
  EXPECT_EQ(in.text("meta/scene"), "balls");
  EXPECT_NE(in.text("meta/model").find("<mujoco"), std::string::npos);
  EXPECT_EQ(in.attribute("format_version"), "1");
  EXPECT_EQ(in.names("meta/joints").size(), m.joints().size());
  ASSERT_EQ(in.names("meta/q").size(), run.s.state.q.size());
  EXPECT_EQ(in.names("meta/q").at(6), "q." + m.joints()[0].name + "[6]");
  EXPECT_EQ(in.names("contacts/pairs").size(), 2u);
  EXPECT_TRUE(in.names("meta/none").empty());
  EXPECT_THROW((void)in.text("meta/joints"), std::runtime_error);  // a list, not one text
  EXPECT_THROW((void)in.row_shape("meta/options"), std::invalid_argument);
  const std::vector<std::string> all = in.datasets();
  EXPECT_TRUE(std::find(all.begin(), all.end(), "frames/q") != all.end());

  // Both balls lie on the floor at the end, and it carries their weight.
  const auto first = static_cast<std::uint64_t>(in.read("contacts/first", 50, 1).at(0));
  ASSERT_EQ(in.read("contacts/count", 50, 1).at(0), 2);
  EXPECT_EQ(first + 2, in.contacts());
  const std::vector<double> force = in.read("contacts/force", first, 2), normal = in.read("contacts/normal", first, 2);
  for (const std::size_t i : {2u, 5u}) {
    EXPECT_NEAR(force[i], 9.81, 3e-13);
    EXPECT_EQ(normal[i], 1);
  }
  EXPECT_EQ(in.read("contacts/body_a", first, 2), (std::vector<double>{1, 2}));
  EXPECT_EQ(in.read("contacts/body_b", first, 2), (std::vector<double>{0, 0}));

  // The last snapshot is the end of the run.
  EXPECT_EQ(read_last_snapshot(file).reals("q"), run.s.state.q);
}

TEST(Record, SensorsThatCannotBeReadAreNamed) {
  const Folder folder;
  const fs::path file = folder.path / "run.h5";
  ModelSpec spec = mechanisms::pendulum(2);
  spec.sensors.push_back({"now", "clock", "", "", "", "", 0, {}});
  spec.sensors.push_back({"nose", "smell", "", "", "", "", 0, {}});
  const Model m = compile(spec).value();
  Simulation s(m, {.dt = 1e-3});
  Recorder record(file, m, s);
  ASSERT_EQ(record.left_out().size(), 1u);
  EXPECT_NE(record.left_out()[0].find("'nose'"), std::string::npos);
  record.add(s.step());
  record.finish();
  const RecordReader r(file);
  EXPECT_EQ(r.row_shape("sensors/values"), std::vector<std::uint64_t>{1});
  EXPECT_EQ(r.read("sensors/values", 0, 2), (std::vector<double>{0, 1e-3}));
}

TEST(Record, GoesOnInTheSameFile) {
  const Folder folder;
  const Model m = make_balls();
  for (const char* name : {"a.h5", "a.csv"}) {
    const fs::path file = folder.path / name, whole = folder.path / ("whole_" + std::string(name));
    Trial run(m), first(m), second(m);
    {
      Recorder record(whole, m, run.s, {.every = 7});
      run.steps(record, 600);
      record.finish();
    }
    {
      Recorder record(file, m, first.s, {.every = 7, .flush_seconds = 1e-3});
      record.extend = [](Snapshot& s) { s.set("mine", std::vector<double>{42}); };
      first.steps(record, 333);
      // dies here: what was not written is lost
    }
    const Snapshot last = read_last_snapshot(file);
    EXPECT_EQ(last.reals("mine").at(0), 42);
    second.s.restore(last);
    const long done = second.s.totals().steps;
    ASSERT_GT(done, 0);
    {
      Recorder record(file, m, second.s, {.every = 7, .resume = true});
      second.steps(record, static_cast<int>(600 - done));
      record.finish();
    }
    EXPECT_EQ(second.s.state.q, run.s.state.q);
    if (file.extension() == ".csv") {
      EXPECT_EQ(slurp(file), slurp(whole));
      continue;
    }
    const RecordReader a(whole), b(file);
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.contacts(), b.contacts());
    for (const char* set : {"frames/time", "frames/q", "frames/v", "bodies/poses", "work/contact_normal",
                            "certificates/residual", "certificates/size", "contacts/first", "contacts/count"})
      EXPECT_EQ(a.read(set, 0, a.rows()), b.read(set, 0, b.rows())) << set;
    for (const char* set : {"contacts/force", "contacts/point", "contacts/pair", "contacts/gap"})
      EXPECT_EQ(a.read(set, 0, a.contacts()), b.read(set, 0, b.contacts())) << set;
  }
}

TEST(Record, LinesOfText) {
  const Folder folder;
  const fs::path file = folder.path / "run.csv";
  const Model m = make_balls();
  Trial run(m);
  Recorder record(file, m, run.s);
  run.steps(record, 3);
  record.finish();
  std::istringstream in(slurp(file));
  std::string head, line;
  std::getline(in, head);
  EXPECT_EQ(head.substr(0, 26), "frames/time,frames/step,q.");
  std::set<std::string> names;
  std::istringstream columns(head);
  int count = 0;
  for (std::string name; std::getline(columns, name, ','); ++count) names.insert(name);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(count));  // none twice
  EXPECT_NE(head.find("red.x,red.y,red.z,red.qw"), std::string::npos);
  int lines = 0;
  while (std::getline(in, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(head.begin(), head.end(), ','));
    ++lines;
  }
  EXPECT_EQ(lines, 4);
}

TEST(Record, RefusesWhatItMustNotTouch) {
  const Folder folder;
  const fs::path file = folder.path / "run.h5";
  const Model m = make_balls();
  Trial run(m), other(m);
  std::ofstream(file) << "precious";
  EXPECT_THROW(Recorder(file, m, run.s), std::invalid_argument);
  EXPECT_THROW(Recorder(file, m, run.s, {.resume = true}), std::invalid_argument);
  EXPECT_THROW(RecordReader{file}, std::invalid_argument);
  EXPECT_EQ(slurp(file), "precious");
  {
    Recorder record(file, m, run.s, {.overwrite = true});
    run.steps(record, 5);
    record.finish();
  }
  EXPECT_EQ(RecordReader(file).rows(), 6u);
  EXPECT_THROW(Recorder(file, m, other.s, {.resume = true}), std::invalid_argument);  // it stands at step 0
  EXPECT_THROW(Recorder(folder.path / "no" / "run.h5", m, run.s), RecordError);
  const Model pendulum = compile(mechanisms::pendulum(2)).value();
  const ConstraintSet none(pendulum);
  Simulation swing(pendulum, none, {.dt = 1e-3});
  for (int i = 0; i < 5; ++i) swing.step();
  EXPECT_THROW(Recorder(file, pendulum, swing, {.resume = true}), std::invalid_argument);  // rows of another shape
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1);  // nothing is left lying about
}

// A child is killed at any moment, here in the middle of its writes; every time the file is as it was at a commit.
TEST(Record, OutlivesItsWriter) {
  const Folder folder;
  const Model m = make_balls();
  int found = 0;
  for (int round = 0; round < 12; ++round) {
    const fs::path file = folder.path / ("run" + std::to_string(round) + ".h5");
    const pid_t child = fork();
    if (child == 0) {
      Trial run(m);
      Recorder record(file, m, run.s, {.flush_seconds = 0});
      for (;;) record.add(run.s.step());
    }
    for (int wait = 0; wait < 5000 && !fs::exists(file); ++wait) usleep(1000);  // slow under a sanitizer
    usleep(static_cast<useconds_t>(7919 * round));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    if (!fs::exists(file)) continue;
    const RecordReader in(file);
    EXPECT_FALSE(in.closed());
    ASSERT_GT(in.rows(), 0u);
    const std::vector<double> step = in.read("frames/step", 0, in.rows());
    for (std::size_t i = 0; i < step.size(); ++i) ASSERT_EQ(step[i], static_cast<double>(i));
    in.read("contacts/force", 0, in.contacts());
    const Snapshot last = read_last_snapshot(file);
    EXPECT_EQ(static_cast<double>(last.integers("step").at(0)), step.back());
    EXPECT_EQ(last.reals("q"), in.read("frames/q", in.rows() - 1, 1));
    ++found;
  }
  EXPECT_GT(found, 6);
}

// A limit on the size of files stands for a full disk.
TEST(Record, StopsWhenThereIsNoRoom) {
  const Folder folder;
  const Model m = make_balls();
  for (const char* name : {"run.h5", "run.csv"}) {
    const fs::path file = folder.path / name;
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{8 << 20, 8 << 20};
      setrlimit(RLIMIT_FSIZE, &limit);
      Trial run(m);
      try {
        Recorder record(file, m, run.s, {.flush_seconds = 0.01});
        for (int i = 0; i < 10000000; ++i) record.add(run.s.step());
      } catch (const RecordError& e) {
        _exit(std::string(e.what()).find("no room") != std::string::npos ? 7 : 8);
      }
      _exit(9);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << name;
    EXPECT_EQ(WEXITSTATUS(status), 7) << name;
    const Snapshot last = read_last_snapshot(file);
    EXPECT_GT(last.integers("step").at(0), 1000);
    if (file.extension() == ".csv") {
      EXPECT_EQ(slurp(file).back(), '\n');
      continue;
    }
    const RecordReader in(file);
    EXPECT_TRUE(in.closed());
    EXPECT_EQ(in.read("frames/q", in.rows() - 1, 1), last.reals("q"));
  }
}

TEST(Record, RowsAllocateNothingBetweenWrites) {
  const Folder folder;
  const Model m = make_balls();
  Trial run(m);
  Recorder record(folder.path / "run.h5", m, run.s, {.flush_seconds = 1e9});
  run.steps(record, 1);
  const std::uint64_t first = record.saved_rows();
  while (record.saved_rows() == first) run.steps(record, 1);  // until the buffers are full, and written
  const StepReport report = run.s.step();
  const AllocationCount allocations;
  for (int i = 0; i < 1000; ++i) record.add(report);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace sinew::test
