"""Code for one robot, compiled and loaded: the numbers of the library, the cache, and what is refused."""
import shutil

import numpy as np
import pytest
import sinew
from conftest import random_state

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="there is no cc")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SINEW_CACHE", str(tmp_path))
    return tmp_path


def near(a, b, tolerance):
    assert np.abs(a - b).max() <= tolerance * max(1.0, np.abs(b).max())


def test_it_gives_the_numbers_of_the_library(cache, rng):
    model = sinew.compile(sinew.mechanisms.gu(4))
    q, v, x, _ = random_state(model, rng)
    code = sinew.compile(model, "rnea,aba,crba,drnea,daba", flags=["-O1"])
    near(code.rnea(q, v, x), sinew.rnea(model, sinew.RneaWorkspace(model), q, v, x), 1e-14)
    near(code.aba(q, v, x), sinew.aba(model, sinew.AbaWorkspace(model), q, v, x), 1e-12)
    near(code.crba(q), sinew.crba(model, sinew.CrbaWorkspace(model), q), 1e-14)
    for got, want in zip(code.drnea(q, v, x),
                         sinew.calc_rnea_derivatives(model, sinew.RneaDerivativesWorkspace(model), q, v, x)):
        near(got, want, 1e-13)
    for got, want in zip(code.daba(q, v, x),
                         sinew.calc_aba_derivatives(model, sinew.AbaDerivativesWorkspace(model), q, v, x)):
        near(got, want, 1e-11)
    assert code.model_hash == model.hash and "rnea: q v a -> tau" in repr(code.rnea)


@pytest.mark.parametrize("lanes", [2, 8])
def test_lanes_take_any_number_of_samples(cache, rng, lanes):
    model = sinew.compile(sinew.mechanisms.gu(4))
    code = sinew.compile(model, "rnea,crba,step", lanes=lanes, flags=["-O1", "-Wno-psabi"])
    work = sinew.RneaWorkspace(model)
    for samples in (0, 1, lanes - 1, lanes, 2 * lanes + 1):
        q, v, a = rng.uniform(-1, 1, (3, samples, model.nv))
        tau, M = code.rnea(q, v, a), code.crba(q)
        assert tau.shape == (samples, model.nv) and M.shape == (samples, model.nv, model.nv)
        for k in range(samples):
            near(tau[k], sinew.rnea(model, work, q[k], v[k], a[k]), 1e-14)
            near(M[k], sinew.crba(model, sinew.CrbaWorkspace(model), q[k]), 1e-14)
    near(code.rnea(q[0], v[0], a[0]), tau[0], 0)  # one sample
    near(code.rnea(q, v, a[0])[5 % samples], sinew.rnea(model, work, q[5 % samples], v[5 % samples], a[0]), 1e-14)
    q_next, v_next = code.step(q, v, a, [1e-2])  # the same dt for all
    near(q_next, q + 1e-2 * v_next, 1e-15)
    with pytest.raises(ValueError, match=r"v has 1 samples, another argument"):
        code.rnea(q, v[:1], a)
    with pytest.raises(ValueError, match=r"q has shape \(3,\), not \(4,\) or \(samples, 4\)"):
        code.crba([0, 0, 0])
    with pytest.raises(ValueError, match="3 lanes"):
        sinew.compile(model, "rnea", lanes=3)


def test_delassus_matrix_of_frames(cache, rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, *_ = random_state(model, rng)
    code = sinew.compile(model, "delassus:left_foot,right_palm,crba", flags=["-O0"])
    work = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, work, q)
    J = np.vstack([sinew.get_jacobian(model, work, name)[3:] for name in ("left_foot", "right_palm")])
    near(code.delassus(q), J @ np.linalg.solve(code.crba(q), J.T), 1e-12)
    with pytest.raises(ValueError, match="did you mean 'left_foot'"):
        sinew.compile(model, "delassus:left_fot")


def test_step_follows_a_simulation(cache, rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    code = sinew.compile(model, "step", flags=["-O0"])
    left_out, = (a.left_out for a in sinew.generate(model, ["step"]).algorithms)
    assert any(x.startswith("contacts of") for x in left_out) and any(x.startswith("stops of") for x in left_out)
    q, *_ = random_state(model, rng)
    q[6] += 5  # far above the floor, between the stops
    v, tau = rng.uniform(-0.1, 0.1, (2, model.nv))
    sim = sinew.Simulation(model, dt=1e-3, middle_forces=False)
    sim.q, sim.v = q, v
    for _ in range(10):
        q, v = code.step(q, v, tau, [1e-3], *([np.zeros(len(sim.control))] if len(code.step.inputs) == 5 else []))
        sim.step(tau)
    near(q, sim.q, 1e-12)
    near(v, sim.v, 1e-11)


def test_what_was_built_is_found_again(cache, monkeypatch):
    model = sinew.compile(sinew.mechanisms.gu(2))
    first = sinew.compile(model, "rnea")
    monkeypatch.setattr("subprocess.run", None)  # no compiler is called
    assert sinew.compile(model, "rnea").folder == first.folder
    names = {f.name for f in first.folder.iterdir()}
    assert {"about.json", "code.so"} < names and any(n.endswith("_test.c") for n in names)
    assert [f.name for f in cache.iterdir()] == [first.folder.name]


def test_what_does_not_fit_is_refused(cache, monkeypatch):
    spec = sinew.mechanisms.gu(2)
    model = sinew.compile(spec)
    code = sinew.compile(model, "rnea")
    with pytest.raises(ValueError, match=r"rnea: v has shape \(3,\), not \(2,\)"):
        code.rnea([0, 0], [0, 0, 0], [0, 0])
    with pytest.raises(ValueError, match="takes q v a: 3 arrays, not 1"):
        code.rnea([0, 0])
    with pytest.raises(AttributeError, match="no function 'aba'; it has rnea"):
        code.aba([0, 0], [0, 0], [0, 0])
    with pytest.raises(TypeError, match="say what to compile: rnea, aba"):
        sinew.compile(model)
    with pytest.raises(TypeError, match="for a Model"):
        sinew.compile(spec, "rnea")
    with pytest.raises(ValueError, match="did you mean 'rnea'"):
        sinew.compile(model, "rnae")
    with pytest.raises(RuntimeError, match="failed"):
        sinew.compile(model, "rnea", flags=["-no-such-flag"])
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(RuntimeError, match="no C compiler"):
        sinew.compile(model, "rnea")
