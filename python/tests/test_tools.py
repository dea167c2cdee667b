"""Assembly, explicit forms, contact steps by themselves, graphs, tables and rays, beside NumPy and closed forms."""
import numpy as np
import pytest
import sinew
from conftest import random_state
from test_tree import near


def four_bar():
    model = sinew.compile(sinew.mechanisms.four_bar())
    return model, sinew.ConstraintSet(model)


def test_assembly_from_far_away(rng):
    model, constraints = four_bar()
    rows = sinew.ConstraintRows(model, constraints)
    q0 = model.neutral + rng.uniform(-0.4, 0.4, model.nq)
    q, report = sinew.assemble(model, constraints, q0)
    assert report.closed and report.error < 1e-12 and report.iterations > 1
    sinew.calc_constraint_rows(model, constraints, rows, q, np.zeros(model.nv))
    assert abs(rows.position).max() < 1e-12
    assert sinew.assemble(model, constraints, q, q)[0] is q  # in place
    far = np.zeros(model.nq)
    _, failed = sinew.assemble(model, constraints, far, iterations=1, tolerance=1e-15)
    assert failed.iterations <= 1
    with pytest.raises(ValueError, match="another model"):
        sinew.assemble(four_bar()[0], constraints, q)


def test_explicit_forms(rng):
    K = rng.normal(size=(3, 6))
    K = np.vstack([K, K[0] + K[1]])
    k = np.append(K[:3] @ np.ones(6), K[0] @ np.ones(6) + K[1] @ np.ones(6))
    form = sinew.calc_explicit_form(K, k, [4])
    assert form.rank == 3 and form.G.shape == (6, 3) and 4 in form.independent and form.redundant and form.inconsistency < 1e-12
    near(K @ form.G, np.zeros((4, 3)), 1e-14)
    near(K @ form.g, k, 1e-14)
    near(form.G[form.independent], np.eye(3), 0)
    k[3] += 1
    assert sinew.calc_explicit_form(K, k).inconsistency > 0.1
    for error, match, arguments in [(ValueError, r"k has shape \(2,\), it must be \(4,\)", (K, [1, 2])),
                                    (ValueError, "entry", (K, k, [6])), (ValueError, "dimension|shape", ([1, 2], [1]))]:
        with pytest.raises(error, match=match):
            sinew.calc_explicit_form(*arguments)


def test_rows_as_products_and_divide_and_conquer(rng):
    model, constraints = four_bar()
    ws = sinew.EmbeddedWorkspace(model, constraints)
    q, v, _ = sinew.close_loops(model, constraints, ws, model.neutral, rng.uniform(-1, 1, model.nv))
    tau = rng.uniform(-1, 1, model.nv)
    rows = sinew.ConstraintRows(model, constraints)
    sinew.calc_constraint_rows(model, constraints, rows, q, v)
    K = sinew.get_constraint_jacobian(model, constraints, rows)
    near(sinew.multiply_by_constraint_jacobian(model, constraints, rows, tau), K @ tau, 1e-14)
    near(sinew.stabilize(rows, 0), rows.k, 0)
    near(sinew.stabilize(rows, 0.1), rows.k - 20 * rows.velocity - 100 * rows.position, 1e-14)
    a, multipliers, rank = sinew.constrained_dca(model, constraints, rows, sinew.ConstrainedDcaWorkspace(model, constraints),
                                                 q, v, tau, rows.k)
    want, _, certificate = sinew.constrained_forward_dynamics(
        model, constraints, sinew.ConstrainedWorkspace(model, constraints), q, v, tau)
    assert rank == certificate.rank
    near(a, want, 1e-12)
    near(sinew.rnea(model, sinew.RneaWorkspace(model), q, v, a), tau + K.T @ multipliers, 1e-13)
    actuation = sinew.ActuationWorkspace(model, constraints)
    report = sinew.analyse_actuation(model, constraints, actuation, q, [0])
    assert report.properly_actuated and report.mobility == report.rank == 1
    assert sinew.analyse_actuation(model, constraints, actuation, q, [0, 1]).redundantly_actuated
    with pytest.raises(ValueError):
        sinew.analyse_actuation(model, constraints, actuation, q, [0, 0])
    with pytest.raises(ValueError, match="period"):
        sinew.stabilize(rows, -1)


