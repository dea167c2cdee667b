#!/usr/bin/env python3
"""Fills the quotes in README.md and docs/: programs of examples/ and what commands print, so that neither can rot.

    tools/quote_examples.py build/release/sinew     writes both            (make docs)
    tools/quote_examples.py                         writes the programs only
    tools/quote_examples.py --check                 says where a program differs, and writes nothing   (make checks)

A page says where, and everything up to the end is made here:

    <!-- example: examples/hello.cpp -->        the file, or what stands between its lines `quote: begin`, `quote: end`
    <!-- command: sinew info robot.urdf -->     the command and its output; several in a row share one block
    <!-- end of quote -->

Commands run in the root of the repository. Their times differ from run to run, and what is rounding (below 1e-9) from
machine to machine: an output that differs in nothing else stays as it is on the page.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?P<head>(?:^<!-- (?:example|command): .*? -->\n)+)(?P<body>.*?)^<!-- end of quote -->$",
                   re.M | re.S)
HEAD = re.compile(r"^<!-- (example|command): (.*?) -->$", re.M)
BEGIN, END = re.compile(r"^\s*(?://|#) quote: begin$"), re.compile(r"^\s*(?://|#) quote: end$")
TIME = re.compile(r"\d[\d.e+-]*(?= (?:s|ms|us|times real time)\b)")
ROUNDING = re.compile(r"[-+]?\d[\d.]*e-[1-9]\d")
LANGUAGES = {".cpp": "cpp", ".py": "python", ".toml": "toml", ".xml": "xml", ".sh": "sh"}


def quote_file(path):
    """The text of an example, or its marked part."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    marks = [i for i, line in enumerate(lines) if BEGIN.match(line) or END.match(line)]
    if marks:
        if len(marks) != 2 or not BEGIN.match(lines[marks[0]]):
            raise ValueError(f"{path}: needs one line `quote: begin` and after it one `quote: end`, or neither")
        lines = lines[marks[0] + 1:marks[1]]
        while lines and lines[0] == "":
            del lines[0]
        # What the mark cuts off: braces that would close what was opened.
        if path.endswith(".cpp"):
            depth = sum(line.count("{") - line.count("}") for line in lines)
            lines += ["  " * (depth - 1 - i) + "}" for i in range(depth)]
    return f"```{LANGUAGES[pathlib.Path(path).suffix]}\n" + textwrap.dedent("\n".join(lines)) + "\n```\n"


def run_command(command, app):
    """The command and what it prints, as a terminal shows it."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "sinew").symlink_to(pathlib.Path(app).resolve())
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", COLUMNS="110"))
    return f"$ {command}\n{done.stdout}{done.stderr}"


def same(old, new):
    """Whether two outputs differ in nothing but times, rounding and the breaks of lines."""
    old, new = (ROUNDING.sub("0", TIME.sub("T", " ".join(text.split()))) for text in (old, new))
    return old == new


def fill(match, app):
    """The block as it should be."""
    heads = HEAD.findall(match["head"])
    kinds = {kind for kind, _ in heads}
    if kinds == {"example"}:
        body = "".join(quote_file(path) for _, path in heads)
    elif app is None:
        return match.group()
    else:
        body = "```\n" + "".join(run_command(command, app) for _, command in heads) + "```\n"
        if same(match["body"], body):
            return match.group()
    return f"{match['head']}{body}<!-- end of quote -->"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("app", nargs="?", help="the command sinew")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    pages = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    blocks, stale = 0, []
    for page in pages:
        old = page.read_text(encoding="utf-8")
        blocks += len(BLOCK.findall(old))
        new = BLOCK.sub(lambda match: fill(match, None if arguments.check else arguments.app), old)
        if new != old:
            stale.append(str(page.relative_to(ROOT)))
            if not arguments.check:
                page.write_text(new, encoding="utf-8")
    words = "differ; run tools/quote_examples.py" if arguments.check else "written"
    print(f"quote_examples: {blocks} quotes" + (f"; {', '.join(stale)} {words}" if stale else ""))
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
