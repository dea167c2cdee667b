"""Impulses and collisions by themselves."""
import numpy as np
import pytest
import sinew
from conftest import random_state

URDF = """<robot name="r">
<link name="base"><inertial><mass value="3"/>
  <inertia ixx=".1" iyy=".2" izz=".3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="a"><inertial><origin xyz="0 .1 .2"/><mass value="2"/>
  <inertia ixx=".2" iyy=".3" izz=".25" ixy=".01" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz=".1 0 .3"/><mass value="1"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"><inertial><mass value=".5"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 0 .5"/><axis xyz="1 0 0"/></joint>
<joint name="f" type="fixed"><parent link="b"/><child link="tool"/><origin xyz=".1 .2 .3" rpy=".4 .5 .6"/></joint>
</robot>"""


def ball(x, v, mass=1.0):
    """Centre at x on the x axis, moving along x: the velocity of the point at the origin is the same."""
    return sinew.ImpactBody(mass, [x, 0, 0], np.eye(3) * 0.1, [0, 0, 0, v, 0, 0])


def test_balls_that_meet():
    n = [0, 0, 0, 1, 0, 0]
    for e in (0, 0.3, 1):
        hit = sinew.collide_without_friction(ball(-1, 2, 3), ball(1, -1, 1), n, e)
        v1, v2 = hit.v1[3], hit.v2[3]
        assert hit.separation == pytest.approx(-3)
        assert v2 - v1 == pytest.approx(3 * e)  # Newton
        assert 3 * v1 + v2 == pytest.approx(3 * 2 - 1)
        assert hit.impulse[2] == pytest.approx(v2 + 1)
    apart = sinew.collide_without_friction(ball(-1, -2), ball(1, 1), n, 0.5)
    assert not apart.impulse.any() and apart.v1[3] == -2
    with pytest.raises(ValueError, match="restitution"):
        sinew.collide_without_friction(ball(-1, 1), ball(1, 0), n, 1.5)
    with pytest.raises(ValueError, match="mass"):
        ball(0, 0, 0)


def test_balls_that_stick():
    one = sinew.ImpactBody(1, [-1, 0, 0], np.eye(3) * 0.4, [0, 0, 1, 2, -1, 0])
    two = ball(1, 0, 2)
    N = [[0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0]]
    hit = sinew.collide_and_stick(one, two, N, 0.5)
    relative = hit.v2 - hit.v1
    np.testing.assert_allclose(relative[3:], [0.5 * 2, 0, 0], atol=1e-12)  # at the origin, where they touch

    def inertia(m, x, about_com):  # [F08 2.63]
        C = np.array([[0, 0, 0], [0, 0, -x], [0, x, 0]], float)
        return np.block([[about_com * np.eye(3) - m * C @ C, m * C], [-m * C, m * np.eye(3)]])

    momentum = inertia(1, -1, 0.4) @ (hit.v1 - one.v) + inertia(2, 1, 0.1) @ (hit.v2 - two.v)
    np.testing.assert_allclose(momentum, 0, atol=1e-12)


@pytest.mark.parametrize("body", ["a", "b", "tool"])
def test_response_of_a_mechanism(body, rng):
    model = sinew.compile(sinew.parse_urdf(URDF, floating_base=True))
    q = random_state(model, rng)[0]
    iota = rng.normal(size=6)
    jacobian = sinew.JacobianWorkspace(model)
    sinew.calc_jacobian(model, jacobian, q)
    J = sinew.get_jacobian(model, jacobian, body, sinew.ReferenceFrame.body)
    M = sinew.crba(model, sinew.CrbaWorkspace(model), q)
    ws = sinew.ImpulseWorkspace(model, body)
    dqd, dv = sinew.calc_impulse_response(model, ws, q, iota)
    want = np.linalg.solve(M, J.T @ iota)
    np.testing.assert_allclose(dqd, want, atol=1e-10 * abs(want).max())
    np.testing.assert_allclose(dv, J @ want, atol=1e-10 * abs(want).max())
    Phi = J @ np.linalg.solve(M, J.T)
    np.testing.assert_allclose(sinew.calc_handle_inverse_inertia(model, ws, q), Phi, atol=1e-10 * abs(Phi).max())


def test_impulse_workspaces_know_their_model():
    model = sinew.compile(sinew.parse_urdf(URDF))
    with pytest.raises(ValueError, match="cannot move"):
        sinew.ImpulseWorkspace(model, 0)
    other = sinew.compile(sinew.parse_urdf(URDF))
    with pytest.raises(ValueError, match="another model"):
        sinew.calc_impulse_response(other, sinew.ImpulseWorkspace(model, "a"), [0, 0], np.zeros(6))


