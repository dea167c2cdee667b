"""Models: builder, specifications, loaders, entries, configurations."""
import copy
import pickle

import numpy as np
import pytest
import sinew
from conftest import ROOT, random_state

URDF = """<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>"""


def pendulum():
    b = sinew.ModelBuilder("pendulum")
    b.body("bob").mass(sinew.point_mass(2.0), sinew.Transform([0, 0, -0.5])).sphere(0.1).named("ball").friction(0.3)
    b.revolute("hinge", "world", "bob").axis([0, 1, 0]).limits(-3, 3).damping(0.1)
    b.motor("motor", "hinge", gear=2)
    return b


def test_builder_makes_the_pendulum_of_the_books():
    m = pendulum().build()
    assert (m.nq, m.nv, m.mass) == (1, 1, 2.0)
    assert m.joint_names == ["hinge"] and m.body_names == ["world", "bob"] and m.actuator_names == ["motor"]
    ws = sinew.RneaWorkspace(m)
    for q in (-1.2, 0.0, 0.7):
        tau = sinew.calc_gravity(m, ws, [q])
        np.testing.assert_allclose(tau, 2 * 9.81 * 0.5 * np.sin(q), atol=1e-14)  # m g l sin q
    np.testing.assert_allclose(sinew.crba(m, sinew.CrbaWorkspace(m), [0.3]), [[0.5]], rtol=1e-15)  # m l^2


def test_handles_outlive_the_names_of_their_builder():
    body = pendulum().world()
    body.plane().friction(0.5)  # the builder is alive as long as its handle
    joint = sinew.ModelBuilder("x").revolute("j", "world", "b")
    assert joint.damping(1) is joint


def test_entries_and_frozen_copies():
    spec = pendulum().spec
    spec.bodies["bob"].mass = 3
    assert spec.bodies[0].mass == 3 and sinew.compile(spec).mass == 3
    with pytest.raises(AttributeError, match="copy"):
        spec.joints[0].dofs[0].damping = 5
    spec.joints[0].dofs = [sinew.DofSpec(damping=5, armature=0.25)]
    assert spec.joints["hinge"].dofs[0].damping == 5
    assert sinew.compile(spec).armature.tolist() == [0.25]
    with pytest.raises(ValueError):
        spec.bodies[0].com[0] = 1  # an array that cannot be written
    spec.bodies.append(sinew.BodySpec(name="second", mass=1, inertia=[1, 1, 1]))
    handle = spec.bodies[1]
    del spec.bodies[1]
    with pytest.raises(IndexError, match="removed"):
        handle.mass
    with pytest.raises(KeyError, match="did you mean 'bob'"):
        spec.bodies["bop"]
    with pytest.raises(TypeError, match="no field 'mas'"):
        sinew.BodySpec(mas=1)
    with pytest.raises(TypeError, match="wrong type"):
        sinew.BodySpec(mass="heavy")
    assert sinew.BodySpec(name="a", mass=2).replace(mass=3).mass == 3
    assert "mass=3" in repr(sinew.BodySpec(mass=3)) and "com" not in repr(sinew.BodySpec(mass=3))
    twin = copy.deepcopy(spec)
    twin.bodies[0].mass = 9
    assert spec.bodies[0].mass == 3


def test_entries_stay_valid_without_their_specification():
    body = sinew.mechanisms.humanoid().bodies[0]
    assert body.name and body.mass > 0
    entry = sinew.compile(sinew.mechanisms.humanoid()).bodies[3]
    assert entry.name and entry.index == 3


