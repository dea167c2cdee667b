"""`sinew lcp`: files, solvers by name, certificates, refusals."""
import json
import pathlib

import pytest
from command import needs_command, sinew

np = pytest.importorskip("numpy")

pytestmark = needs_command
LINEAR = ["automatic", "lemke", "pivoting", "pgs", "newton", "proximal", "qp"]
NOT_SOLVED = 5


def solve(path, *options):
    done = sinew("lcp", path, "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("solver", LINEAR)
def test_linear_problem(write, solver):
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6))
    M, q = A @ A.T + np.eye(6), rng.normal(size=6)
    found = solve(write({"M": M.tolist(), "q": q.tolist()}), "--solver", solver)
    z = np.array(found["z"])
    assert found["status"] == "solved" and found["size"] == 6 and found["seconds"] > 0
    assert np.abs(np.minimum(z, M @ z + q)).max() < 1e-9
    assert found["absolute_residual"] == pytest.approx(np.abs(np.minimum(z, M @ z + q)).max(), abs=1e-14)


def test_bounds_with_null(write):
    found = solve(write({"M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q": [-5, 5, 3], "lower": [0, None, -1],
                         "upper": [2, None, None]}))
    assert found["z"] == pytest.approx([2, -5, -1], abs=1e-12)


def test_a_ray_is_not_solved(write):
    done = sinew("lcp", write({"M": [[1, -1], [-1, 1]], "q": [-1, 0.5]}), "--json")
    assert done.returncode == NOT_SOLVED and "ray" in done.stderr
    assert json.loads(done.stdout)["status"] == "ray"


def test_contact_cone_and_pyramid(write):
    path = write({"W": np.eye(3).tolist(), "q": [-2, 3, 1], "mu": [0.5]})
    cone, pyramid = solve(path), solve(path, "--directions", "4")
    assert cone["r"] == pytest.approx([2, -0.3 * 10**0.5, -0.1 * 10**0.5]) and "z" not in cone
    assert cone["states"] == ["sliding"]
    assert pyramid["r"] == pytest.approx([2, -1, 0], abs=1e-12)
    assert pyramid["z"] == pytest.approx([2, 0, 0, 1, 0, 2], abs=1e-12) and pyramid["size"] == 6
    in_file = write({"W": np.eye(3).tolist(), "q": [-2, 3, 1], "mu": [0.5], "directions": 4})
    assert solve(in_file)["z"] == pyramid["z"]
    assert solve(in_file, "--directions", "0")["r"] == cone["r"]


def test_free_rows_and_preload(write):
    """A mass whose velocity is a free unknown: [1 -J^T; J 0]; friction by the preload alone."""
    W = np.block([[np.eye(3), -np.eye(3)], [np.eye(3), np.zeros((3, 3))]])
    found = solve(write({"W": W.tolist(), "q": [-1, -0.3, 0, 0, 0, 0], "mu": [0.5], "free": 3, "preload": [1]}))
    assert found["r"] == pytest.approx([1, 0, 0, 0, -0.3, 0], abs=1e-9)


def test_all_solvers_side_by_side(write):
    path = write({"M": [[2, 1], [1, 2]], "q": [-1, 1]})
    solvers = solve(path, "--solver", "all")["solvers"]
    assert [s["method"] for s in solvers] == LINEAR
    assert all(s["z"] == pytest.approx([0.5, 0], abs=1e-9) for s in solvers)
    table = sinew("lcp", path, "--solver", "all").stdout
    assert all(name in table for name in LINEAR)
    unsymmetric = solve(write({"M": [[2, 1], [-1, 2]], "q": [-1, 1]}), "--solver", "all")["solvers"]
    assert [s["status"] for s in unsymmetric if s["method"] == "qp"] == ["refused"]


def test_tables_for_people(write):
    done = sinew("lcp", write({"W": np.eye(3).tolist(), "q": [-2, 0.1, 0], "mu": [0.5]}))
    assert done.returncode == 0 and "sticking" in done.stdout and "gauss_seidel" in done.stdout