def free_ball():
    b = sinew.ModelBuilder("ball").timestep(1e-3)
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1)
    b.free("free", "world", "ball").neutral([1, 0, 0, 0, 0, 0, 0.1])
    return b.build()


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_a_ball_bounces(e):
    model = free_ball()
    solver = sinew.CollisionSolver(model, sinew.ConstraintSet(model))
    point = sinew.make_contact_point(model, "ball", "world", [0, 0, 0], [0, 0, 1], friction=0.2, restitution=e)
    v = np.array([0, 0, 0, 3, 0, -1.5])
    answer = solver.solve(model.neutral, v, [point])
    normal = 2 * 1.5 * (1 + e)  # Poisson; it slides all the time, so that friction is mu times it
    assert answer.v[5] == pytest.approx(1.5 * e, abs=1e-9)
    assert answer.v[3] == pytest.approx(3 - 0.2 * normal / 2, abs=1e-9)
    assert answer.v[1] == pytest.approx(0.2 * normal * 0.1 / (0.4 * 2 * 0.1**2), abs=1e-8)
    assert answer.restituted == (e > 0) and answer.compression.shape == (1, 3)
    assert answer.compression[0, 0] == pytest.approx(3)
    energy = answer.energy
    assert energy.before == pytest.approx(9 + 2.25)
    work = energy.normal_work + energy.friction_work + energy.loop_work
    assert energy.after - energy.before == pytest.approx(work, abs=1e-9)
    assert answer.compression_certificate.status == sinew.lcp.Status.solved


def test_contact_points_are_checked():
    model = free_ball()
    for wrong, match in [(dict(normal=[0, 0, 2]), "length 1"), (dict(friction=-1), "friction"),
                         (dict(restitution=2), "0 .. 1"), (dict(body_a="bal"), "ball")]:
        arguments = dict(body_a="ball", body_b=0, point=[0, 0, 0], normal=[0, 0, 1]) | wrong
        with pytest.raises(ValueError, match=match):
            sinew.make_contact_point(model, **arguments)


def arm(**stops):
    """Turns about z with an inertia of 0.6 kg m^2."""
    b = sinew.ModelBuilder("arm")
    b.body("arm").mass(2, [0.5, 0, 0], 0.1 * np.eye(3))
    joint = b.revolute("hinge", "world", "arm").axis([0, 0, 1])
    if stops:
        joint.limits(stops["lower"], stops["upper"]).friction(0.2)
    return b.build()


@pytest.mark.parametrize("row, impulse", [
    ({}, 1.8),  # w = u >= 0
    (dict(upper=1.0), 1.0),
    (dict(bias=1.0), 1.2),  # the gap that is left in a step
    (dict(softness=0.5), 3 / (1 / 0.6 + 0.5)),
    (dict(bias=5.0), 0.0)])
def test_a_joint_hits_its_stop(row, impulse):
    model = arm()
    solver = sinew.CollisionSolver(model, sinew.ConstraintSet(model))
    stop = sinew.make_joint_row(model, "arm", [0, 0, 1, 0, 0, 0], **row)
    answer = solver.solve([0.3], [-3], [], joints=[stop])
    np.testing.assert_allclose(answer.joints, [impulse], atol=1e-10)
    np.testing.assert_allclose(answer.v, [-3 + impulse / 0.6], atol=1e-10)
    assert answer.energy.loop_work == pytest.approx(0.3 * (answer.v[0] ** 2 - 9), abs=1e-9)


def test_stops_and_friction_of_a_model():
    model = arm(lower=-0.5, upper=1)
    limits = sinew.JointLimits(model)
    assert limits.most_rows == 3
    friction, stop = sorted(limits.find([-0.5], [-3], 1e-3), key=lambda r: r.upper)
    assert (friction.lower, friction.upper) == (-2e-4, 2e-4) and stop.upper == np.inf and stop.bias == 0
    np.testing.assert_allclose(stop.direction, [0, 0, 1, 0, 0, 0], atol=1e-15)
    assert len(limits.find([0.2], [0.1], 1e-3)) == 1  # no stop is near
    assert limits.calc_violation([-0.7]) == (pytest.approx(0.2), 0) and limits.calc_violation([0])[0] == 0
    answer = sinew.CollisionSolver(model, sinew.ConstraintSet(model)).solve([-0.5], [-3], [], 0, [stop])
    np.testing.assert_allclose(answer.v, [0], atol=1e-10)
    stop.bias, stop.id = 0.5, 7
    assert (stop.bias, stop.id) == (0.5, 7) and "bias=0.5" in repr(stop)


def test_joint_rows_are_checked():
    model = arm()
    solver = sinew.CollisionSolver(model, sinew.ConstraintSet(model))
    with pytest.raises(ValueError, match="'world' cannot move"):
        sinew.make_joint_row(model, 0, np.zeros(6))
    with pytest.raises(ValueError, match="lower bound"):
        sinew.make_joint_row(model, "arm", np.zeros(6), lower=1, upper=0)
    row = sinew.make_joint_row(model, "arm", [0, 0, 1, 0, 0, 0])
    row.softness = -1
    with pytest.raises(ValueError, match="softness"):
        solver.solve([0], [0], [], joints=[row])
    with pytest.raises(TypeError):
        sinew.make_joint_row(model, "arm", [1, 2, 3])
    with pytest.raises(ValueError, match="dt"):
        sinew.JointLimits(model).find([0], [0], 0)
    with pytest.raises(ValueError, match=r"q has shape \(2,\), it must be \(1,\)"):
        sinew.JointLimits(model).calc_violation([0, 0])
