"""The folder of a sweep: what was asked, what is done, and who is at what.

    manifest.json              plan, versions and their hash; written once, never changed
    shards/A-B.parquet         rows of samples A .. B-1; appears whole or not at all
    records/K.h5               records, where the plan keeps them
    notes/A-B                  which sample of A .. B-1 is under way, and in which process
    result.parquet, .json      the union of the shards, and its hash; written by collect

Files say what is done: whoever writes to the folder needs no other process, and nothing is lost with one.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import socket
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import sinew

from .errors import FolderError
from .plan import Plan, describe_changes
from .results import (FORMAT, Row, import_arrow, read_rows, row_hash, sync_folder, to_rows, to_table, union_hash,
                      write_file, write_rows)
from .runner import Runner

if TYPE_CHECKING:
    import pyarrow

Range = tuple[int, int]  # samples a .. b-1
_NAME = re.compile(r"(\d+)-(\d+)\.parquet")
_NOTE = struct.Struct("<qqq")


@dataclass(frozen=True)
class Note:
    """What a worker says of itself."""

    sample: int  # -1: none, it writes
    process: int
    finished: int


class Folder:
    """Results of one plan. Any number of processes may use it at the same time."""

    def __init__(self, root: str | pathlib.Path) -> None:
        self.root = pathlib.Path(root)

    @property
    def shards(self) -> pathlib.Path:
        return self.root / "shards"

    @property
    def manifest_file(self) -> pathlib.Path:
        return self.root / "manifest.json"

    def open(self, runner: Runner) -> None:
        """Makes the folder, or checks that it belongs to this plan."""
        import_arrow()
        for name in ("shards", "notes", "records"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        if not self.manifest_file.exists():
            self._write_manifest(runner)
        there = self.manifest()
        if there["hash"] == runner.hash:
            return
        changes = describe_changes(there["identity"], runner.identity)
        raise FolderError(f"{self.root} has results of another plan: " + "; ".join(changes[:5]) +
                          (f"; and {len(changes) - 5} more" if len(changes) > 5 else "") +
                          ". Give another folder with --out, or delete this one")

    def _write_manifest(self, runner: Runner) -> None:
        manifest = {"format": FORMAT, "hash": runner.hash, "samples": len(runner.plan), "identity": runner.identity,
                    "source": runner.plan.source, "folder": str(runner.plan.folder), "made": time.strftime("%FT%T%z"),
                    "versions": {"sinew": sinew.VERSION, "python": sys.version.split()[0], "numpy": np.__version__,
                                 "pyarrow": import_arrow().__version__}}
        temporary = self.root / f".tmp-{socket.gethostname()}-{os.getpid()}-manifest.json"
        write_file(temporary, lambda f: f.write(json.dumps(manifest, indent=1).encode()))
        with contextlib.suppress(FileExistsError):  # somebody else was first
            os.link(temporary, self.manifest_file)
        temporary.unlink()
        sync_folder(self.root)

    def manifest(self) -> dict[str, Any]:
        try:
            read = json.loads(self.manifest_file.read_text())
            read["hash"], read["samples"], read["identity"]
        except FileNotFoundError as e:
            raise FolderError(f"{self.root} is no folder of a sweep: it has no manifest.json") from e
        except (ValueError, KeyError, TypeError) as e:
            raise FolderError(f"{self.manifest_file} is damaged ({e}); delete the folder, or restore it") from e
        if read.get("format") != FORMAT:
            raise FolderError(f"{self.manifest_file} has format {read.get('format')!r}; this version reads {FORMAT!r}")
        return dict(read)

    # --- what is done -------------------------------------------------------------------------------------------------
    def list_shards(self) -> dict[Range, pathlib.Path]:
        found = {}
        with os.scandir(self.shards) as entries:
            for entry in entries:
                if match := _NAME.fullmatch(entry.name):
                    found[int(match[1]), int(match[2])] = self.shards / entry.name
        return dict(sorted(found.items()))

    def is_done(self, samples: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """A truth value per sample."""
        done = np.zeros(samples, bool)
        for a, b in self.list_shards():
            done[a:b] = True
        return done

    def missing(self, a: int, b: int) -> list[Range]:
        """The parts of a .. b-1 that have no row."""
        left = np.ones(b - a, bool)
        for c, d in self.list_shards():
            left[max(c - a, 0):max(d - a, 0)] = False
        return [(a + c, a + d) for c, d in ranges_of(left)]

    def write(self, a: int, rows: Sequence[Row], plan_hash: str) -> None:
        """Rows of samples a, a + 1, ..."""
        b = a + len(rows)
        write_rows(self.shards / f"{a:09d}-{b:09d}.parquet", rows,
                   {"plan": plan_hash, "sinew": sinew.VERSION, "host": socket.gethostname(),
                    "rows": union_hash((r["sample"], r["hash"]) for r in rows)})

    def clean(self) -> list[str]:
        """Removes leftovers of killed processes, and sets aside shards that cannot be read; returns what it did."""
        said = []
        pa = import_arrow()
        for file in self.list_shards().values():
            try:
                pa.parquet.read_metadata(file)
            except (OSError, pa.ArrowException) as e:
                file.rename(file.with_suffix(".damaged"))
                said.append(f"{file.name} cannot be read ({str(e).splitlines()[0]}): its samples are run again")
        mine = f".tmp-{socket.gethostname()}-"
        for folder in (self.root, self.shards):
            for file in folder.glob(".tmp-*"):
                process = file.name.removeprefix(mine).split("-")[0] if file.name.startswith(mine) else ""
                with contextlib.suppress(FileNotFoundError):
                    gone = process.isdecimal() and not pathlib.Path(f"/proc/{process}").exists()
                    if gone or time.time() - file.stat().st_mtime > 86400:
                        file.unlink()
        return said

    # --- notes --------------------------------------------------------------------------------------------------------
    def _note_file(self, r: Range) -> pathlib.Path:
        return self.root / "notes" / f"{r[0]}-{r[1]}"

    @contextlib.contextmanager
    def note(self, r: Range) -> Iterator[NoteWriter]:
        """Says which sample of the range is under way, for as long as it lasts."""
        file = self._note_file(r)
        fd = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        try:
            yield NoteWriter(fd)
        finally:
            os.close(fd)
            file.unlink(missing_ok=True)

    def read_note(self, r: Range) -> Note | None:
        try:
            return Note(*_NOTE.unpack(self._note_file(r).read_bytes()))
        except (OSError, struct.error):
            return None

    def drop_note(self, r: Range) -> None:
        self._note_file(r).unlink(missing_ok=True)

    def record_file(self, k: int) -> pathlib.Path:
        return self.root / "records" / f"{k:09d}.h5"

    # --- union --------------------------------------------------------------------------------------------------------
    def collect(self, verify: bool = True) -> Union:
        """All rows that are there, in the order of the samples. FolderError for rows that contradict each other."""
        manifest = self.manifest()
        pa = import_arrow()
        tables, listed = [], []
        for r, file in self.list_shards().items():
            try:
                with open(file, "rb") as f:
                    table = pa.parquet.read_table(f, page_checksum_verification=True)
            except (OSError, pa.ArrowException) as e:
                raise FolderError(f"{file} cannot be read: {e}. Run the sweep again: it is set aside and made anew") from e
            about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            if about.get("plan") != manifest["hash"]:
                raise FolderError(f"{file} belongs to another plan; delete it")
            if table.column("sample").to_pylist() != list(range(*r)):
                raise FolderError(f"{file} does not hold the samples of its name; delete it and run the sweep again")
            if verify:
                for row in to_rows(table):
                    if row_hash(row) != row["hash"]:
                        raise FolderError(f"{file}: the hash of sample {row['sample']} is wrong; delete the file and run "
                                          "the sweep again")
            tables.append(table.replace_schema_metadata(None))
            listed.append({"file": f"shards/{file.name}", "rows": about["rows"], "host": about.get("host", "")})
        if not tables:
            return Union(None, int(manifest["samples"]), listed, str(manifest["hash"]))
        try:
            whole = pa.concat_tables(tables, promote_options="default")
        except pa.ArrowException:  # a name with values of several types
            whole = to_table([row for t in tables for row in to_rows(t)])
        return Union(_drop_twins(whole.sort_by("sample"), pa), int(manifest["samples"]), listed, str(manifest["hash"]))

    def write_union(self, union: Union) -> None:
        """result.parquet and result.json."""
        pa = import_arrow()
        if union.table is not None:
            table = union.table.replace_schema_metadata({"format": FORMAT, "plan": union.plan_hash, "hash": union.hash})
            write_file(self.root / "result.parquet",
                       lambda f: pa.parquet.write_table(table, f, compression="zstd", write_page_checksum=True))
        about = {"format": FORMAT, "plan": union.plan_hash, "hash": union.hash, "samples": union.samples,
                 "rows": union.rows, "failed": len(union.failures()), "shards": union.shards}
        write_file(self.root / "result.json", lambda f: f.write(json.dumps(about, indent=1).encode()))


class NoteWriter:
    def __init__(self, fd: int) -> None:
        self._fd = fd

    def at(self, sample: int, finished: int) -> None:
        os.pwrite(self._fd, _NOTE.pack(sample, os.getpid(), finished), 0)


@dataclass(frozen=True)
class Union:
    """All rows of a folder."""

    table: pyarrow.Table | None
    samples: int  # of the plan
    shards: list[dict[str, str]]
    plan_hash: str

    @property
    def rows(self) -> int:
        return self.table.num_rows if self.table is not None else 0

    @property
    def complete(self) -> bool:
        return self.rows == self.samples

    @property
    def hash(self) -> str:
        """Of the rows; the same however the work was cut."""
        if self.table is None:
            return union_hash([])
        return union_hash(zip(self.table.column("sample").to_pylist(), self.table.column("hash").to_pylist()))

    def failures(self) -> list[tuple[int, str, str]]:
        """Sample, type of the error, message."""
        if self.table is None:
            return []
        t = self.table
        columns = [t.column(n).to_pylist() for n in ("sample", "error_type", "error")]
        return [(k, kind, str(text)) for k, kind, text in zip(*columns) if kind is not None]


def _drop_twins(table: pyarrow.Table, pa: Any) -> pyarrow.Table:
    """A sample that was run twice counts once; a row without an error goes before one with."""
    samples = table.column("sample").to_numpy()
    if len(np.unique(samples)) == len(samples):
        return table
    hashes, errors = table.column("hash").to_pylist(), table.column("error_type").to_pylist()
    chosen: dict[int, int] = {}
    for i, k in enumerate(samples.tolist()):
        j = chosen.setdefault(k, i)
        if errors[j] is not None and errors[i] is None:
            chosen[k] = i
        elif errors[i] is None and hashes[i] != hashes[j]:
            raise FolderError(f"sample {k} was run twice with different results: {hashes[j][:16]} and {hashes[i][:16]}. "
                              "What a user's function returns must depend on the sample alone")
    return table.take(pa.array(list(chosen.values())))


def ranges_of(flags: np.ndarray[Any, np.dtype[np.bool_]]) -> list[Range]:
    """Runs of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def cut(flags: np.ndarray[Any, np.dtype[np.bool_]], size: int) -> list[Range]:
    """Runs of true values, in pieces of at most `size`."""
    return [(c, min(c + size, b)) for a, b in ranges_of(flags) for c in range(a, b, size)]