@pytest.mark.parametrize("problem, words", [
    ('{"M": [[1, 2]', "not JSON"),
    ('[1, 2]', "not an object"),
    ({"q": [1]}, "'M' is missing"),
    ({"M": [[1, 2], [3]], "q": [1, 2]}, "row 1 has 1 entries of 2"),
    ({"M": [[1]], "q": [1, 2]}, "M has 1 rows, but q has 2"),
    ({"M": [[1, 0], [0, "x"]], "q": [1, 2]}, 'M[1][1] is "x"'),
    ({"M": [[1]], "q": [None]}, "q[0] is null"),
    ({"M": [[1]], "q": [1], "upper": [1, 2]}, "upper has 2 entries"),
    ({"M": [[1]], "q": [1], "bounds": []}, "'bounds' is not a key"),
    ({"W": np.eye(3).tolist(), "q": [1, 2, 3], "mu": []}, "0 contacts make 0"),
    ({"W": np.eye(3).tolist(), "q": [1, 2, 3], "mu": [-1]}, "mu[0] is negative"),
    ({"W": np.eye(3).tolist(), "q": [1, 2, 3], "mu": [1], "directions": 5}, "directions must be even"),
    ('{"M": [[NaN]], "q": [1]}', "non_finite"),
])
def test_refusals_name_the_place(write, problem, words):
    done = sinew("lcp", write(problem))
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_wrong_names(write):
    path = write({"M": [[1]], "q": [1]})
    assert sinew("lcp", path, "--solver", "simplex").returncode == 3
    done = sinew("lcp", path, "--solver", "gauss_seidel")
    assert done.returncode == 2 and "lemke" in done.stderr
    assert sinew("lcp", path.with_name("none.json")).returncode == 2


@pytest.mark.parametrize("name", ["creeping", "slipping"])
def test_many_answers_far_away(write, name):
    """Contacts of a humanoid that is pushed where it lies: impulses may lie anywhere on a long flat set, and an answer is
    far along it; with the second, slip speeds change along it too. W = L L^T, of lower rank."""
    data = json.loads((pathlib.Path(__file__).parent / f"{name}_contacts.json").read_text())
    L, q, mu, rows = (np.array(data.get(k, 0)) for k in ("L", "q", "mu", "unilateral"))
    W = L @ L.T
    found = solve(write({"W": W.tolist(), "q": q.tolist(), "mu": mu.tolist(), "unilateral": int(rows)}))
    assert found["status"] == "solved" and found["residual"] < 1e-10
    # Coulomb's law once more, by hand
    impulses, velocities = np.array(found["r"]), W @ found["r"] + q
    assert np.abs(np.minimum(impulses[:rows], velocities[:rows])).max(initial=0) < 1e-9
    r, u = impulses[rows:].reshape(-1, 3), velocities[rows:].reshape(-1, 3)
    slip, pull = np.hypot(u[:, 1], u[:, 2]), np.hypot(r[:, 1], r[:, 2])
    assert np.abs(np.minimum(r[:, 0], u[:, 0])).max() < 1e-9
    assert (pull - mu * r[:, 0]).max() < 1e-9
    dissipation = (r[:, 1:] * u[:, 1:]).sum(axis=1) + mu * r[:, 0] * slip
    assert np.abs(dissipation).max() < 1e-9


def read_wedge(name):
    """W = L L^T, of lower rank, q, mu, and how many rows are unilateral."""
    data = json.loads((pathlib.Path(__file__).parent / f"{name}_contacts.json").read_text())
    L, q, mu, rows = (np.array(data[k]) for k in ("L", "q", "mu", "unilateral"))
    return L @ L.T, q, mu, rows


def check_proof(d, W, mu, rows):
    """Impulses within their laws that change no velocity."""
    contacts = d[rows:].reshape(-1, 3)
    assert d[:rows].min() >= 0 and (np.hypot(contacts[:, 1], contacts[:, 2]) <= mu * contacts[:, 0] + 1e-15).all()
    assert np.abs(d).max() == 1 and np.abs(W @ d).max() < 1e-11 * np.abs(W).max()


@pytest.mark.parametrize("name, words", [("wedged", "contacts 5, 6 and rows 0"),
                                         ("wedged_sliding", "contacts 6, 7, 8 and rows 0")])
