"""The tools behind the pages: quotes of examples, comments for Doxygen, numbers from tables."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import doxygen_filter  # noqa: E402
import make_api  # noqa: E402
import make_compare  # noqa: E402
import make_python_api  # noqa: E402
import quote_examples  # noqa: E402


def test_a_quote_is_the_marked_part_with_its_braces_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(quote_examples, "ROOT", tmp_path)
    (tmp_path / "a.cpp").write_text("// a.cpp - a program\n// quote: begin\nint main() {\n  run();\n"
                                    "  // quote: end\n  return 1;\n}\n")
    assert quote_examples.quote_file("a.cpp") == "```cpp\nint main() {\n  run();\n}\n```\n"
    (tmp_path / "a.py").write_text("import a\n# quote: begin\na.run()\n")
    with pytest.raises(ValueError, match="a.py: needs one line"):
        quote_examples.quote_file("a.py")
    (tmp_path / "a.py").write_text("import a\n")
    page = "text\n<!-- example: a.py -->\nold\n<!-- end of quote -->\nmore\n"
    new = quote_examples.BLOCK.sub(lambda m: quote_examples.fill(m, None), page)
    assert new == "text\n<!-- example: a.py -->\n```python\nimport a\n```\n<!-- end of quote -->\nmore\n"


@pytest.mark.parametrize("old, new, same", [
    ("2 s simulated in 0.1 s, 20 times real time", "2 s simulated in 0.3 s, 6.7 times real time", True),
    ("time 9.1 us per\n   step", "time 11 us per step", True),
    ("residual 3.7e-11, motion -1.5e-12 J", "residual 1.0e-10, motion +2e-13 J", True),
    ("energy 4.9 J", "energy 4.8 J", False),
    ("residual 3.7e-5", "residual 3.8e-5", False),
])
def test_outputs_that_differ_in_times_and_rounding_are_the_same(old, new, same):
    assert quote_examples.same(old, new) == same


HEADER = """// sinew/x/y.hpp - a header
#pragma once
namespace sinew {
// What it holds.
struct Held {
  int a = 0;  // the first
              // of two
  int b = 1;
  void go() const {  // how
    // inside
  }
};

// Not attached to anything.

template <class T>
void f(T x);
}  // namespace sinew
"""


def test_doxygen_sees_comments_where_a_reader_does():
    out = doxygen_filter.convert(HEADER)
    assert out.count("\n") == HEADER.count("\n")  # lines keep their numbers
    assert "/** \\verbatim What it holds. \\endverbatim */\nstruct Held {" in out
    assert "int a = 0; /**< \\verbatim the first\nof two \\endverbatim */" in out
    assert "inside" not in out and "Not attached" not in out


def test_measured_pages_say_when(tmp_path, monkeypatch):
    monkeypatch.setattr(make_compare, "DOCS", tmp_path)
    (tmp_path / "a.md").write_text("Measured on 2026-11-17.\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nend\n")
    page = make_compare.Page("a.md")
    assert page.date() == "2026-11-17" and page.table("| x") == [["x", "y"], ["1", "2"]]
    (tmp_path / "b.md").write_text("| x |\n")
    with pytest.raises(SystemExit, match="does not say when"):
        make_compare.Page("b.md").date()
    with pytest.raises(SystemExit, match="has no table"):
        make_compare.Page("b.md").table("| z")


def test_python_interface_from_stubs():
    text = '"""About."""\nclass A:\n    """A thing."""\n    def go(self, x: int = 0) -> None:\n        """Goes."""\n' \
           '    def _hidden(self) -> None: ...\ndef f(a: float) -> int:\n    """Counts."""\n'
    page = make_python_api.write_module("m", text)
    assert "## `A`" in page and "go(x: int=0)" in page and "Goes." in page and "_hidden" not in page
    assert "f(a: float) -> int" in page and "Counts." in page


def test_comments_become_text():
    assert make_api.prose("J^T f <- *p*\n  M a = f\nend") == "J^T f &lt;- \\*p\\*\n\n```text\n  M a = f\n```\n\nend"
    assert make_api.inline("(nodes) of a node     by both") == "(nodes) of a node; by both"


@pytest.mark.parametrize("program", sorted((ROOT / "examples").glob("**/*.[cp][py]*")), ids=lambda p: p.name)
def test_examples_are_short_and_say_what_they_are(program):
    lines = program.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80 and all(len(line) <= 120 for line in lines)
    assert lines[0].startswith((f"// examples/{program.name} - ", '"""'))
    assert program.name in (ROOT / "docs" / "howto.md").read_text(encoding="utf-8")
