"""Sweeps: plans, and the values of samples."""
import math
import textwrap

import numpy as np
import pytest
from sweep_support import folder, plan_of  # noqa: F401
from sinew import sweep
from sinew.sweep import sampling


@pytest.mark.parametrize("changes, words", [
    ({"duratoin": 1}, "did you mean 'duration'"),
    ({"duration": -1}, "duration must be a number"),
    ({"samples": 0}, "samples must be a whole number from 1"),
    ({"scene": {}}, "one of file, mechanism, model"),
    ({"scene": {"file": "two.xml", "flor": True}}, "did you mean 'floor'"),
    ({"scene": {"file": "no.xml"}}, "no.xml"),
    ({"scene": {"mechanism": "humanoit"}}, "did you mean 'humanoid'"),
    ({"options": {"formulatoin": "os"}}, "did you mean 'formulation'"),
    ({"options": {"formulation": "so"}}, "there is no Formulation 'so'"),
    ({"options": {"relative": 1e-6}}, "does not go with integrator step"),
    ({"keep": {"values": ["totls"]}}, "did you mean 'totals'"),
    ({"keep": {"function": "sweep_functions:measur"}}, "did you mean 'measure'"),
    ({"keep": {"function": "no_such_module:f"}}, "no_such_module"),
    ({"parameters": {"frictoin": [1]}}, "did you mean 'friction'"),
    ({"parameters": {"bodie/ball/mass": [1]}}, "did you mean 'body'"),
    ({"parameters": {"body/bal/mass": [1]}}, "did you mean 'ball'"),
    ({"parameters": {"body/ball/mas": [1]}}, "did you mean 'mass'"),
    ({"parameters": {"joint/hing/damping": [1]}}, "did you mean 'hinge'"),
    ({"parameters": {"actuator/push/kp": [1]}}, "no servo"),
    ({"parameters": {"shape/skin/size": [1]}}, "say which"),
    ({"parameters": {"q/free": [1]}}, "7 coordinates"),
    ({"parameters": {"option/refinements": [1.5]}}, "not a whole number"),
    ({"parameters": {"option/formulation": ["os", "oss"]}}, "did you mean 'os'"),
    ({"parameters": {"friction": ["much"]}}, "not a number"),
    ({"parameters": {"friction": {"relative": True, "grid": [1]}}}, "no number that could be scaled"),
    ({"parameters": {"friction": {"random": "unifrom", "from": 0, "to": 1}}}, "did you mean 'uniform'"),
    ({"parameters": {"friction": {"random": "uniform", "from": 0}}}, "to is missing"),
    ({"parameters": {"friction": {"random": "uniform", "from": 1, "to": 0}}}, "must be less"),
    ({"parameters": {"friction": {"latin": "loguniform", "from": 0, "to": 1}}}, "positive"),
    ({"parameters": {"friction": {"grid": [1], "list": [1]}}}, "it has grid and list"),
    ({"parameters": {"friction": {"grid": []}}}, "at least one value"),
    ({"parameters": {"friction": {"grid": [math.nan]}}}, "not a finite number"),
    ({"parameters": {"friction": {"list": [1, 2]}, "timestep": {"list": [1]}}}, "same length"),
    ({"parameters": {"friction": [1]}}, "no parameter is random"),
])
def test_wrong_plans_are_refused_before_anything_runs(folder, changes, words):
    if "parameters" in changes and "random" not in words:
        changes = {"samples": 1, **changes}
    with pytest.raises(ValueError, match=words):
        sweep.run(plan_of(folder, **changes), folder / "out")
    assert not (folder / "out").exists()


def test_a_plan_of_toml_is_that_of_a_dict(folder):
    (folder / "plan.toml").write_text(textwrap.dedent("""
        duration = 0.02
        samples = 10
        seed = 4
        parameters.gravity.z = { random = "uniform", from = -10, to = -9 }
        scene.file = "two.xml"
        """))
    read = sweep.load_plan(folder / "plan.toml")
    made = plan_of(folder, parameters={"gravity.z": {"random": "uniform", "from": -10.0, "to": -9.0}})
    assert [read.space.values(k) for k in range(10)] == [made.space.values(k) for k in range(10)]
    assert sweep.Runner(read).hash == sweep.Runner(made).hash


# --- values -----------------------------------------------------------------------------------------------------------
def space_of(parameters, draws=1, repeats=1, seed=0):
    return sampling.read_space(parameters, draws, repeats, seed)


