"""tools/make_verify_table.py: what it makes of the answers of `sinew verify`."""
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import make_verify_table as tool  # noqa: E402


def answer(*residuals):
    laws = [{"law": f"law {i}", "equation": "J11 51" if i == 0 else "", "residual": r,
             "holds": r is not None and r < 1e-10} for i, r in enumerate(residuals)]
    return json.dumps({"laws": laws})


def test_outcomes():
    held = tool.read_outcome("g", "f", 0, answer(1e-14, 3e-13), "")
    assert (held.laws, held.failed, held.residual, held.law) == (2, 0, 3e-13, "law 1")
    failed = tool.read_outcome("g", "f", 5, answer(None, 1e-13), "")
    assert failed.failed == 1 and failed.residual == float("inf") and failed.law == "law 0 [J11 51]"
    assert tool.read_outcome("g", "f", 2, "", "nothing moves in f").why_not == "nothing moves"
    assert tool.read_outcome("g", "f", 2, "", "the hinge of x meets no inertia").why_not == "hinge without inertia"
    assert tool.read_outcome("g", "f", 2, "", "error").why_not == "refused"
    assert tool.read_outcome("g", "f", -11, "", "").failed == 1  # a crash is no refusal


def test_table_counts_what_held_and_what_was_left_out():
    outcomes = [tool.Outcome("a", "x", 51, 0, 1e-13, "P = P"), tool.Outcome("a", "y", 51, 2, 1e-3, "bad"),
                tool.Outcome("b", "z", why_not="refused")]
    rows = tool.to_table(outcomes).splitlines()
    assert rows[2] == "| a | 2 | 1 | 1.0e-03 | `bad` | - |"
    assert rows[3] == "| b | 0 | 0 | - | - | 1 refused |"
    assert rows[4].startswith("| all | 2 | 1 |")


def test_marks_keep_the_rest_of_the_page():
    page = f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n"
    assert tool.put_between_marks(page, "new\n") == f"before\n{tool.BEGIN}\nnew\n{tool.END}\nafter\n"
    with pytest.raises(SystemExit):
        tool.put_between_marks("no marks", "new\n")
