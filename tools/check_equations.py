#!/usr/bin/env python3
"""Checks the map from the papers' equations to the code.

1. A tag in include/ or src/, such as [F08 7.43], [F08 Table 4.2] or [S23 Algorithm 2, 14-16], has the key of a known
   document, and docs/papers/<key>.md mentions each of its numbers (a range covers the numbers in it). Sections count
   apart from equations: [F08 8.9] is an equation, [F08 section 8.9] a section. Appendices have sections only: [F08 A.4].
2. A table row of docs/papers/*.md that names `file:function` names a file that is there and contains the name, and,
   if the table has a column "test", a test that is there. Paths count from the root, or from include/sinew, src,
   tests; a test may be given as `file:Suite.Name`.
"""

import pathlib
import re
import sys

KEYS = ["F08", "R92", "J11", "S23", "J14"]
TAG = re.compile(r"\[([A-Z]\d\d\w*)\s+([^\[\]\n]+)\]")
NUMBER = r"(?:[A-Z]|\d+)(?:\.\d+)*[a-z]?"
DOTTED = r"(?:[A-Z]|\d+)(?:\.\d+)+[a-z]?"
ITEM = re.compile(rf"(?:\b(Tables?|Algorithms?|Alg\.|Fig(?:ure)?s?\.?|Examples?|sections?|ch\.|eqs?\.?)\s*)?"
                  rf"\(?(?<![\w.])({NUMBER})\)?(?:\s*(?:-|–|to)\s*\(?({NUMBER})\)?(?!\w))?(?![\w])", re.IGNORECASE)
REFERENCE = re.compile(r"([\w./-]+\.(?:hpp|cpp|cuh?|h|py))(?::([A-Za-z_~][\w:.~]*))?")
ROOTS = ["", "include/sinew", "include", "src", "tests"]
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}


def expand(first, last):
    """7.12, 7.15 -> 7.12 7.13 7.14 7.15; other ranges -> their two ends."""
    if not last:
        return [first]
    head, _, low = first.rpartition(".")
    other, _, high = last.rpartition(".")
    if low.isdigit() and high.isdigit() and other in (head, "") and int(low) <= int(high):
        dot = head + "." if head else ""
        return [f"{dot}{n}" for n in range(int(low), int(high) + 1)]
    return [first, last]


def kind_of(word):
    """Kind of a number; tables, algorithms, figures, examples and sections count separately. Equations: ''."""
    word = (word or "").lower()
    return next((kind for kind in ("table", "alg", "fig", "example", "section") if word.startswith(kind)), "")


def numbers_in(text, bare):
    """{(kind, number)}; without `bare`, a number with no dot and no word before it does not count."""
    found, plural, end = set(), "", 0
    for match in ITEM.finditer(text):
        word, first, last = match.groups()
        kind = kind_of(word)
        # "Tables A.3, A.4": a plural covers the whole list
        if not word and re.fullmatch(r"[\s,]*(?:and\s*)?", text[end:match.start()]):
            kind = plural
        elif word:
            plural = kind if word.rstrip(".").endswith("s") else ""
        else:
            plural = ""
        end = match.end()
        if not kind and re.match(r"[A-Z]\.", first):  # no equation has such a number
            kind = "section"
        if word or bare or re.fullmatch(DOTTED, first):
            found |= {(kind, number) for number in expand(first, last)}
    return found


def numbers_mentioned(page):
    """What docs/papers/<key>.md covers: dotted numbers anywhere, others in first columns or after eq, Table, ..."""
    found = set()
    for line in page.splitlines():
        cells = line.split("|")
        found |= numbers_in(line, bare=False)
        if line.startswith("|") and len(cells) > 2:
            found |= numbers_in(cells[1], bare=True)
    return found


def check_tags(root):
    mentioned, count = {}, 0
    for file in sorted(f for top in ("include", "src") for f in (root / top).rglob("*") if f.suffix in SUFFIXES):
        for line, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for key, items in TAG.findall(text):
                count += 1
                where = f"{file.relative_to(root)}:{line}: [{key} {items}]"
                page = root / "docs/papers" / f"{key}.md"
                if key not in KEYS:
                    yield f"{where}: no such document; there are {' '.join(KEYS)}"
                    continue
                if key not in mentioned:
                    mentioned[key] = numbers_mentioned(page.read_text(encoding="utf-8")) if page.is_file() else None
                if mentioned[key] is None:
                    yield f"{where}: docs/papers/{key}.md is missing"
                    continue
                wanted = numbers_in(items, bare=True)
                if not wanted:
                    yield f"{where}: the tag has no number of an equation, table or section"
                for kind, number in sorted(wanted - mentioned[key]):
                    yield f"{where}: docs/papers/{key}.md does not mention {kind} {number}".replace("  ", " ")
    if not count:
        yield "check_equations: no tag found at all"


def resolve(root, name):
    return next((root / top / name for top in ROOTS if (root / top / name).is_file()), None)


def check_row(root, row, needs_test):
    references = REFERENCE.findall(row)
    tests = [name for name, _ in references if re.search(r"(_test\.cpp|(^|/)test_\w+\.py)$", name)]
    for name, identifier in references:
        path = resolve(root, name)
        if path is None:
            yield f"{name} does not exist"
            continue
        text = path.read_text(encoding="utf-8")
        parts = [part for part in re.split(r"[:.]+", identifier) if part]
        for part in parts if name in tests else parts[-1:]:
            if not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text):
                yield f"{name} does not contain '{part}'"
    if needs_test and len(references) > len(tests) and not tests:
        yield "names code but no test"


def check_pages(root):
    for page in sorted((root / "docs/papers").glob("*.md")):
        header = None
        for line, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if not text.startswith("|"):
                header = None
                continue
            if header is None:
                header = [cell.strip().lower() for cell in text.strip("|").split("|")]
                continue
            for complaint in check_row(root, text, any(cell.startswith("test") for cell in header)):
                yield f"{page.relative_to(root)}:{line}: {complaint}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    complaints = [*check_tags(root), *check_pages(root)]
    print("\n".join(complaints + [f"check_equations: {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
