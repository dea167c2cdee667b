"""Sweeps: files of results, damaged or not, machines and engines."""
import json
import math
import os
import shutil
import subprocess
import sys

import pytest
from sweep_support import FUNCTIONS, PARAMETERS, SCENE, folder, plan_of, shards_of, start, write_plan  # noqa: F401
from sinew import sweep
from sinew.sweep import command, results, shard


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "x.parquet"
    rows = [{"sample": 0, "x": 1.0, "hash": "h"}]

    def fail(*_):
        raise OSError(28, "No space left on device")

    for call in ("fsync", "replace"):
        with monkeypatch.context() as m:
            m.setattr(os, call, fail)
            with pytest.raises(OSError, match="No space"):
                results.write_rows(file, rows, {})
        assert list(tmp_path.iterdir()) == []
    results.write_rows(file, rows, {"plan": "p"})
    assert list(tmp_path.iterdir()) == [file] and results.read_rows(file)[1]["plan"] == "p"


def test_damaged_files_are_seen(folder):
    plan = plan_of(folder)
    out = folder / "out"
    whole = sweep.run(plan, out, engine="serial", shard_size=5)
    first, second, third, _ = shards_of(out)
    first.write_bytes(first.read_bytes()[:200])  # as after a lost disk
    assert sweep.run(plan, out, engine="serial").hash == whole.hash
    assert (out / "shards" / first.with_suffix(".damaged").name).exists()
    flipped = bytearray(second.read_bytes())
    flipped[300] ^= 1
    kept = second.read_bytes()
    second.write_bytes(flipped)
    with pytest.raises(sweep.FolderError, match=second.name):
        sweep.collect(out)
    second.write_bytes(kept)
    rows, about = results.read_rows(third)
    rows[1]["time"] += 1e-12
    results.write_rows(third, rows, about)
    with pytest.raises(sweep.FolderError, match="hash of sample 11 is wrong"):
        sweep.collect(out)
    shutil.copy(second, third)
    with pytest.raises(sweep.FolderError, match="samples of its name"):
        sweep.collect(out)


def test_rows_with_the_same_numbers_have_the_same_hash():
    row = {"sample": 1, "x": 0.1, "l": (1.0, -0.0), "t": "a", "wall_time": 1.0, "error": "at 0x7f"}
    assert results.row_hash(row) == results.row_hash({**row, "wall_time": 2.0, "error": "at 0x80", "none": None})
    for change in ({"x": math.nextafter(0.1, 1)}, {"l": (1.0, 0.0)}, {"t": "b"}, {"x": True}, {"y": 1.0}):
        assert results.row_hash(row) != results.row_hash({**row, **change})
    assert results.row_hash({**row, "x": math.nan}) == results.row_hash({**row, "x": -math.nan})
    again = results.to_rows(results.to_table([row, {"sample": 2}]))
    assert results.row_hash(again[0]) == results.row_hash(row)


def test_two_results_for_one_sample_are_an_error(folder):
    plan = plan_of(folder)
    whole = sweep.run(plan, folder / "out", engine="serial", shard_size=10)
    f = shard.Folder(folder / "out")
    runner = sweep.Runner(plan)
    rows = [runner.run(k) for k in (3, 4)]
    f.write(3, rows, runner.hash)
    assert sweep.collect(folder / "out").hash == whole.hash  # run twice, with the same result
    rows[1]["kinetic_energy"] = 1.0
    rows[1]["hash"] = results.row_hash(rows[1])
    f.write(3, rows, runner.hash)
    with pytest.raises(sweep.FolderError, match="sample 4 was run twice with different results"):
        sweep.collect(folder / "out")


