#!/usr/bin/env python3
"""Checks that every relative link in a Markdown file leads to an existing file and heading, and that paths in code,
such as `src/tree/aba.cpp`, exist. Those of docs/papers are checked by check_equations.py."""

import pathlib
import re
import subprocess
import sys
import urllib.parse

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
PATH = re.compile(r"`((?:apps|bench|cmake|docs|include|models|src|tests|tools)/[\w./-]+)`")


def blank(match):
    """Replaces a match by white space and keeps the line numbers."""
    return re.sub(r"[^\n]", " ", match.group())


def anchors(path):
    """The link fragments of a page's headings, as GitHub makes them."""
    found, text = set(), FENCE.sub(blank, path.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", text, re.MULTILINE):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = base = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = 0
        while slug in found:
            count += 1
            slug = f"{base}-{count}"
        found.add(slug)
    return found | set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))


def check_page(page, root):
    text = CODE.sub(blank, FENCE.sub(blank, page.read_text(encoding="utf-8")))
    for match in LINK.finditer(text):
        link = match.group(1) or match.group(2)
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        where = f"{page.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
        path, _, fragment = urllib.parse.unquote(link).partition("#")
        target = (root / path.lstrip("/")) if path.startswith("/") else (page.parent / path) if path else page
        if not target.exists():
            yield f"{where}: {link}: no such file"
        elif fragment and target.suffix == ".md" and fragment not in anchors(target):
            yield f"{where}: {link}: no such heading"


def check_paths(page, root):
    """Checks paths from the root, in code."""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        for path in PATH.findall(line):
            if not (root / path).exists():
                yield f"{page.relative_to(root)}:{number}: `{path}`: no such file"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root, capture_output=True,
                             text=True, check=True).stdout
    pages = [page for page in (root / name for name in listing.splitlines()) if page.exists()]
    complaints = [text for page in pages for text in check_page(page, root)]
    complaints += [text for page in pages if page.parent.name != "papers" for text in check_paths(page, root)]
    print("\n".join(complaints + [f"check_links: {len(pages)} pages, {len(complaints)} broken links"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
