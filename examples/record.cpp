// examples/record.cpp - write a run to disk, read it, and go on from it with the same bits
//   example_record [FILE.h5]     default: in the folder for temporary files
#include <fmt/format.h>

#include <cmath>

#include "sinew/io/load.hpp"
#include "sinew/io/record.hpp"

using namespace sinew;

int main(int argc, char** argv) {
  const std::filesystem::path file =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path() / "sinew_example_record.h5";
  const Model model = compile(load("models/scenes/newtons_cradle.xml").value()).value();
  const KeyframeSpec& start = model.spec().keyframes.at(0);

  // Half a run, every fifth step a row. The file is whole after every write: a killed run loses a second at most.
  Simulation first(model);
  first.state.q = start.q, first.state.v = start.v;
  Recorder record(file, model, first, {.every = 5, .overwrite = true, .command = "example_record"});
  while (first.totals().steps < 1000) record.add(first.step());
  record.finish();

  // Datasets by name, with the units and meanings of docs/records.md; Python and h5py read the same file.
  const RecordReader reader(file);
  const std::uint64_t rows = reader.rows();
  const std::vector<double> time = reader.read("frames/time", 0, rows),
                            kinetic = reader.read("energy/kinetic", 0, rows),
                            potential = reader.read("energy/potential", 0, rows),
                            q = reader.read("frames/q", rows - 1, 1);
  fmt::print("{}: {} rows until {:.3f} s, {} contacts, written by Sinew {}\n", reader.attribute("model_name"), rows,
             time.back(), reader.contacts(), reader.attribute("sinew_version"));
  fmt::print("energy {:.4f} J at the start, {:.4f} J at the end\n", kinetic.front() + potential.front(),
             kinetic.back() + potential.back());
  for (const std::string& name : reader.names("meta/q")) fmt::print("  column {}\n", name);

  // The last snapshot holds all that determines the next steps: another process could go on from here.
  Simulation second(model);
  second.restore(read_last_snapshot(file));
  for (int i = 0; i < 500; ++i) first.step(), second.step();
  const bool same = first.state.q == second.state.q && first.state.v == second.state.v;
  fmt::print("500 steps later, the run that went on and the one restored from disk have the same bits: {}\n", same);

  if (argc < 2) std::filesystem::remove(file);
  return same && rows == 201 && reader.closed() && std::abs(q[0]) < 2 ? 0 : 1;
}
