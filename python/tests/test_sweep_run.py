"""Sweeps that are cut, killed, resumed and in which samples fail: the results do not depend on it."""
import json
import signal
import time

import pytest
from sweep_support import PARAMETERS, folder, plan_of, shards_of, start, wait_for, write_plan  # noqa: F401
from sinew import sweep


def test_the_union_does_not_depend_on_the_cut(folder):
    plan = plan_of(folder, keep={"function": "sweep_functions:measure"})
    whole = sweep.run(plan, folder / "serial", engine="serial")
    assert whole.complete and whole.rows == 20 and not whole.failures
    ways = {"sizes": {"engine": "threads", "jobs": 3, "shard_size": 1}, "seven": {"engine": "serial", "shard_size": 7},
            "flushed": {"engine": "serial", "flush_seconds": 0.0},
            "processes": {"engine": "processes", "jobs": 2, "shard_size": 4}}
    for name, how in ways.items():
        result = sweep.run(plan, folder / name, **how)
        assert result.hash == whole.hash, name
        assert result.table.drop_columns(["wall_time"]).equals(whole.table.drop_columns(["wall_time"])), name
    for k in (2, 0, 1):
        parts = sweep.run(plan, folder / "parts", engine="serial", part=(k, 3))
        assert parts.complete == (k == 1)
    assert parts.hash == whole.hash
    done = {f: f.stat().st_mtime_ns for f in shards_of(folder / "parts")}
    again = sweep.run(plan, folder / "parts", engine="serial", shard_size=2)
    assert again.hash == whole.hash and done == {f: f.stat().st_mtime_ns for f in shards_of(folder / "parts")}
    table = whole.table.to_pydict()
    assert table["list"][7] == [1.0, 7.0] and table["odd"][:2] == [False, True]
    assert table["seed_again"][4] == str(table["seed"][4])


def test_a_killed_sweep_goes_on(folder):
    """kill -9, twice; what was written stays as it is."""
    file = write_plan(folder, samples=30, keep={"prepare": "sweep_functions:wait"})
    out = folder / "plan.sweep"
    for engine in ("serial", "processes"):
        before = len(shards_of(out))
        process = start(file, "--engine", engine, "--jobs", 2, "--shard-size", 3)
        wait_for(lambda: len(shards_of(out)) >= before + 2, process)
        process.kill(), process.communicate()
    time.sleep(0.3)  # workers without a driver end
    done = {f: f.stat().st_mtime_ns for f in shards_of(out)}
    assert 4 <= len(done) < 20
    process = start(file, "--engine", "threads", "--json")
    report = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 0 and report["rows"] == report["samples"] == 60
    assert done.items() <= {f: f.stat().st_mtime_ns for f in shards_of(out)}.items()
    assert not list(out.rglob(".tmp-*"))
    assert report["hash"] == sweep.run(sweep.load_plan(file), folder / "serial", engine="serial").hash


@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
def test_signals_end_a_sweep_with_what_is_finished(folder, engine):
    file = write_plan(folder, samples=100, keep={"prepare": "sweep_functions:wait"})
    out = folder / "plan.sweep"
    process = start(file, "--engine", engine, "--jobs", 1, "--flush", 0.1)
    wait_for(lambda: len(shards_of(out)) >= 1, process)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM and "the same command goes on" in errors
    assert 1 <= sweep.collect(out).rows < 200


def test_threads_end_the_sample_they_are_at(folder):
    """A signal while the main thread waits; a second one does not wait, and is no crash either."""
    file = write_plan(folder, samples=100, keep={"prepare": "sweep_functions:wait_long"})
    out, begun = folder / "plan.sweep", folder / "begun"
    begun.mkdir()

    def begin():
        before = len(list(begun.iterdir()))
        process = start(file, "--engine", "threads", "--jobs", 2, "--shard-size", 1, SWEEP_MARK=str(begun))
        wait_for(lambda: len(list(begun.iterdir())) == before + 2, process)
        process.send_signal(signal.SIGTERM)
        return process

    process = begin()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert len(shards_of(out)) == 2
    process = begin()
    assert "again leaves at once" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM, errors
    assert len(shards_of(out)) == 2