def test_a_spring_on_a_loop_joint(rng):
    """Between two sliders a prismatic loop with a spring pulls as the spring between two points does."""
    b = sinew.ModelBuilder("sliders")
    b.gravity([0, 0, 0])
    for name in ("a", "b"):
        b.body(name).mass(2, [0, 0, 0], np.eye(3))
        b.prismatic(name, "world", name).axis([0, 0, 1])
    b.loop(sinew.LoopSpec(name="slide", kind=sinew.JointKind.prismatic, body_a="a", body_b="b", axis=[0, 0, 1]))
    model = b.build()
    ws = sinew.VelocityWorkspace(model)
    q, v = [0.1, 0.7], [0.5, -0.25]
    sinew.calc_velocities(model, ws, q, v)
    position, velocity = sinew.get_loop_joint_state(model, "slide", ws)
    near([position, velocity], [[0.6], [-0.75]], 1e-14)
    tau, energy = sinew.calc_loop_spring(model, 0, ws, sinew.LoopSpring(40, 2, 0.5))
    assert tau == pytest.approx(-40 * 0.1 + 2 * 0.75) and energy == pytest.approx(20 * 0.01)
    external = np.zeros((3, 6))
    assert sinew.add_loop_force(model, "slide", ws, [tau], external) is external
    near(sinew.aba(model, sinew.AbaWorkspace(model), q, v, [0, 0], external=external), [-tau / 2, tau / 2], 1e-14)
    for error, match, call in [
            (ValueError, "slide", lambda: sinew.get_loop_joint_state(model, "slid", ws)),
            (ValueError, "loop", lambda: sinew.get_loop_joint_state(model, 1, ws)),
            (ValueError, r"tau has shape \(2,\), it must be \(1,\)", lambda: sinew.add_loop_force(model, 0, ws, [1, 2], external)),
            (ValueError, r"external has shape \(2, 6\), it must be \(3, 6\)",
             lambda: sinew.add_loop_force(model, 0, ws, [1], np.zeros((2, 6))))]:
        with pytest.raises(error, match=match):
            call()


def ball():
    b = sinew.ModelBuilder("ball")
    b.body("ball").mass(sinew.solid_sphere(2, 0.1)).sphere(0.1)
    b.free("free", "world", "ball").neutral([1, 0, 0, 0, 0, 0, 0.1])
    return b.build()


@pytest.mark.parametrize("formulation", list(sinew.Formulation))
def test_one_step_of_a_sliding_ball(formulation):
    """It slides: friction is mu m g dt, the normal impulse m g dt."""
    model, dt, g = ball(), 0.01, 9.81
    solver = sinew.ContactSolver(model, sinew.ConstraintSet(model), formulation, sinew.lcp.SolverOptions(tolerance=1e-12))
    point = sinew.make_contact_point(model, "ball", "world", [0, 0, 0], [0, 0, 1], friction=0.3)
    answer = solver.solve(model.neutral, [0, 0, 0, 2, 0, 0], np.zeros(6), dt, [point])
    assert answer.certificate.status == sinew.lcp.Status.solved and answer.size >= 3
    normal = 2 * g * dt
    assert answer.contact.shape == (1, 3) and answer.contact[0, 0] == pytest.approx(normal, rel=1e-7)
    near(answer.v[3:], [2 - 0.3 * normal / 2, 0, 0], 1e-14)
    assert answer.v[1] == pytest.approx(0.3 * normal * 0.1 / (0.4 * 2 * 0.1**2), rel=1e-6)
    (state,) = solver.contact_states(1e-6)
    assert state.mode == sinew.ContactMode.sliding and state.margin == pytest.approx(0, abs=1e-7)
    near(state.slip_direction, [1, 0, 0], 1e-14)
    # A gap that the step does not close: nothing acts.
    free = solver.solve(model.neutral, np.zeros(6), np.zeros(6), dt, [point], bias=[1.0])
    near(free.v[3:], [0, 0, -g * dt], 1e-14)
    assert solver.contact_states()[0].mode == sinew.ContactMode.open
    lifted = np.zeros((2, 6))
    lifted[1, 5] = 2 * g
    near(solver.solve(model.neutral, np.zeros(6), np.zeros(6), dt, [], external=lifted).v, np.zeros(6), 1e-14)


def test_contact_steps_are_checked():
    model = ball()
    solver = sinew.ContactSolver(model, sinew.ConstraintSet(model))
    zero = np.zeros(6)
    for error, match, call in [
            (ValueError, r"tau has shape \(5,\), it must be \(6,\)", lambda: solver.solve(model.neutral, zero, zero[:5], 0.1, [])),
            (ValueError, r"bias has shape \(1,\), it must be \(0,\)", lambda: solver.solve(model.neutral, zero, zero, 0.1, [], bias=[1])),
            (ValueError, "dt", lambda: solver.solve(model.neutral, zero, zero, -1, [])),
            (ValueError, "another model", lambda: sinew.ContactSolver(ball(), sinew.ConstraintSet(model)))]:
        with pytest.raises(error, match=match):
            call()
    a, b = sinew.contact_tangents([0, 0, 1])
    near(np.cross(a, b), [0, 0, 1], 1e-14)


