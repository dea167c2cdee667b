"""Rows and tables: hashes of rows, Parquet files that appear whole or not at all, and their union."""
from __future__ import annotations

import hashlib
import os
import pathlib
import struct
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow

Cell = int | float | bool | str | tuple[float, ...] | None
Row = dict[str, Any]
# Not part of the hash: they may differ from run to run, or say where something happened.
OUTSIDE = ("wall_time", "error", "hash")
FORMAT = "sinew.sweep/1"


def import_arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as e:
        raise ImportError("sweeps write Parquet files with pyarrow, which is not installed: "
                          "pip install 'sinew[sweep]', or pip install pyarrow") from e
    return pyarrow


def to_cell(name: str, x: object) -> Cell:
    """A value of a user's function: number, truth value, text, list of numbers, or None."""
    if x is None or isinstance(x, (str, bool)):
        return x
    if isinstance(x, np.bool_):
        return bool(x)
    if isinstance(x, (int, float, np.integer, np.floating)):
        if isinstance(x, (int, np.integer)) and abs(int(x)) > 2**53:
            raise ValueError(f"'{name}' = {x} is too large to be kept as a real number")
        return float(x)
    if isinstance(x, (list, tuple, np.ndarray)) and np.ndim(x) == 1:
        return tuple(float(y) for y in x)
    raise TypeError(f"'{name}' is a {type(x).__name__}; rows keep numbers, texts and lists of numbers")


# --- hashes -----------------------------------------------------------------------------------------------------------
def _bits(x: float) -> bytes:
    return struct.pack("<d", x) if x == x else b"nan     "


def row_hash(row: Mapping[str, Any]) -> str:
    """sha256 of names and values in the order of the names, with every bit of the numbers; missing values are none."""
    h = hashlib.sha256()
    for name in sorted(row):
        x = row[name]
        if x is None or name in OUTSIDE:
            continue
        if isinstance(x, bool):
            kind, data = b"b", bytes([x])
        elif isinstance(x, int):
            kind, data = b"i", str(x).encode()
        elif isinstance(x, float):
            kind, data = b"d", _bits(x)
        elif isinstance(x, str):
            kind, data = b"s", x.encode()
        else:
            kind, data = b"l", b"".join(map(_bits, x))
        head = name.encode()
        h.update(struct.pack("<q", len(head)) + head + kind + struct.pack("<q", len(data)) + data)
    return h.hexdigest()


def union_hash(hashes: Iterable[tuple[int, str]]) -> str:
    """Of all rows, in the order of the samples."""
    h = hashlib.sha256()
    for k, text in sorted(hashes):
        h.update(f"{k} {text}\n".encode())
    return h.hexdigest()


# --- tables -----------------------------------------------------------------------------------------------------------
_SUFFIX = {str: " (text)", bool: " (truth)", tuple: " (list)"}


def to_table(rows: Sequence[Row]) -> pyarrow.Table:
    """A column per name. Where values of one name differ in type, each type but numbers gets its own column."""
    pa = import_arrow()
    types = {float: pa.float64(), int: pa.int64(), bool: pa.bool_(), str: pa.string(), tuple: pa.list_(pa.float64())}
    names: dict[str, set[type]] = {}
    for row in rows:
        for name, x in row.items():
            names.setdefault(name, set())
            if x is not None:
                names[name].add(type(x))
    columns: dict[str, Any] = {}
    for name, kinds in names.items():
        if not kinds:
            columns[name] = pa.nulls(len(rows))
        for kind in sorted(kinds, key=lambda t: t.__name__):
            label = name if len(kinds) == 1 else name + _SUFFIX.get(kind, "")
            values = [x if type(x := row.get(name)) is kind else None for row in rows]
            columns[label] = pa.array(values, types[kind])
    return pa.table(columns)


def to_rows(table: pyarrow.Table) -> list[Row]:
    """The rows again, without what is missing, but for the errors."""
    rows: list[Row] = [{} for _ in range(table.num_rows)]
    for label in table.column_names:
        name = label
        for suffix in _SUFFIX.values():
            name = name.removesuffix(suffix)
        for row, x in zip(rows, table.column(label).to_pylist()):
            if x is not None or label.startswith("error"):
                row[name] = tuple(x) if isinstance(x, list) else x
    return rows


def write_file(path: pathlib.Path, write: Any) -> None:
    """Calls write(temporary file) and puts it into place whole, on disk, replacing what was there."""
    temporary = path.with_name(f".tmp-{os.uname().nodename}-{os.getpid()}-{threading.get_ident()}-{path.name}")
    try:
        with open(temporary, "wb") as f:
            write(f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: pathlib.Path) -> None:
    """Names of files are on disk as well."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_rows(path: pathlib.Path, rows: Sequence[Row], about: Mapping[str, str]) -> None:
    """One Parquet file, with checksums of its pages and `about` in its head."""
    pa = import_arrow()
    table = to_table(rows).replace_schema_metadata({**about, "format": FORMAT})
    write_file(path, lambda f: pa.parquet.write_table(table, f, compression="zstd", write_page_checksum=True))


def read_rows(path: pathlib.Path) -> tuple[list[Row], dict[str, str]]:
    """Rows and what the head says. Any error of the file is an OSError or pyarrow's."""
    pa = import_arrow()
    with open(path, "rb") as f:
        table = pa.parquet.read_table(f, page_checksum_verification=True)
    about = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    return to_rows(table), about