# --- failures ---------------------------------------------------------------------------------------------------------
def test_a_failing_sample_is_a_row_and_stops_nothing(folder):
    parameters = {**PARAMETERS, "body/arm/mass": {"list": [1.0, -1.0]}, "user/fail": [3.0]}
    plan = plan_of(folder, samples=2, parameters=parameters, keep={"function": "sweep_functions:measure"})
    result = sweep.run(plan, folder / "out", engine="threads", jobs=2)
    negative = [k for k in range(8) if plan.space.values(k)["body/arm/mass"] < 0]
    assert result.complete and [k for k, _, _ in result.failures] == sorted({3, *negative}) and len(negative) == 4
    kinds = {k: (kind, text) for k, kind, text in result.failures}
    assert "mass is -1" in kinds[negative[-1]][1] and kinds[negative[-1]][0] == "LoadError"
    (plain,) = [k for k in kinds if k not in negative] or [None]
    if plain is not None:
        assert kinds[plain][0] == "ZeroDivisionError" and "sweep_functions.py" in kinds[plain][1]
    assert [e is None for e in result.table.column("error").to_pylist()] == [k not in kinds for k in range(8)]
    other = sweep.run(plan, folder / "other", engine="serial", shard_size=1)
    assert other.hash == result.hash
    with pytest.raises(ValueError, match="mass is -1"):
        sweep.run_sample(plan, negative[0])


def test_failures_are_listed_with_the_command_that_repeats_one(folder):
    parameters = {"body/arm/mass": {"grid": [1.0, -1.0]}}
    file = write_plan(folder, samples=1, parameters=parameters)
    process = start(file)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 5 and f"sinew sweep {file} --only 1" in text and "1 failed" in text
    process = start(file, "--only", 1)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 5 and "LoadError" in errors and "Traceback" in errors
    process = start(file, "--only", 0)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "steps = 10" in text


def test_failed_samples_run_again_if_asked(folder):
    marker = folder / "broken"
    (folder / "sweep_functions.py").write_text(
        f"import os\ndef f(sim, sample):\n    if sample.index == 4 and os.path.exists({str(marker)!r}):\n"
        "        raise OSError('disk')\n    return {'x': sample.index}\n")
    marker.touch()
    plan = plan_of(folder, keep={"function": "sweep_functions:f"})
    first = sweep.run(plan, folder / "out", engine="serial")
    assert [f[:2] for f in first.failures] == [(4, "OSError")]
    marker.unlink()
    assert sweep.run(plan, folder / "out", engine="serial").failures == first.failures
    again = sweep.run(plan, folder / "out", engine="serial", retry=True)
    assert not again.failures and again.hash == sweep.run(plan, folder / "fresh", engine="serial").hash


def test_a_sample_that_kills_its_worker_is_a_row(folder):
    plan = plan_of(folder, keep={"prepare": "sweep_functions:kill"})
    result = sweep.run(plan, folder / "out", engine="processes", jobs=2, shard_size=8)
    assert result.complete and [f[:2] for f in result.failures] == [(5, "WorkerDied")]
    assert "SIGKILL" in result.failures[0][2]


def test_a_worker_that_dies_once_is_replaced(folder, monkeypatch):
    monkeypatch.setenv("SWEEP_MARK", str(folder / "mark"))
    plan = plan_of(folder, keep={"prepare": "sweep_functions:kill_once"})
    result = sweep.run(plan, folder / "out", engine="processes", jobs=2, shard_size=8)
    assert (folder / "mark").exists() and result.complete and not result.failures
    assert result.hash == sweep.run(plan, folder / "serial", engine="serial").hash


def test_values_of_several_types_under_one_name(folder):
    plan = plan_of(folder, keep={"function": "sweep_functions:mixed"})
    a = sweep.run(plan, folder / "a", engine="serial", shard_size=1)  # one type per file
    b = sweep.run(plan, folder / "b", engine="serial", shard_size=20)
    assert a.hash == b.hash and a.table.column("x").to_pylist()[:2] == [1.5, None]
    assert a.table.column("x (text)").to_pylist()[:2] == [None, "text"]
