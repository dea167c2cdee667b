"""Each checker of tools/ finds the fault it is there for, and nothing in a tree without faults."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_build_times  # noqa: E402
import check_contracts  # noqa: E402
import check_equations  # noqa: E402
import check_layers  # noqa: E402
import check_public_calls  # noqa: E402
import check_links  # noqa: E402
import make_diagnostics  # noqa: E402
import stamps  # noqa: E402


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


# --- layers ---------------------------------------------------------------------------------------------------------

GOOD_HEADERS = {
    "include/sinew/base/a.hpp": "#pragma once\n#include <vector>\n",
    "include/sinew/tree/b.hpp": '#pragma once\n#include "sinew/base/a.hpp"\n',
    "include/sinew/eigen.hpp": '#pragma once\n#include <Eigen/Core>\n#include "sinew/tree/b.hpp"\n',
    "src/linear/d.cpp": '#include <Eigen/Dense>\n#include "sinew/base/a.hpp"\n',
    "src/tree/b.cpp": '#include "sinew/tree/b.hpp"\n#include "base/inner.hpp"\n#include "c.hpp"\n',
}


def test_layers_accept_a_tree_in_order(tmp_path):
    files, complaints = check_layers.check_tree(plant(tmp_path, GOOD_HEADERS))
    assert len(files) == 5 and complaints == []


@pytest.mark.parametrize("name, text, fault", [
    ("include/sinew/base/x.hpp", '#pragma once\n#include "sinew/tree/b.hpp"', "may not include from tree/"),
    ("src/base/x.cpp", '#include "sinew/tree/b.hpp"', "may not include from tree/"),
    ("src/base/x.cpp", '#include "tree/inner.hpp"', "may not include from tree/"),
    ("include/sinew/tree/x.hpp", "#pragma once\n#include <Eigen/Core>", "keep it in src/"),
    ("include/sinew/tree/x.hpp", "#pragma once\n#  include <iostream>", "keep it in src/"),
    ("include/sinew/tree/x.hpp", "#pragma once\n#include <tinyxml2.h>", "only the standard library"),
    ("include/sinew/base/x.hpp", "#pragma once\n#include <functional>", "too heavy"),
    ("include/sinew/tree/x.hpp", '#pragma once\n#include "tree/inner.hpp"', "nothing of src/"),
    ("include/sinew/tree/x.hpp", '#pragma once\n#include "sinew/tree/gone.hpp"', "does not exist"),
    ("include/sinew/tree/x.hpp", '#pragma once\n#include "sinew/eigen.hpp"', "gathers folders"),
    ("include/sinew/tree/x.hpp", '#include "sinew/base/a.hpp"', "#pragma once"),
    ("include/sinew/misc/x.hpp", "#pragma once\n", "not in the order"),
    ("src/tree/x.cpp", "#include <Eigen/Dense>", "only src/linear/ may include it"),
    ("src/linear/x.cpp", '#include "sinew/tree/b.hpp"', "may not include from tree/"),
    ("src/tree/x.cpp", '#include "../base/inner.hpp"', "not with .."),
])
def test_layers_name_the_fault(tmp_path, name, text, fault):
    _, complaints = check_layers.check_tree(plant(tmp_path, {**GOOD_HEADERS, name: text}))
    assert len(complaints) == 1 and fault in complaints[0] and complaints[0].startswith(name)


# --- equations ------------------------------------------------------------------------------------------------------

PAGE = """# F08
| equation | meaning | symbol | file:function | test |
|---|---|---|---|---|
| 7.36-7.43 | articulated inertia | IA | `tree/aba.hpp:aba_step2` | `tests/tree/aba_test.cpp:Aba.BookCase` |
| Tables A.3, A.4 | inertias | I | `include/sinew/tree/aba.hpp` | `tree/aba_test.cpp` |
"""
GOOD_EQUATIONS = {
    "docs/papers/F08.md": PAGE,
    "include/sinew/tree/aba.hpp": "void aba_step2();  // [F08 7.40]\n// [F08 7.36, Table A.4]\n",
    "tests/tree/aba_test.cpp": "TEST(Aba, BookCase) {}\n",
}


def equation_complaints(root):
    return [*check_equations.check_tags(root), *check_equations.check_pages(root)]


def test_equations_accept_a_map_that_holds(tmp_path):
    assert equation_complaints(plant(tmp_path, GOOD_EQUATIONS)) == []


@pytest.mark.parametrize("name, text, fault", [
    ("src/tree/aba.cpp", "// [F08 7.44]", "does not mention 7.44"),
    ("src/tree/aba.cpp", "// [F08 7.4]", "does not mention 7.4"),
    ("src/tree/aba.cpp", "// [F08 Table 7.40]", "does not mention table 7.40"),
    ("src/tree/aba.cpp", "// [F08 A.3]", "does not mention section A.3"),
    ("src/tree/aba.cpp", "// [F08 section 7.40]", "does not mention section 7.40"),
    ("src/tree/aba.cpp", "// [F09 7.40]", "no such document"),
    ("src/tree/aba.cpp", "// [J11 7.40]", "J11.md is missing"),
    ("src/tree/aba.cpp", "// [F08 somewhere]", "no number"),
    ("docs/papers/F08.md", PAGE.replace("aba_step2", "aba_step4"), "does not contain 'aba_step4'"),
    ("docs/papers/F08.md", PAGE.replace("`tree/aba.hpp:", "`tree/crba.hpp:"), "does not exist"),
    ("docs/papers/F08.md", PAGE.replace("Aba.BookCase", "Aba.Gone"), "does not contain 'Gone'"),
    ("docs/papers/F08.md", PAGE.replace("`tree/aba_test.cpp`", "none"), "no test"),
])
def test_equations_name_the_fault(tmp_path, name, text, fault):
    complaints = equation_complaints(plant(tmp_path, {**GOOD_EQUATIONS, name: text}))
    assert len(complaints) == 1 and fault in complaints[0]


def test_sections_are_not_equations(tmp_path):
    page = {**GOOD_EQUATIONS, "docs/papers/F08.md": PAGE + "\nDeviates: section 7.44 and A.5 are done otherwise.\n"}
    assert equation_complaints(plant(tmp_path / "a", {**page, "src/a.cpp": "// [F08 section 7.44], [F08 A.5]"})) == []
    complaints = equation_complaints(plant(tmp_path / "b", {**page, "src/a.cpp": "// [F08 7.44]"}))
    assert len(complaints) == 1 and "does not mention 7.44" in complaints[0]


@pytest.mark.parametrize("tag, numbers", [
    ("4.10-4.12", {("", "4.10"), ("", "4.11"), ("", "4.12")}),
    ("Algorithm 2, 14-15", {("alg", "2"), ("", "14"), ("", "15")}),
    ("2.8, Tables A.3, A.4", {("", "2.8"), ("table", "A.3"), ("table", "A.4")}),
    ("4.4, jcalc", {("", "4.4")}),
])
def test_tags_are_read(tag, numbers):
    assert check_equations.numbers_in(tag, bare=True) == numbers


# --- contracts ------------------------------------------------------------------------------------------------------

def test_contracts_find_headers_and_fields_that_say_nothing():
    assert not list(check_contracts.check_first_line("// sinew/a.hpp - what it is\n", "sinew/a.hpp"))
    assert list(check_contracts.check_first_line("// sinew/b.hpp - what it is\n", "sinew/a.hpp"))
    text = ("struct AWorkspace {\n  explicit AWorkspace(int n);\n  std::vector<T> a;  // (nodes) said\n  // said\n"
            "  int b = 0;\n  BWorkspace<T> by_its_type;\n  std::vector<T> c;\n  void resize();\n\n private:\n  int d;\n"
            "};\nstruct Other {\n  int e;\n};\n")
    assert [c.split(": ")[0] for c in check_contracts.check_fields(text, "a.hpp")] == ["a.hpp:7"]


# --- links ----------------------------------------------------------------------------------------------------------

def test_links_find_missing_files_and_headings(tmp_path):
    plant(tmp_path, {
        "docs/b.md": "# One `two`: three\n```\n# not a heading\n```\n",
        "a.md": "[ok](docs/b.md) [ok](docs/b.md#one-two-three) [ok](https://x.org/y) [ok](#top)\n# Top\n"
                "`[code](gone.md)`\n[bad](docs/c.md)\n[bad](docs/b.md#not-a-heading)\n[ref]: gone.md\n",
    })
    complaints = list(check_links.check_page(tmp_path / "a.md", tmp_path))
    assert [c.split(": ")[0] for c in complaints] == ["a.md:4", "a.md:5", "a.md:6"]


def test_paths_in_code_are_there(tmp_path):
    page = "`src/tree/aba.cpp` `src/**.cpp`\n`src/tree`\n`src/tree/abba.cpp`\n"
    plant(tmp_path, {"src/tree/aba.cpp": "", "a.md": page})
    assert list(check_links.check_paths(tmp_path / "a.md", tmp_path)) == ["a.md:3: `src/tree/abba.cpp`: no such file"]


# --- diagnostics ----------------------------------------------------------------------------------------------------

CODES = {
    "include/sinew/base/code.hpp": "enum class Code {\n  bad_xml = 104,\n  cycle = 306,\n};\n",
    "src/base/code.cpp": 'SINEW_CODE(cycle, W, "no | cycle"),\nSINEW_CODE(bad_xml, E,\n  "well-" "formed"),\n',
}


def test_diagnostics_page_lists_the_catalogue(tmp_path):
    catalogue = make_diagnostics.read_catalogue(plant(tmp_path, CODES))
    assert catalogue == [(104, "bad_xml", "error", "well-formed"), (306, "cycle", "warning", "no | cycle")]
    assert "| S306 | `cycle` | warning | no \\| cycle |" in make_diagnostics.make_page(catalogue)


def test_diagnostics_refuse_lists_that_differ(tmp_path):
    plant(tmp_path, {**CODES, "src/base/code.cpp": 'SINEW_CODE(cycle, W, "no cycle"),\n'})
    with pytest.raises(SystemExit, match="bad_xml"):
        make_diagnostics.read_catalogue(tmp_path)


# --- stamps and build times -----------------------------------------------------------------------------------------

def test_a_stamp_falls_with_anything_it_rests_on(tmp_path):
    source = tmp_path / "a.hpp"

    def is_good(key="k"):
        stamps.file_hash.cache_clear()  # as in a new run
        return stamps.Stamps(tmp_path / "stamps", "tool 1").is_good("a", key)

    source.write_text("1")
    assert not is_good()
    stamps.Stamps(tmp_path / "stamps", "tool 1").set_good("a", [source], "k")
    assert is_good() and not is_good("other command")
    assert not stamps.Stamps(tmp_path / "stamps", "tool 2").is_good("a", "k")
    source.write_text("2")
    assert not is_good()
    source.unlink()
    assert not is_good()


def test_dependency_files_are_read():
    assert stamps.read_depfile("a.o: b.cpp \\\n  c\\ d.hpp e.hpp\n") == ["b.cpp", "c d.hpp", "e.hpp"]


def test_build_times_take_the_last_compilation_of_what_is_there(tmp_path):
    plant(tmp_path, {"a.o": "", "b.o": "", "compile_seconds.txt":
                     "8.5 0.5 a.o\n2.25 0.25 a.o\n0.75 0.25 b.o\n99 0 gone.o\n"})
    assert check_build_times.read_seconds(tmp_path) == {"a.o": 2.5, "b.o": 1.0}


def test_the_time_of_a_compiler_is_noted(tmp_path):
    def compile_by(*words):
        tool = stamps.ROOT / "tools/time_compiler.sh"
        return subprocess.run([tool, *words], cwd=tmp_path, capture_output=True, text=True)

    run = compile_by("bash", "-c", "echo out; echo err >&2; exit 3", "-o", "x.o")
    assert (run.returncode, run.stdout, run.stderr) == (3, "out\n", "err\n")
    (tmp_path / "x.o").write_text("")
    times = check_build_times.read_seconds(tmp_path)
    assert list(times) == ["x.o"] and 0 <= times["x.o"] < 60


PUBLIC_CALLS = """
// void in_a_comment(In<double> q);
namespace sinew {
template <class T>
class Solver {
 public:
  explicit Solver(const Model&);
  explicit Solver(const Model&&) = delete;
  int size() const { return f(In<T>()); }
  void solve(In<T> q, std::vector<Force<double>>& out) const;
 private:
  void hidden(In<T> q);
};
struct Open {
  Place place(int node) const;
};
void free_call(const Model&, Out<double> x, double time = 0);
inline void with_body(In<double> x) { free_call({}, x); }
}
"""


def test_public_calls_are_found():
    found = {(owner, name) for owner, name, parameters in
             check_public_calls.find_calls(check_public_calls.strip(PUBLIC_CALLS))
             if check_public_calls.CHECKED.search(parameters)}
    assert found == {("Solver", "solve"), ("Open", "place"), ("", "free_call"), ("", "with_body")}