def test_wedged(write, name, words):
    """A stop and contacts of a humanoid that contradict: the rows are named, with impulses that prove it, and the answer
    solves all other rows. In the second problem one of the contacts slides."""
    W, q, mu, rows = read_wedge(name)
    path = write({"W": W.tolist(), "q": q.tolist(), "mu": mu.tolist(), "unilateral": int(rows)})
    for tolerance in ("1e-6", "1e-8", "1e-10"):
        done = sinew("lcp", path, "--json", "--tolerance", tolerance)
        assert done.returncode == NOT_SOLVED and words in done.stderr
        found = json.loads(done.stdout)
        assert found["status"] == "ray" and found["iterations"] < 1000
        d = np.array(found["contradiction"])
        check_proof(d, W, mu, rows)
        assert q @ d < -1e-8
        # The least violation: no answer without slip has less of it along d; all other rows obey their laws.
        r, u = np.array(found["r"]), W @ found["r"] + q
        assert u @ d == pytest.approx(q @ d, rel=1e-6)
        taking_part = d != 0
        assert np.abs(u[taking_part]).max() < 1e-5
        others = np.flatnonzero(~taking_part[rows::3])
        normal = np.minimum(r[rows + 3 * others], u[rows + 3 * others])
        assert np.abs(normal).max() < 1e-9 and np.abs(np.minimum(r[1:rows], u[1:rows])).max() < 1e-9


@pytest.mark.parametrize("name, words, asked", [("wedged_between_stops", "contacts 9, 11 and rows 0", 1e-5),
                                                ("wedged_slightly", "contacts 8, 10 and rows 0", 1e-7)])
def test_wedged_after_all_else(write, name, words, asked):
    """Answers with a vanishing compliance do not show these: convex rounds without slip do, when all else has failed."""
    W, q, mu, rows = read_wedge(name)
    path = write({"W": W.tolist(), "q": q.tolist(), "mu": mu.tolist(), "unilateral": int(rows)})
    for tolerance in ("1e-8", "1e-10"):
        done = sinew("lcp", path, "--json", "--tolerance", tolerance)
        assert done.returncode == NOT_SOLVED and words in done.stderr
        d = np.array(json.loads(done.stdout)["contradiction"])
        check_proof(d, W, mu, rows)
        assert q @ d < -asked * np.abs(q).max()


@pytest.mark.parametrize("none", [None, "inf", "Infinity", 1e19, 1e20, 1e308])
def test_bounds_that_mean_none(write, none):
    found = solve(write({"M": [[1, 0], [0, 1]], "q": [-5, 5], "lower": [0, -none if isinstance(none, float) else
                                                                          none and "-" + none],
                         "upper": [none, none]}))
    assert found["z"] == pytest.approx([5, -5], abs=1e-12)


def test_bounds_below_1e19_are_bounds(write):
    found = solve(write({"M": [[1e-19]], "q": [-5], "lower": [0], "upper": [9e18]}))
    assert found["z"] == pytest.approx([9e18])


def test_six_digits_are_solved_as_they_stand(write):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(12, 12))
    W = A @ A.T + 0.5 * np.eye(12)
    rounded = np.array([[float(f"{x * (1 + 1e-6 * (j < i)):.5e}") for j, x in enumerate(row)] for i, row in enumerate(W)])
    q = rng.normal(size=12)
    q[::3] = -1
    found = solve(write({"W": rounded.tolist(), "q": q.tolist(), "mu": [0.5] * 4}))
    r = np.array(found["r"]).reshape(4, 3)
    u = (rounded @ r.ravel() + q).reshape(4, 3)
    assert found["residual"] <= 1e-10 and np.abs(np.minimum(r[:, 0], u[:, 0])).max() < 1e-8
    assert (np.hypot(r[:, 1], r[:, 2]) <= 0.5 * r[:, 0] + 1e-9).all()


def test_six_digits_of_a_matrix_of_low_rank(write):
    rng = np.random.default_rng(6)
    A = rng.normal(size=(12, 6))  # four contacts on one body
    W = np.array([[float(f"{x * (1 + 1e-6 * (j < i)):.5e}") for j, x in enumerate(row)] for i, row in enumerate(A @ A.T)])
    q = (A @ rng.normal(size=6)).tolist()
    done = sinew("lcp", write({"W": W.tolist(), "q": q, "mu": [0.5] * 4}), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["status"] == "solved" and found["residual"] <= found["tolerance"] < 1e-3
    assert found["tolerance"] <= 1e-10 or "symmetric to" in done.stderr


def test_a_matrix_that_is_not_symmetric_is_named(write):
    W = np.eye(3) * 2
    W[2, 1] = 0.3
    done = sinew("lcp", write({"W": W.tolist(), "q": [-1, 0.5, 0], "mu": [0.5]}))
    assert done.returncode == 2 and "W is not symmetric" in done.stderr and "W[2][1] = 0.3" in done.stderr
    assert solve(write({"W": W.tolist(), "q": [-1, 0.5, 0], "mu": [0.5]}), "--directions", "4")["status"] == "solved"
