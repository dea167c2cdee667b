"""Records as tables and plots.

    record = sinew.read_record("run.h5")        # or run.csv
    record["frames/q"]                          # arrays, without pandas
    record.frames                               # DataFrames by time: frames, poses, energy, momentum, work, ...
    record.plot("energy", "q.knee")             # a matplotlib Figure
    record.report("run.html")                   # replay, plots, events and certificate as one page

Columns have the names of CSV records (docs/records.md), whatever the file is.
"""
from __future__ import annotations

import csv
import fnmatch
import html
import importlib
import json
import os
import pathlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._core import RecordReader, Report, make_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Numbers = NDArray[np.float64]

_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_SIX = ("ang.x", "ang.y", "ang.z", "lin.x", "lin.y", "lin.z")
_SHOWN = 4_000_000  # bytes of a report that a notebook shows; beyond: the summary alone
_READ = 500_000_000  # bytes of a record that are read for that
_UNITS = {"frames": "rad, m; rad/s, m/s", "poses": "m; unit quaternion", "energy": "J", "momentum": "N m s; N s",
          "work": "J since the row before", "certificates": "", "actuators": "control; N m, N", "sensors": ""}


def _need(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise ImportError(f"{what} needs {module.partition('.')[0]}: pip install 'sinew[records]'") from e


def read_record(file: str | os.PathLike[str]) -> Record:
    """A run on disk: .csv, or else HDF5; also one that is being written, or whose writer was killed.

    ValueError where it is not a record.
    """
    path = pathlib.Path(file)
    return _read_csv(path) if path.suffix == ".csv" else _Hdf5Record(path)


class Record:
    """A run on disk: arrays by name, tables, plots."""

    def __init__(self, file: pathlib.Path, model: str, columns: dict[str, list[str]], facts: dict[str, str]) -> None:
        self.file = file
        self.model = model  # its name
        self._columns = columns  # names by table
        self._facts = facts

    def __fspath__(self) -> str:
        """The file: a record can stand where a path is wanted, as in make_report([before, after])."""
        return str(self.file)

    @property
    def time(self) -> Numbers:
        """[s], one per row."""
        return self["frames/time"]

    def __len__(self) -> int:
        """Rows."""
        return len(self.time)

    def __getitem__(self, dataset: str) -> Numbers:
        """Rows of a dataset of numbers, "frames/q", ...; KeyError with the names that there are."""
        raise NotImplementedError

    @property
    def datasets(self) -> list[str]:
        raise NotImplementedError

    def columns(self, table: str) -> list[str]:
        """Names of the columns of a table."""
        if table not in self._columns:
            raise KeyError(f"{self.file} has no table '{table}'; it has {', '.join(self._columns)}")
        return self._columns[table]

    def values(self, table: str) -> Numbers:
        """The numbers of a table: (rows, columns)."""
        raise NotImplementedError

    def table(self, name: str) -> DataFrame:
        """A DataFrame by time: one of the tables of this record. Needs pandas."""
        pandas = _need("pandas", "a table")
        columns = self.columns(name)
        frame: DataFrame = pandas.DataFrame(self.values(name), columns=columns,
                                            index=pandas.Index(self.time, name="time"))
        return frame

    @property
    def frames(self) -> DataFrame:
        """Step, q and v, modes, activations."""
        return self.table("frames")

    @property
    def poses(self) -> DataFrame:
        """Of each body's frame in the world."""
        return self.table("poses")

    @property
    def energy(self) -> DataFrame:
        """[J]"""
        return self.table("energy")

    @property
    def momentum(self) -> DataFrame:
        """About the world's origin."""
        return self.table("momentum")

    @property
    def work(self) -> DataFrame:
        """By its source, since the row before [J]."""
        return self.table("work")

    @property
    def certificates(self) -> DataFrame:
        """How well the contact problems were solved."""
        return self.table("certificates")

    @property
    def actuators(self) -> DataFrame:
        """Controls and forces of the last step before each row."""
        return self.table("actuators")

    @property
    def sensors(self) -> DataFrame:
        return self.table("sensors")

    @property
    def contacts(self) -> DataFrame:
        """One row per contact: time, bodies, point, force, ... (HDF5 only)."""
        return self.table("contacts")

    def _find(self, pattern: str) -> tuple[str, list[int]]:
        """The table and the columns that a name or pattern stands for."""
        if pattern in self._columns and pattern != "contacts":
            names = self._columns[pattern]
            return pattern, [i for i, n in enumerate(names) if n != "frames/step"]
        for table, names in self._columns.items():
            hits = [i for i, n in enumerate(names) if n == pattern]
            hits = hits or [i for i, n in enumerate(names) if fnmatch.fnmatchcase(n, pattern)]
            if hits and table != "contacts":
                return table, hits
        every = [n for t, names in self._columns.items() if t != "contacts" for n in names]
        raise KeyError(f"plot: '{pattern}' is no table and no column of {self.file}; "
                       f"there are {', '.join(every[:12])}{', ...' if len(every) > 12 else ''}")

    def plot(self, *names: str) -> Figure:
        """Over time, one chart per name: a table, a column ("q.knee"), or a pattern ("q.*"). Needs matplotlib.

        Without names: energy, and penetration.
        """
        found = [(n, *self._find(n)) for n in names or ("energy", "certificates/penetration")]
        made = _need("matplotlib.figure", "a plot").Figure(figsize=(8, 1 + 2.4 * len(found)), layout="constrained")
        charts = made.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0]
        time = self.time
        for chart, (name, table, hits) in zip(charts, found):
            values, columns = self.values(table), self.columns(table)
            for i in hits:
                chart.plot(time, values[:, i], label=columns[i])
            chart.set_ylabel(_UNITS[table])
            chart.set_title(name, loc="left", fontsize="medium")
            if len(hits) <= 12:
                chart.legend(fontsize="small", loc="best")
        charts[-1].set_xlabel("time [s]")
        made.suptitle(f"{self.model} ({self.file.name})")
        figure: Figure = made
        return figure

    def report(self, path: str | os.PathLike[str] | None = None, *, rows_per_second: float = 200.0,
               most_rows: int = 20000, overwrite: bool = False) -> Report:
        """The run as one HTML page that opens offline (docs/report.md): its `html`, written to path where that is given.

        HDF5 only: ValueError for others. The options are those of make_report, which also takes several records.
        """
        return make_report(self, path, rows_per_second=rows_per_second, most_rows=most_rows, overwrite=overwrite)

    def summary(self) -> dict[str, str]:
        """What it is, in a few texts."""
        out = {"file": str(self.file), "model": self.model, "rows": str(len(self))}
        if len(self):
            out["time"] = f"{self.time[0]:.6g} .. {self.time[-1]:.6g} s"
            energy = self.values("energy").sum(axis=1)
            out["energy"] = f"{energy[0]:.6g} .. {energy[-1]:.6g} J"
            certificates = dict(zip(self.columns("certificates"), self.values("certificates").T))
            out["contacts at once"] = f"{certificates['certificates/contacts'].max():.0f} at most"
            out["unsolved problems"] = f"{certificates['certificates/unsolved'].sum():.0f}"
            out["worst residual"] = f"{certificates['certificates/residual'].max():.3g}"
            out["deepest penetration"] = f"{certificates['certificates/penetration'].max():.3g} m"
        return out | self._facts

    def __repr__(self) -> str:
        end = f", up to {self.time[-1]:.6g} s" if len(self) else ""
        return f"<Record of '{self.model}': {len(self)} rows{end}, {self.file}>"

    def _report_html(self) -> tuple[str, str]:
        """The report in a frame of its own; or nothing, and why."""
        return "", "only HDF5 records have a report"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(k)}</td><td>{html.escape(v)}</td></tr>"
                       for k, v in self.summary().items())
        tables = "".join(f"<tr><td>{t}</td><td>{len(names)} columns: {html.escape(', '.join(names[:8]))}"
                         f"{', ...' if len(names) > 8 else ''}</td></tr>" for t, names in self._columns.items())
        summary = f"<b>Record of '{html.escape(self.model)}'</b><table>{rows}{tables}</table>"
        frame, why = self._report_html()
        if frame:
            return f"{frame}<details><summary>Summary</summary>{summary}</details>"
        return f"{summary}<p>No report here: {html.escape(why)}</p>"