def mask_of_part(samples: int, part: int, parts: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The samples of part k of n: blocks in turn, so that each part gets some of all regions of the plan."""
    block = max(1, -(-samples // (16 * parts)))
    return np.equal(np.arange(samples) // block % parts, part)


def work_on(runner: Runner, folder: Folder, r: Range, *, flush_seconds: float = 5.0,
            stop: Any = None, on_sample: Any = None) -> int:
    """Runs the samples of a range and writes their rows, at least every few seconds; returns how many failed.

    What is finished is written also where something ends it: stop.is_set(), Ctrl-C, SystemExit.
    """
    first, failed = r[0], 0
    rows: list[Row] = []
    flushed = time.monotonic()
    with folder.note(r) as note:
        try:
            for k in range(*r):
                if stop is not None and stop.is_set():
                    break
                note.at(k, k - r[0])
                rows.append(runner.run(k, folder.record_file(k) if runner.plan.keep.record_every else None))
                failed += rows[-1]["error_type"] is not None
                if on_sample is not None:
                    on_sample(rows[-1])
                if time.monotonic() - flushed > flush_seconds:
                    note.at(-1, k + 1 - r[0])
                    folder.write(first, rows, runner.hash)
                    first, rows = k + 1, []  # after it: a signal within it must not lose them
                    flushed = time.monotonic()
        finally:
            if rows:
                note.at(-1, first + len(rows) - r[0])  # who dies now does not die of a sample
                folder.write(first, rows, runner.hash)
    return failed


def retry_failures(runner: Runner, folder: Folder, samples: Sequence[int] | None = None) -> int:
    """Runs failed samples again, and replaces their rows in the files they are in; returns how many failed again."""
    failed = 0
    for (a, _), file in folder.list_shards().items():
        rows, _ = read_rows(file)
        again = [i for i, row in enumerate(rows) if row.get("error_type") and (samples is None or a + i in samples)]
        for i in again:
            rows[i] = runner.run(a + i, folder.record_file(a + i) if runner.plan.keep.record_every else None)
            failed += rows[i]["error_type"] is not None
        if again:
            folder.write(a, rows, runner.hash)
    return failed


def find_plan_folder(plan: Plan) -> pathlib.Path:
    """Beside the plan: ball.toml has ball.sweep."""
    return pathlib.Path(plan.source).with_suffix(".sweep") if plan.source else plan.folder / "sweep"