def test_grids_are_crossed_lists_go_side_by_side():
    space = space_of({"a": {"grid": [1, 2]}, "b": {"list": [5, 6, 7]}, "c": {"list": [50, 60, 70]},
                      "d": {"grid": {"from": 1, "to": 100, "count": 3, "scale": "log"}}}, repeats=2)
    assert len(space) == 2 * 3 * 3 * 2
    seen = [tuple(space.values(k).values()) for k in range(len(space))]
    assert seen == [(a, b, 10 * b, pytest.approx(d)) for a in (1, 2) for d in (1, 10, 100) for b in (5, 6, 7)
                    for _ in range(2)]
    assert len({space.seed_of(k) for k in range(len(space))}) == len(space)


def test_a_value_depends_on_the_sample_alone():
    parameters = {"a": {"random": "uniform", "from": 0, "to": 1}, "b": {"latin": "normal", "mean": 0, "deviation": 1}}
    forward = [space_of(parameters, 50).values(k) for k in range(50)]
    backward = [space_of(parameters, 50).values(k) for k in reversed(range(50))][::-1]
    assert forward == backward
    assert [v["a"] for v in forward] == [space_of({"a": parameters["a"]}, 50).values(k)["a"] for k in range(50)]
    assert forward != [space_of(parameters, 50, seed=1).values(k) for k in range(50)]
    # Fixed for ever: other numbers would be other results under the same plan.
    assert sampling.random_word(1, "friction", 7) == FIXED_WORD
    assert sampling.permutation(1, "friction", 0, 8).tolist() == FIXED_ORDER


FIXED_WORD, FIXED_ORDER = 12568585601321128901, [0, 2, 6, 1, 7, 3, 4, 5]


def test_laws_are_what_they_say():
    n = 4000
    laws = {"u": {"random": "uniform", "from": 2, "to": 5}, "l": {"random": "loguniform", "from": 1e-3, "to": 10},
            "n": {"random": "normal", "mean": 3, "deviation": 2},
            "t": {"random": "normal", "mean": 0, "deviation": 1, "from": 0, "to": 1},
            "c": {"random": "choice", "of": ["x", "y"]}}
    space = space_of(laws, n)
    rows = [space.values(k) for k in range(n)]
    drawn = {name: np.array([row[name] for row in rows]) for name in laws}

    def distance(values, share):  # Kolmogorov and Smirnov: above 1.95 / sqrt(n) once in a thousand
        s = np.sort(values)
        f = np.array([share(x) for x in s])
        return max(abs(f - np.arange(n) / n).max(), abs(f - np.arange(1, n + 1) / n).max())

    def phi(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    limit = 1.95 / math.sqrt(n)
    assert distance(drawn["u"], lambda x: (x - 2) / 3) < limit
    assert distance(drawn["l"], lambda x: math.log(x / 1e-3) / math.log(1e4)) < limit
    assert distance(drawn["n"], lambda x: phi((x - 3) / 2)) < limit
    assert distance(drawn["t"], lambda x: (phi(x) - phi(0)) / (phi(1) - phi(0))) < limit
    assert abs((drawn["c"] == "x").mean() - 0.5) < limit
    u = drawn["u"]
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 4 / math.sqrt(n) and abs(np.corrcoef(u, drawn["n"])[0, 1]) < 4 / math.sqrt(n)


def test_latin_hypercubes_have_one_sample_in_each_part():
    n = 64
    space = space_of({"g": {"grid": [0, 1]}, "a": {"latin": "uniform", "from": 0, "to": 1},
                      "b": {"latin": "uniform", "from": 0, "to": 1}}, n)
    orders = set()
    for block in range(2):
        values = [space.values(block * n + d) for d in range(n)]
        for name in ("a", "b"):
            parts = [int(v[name] * n) for v in values]
            assert sorted(parts) == list(range(n))
            orders.add(tuple(parts))
    assert len(orders) == 4  # each in an order of its own


def test_repeats_have_the_same_values_unless_drawn_again():
    law = {"random": "uniform", "from": 0, "to": 1}
    space = space_of({"a": law, "b": {**law, "redraw": True}}, 5, repeats=3)
    for case in range(5):
        values = [space.values(3 * case + r) for r in range(3)]
        assert len({v["a"] for v in values}) == 1 and len({v["b"] for v in values}) == 3
