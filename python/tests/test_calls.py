"""The calling convention: shapes, dtypes, out=, overlap, threads."""
import sys
import threading

import numpy as np
import pytest
import sinew
from conftest import random_state


@pytest.fixture
def arm():
    model = sinew.compile(sinew.mechanisms.chain(7))
    return model, sinew.AbaWorkspace(model), *(np.linspace(-1, 1, 7) * k for k in (1, 2, 3))


def test_out_is_filled_and_returned(arm):
    model, ws, q, v, tau = arm
    a = sinew.aba(model, ws, q, v, tau)
    out = np.empty(7)
    assert sinew.aba(model, ws, q, v, tau, out) is out and (out == a).all()
    assert sinew.aba(model, ws, q, v, tau, out=out) is out
    assert sinew.aba(model, workspace=ws, q=q, v=v, tau=tau, out=out) is out
    M = np.zeros((9, 9))
    part = M[1:8, 1:8]  # rows that are apart
    assert sinew.crba(model, sinew.CrbaWorkspace(model), q, part) is part
    assert (part == sinew.crba(model, sinew.CrbaWorkspace(model), q)).all() and not M[0].any() and not M[:, 8].any()


def test_inputs_are_converted_where_no_number_is_lost(arm):
    model, ws, q, v, tau = arm
    a = sinew.aba(model, ws, q, v, tau)
    for same in (q.tolist(), tuple(q), np.stack([q, v], 1)[:, 0], q.astype(">f8"), np.asfortranarray(q)):
        assert (sinew.aba(model, ws, same, v, tau) == a).all()
    assert (sinew.aba(model, ws, np.arange(7), v, tau) == sinew.aba(model, ws, np.arange(7.0), v, tau)).all()


def test_wrong_arguments_name_both_shapes(arm):
    model, ws, q, v, tau = arm
    other = sinew.compile(sinew.mechanisms.chain(7))
    frozen = np.zeros(7)
    frozen.flags.writeable = False
    for error, match, args in [
            (ValueError, r"q has shape \(6,\), it must be \(7,\)", (model, ws, q[:6], v, tau)),
            (ValueError, r"v has shape \(7, 1\), it must be \(7,\)", (model, ws, q, v[:, None], tau)),
            (ValueError, r"tau has shape \(\)", (model, ws, q, v, 1.0)),
            (TypeError, "tau cannot be read as an array of float64, it is a str", (model, ws, q, v, "x")),
            (TypeError, "q cannot be read", (model, ws, q * 1j, v, tau)),
            (ValueError, r"out has shape \(8,\), it must be \(7,\)", (model, ws, q, v, tau, np.zeros(8))),
            (TypeError, "out has dtype float32", (model, ws, q, v, tau, np.zeros(7, np.float32))),
            (TypeError, "out must be a float64 array", (model, ws, q, v, tau, [0.0] * 7)),
            (ValueError, "out is not writable", (model, ws, q, v, tau, frozen)),
            (ValueError, "one after the other", (model, ws, q, v, tau, np.zeros(14)[::2])),
            (ValueError, "shares memory", (model, ws, q, v, tau, tau)),
            (ValueError, r"external has shape \(2, 6\), it must be \(8, 6\)", (model, ws, q, v, tau, None, np.zeros((2, 6)))),
            (ValueError, "workspace", (other, ws, q, v, tau)),
            (TypeError, "aba", (model, sinew.RneaWorkspace(model), q, v, tau)),
            (TypeError, "aba", (model, ws, q, v)),
            (TypeError, "aba", (None, ws, q, v, tau))]:
        with pytest.raises(error, match=match):
            sinew.aba(*args)
    with pytest.raises(ValueError, match="one after the other"):
        sinew.crba(model, sinew.CrbaWorkspace(model), q, np.zeros((7, 7), order="F"))


def test_references_are_kept_right(arm):
    model, ws, q, v, tau = arm
    out = np.empty(7)
    objects = (model, ws, q, v, tau, out)
    for call in (lambda: sinew.aba(model, ws, q, v, tau, out), lambda: sinew.aba(model, ws, q.tolist(), v, tau),
                 lambda: pytest.raises(ValueError, sinew.aba, model, ws, q, v, tau[:3])):
        before = [sys.getrefcount(o) for o in objects]
        for _ in range(100):
            call()
        assert [sys.getrefcount(o) for o in objects] == before


def test_threads_with_workspaces_of_their_own(rng):
    model = sinew.compile(sinew.mechanisms.chain(200))  # long: calls release the GIL
    states = [random_state(model, rng) for _ in range(4)]
    alone = [sinew.aba(model, sinew.AbaWorkspace(model), q, v, tau) for q, v, _, tau in states]
    results = [None] * 4

    def work(i):
        ws, (q, v, _, tau) = sinew.AbaWorkspace(model), states[i]
        for _ in range(200):
            results[i] = sinew.aba(model, ws, q, v, tau)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert all((a == b).all() for a, b in zip(alone, results))


def test_a_workspace_is_refused_to_a_second_thread(rng):
    model = sinew.compile(sinew.mechanisms.chain(3000))
    ws, (q, v, _, tau) = sinew.AbaWorkspace(model), random_state(model, rng)
    expected = sinew.aba(model, ws, q, v, tau)
    refused, wrong = [], []

    def work():
        for _ in range(300):
            try:
                if not np.array_equal(sinew.aba(model, ws, q, v, tau), expected):
                    wrong.append(1)
            except RuntimeError as e:
                refused.append(str(e))

    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong and all("in use by another thread" in e for e in refused)