def test_a_table_of_denavit_and_hartenberg(rng):
    rows = [sinew.DhRow(*rng.uniform(-1, 1, 4), sinew.JointKind.prismatic if k == 1 else sinew.JointKind.revolute,
                        sinew.solid_sphere(1, 0.1)) for k in range(3)]
    model = sinew.compile(sinew.make_dh_chain("arm", rows))
    q = rng.uniform(-1, 1, 3)
    ws = sinew.KinematicsWorkspace(model)
    sinew.calc_kinematics(model, ws, q)
    T = np.eye(4)
    for row, x in zip(rows, q):
        turn, shift = (x, 0) if row.kind == sinew.JointKind.revolute else (0, x)
        ca, sa, ct, st = np.cos(row.alpha), np.sin(row.alpha), np.cos(row.theta + turn), np.sin(row.theta + turn)
        about_x = np.array([[1, 0, 0, row.a], [0, ca, -sa, 0], [0, sa, ca, 0], [0, 0, 0, 1]])
        about_z = np.array([[ct, -st, 0, 0], [st, ct, 0, 0], [0, 0, 1, row.d + shift], [0, 0, 0, 1]])
        T = T @ about_x @ about_z
        near(sinew.dh_transform(row).r, [row.a, -sa * row.d, ca * row.d], 1e-14)
    pose = sinew.get_body_pose(model, ws, "link3")
    near(pose.r, T[:3, 3], 1e-14)
    near(pose.E, T[:3, :3].T, 5e-14)
    with pytest.raises(sinew.LoadError):
        sinew.make_dh_chain("arm", [sinew.DhRow(kind=sinew.JointKind.spherical)])


def test_graphs_and_parts(rng):
    tree = sinew.find_spanning_tree(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert (tree.parent, tree.loop_joints, tree.unreachable) == ([-1, 0, 1, 2], [3], [])
    near_base = sinew.find_spanning_tree(4, [(0, 1), (1, 2), (2, 3), (3, 0)], sinew.SpanningTreeRule.minimum_depth)
    assert sorted(near_base.parent)[:3] == [-1, 0, 0] and near_base.reversed.count(True) == 1
    with pytest.raises(ValueError, match="body"):
        sinew.find_spanning_tree(2, [(0, 2)])
    spec = sinew.ModelSpec("ring")
    for name in "abc":
        spec.bodies.append(sinew.BodySpec(name=name, mass=1, inertia=np.eye(3)))
    for name, a, b in (("1", "world", "a"), ("2", "a", "b"), ("3", "b", "c"), ("4", "c", "world")):
        spec.joints.append(sinew.JointSpec(name=name, parent=a, child=b, axis=[0, 1, 0]))
    cut = sinew.cut_loops(spec)
    assert [j.name for j in cut.joints] == ["1", "2", "3"] and [x.name for x in cut.loops] == ["4"] and cut.remarks
    both = sinew.compile(sinew.mechanisms.servicer_and_satellite())
    parts = sinew.split_trees(both)
    assert len(parts) == 2 and sum(p.nv for p, _, _ in parts) == both.nv
    q, v, _, tau = random_state(both, rng)
    a = sinew.aba(both, sinew.AbaWorkspace(both), q, v, tau)
    for part, iq, iv in parts:
        near(sinew.aba(part, sinew.AbaWorkspace(part), q[iq], v[iv], tau[iv]), a[iv], 1e-14)
    assert sinew.split_trees(sinew.compile(sinew.mechanisms.chain(3))) == []


def test_volumes_and_rays():
    assert sinew.sphere_volume(2) == pytest.approx(32 * np.pi / 3) and sinew.box_volume([1, 2, 3]) == 48
    assert sinew.cylinder_volume(2, 3) == pytest.approx(24 * np.pi)
    assert sinew.capsule_volume(2, 3) == pytest.approx(24 * np.pi + 32 * np.pi / 3)
    assert sinew.ellipsoid_volume([1, 2, 3]) == pytest.approx(8 * np.pi)
    kinds = sinew.ShapeKind
    assert sinew.cast_ray(kinds.sphere, [1, 0, 0], [-3, 0, 0], [1, 0, 0]) == pytest.approx(2)
    assert sinew.cast_ray(kinds.box, [1, 2, 3], [0, 0, 0], [0, 1, 0]) == pytest.approx(2)  # from inside
    assert sinew.cast_ray(kinds.sphere, [1, 0, 0], [-3, 2, 0], [1, 0, 0]) == -1
    assert sinew.cast_ray_at_triangle(np.eye(3), [0, 0, 0], np.ones(3) / np.sqrt(3)) == pytest.approx(1 / np.sqrt(3))
    assert sinew.holds_point(kinds.cylinder, [1, 2, 0], [0.5, 0.5, 1.9]) and not sinew.holds_point(kinds.plane, [0, 0, 0], [0, 0, -1])
    for match, call in [("length 1", lambda: sinew.cast_ray(kinds.sphere, [1, 0, 0], [0, 0, 0], [2, 0, 0])),
                        ("mesh", lambda: sinew.holds_point(kinds.mesh, [1, 1, 1], [0, 0, 0]))]:
        with pytest.raises(ValueError, match=match):
            call()