def test_another_plan_in_the_same_folder_is_refused(folder):
    keep = {"function": "sweep_functions:measure"}
    sweep.run(plan_of(folder, keep=keep), folder / "out", engine="serial")
    changed = {"friction": {"random": "uniform", "from": 0.1, "to": 0.8}}
    with pytest.raises(sweep.FolderError, match=r"plan\.parameters\.friction\.to was 0\.9, is 0\.8.*--out"):
        sweep.run(plan_of(folder, keep=keep, parameters={**PARAMETERS, **changed}), folder / "out")
    with pytest.raises(sweep.FolderError, match=r"plan\.seed was 4\.0, is 5\.0"):
        sweep.run(plan_of(folder, keep=keep, seed=5), folder / "out")
    assert sweep.run(plan_of(folder, keep=keep, name="another name"), folder / "out").complete
    (folder / "two.xml").write_text(SCENE.replace("<mujoco", "<!-- a remark --><mujoco"))
    assert sweep.run(plan_of(folder, keep=keep), folder / "out").complete  # the model is the same
    (folder / "two.xml").write_text(SCENE.replace('mass="2"', 'mass="2.1"'))
    with pytest.raises(sweep.FolderError, match="model was"):
        sweep.run(plan_of(folder, keep=keep), folder / "out")
    (folder / "two.xml").write_text(SCENE)
    (folder / "sweep_functions.py").write_text(FUNCTIONS + "\n")
    with pytest.raises(sweep.FolderError, match="functions.sweep_functions:measure was"):
        sweep.run(plan_of(folder, keep=keep), folder / "out")


# --- the command ------------------------------------------------------------------------------------------------------
def test_parts_come_from_slurm_and_mpi():
    slurm = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "3",
             "SLURM_ARRAY_TASK_STEP": "2"}
    assert command.find_part("slurm", slurm) == (2, 4)
    assert command.find_part("mpi", {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3"}) == (1, 3)
    assert command.find_part("mpi", {"PMI_RANK": "0", "PMI_SIZE": "2"}) == (0, 2)
    assert command.find_part("2/3", {}) == (2, 3) and command.find_part(None, {}) == (0, 1)
    for text, environment in (("3/3", {}), ("x", {}), ("slurm", {}), ("mpi", {}), ("-1/3", {}),
                              ("slurm", {"SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_COUNT": "4"})):
        with pytest.raises(sweep.PlanError, match="--shard"):
            command.find_part(text, environment)
    for n, parts in ((20, 3), (5, 8), (1000, 7)):
        masks = [shard.mask_of_part(n, k, parts) for k in range(parts)]
        assert (sum(m.astype(int) for m in masks) == 1).all()


def test_the_command_of_cpp_hands_over(folder):
    if not os.environ.get("SINEW_APP"):
        pytest.skip("SINEW_APP does not name the command; `make test` does")
    app, file = os.environ["SINEW_APP"], write_plan(folder)

    def call(*words, **environment):
        return subprocess.run([app, "sweep", *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, "SINEW_PYTHON": sys.executable, **environment})

    done = call(file, "--jobs", 2, "--out", folder / "there", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 20 and (folder / "there" / "result.parquet").exists()
    assert call(file, "--out", folder / "there", "--collect").returncode == 0
    missing = call(file, PYTHONPATH="", SINEW_PYTHON=sys._base_executable)
    assert missing.returncode == 3 and "pip install 'sinew[sweep]'" in missing.stderr
    assert call(file, SINEW_PYTHON="/no/such/python").returncode == 3
    assert call(folder / "no.toml").returncode == 2 and call(file, "--shard", "3/3").returncode == 3
    shown = call("--help").stdout  # both list the same options
    for action in command.make_parser()._actions:
        assert all(o in shown for o in action.option_strings)


# --- Ray --------------------------------------------------------------------------------------------------------------
def test_ray_gives_the_same_rows_after_a_worker_was_lost(folder, monkeypatch):
    pytest.importorskip("ray", reason="ray is not installed; pip install -r tools/requirements-sweep.txt")
    mark = folder / "mark"
    monkeypatch.setenv("SWEEP_MARK", str(mark))
    file = write_plan(folder, keep={"prepare": "sweep_functions:kill_once"})
    process = start(file, "--engine", "ray", "--jobs", 1, "--shard-size", 10, "--json",
                    RAY_worker_niceness="0")  # usually 15: on a busy machine its workers hardly start
    try:
        text, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    report = json.loads(text.splitlines()[-1])
    assert mark.exists() and report["rows"] == 20 and not report["failures"]
    assert report["hash"] == sweep.run(sweep.load_plan(file), folder / "serial", engine="serial").hash
