#!/usr/bin/env python3
"""Compares what each comparison in the tests allows with the largest error it sees.

    SINEW_TOLERANCES=FOLDER sinew_tests ...     writes notes there (tests/support/tolerance.hpp), as in `make test`
    tools/check_tolerances.py FOLDER            reads them

Each line that compares numbers is judged once, by the call that came closest to its bound, over all tests, types and
precisions. It may allow 100 times the error it sees; an error below one rounding counts as one rounding. A larger
bound fails unless the call gives a reason: slack(allowed, "why").
"""

import argparse
import collections
import math
import pathlib
import re
import sys

Note = collections.namedtuple("Note", "site test precision calls seen allowed rounding reason")


def slackness(note):
    """Allowed error over seen error; 0 where none is allowed."""
    return note.allowed / max(note.seen, note.rounding) if note.allowed > 0 else 0.0


def read(line):
    site, suite, name, kind, eps, calls, seen, allowed, rounding, reason = line.rstrip("\n").split("\t")
    site = site[site.rfind("tests/"):] if "tests/" in site else site
    # All values of a parameter are one test; each type is a test of its own.
    suite = re.sub(r"/\d+$", f"<{kind}>", suite) if kind else suite.split("/")[-1]
    test = f"{suite}.{name.split('/')[0]}"
    precision = {"2.22045e-16": "double", "1.19209e-07": "float"}.get(eps, eps)
    return Note(site, test, precision, int(calls), float(seen), float(allowed), float(rounding), reason)


def merge(notes):
    """One note per site: the closest call of all tests, all calls counted."""
    found = {}
    for note in notes:
        key = note.site
        calls = note.calls + (found[key].calls if key in found else 0)
        closest = min(found.get(key, note), note, key=lambda n: slackness(n) or math.inf)
        found[key] = closest._replace(calls=calls)
    return sorted(found.values(), key=lambda note: (-slackness(note), note.site))


def row(note):
    times = f"{slackness(note):9.3g}" if note.allowed > 0 else "    exact"
    return (f"{times}  {note.seen:9.2e}  {note.allowed:9.2e}  {note.calls:7d}  {note.site}  {note.test} "
            f"({note.precision})" + (f"  [{note.reason}]" if note.reason else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--limit", type=float, default=100, help="largest allowed over seen without a reason")
    parser.add_argument("--summary", action="store_true", help="only the last line, and no failure")
    parser.add_argument("--all", action="store_true", help="print every comparison, the slackest first")
    args = parser.parse_args()

    notes = merge(read(line) for file in sorted(args.folder.glob("*")) for line in file.read_text().splitlines())
    if not notes:
        sys.exit(f"check_tolerances: no notes in {args.folder}; run `make test` first")
    limit = args.limit * (1 + 1e-5)  # notes have six digits
    slack = [note for note in notes if slackness(note) > limit and not note.reason]
    reasons = sum(bool(note.reason) for note in notes)
    shown = notes if args.all else slack
    if shown and not args.summary:
        print("  allowed       seen    allowed    calls  where\n   / seen")
        print("\n".join(map(row, shown)))
    median = slackness(notes[len(notes) // 2])
    print(f"check_tolerances: {len(notes)} comparisons, {median:.1f} times allowed in the median, {reasons} with a reason, "
          f"{len(slack)} above {args.limit:g} times without one")
    if slack and not args.summary:
        sys.exit('Tighten these, or write the reason at the call: slack(allowed, "why").')


if __name__ == "__main__":
    main()