def test_text_and_file_give_the_same_model(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(URDF)
    one, two = sinew.compile(sinew.parse_urdf(URDF)), sinew.compile(sinew.load(file))
    assert one.hash == two.hash and one.nv == 1 and one.effort_limits.tolist() == [5]
    assert [x.tolist() for x in one.limits] == [[-1], [1]]
    assert sinew.compile(sinew.load_urdf(file, floating_base=True)).nv == 7
    again = sinew.compile(sinew.parse_mjcf(sinew.to_mjcf(two.spec, lossy=True)))
    with pytest.raises(sinew.LoadError, match="S503.*velocity"):
        sinew.to_mjcf(two.spec)
    assert again.nv == 1 and again.mass == 2


def test_errors_of_loaders_name_element_and_line():
    with pytest.raises(sinew.LoadError, match="S202.*tip") as caught:
        sinew.compile(sinew.parse_urdf(URDF.replace('"2"', '"-2"'), "arm.urdf"))
    assert isinstance(caught.value, ValueError)
    errors = [d for d in caught.value.diagnostics if d.severity == sinew.Severity.error]
    assert errors[0].code == "S202" and errors[0].line > 0 and errors[0].repair and "arm.urdf" in str(errors[0])
    with pytest.raises(sinew.LoadError, match="S101"):
        sinew.load("/nowhere/robot.urdf")
    spec = sinew.parse_urdf(URDF.replace("<limit", "<unheard/><limit"))
    assert any(d.code.startswith("S5") for d in spec.remarks) and sinew.compile(spec).remarks


def test_every_model_of_the_repository_loads():
    files = sorted((ROOT / "models").glob("*.urdf")) + sorted((ROOT / "models").glob("*.xml"))
    assert len(files) > 10
    for file in files:
        m = sinew.compile(sinew.load(file))
        assert m.nq >= m.nv and repr(m).startswith("<Model") and "<table>" in m._repr_html_()


def test_configurations_move_on_their_manifold(model, rng):
    q, v, *_ = random_state(model, rng)
    moved = sinew.integrate(model, q, v, 0.3)
    np.testing.assert_allclose(sinew.difference(model, q, moved), 0.3 * v, rtol=1e-9, atol=1e-9)
    same = q.copy()
    assert sinew.integrate(model, same, v, 0.3, out=same) is same
    np.testing.assert_array_equal(same, moved)
    h = 1e-7
    rate = (sinew.integrate(model, q, v, h) - sinew.integrate(model, q, v, -h)) / (2 * h)
    np.testing.assert_allclose(sinew.calc_rate(model, q, v), rate, atol=1e-7)
    np.testing.assert_allclose(sinew.normalize(model, q), q, atol=1e-15)
    assert (sinew.random_configuration(model, 5) == sinew.random_configuration(model, 5)).all()


def test_conventions_there_and_back(rng):
    model = sinew.compile(sinew.mechanisms.humanoid())
    q, v, a, tau = random_state(model, rng)
    for convention in (sinew.Convention.pinocchio, sinew.Convention.mujoco):
        c = sinew.ConventionMap(model, convention)
        np.testing.assert_allclose(c.from_other_q(c.to_other_q(q)), q, atol=1e-14)
        np.testing.assert_allclose(c.from_other_v(q, c.to_other_v(q, v)), v, atol=1e-14)
        np.testing.assert_allclose(c.from_other_a(q, v, c.to_other_a(q, v, a)), a, atol=1e-13)
        np.testing.assert_allclose(c.to_other_tau(q, tau) @ c.to_other_v(q, v), tau @ v, rtol=1e-12)  # power


def test_transforms():
    x = sinew.Transform.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    np.testing.assert_allclose((x.inverse() * x).matrix, np.eye(4), atol=1e-15)
    p = np.array([0.3, -0.2, 0.5])
    np.testing.assert_allclose(x.apply_inverse_to_point(p), (x.matrix @ [*p, 1])[:3], atol=1e-15)
    np.testing.assert_allclose(x.apply_to_point(x.apply_inverse_to_point(p)), p, atol=1e-15)
    assert sinew.Transform.from_matrix(x.matrix) == x and pickle.loads(pickle.dumps(x)) == x
    for bad in (2 * np.eye(3), np.diag([1, 1, -1.0])):
        with pytest.raises(ValueError, match="Transform"):
            sinew.Transform([0, 0, 0], bad)