class _Hdf5Record(Record):
    def __init__(self, path: pathlib.Path) -> None:
        self.reader = r = RecordReader(path)
        self._all = r.datasets
        q, v = self._labels("q"), self._labels("v")
        more = [f"{n.partition('/')[2]}[{i}]" for n in self._more() for i in range(r.read(n, 0, 0).shape[1])]
        modes = r.names("meta/modes")
        columns = {
            "frames": ["frames/step", *q, *v, *modes, *(f"rate of {m}" for m in modes), *more],
            "poses": [f"{b}.{p}" for b in r.body_names for p in _POSE],
            "energy": self._of("energy"),
            "momentum": [f"{n}.{p}" for n in self._of("momentum") for p in _SIX],
            "work": self._of("work"), "certificates": self._of("certificates"),
            "contacts": ["time", "pair", "body_a", "body_b", "gap", *(f"{n}.{a}" for n in ("point", "normal", "force")
                                                                    for a in "xyz")]}
        if "actuators/control" in self._all:
            columns["actuators"] = [f"{k}.{a}" for k in ("control", "force") for a in r.names("actuators/names")]
        if "sensors/values" in self._all:
            columns["sensors"] = [f"sensor.{s}" for s in r.names("sensors/names")]
        facts = {"step": f"{json.loads(r.text('meta/options'))['dt']} s", "contacts": str(r.contacts),
                 "snapshots": str(r.snapshots),
                 "bodies": str(len(r.body_names) - 1), "joints": str(len(r.names("meta/joints"))),
                 "written by": f"sinew {r.attribute('sinew_version')}", "finished": "yes" if r.closed else
                 "no: its writer is at work, or died"}
        super().__init__(path, r.attribute("model_name"), columns, facts)

    def _report_html(self) -> tuple[str, str]:
        large = "it would be large; record.report('run.html') writes it"
        if self.file.stat().st_size > _READ:
            return "", large
        try:
            page = self.report().html
        except ValueError as e:  # an empty record, or one of an old version
            return "", str(e)
        if len(page) > _SHOWN:
            return "", large
        # Scripts run, but cannot reach the notebook.
        return (f'<iframe sandbox="allow-scripts" style="width: 100%; height: 600px; border: 0" '
                f'srcdoc="{html.escape(page)}"></iframe>', "")

    def _labels(self, letter: str) -> list[str]:
        if f"frames/{letter}" not in self._all:
            return []
        n = self.reader.read(f"frames/{letter}", 0, 0).shape[1]
        return self.reader.names(f"meta/{letter}") or [f"{letter}[{i}]" for i in range(n)]  # old records have no names

    def _of(self, group: str) -> list[str]:
        return [n for n in self._all if n.startswith(group + "/")]

    def _more(self) -> list[str]:
        return [n for n in ("frames/activation",) if n in self._all]

    @property
    def datasets(self) -> list[str]:
        return self._all

    def __len__(self) -> int:
        return self.reader.rows

    def __getitem__(self, dataset: str) -> Numbers:
        if dataset not in self._all:
            raise KeyError(f"{self.file} has no dataset '{dataset}'; it has {', '.join(self._all)}")
        return self.reader.read(dataset)

    def values(self, table: str) -> Numbers:
        n = len(self)
        if table == "contacts":
            raise KeyError("contacts hold names too: use record.contacts")
        if table == "poses":
            return self["bodies/poses"].reshape(n, -1)
        if table == "frames":
            parts = [f"frames/{k}" for k in ("step", "q", "v", "modes", "mode_rates")]
            parts = [p for p in parts if p in self._all] + self._more()
        elif table == "actuators":
            parts = ["actuators/control", "actuators/force"]
        elif table == "sensors":
            parts = ["sensors/values"]
        else:
            self.columns(table)
            parts = self._of(table)
        return np.concatenate([self[p].reshape(n, -1) for p in parts], axis=1)

    def table(self, name: str) -> DataFrame:
        if name != "contacts":
            return super().table(name)
        pandas = _need("pandas", "a table")
        r, bodies, pairs = self.reader, np.array(self.reader.body_names), np.array(self.reader.names("contacts/pairs"))
        row = np.repeat(np.arange(len(self)), self["contacts/count"].astype(int))
        columns: dict[str, Any] = {"time": self.time[row], "pair": pairs[self["contacts/pair"].astype(int)]
                                   if len(pairs) else [], "gap": self["contacts/gap"]}
        for body in ("body_a", "body_b"):
            columns[body] = bodies[r.read(f"contacts/{body}").astype(int)]
        for vector in ("point", "normal", "force"):
            values = self[f"contacts/{vector}"]
            columns |= {f"{vector}.{a}": values[:, i] for i, a in enumerate("xyz")}
        frame: DataFrame = pandas.DataFrame(columns)[self.columns("contacts")]
        return frame


