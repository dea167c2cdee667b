"""Who runs the samples: this thread, threads, worker processes; Ray is in ray_engine.py.

Engines take ranges of samples from a Ledger and write rows to the folder. A worker that dies costs what it had not
written: its range is cut at the sample that it was at, and run again. A sample that several workers died of, with
nothing else to do, becomes a row with an error.
"""
from __future__ import annotations

import collections
import contextlib
import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import FolderError
from .progress import Progress
from .results import row_hash
from .runner import Runner
from .shard import Folder, Range, work_on

DEADLY = 3  # workers that a sample may cost, run alone, before it counts as failed
FRUITLESS = 50  # workers that may die one after the other before they begin a sample


class Ledger:
    """Ranges that are left to do. Threads may share it."""

    def __init__(self, runner: Runner, folder: Folder, todo: Sequence[Range], progress: Progress) -> None:
        self._runner, self._folder, self.progress = runner, folder, progress
        self._left = collections.deque(todo)
        self._lock = threading.Lock()
        self._deaths: collections.Counter[int] = collections.Counter()
        self._fruitless = 0
        self.stop = threading.Event()

    def take(self) -> Range | None:
        with self._lock:
            return self._left.popleft() if self._left and not self.stop.is_set() else None

    def give_back(self, r: Range) -> None:
        with self._lock:
            self._left.appendleft(r)

    @property
    def left(self) -> bool:
        return bool(self._left) and not self.stop.is_set()

    def finished(self, r: Range, failed: int) -> None:
        """All of the range is written."""
        if not self.stop.is_set() and (lost := self._folder.missing(*r)):
            raise FolderError(f"a worker finished samples {lost[0][0]} to {lost[0][1] - 1}, but their file is not in "
                              f"{self._folder.shards}: all workers need the same folder, on a shared disk")
        self._fruitless = 0
        self.progress.add(r[1] - r[0], failed)

    def died(self, r: Range, why: str, blame: bool = True) -> None:
        """The worker on this range is gone: what it did not write is to be done again. blame: the sample it was at."""
        note = self._folder.read_note(r)
        self._folder.drop_note(r)
        missing = self._folder.missing(*r)
        written = r[1] - r[0] - sum(b - a for a, b in missing)
        self.progress.deaths += 1
        self._fruitless = 0 if written or note else self._fruitless + 1
        if self._fruitless >= FRUITLESS:
            raise FolderError(f"{FRUITLESS} workers died one after the other before they began a sample; the last: "
                              f"{why}")
        pieces = missing
        if note and blame:
            culprit = note.sample
            if not any(a <= culprit < b for a, b in missing):  # it died while it wrote
                pieces = [p for a, b in missing for p in ((a, (a + b + 1) // 2), ((a + b + 1) // 2, b))]
            elif r[1] - r[0] > 1:  # perhaps by chance: the sample gets a worker of its own
                pieces = [p for a, b in missing for p in
                          (((a, culprit), (culprit, culprit + 1), (culprit + 1, b)) if a <= culprit < b else ((a, b),))]
            else:
                self._deaths[culprit] += 1
                if self._deaths[culprit] >= DEADLY:
                    self._bury(culprit, why)
                    pieces = []
        self.progress.add(written)
        with self._lock:
            self._left.extendleft(p for p in reversed(pieces) if p[0] < p[1])

    def _bury(self, k: int, why: str) -> None:
        """A row for a sample that ends its worker."""
        place = self._runner.plan.space.place(k)
        row: dict[str, Any] = {"sample": k, "case": place.case, "repeat": place.repeat,
                               "seed": self._runner.plan.space.seed_of(k), **self._runner.plan.space.values(k)}
        row.update(error=f"the worker died {DEADLY} times: {why}", error_type="WorkerDied", wall_time=0.0)
        row["hash"] = row_hash(row)
        self._folder.write(k, [row], self._runner.hash)
        self.progress.add(1, 1)


@contextlib.contextmanager
def ended_by_signals(ledger: Ledger) -> Iterator[None]:
    """SIGTERM and SIGHUP as Ctrl-C: what is finished is written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    before = {s: signal.signal(s, end) for s in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    except KeyboardInterrupt:
        ledger.stop.set()
        raise
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)


def run_serial(runner: Runner, folder: Folder, ledger: Ledger, flush_seconds: float) -> None:
    """In this thread."""
    counted = _Counted(ledger)
    while r := ledger.take():
        work_on(runner, folder, r, flush_seconds=flush_seconds, stop=ledger.stop, on_sample=counted)


class _Counted:
    """Tells the progress of each sample."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __call__(self, row: dict[str, Any]) -> None:
        self._ledger.progress.add(1, row["error_type"] is not None)


def run_threads(runner: Runner, folder: Folder, ledger: Ledger, flush_seconds: float, jobs: int) -> None:
    """Steps run without the GIL; what is written in Python takes turns."""
    errors: list[BaseException] = []
    ended: list[None] = []

    def work() -> None:
        try:
            run_serial(runner, folder, ledger, flush_seconds)
        except BaseException as e:
            errors.append(e)
            ledger.stop.set()
        finally:
            ended.append(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]

    # Not Thread.join: up to Python 3.12 a join that a signal interrupts takes a running thread for one that ended,
    # and the interpreter then shuts down around it.
    def wait() -> None:
        while len(ended) < sum(t.ident is not None for t in threads):
            time.sleep(0.01)

    # Nothing may come between a start and the wait for its end.
    try:
        for t in threads:
            t.start()
        wait()
    except KeyboardInterrupt:
        ledger.stop.set()
        ledger.progress.say("finishing the samples under way; Ctrl-C again leaves at once")
        wait()
        raise
    if errors:
        raise errors[0]


# --- worker processes -------------------------------------------------------------------------------------------------
@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    task: Range | None = None
    heard: bytes = b""


def _start_worker(runner: Runner, folder: Folder, flush_seconds: float) -> _Worker:
    start = "import sys; sys.path[:] = {!r}; from sinew.sweep.worker import main; main()".format(sys.path)
    p = subprocess.Popen([sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hello = {"plan": runner.plan.to_json(), "hash": runner.hash, "folder": str(folder.root.absolute()),
             "flush_seconds": flush_seconds}
    _send(p, hello)
    return _Worker(p)


def _send(p: subprocess.Popen[bytes], message: object) -> bool:
    assert p.stdin
    try:
        p.stdin.write(json.dumps(message).encode() + b"\n")
        p.stdin.flush()
        return True
    except OSError:
        return False  # it is dead, as its output will say


def describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


def run_processes(runner: Runner, folder: Folder, ledger: Ledger, flush_seconds: float, jobs: int) -> None:
    """Worker processes: for functions in Python, which hold the GIL, and for samples that may crash."""
    workers: list[_Worker] = []
    with selectors.DefaultSelector() as selector:

        def hire() -> None:
            w = _start_worker(runner, folder, flush_seconds)
            workers.append(w)
            assert w.process.stdout
            selector.register(w.process.stdout, selectors.EVENT_READ, w)
            employ(w)

        def employ(w: _Worker) -> None:
            w.task = ledger.take()
            if w.task is not None:
                _send(w.process, {"range": w.task})

        def dismiss(w: _Worker) -> None:
            assert w.process.stdin and w.process.stdout
            selector.unregister(w.process.stdout)
            workers.remove(w)
            with contextlib.suppress(OSError):
                w.process.stdin.close()
            code = w.process.wait()
            w.process.stdout.close()
            if w.task is not None:
                ledger.died(w.task, describe_end(code))

        def listen(w: _Worker) -> None:
            assert w.process.stdout
            data = os.read(w.process.stdout.fileno(), 65536)
            if not data:
                dismiss(w)
                return
            w.heard += data
            while b"\n" in w.heard:
                line, w.heard = w.heard.split(b"\n", 1)
                answer = json.loads(line)
                if "fatal" in answer:
                    raise FolderError(answer["fatal"])
                assert w.task is not None
                ledger.finished(w.task, answer["failed"])
                employ(w)

        try:
            while ledger.left or any(w.task is not None for w in workers):
                while ledger.left and len(workers) < jobs:
                    hire()
                for w in [w for w in workers if w.task is None and ledger.left]:
                    employ(w)
                for key, _ in selector.select(0.5):
                    listen(key.data)
                notes = [folder.read_note(w.task) for w in workers if w.task is not None]
                ledger.progress.under_way(sum(n.finished for n in notes if n))
        finally:
            ledger.progress.under_way(0)
            for w in workers:
                assert w.process.stdin and w.process.stdout
                with contextlib.suppress(OSError):
                    w.process.stdin.close()
                if w.task is not None:
                    w.process.send_signal(signal.SIGTERM)  # writes what it has
            for w in workers:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    w.process.wait(10)
                if w.process.poll() is None:
                    w.process.kill()
                    w.process.wait()
                assert w.process.stdout
                w.process.stdout.close()


def usual_jobs() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usual_size(samples: int, jobs: int) -> int:
    """Samples per shard: a few dozen shards per worker, so that all end at about the same time."""
    return max(1, min(512, samples // (16 * jobs)))


def package_path() -> str:
    """Where `import sinew` looks."""
    return str(pathlib.Path(__file__).parents[2])
