"""sinew count --constraints and sinew reproduce s23: numbers, files, and what is said when the input is wrong."""

import json
import xml.etree.ElementTree

import pytest
from command import MODELS, needs_command, sinew

pytestmark = needs_command


def count(model, constraints):
    done = sinew("count", MODELS / model, "--constraints", constraints, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_humanoid_on_its_feet():
    out = count("humanoid.xml", "left_sole:weld,right_sole:weld")
    assert out["rows"] == 12
    totals = {name: c["total"] for name, c in out["algorithms"].items()}
    assert totals["pv"] == totals["pvr"] < totals["efpa"] < totals["ltl"] < totals["dense"]
    assert out["best"]["reason"].startswith(out["best"]["algorithm"] + ": ")


def test_masks_points_files_and_the_loops_of_the_model(tmp_path):
    assert count("humanoid.xml", "left_sole:point,right_sole:001110")["rows"] == 6
    assert count("four_bar.xml", "model")["rows"] == 6
    file = tmp_path / "set.json"
    file.write_text('[{"place": "left_sole", "hold": "weld"}, {"place": "right_palm", "hold": "point"}]')
    assert count("humanoid.xml", file)["rows"] == 9


@pytest.mark.parametrize(
    "constraints, words",
    [
        ("left_sol:weld", ["no frame or body 'left_sol'", "left_sole"]),
        ("left_sole:wel", ["'wel'", "weld, point", "left_sole:001110"]),
        ("left_sole", ["does not say how it is held", "left_sole:weld"]),
        ("nowhere.json", ["nowhere.json", "cannot be read"]),
    ],
)
def test_wrong_sets_are_refused(constraints, words):
    done = sinew("count", MODELS / "humanoid.xml", "--constraints", constraints)
    assert done.returncode == 2
    for word in words:
        assert word in done.stderr


def test_a_file_of_another_shape_is_refused(tmp_path):
    file = tmp_path / "set.json"
    for text in ["{", "{}", '[{"place": "left_sole"}]', "[3]"]:
        file.write_text(text)
        done = sinew("count", MODELS / "humanoid.xml", "--constraints", file)
        assert done.returncode == 2 and "expected a list" in done.stderr


def test_reproduce_s23(tmp_path):
    done = sinew("reproduce", "s23", "--json", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout)
    slope = {s["branches"]: s["slopes"] for s in out["stems"]}
    assert slope[1]["pv"] == slope[1]["pvr"]
    assert all(abs(slope[k]["pvr"] / slope[2]["pvr"] - 1) < 0.05 for k in (4, 7, 10))
    # linear: equal differences a branch; quadratic: slope over k^2 levels off
    efpa = [(slope[b]["efpa"] - slope[a]["efpa"]) / (b - a) for a, b in ((2, 4), (4, 7), (7, 10))]
    assert max(efpa) / min(efpa) < 1.1
    pv = [(slope[b]["pv"] - slope[a]["pv"]) / (b * b - a * a) for a, b in ((2, 4), (4, 7), (7, 10))]
    assert max(pv) / min(pv) < 1.4
    robots = {(r["name"], r["rows"]): r for r in out["robots"]}
    assert robots["humanoid", 12]["pv_over_pvr_percent"] == 0
    assert robots["humanoid with a hand", 15]["pvr_saves_percent"] > 25
    # Table I: n and d doubled on a chain, n alone, and m in the part of the operations that grows with d
    chain, legs, stem = (g["exponents"] for g in out["table_1"])
    expected = {"ltl": (3, 1, None), "kjr": (1, 1, 2), "efpa": (1, 1, 1), "pv": (1, 1, 2), "pvr": (1, 1, 0)}
    for name, exponents in expected.items():
        for measured, want in zip((chain, legs, stem), exponents):
            assert want is None or abs(measured[name] - want) < 0.3, (name, measured[name], want)
    assert chain["dense"] > 2.6 and 1 < stem["ltl"] < 2
    bars = {}
    for name, count in (("s23_atlas.svg", 2), ("s23_hands.svg", 4)):
        root = xml.etree.ElementTree.parse(tmp_path / name).getroot()
        rectangles = [float(r.get("height")) for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("fill") != "#fff"]
        assert len(rectangles) == 4 * count
        bars[name] = [rectangles[4 * i:4 * i + 4] for i in range(count)]
    for ltl, efpa, pv, pvr in bars["s23_atlas.svg"] + bars["s23_hands.svg"][1:]:
        assert ltl > efpa > pv >= pvr
    picture = xml.etree.ElementTree.parse(tmp_path / "s23_stems.svg").getroot()
    assert len(picture.findall("{http://www.w3.org/2000/svg}polyline")) == 15


def test_reproduce_says_what_it_knows(tmp_path):
    done = sinew("reproduce", "s99")
    assert done.returncode == 3 and "s23" in done.stderr
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = sinew("reproduce", "s23", "--out", blocked)
    assert done.returncode == 2 and "cannot write" in done.stderr
