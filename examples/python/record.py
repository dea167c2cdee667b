"""Write a run to disk, read it, and go on from it with the same bits."""
import pathlib
import sys
import tempfile

import sinew


def main(file: pathlib.Path) -> bool:
    # Half a run, every fifth step a row. The file is whole after every write: a killed run loses a second at most.
    scene = sinew.make_scene(sinew.load("models/scenes/newtons_cradle.xml"))
    first = sinew.Simulation(scene)
    with sinew.Recorder(file, first, every=5, command="record.py") as record:
        first.run(steps=1000, record=record)

    # Datasets by name, with the meanings of docs/records.md. h5py, MATLAB and others read the same file.
    run = sinew.read_record(file)
    energy = run["energy/kinetic"] + run["energy/potential"]
    print(f"{run.model}: {len(run)} rows until {run.time[-1]:.3f} s; columns of frames: {run.columns('frames')}")
    print(f"energy {energy[0]:.4f} J at the start, {energy[-1]:.4f} J at the end")

    # The last snapshot holds all that determines the next steps: another process could go on from here.
    second = sinew.Simulation(scene)
    second.restore(sinew.read_last_snapshot(file))
    first.run(steps=500)
    second.run(steps=500)
    same = bool((first.q == second.q).all() and (first.v == second.v).all())
    print(f"500 steps later, the run that went on and the one restored from disk have the same bits: {same}")
    return same and len(run) == 201


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(not main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else f"{folder}/run.h5")))