class _CsvRecord(Record):
    def __init__(self, path: pathlib.Path, columns: dict[str, list[str]], places: dict[str, int],
                 numbers: Numbers) -> None:
        super().__init__(path, path.stem, columns, {})
        self._places, self._numbers = places, numbers

    @property
    def datasets(self) -> list[str]:
        return [n for n in self._places if "/" in n]

    def __getitem__(self, dataset: str) -> Numbers:
        if dataset in self._places:
            return self._numbers[:, self._places[dataset]]
        letter = dataset.removeprefix("frames/")
        starts = (f"{letter}.", f"{letter}[")
        some = [i for n, i in self._places.items() if letter in ("q", "v") and n.startswith(starts)]
        if not some:
            raise KeyError(f"{self.file} has no column '{dataset}'; it has {', '.join(self._places)}")
        return self._numbers[:, some]

    def values(self, table: str) -> Numbers:
        return self._numbers[:, [self._places[n] for n in self.columns(table)]]


def _read_csv(path: pathlib.Path) -> Record:
    with open(path, newline="") as stream:
        rows = csv.reader(stream)
        nothing: list[str] = []
        header = next(rows, nothing)
        if header[:2] != ["frames/time", "frames/step"] or "energy/kinetic" not in header:
            raise ValueError(f"{path} cannot be read as a record: its first line is not that of one")
        # A line that its writer did not end is left out.
        lines = [row for row in rows if len(row) == len(header)]
    try:
        numbers: Numbers = np.array(lines, dtype=np.float64).reshape(len(lines), len(header))
    except ValueError as e:
        raise ValueError(f"{path} cannot be read as a record: {e}") from e
    # Poses stand before the energies, seven columns a body.
    end = begin = header.index("energy/kinetic")
    while begin >= 9 and tuple(n.rpartition(".")[2] for n in header[begin - 7:begin]) == _POSE:
        begin -= 7
    columns = {"frames": header[1:begin], "poses": header[begin:end]}
    for table in ("energy", "momentum", "work", "certificates"):
        columns[table] = [n for n in header[end:] if n.startswith(table + "/")]
    for table, starts in (("actuators", ("control.", "force.")), ("sensors", ("sensor.",))):
        if found := [n for n in header[end:] if n.startswith(starts)]:
            columns[table] = found
    return _CsvRecord(path, columns, {n: i for i, n in enumerate(header)}, numbers)
