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


def test_what_was_built_is_found_again(cache, monkeypatch):
    model = sinew.compile(sinew.mechanisms.gu(2))
    first = sinew.compile(model, ["rnea"])
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
