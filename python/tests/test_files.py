"""Meshes and sparse matrices as files."""
import struct

import numpy as np
import pytest
import sinew

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], float)
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]


def write_stl(vertices, triangles):
    data = b"made by a test".ljust(80) + struct.pack("<I", len(triangles))
    for t in triangles:
        data += struct.pack("<12fH", 0, 0, 0, *np.ravel(vertices[t]), 0)
    return data


def write_obj(vertices, triangles):
    return "".join("v {} {} {}\n".format(*v) for v in vertices) + "".join(
        "f {} {} {}\n".format(*(i + 1 for i in t)) for t in triangles)


def check_box(mesh):
    m = sinew.calc_moments(mesh, sinew.MeshMatter.signed_volume)
    assert m.size == pytest.approx(6, rel=1e-12)
    np.testing.assert_allclose(m.centre, [0.5, 1, 1.5], atol=1e-12)
    np.testing.assert_allclose(m.inertia, np.diag([4 + 9, 1 + 9, 1 + 4]) * 6 / 12, atol=1e-11)
    assert sinew.calc_moments(mesh, sinew.MeshMatter.surface).size == pytest.approx(2 * (2 + 3 + 6), rel=1e-12)


def test_a_box_from_files(tmp_path):
    (tmp_path / "box.stl").write_bytes(write_stl(CORNERS, FACES))
    (tmp_path / "box.OBJ").write_text(write_obj(CORNERS, FACES))
    for name in ["box.stl", "box.OBJ"]:
        mesh = sinew.read_mesh(tmp_path / name)
        assert len(mesh.triangles) == 12 and mesh.vertices.shape[1] == 3 and "12 triangles" in repr(mesh)
        check_box(mesh)
    check_box(sinew.parse_mesh(write_stl(CORNERS, FACES), sinew.MeshFormat.stl))
    check_box(sinew.TriangleMesh(CORNERS, FACES))


def test_hulls(rng):
    inside = rng.uniform([0, 0, 0], [1, 2, 3], (200, 3))
    mesh = sinew.convex_hull(np.vstack([inside, CORNERS]))
    check_box(mesh)
    assert len(mesh.vertices) == 8
    with pytest.raises(sinew.LoadError, match="plane"):
        sinew.convex_hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])


def test_meshes_that_are_none(tmp_path):
    (tmp_path / "cut.stl").write_bytes(write_stl(CORNERS, FACES)[:-30])
    for name in ["cut.stl", "nothing.stl", "what.xyz"]:
        with pytest.raises(sinew.LoadError, match=name):
            sinew.read_mesh(tmp_path / name)
    with pytest.raises(ValueError, match="vertex"):
        sinew.TriangleMesh(CORNERS, [[0, 1, 8]])
    with pytest.raises(ValueError, match="objects"):
        sinew.TriangleMesh(CORNERS, FACES, [0, 12])
    with pytest.raises(ValueError, match="it must be"):
        sinew.convex_hull(np.zeros((4, 2)))


def test_matrix_market(tmp_path, rng):
    A = np.where(rng.uniform(size=(5, 5)) < 0.5, rng.normal(size=(5, 5)), 0)
    A += A.T
    lines = [f"{i + 1} {j + 1} {float(A[i, j])!r}" for i in range(5) for j in range(i + 1) if A[i, j]]
    head = ["%%MatrixMarket matrix coordinate real symmetric", "% a remark", f"5 5 {len(lines)}"]
    text = "\n".join(head + lines) + "\n"
    (tmp_path / "a.mtx").write_text(text)
    m = sinew.load_matrix_market(tmp_path / "a.mtx")
    assert (m.rows, m.cols) == (5, 5) and "5 x 5" in repr(m)
    np.testing.assert_array_equal(m.to_dense(), A)
    rows, cols, values = m.entries
    B = np.zeros((5, 5))
    B[rows, cols] = values
    np.testing.assert_array_equal(B, A)
    out = np.full((5, 5), 7.0)
    assert m.to_dense(out) is out and (out == A).all()


def test_matrices_that_are_none(tmp_path):
    with pytest.raises(sinew.LoadError) as e:
        sinew.parse_matrix_market("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 4.0\n", "bad.mtx")
    assert e.value.diagnostics[0].line == 3 and "bad.mtx" in str(e.value)
    with pytest.raises(sinew.LoadError, match="nothing.mtx"):
        sinew.load_matrix_market(tmp_path / "nothing.mtx")
