"""Remembers which files passed a check, with everything that the result depends on.

A stamp holds a key (command, tool version, settings) and a hash of each file that was read. It is valid only while
all of them are unchanged; a file can include another one only after a change in a file that it already includes.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent


@functools.lru_cache(maxsize=None)
def file_hash(path):
    """SHA-256 of a file's bytes; None if it cannot be read. Read once per run."""
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


def read_depfile(text):
    """The files named by a make rule as compilers write it with -M or -MMD."""
    text = text.replace("\\\n", " ").partition(":")[2]
    return [name.replace("\\ ", " ") for name in re.findall(r"(?:\\ |\S)+", text)]


class Stamps:
    def __init__(self, folder, key):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.key = key

    def _path(self, name):
        return self.folder / (hashlib.sha256(str(name).encode()).hexdigest()[:24] + ".json")

    def is_good(self, name, key=""):
        try:
            stamp = json.loads(self._path(name).read_text())
        except (OSError, ValueError):
            return False
        if stamp["key"] != [self.key, key]:
            return False
        return all(file_hash(path) == digest for path, digest in stamp["files"].items())

    def set_good(self, name, files, key=""):
        files = {os.path.abspath(path): file_hash(path) for path in files}
        self._path(name).write_text(json.dumps({"key": [self.key, key], "files": files}))


def run_all(check, items, jobs=None):
    """check(item) -> text of complaints, over a few threads; prints them as they come, returns how many complained."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(jobs or min(4, os.cpu_count() or 1)) as pool:
        for future in concurrent.futures.as_completed([pool.submit(check, item) for item in items]):
            complaints = future.result()
            if complaints:
                failures += 1
                print(complaints.rstrip(), flush=True)
    return failures
