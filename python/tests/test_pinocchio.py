"""from_pinocchio and PinocchioMap: dynamics and kinematics of the robots that Pinocchio loads, and of its own joints."""
import os
import pathlib

import numpy as np
import pytest
import sinew

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed; `make test` installs it")
URDF = [f for root in filter(None, os.environ.get("SINEW_ROBOTS", "").split(os.pathsep))
        for f in sorted(pathlib.Path(root).glob("cmeel.prefix/share/example-robot-data/robots/**/*.urdf"))]
EPSILON = np.finfo(float).eps


def near(what, ours, theirs, tolerance=1e-12, scale=1.0):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    error = np.linalg.norm(ours - theirs) / max(np.linalg.norm(theirs), scale) if theirs.size else 0
    assert error <= tolerance, f"{what}: {error:.2e}"


def random_state(model, rng):
    reach = np.full(model.nq, np.pi)
    return pin.randomConfiguration(model, -reach, reach), *(rng.uniform(-2, 2, model.nv) for _ in range(3))


def compare(theirs, spec, rng):
    """rnea, crba, aba, and where every frame is, at random states."""
    model = sinew.compile(spec)
    c, data = sinew.PinocchioMap(model, theirs), theirs.createData()
    rnea, crba, aba = sinew.RneaWorkspace(model), sinew.CrbaWorkspace(model), sinew.AbaWorkspace(model)
    kinematics, G = sinew.KinematicsWorkspace(model), c.matrix
    independent = theirs.nv == model.nv
    for _ in range(2):
        Q, V, A, T = random_state(theirs, rng)
        q, v = c.to_sinew(Q, V)
        near("q again", c.to_pinocchio_q(q), pin.normalize(theirs, Q), 1e-14)
        near("v again", c.to_pinocchio_v(v), V, 0)
        pin.framesForwardKinematics(theirs, data, Q)
        sinew.calc_kinematics(model, kinematics, q)
        compared = {}
        for k, frame in sorted(enumerate(theirs.frames), key=lambda f: f[1].type != pin.FrameType.BODY):
            if frame.type != pin.FrameType.JOINT and frame.name not in compared:
                compared[frame.name] = k
                near(frame.name, sinew.get_frame_pose(model, kinematics, frame.name).matrix, data.oMf[k].homogeneous)
        tau = pin.rnea(theirs, data, Q, V, A)
        near("rnea", c.to_pinocchio_tau(sinew.rnea(model, rnea, q, v, c.to_sinew_a(A))), tau, 1e-12)
        M = pin.crba(theirs, data, Q)
        M = np.triu(M) + np.triu(M, 1).T
        near("crba", G.T @ sinew.crba(model, crba, q) @ G, M, 1e-12)
        values = np.linalg.eigvalsh(M) if M.size else np.ones(1)
        if independent and values[0] > 1e-14 * values[-1]:
            near("aba", c.to_pinocchio_a(sinew.aba(model, aba, q, v, c.to_sinew_tau(T))), pin.aba(theirs, data, Q, V, T),
                 max(1e-11, 4 * EPSILON * values[-1] / values[0]))
        assert len(compared) >= len(spec.frames)
    return model, c


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("file", URDF or [pytest.param(None, marks=pytest.mark.skip("no robots; `make test` installs them"))],
                         ids=lambda f: f.name if f else "none")
def test_robots(file, floating, rng):
    pin.seed(1)
    try:
        theirs = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if floating else []))
    except Exception as e:
        pytest.skip(f"Pinocchio refuses it: {e}")
    try:
        spec = sinew.from_pinocchio(theirs)
        sinew.compile(spec)
    except sinew.LoadError as e:
        broken = {d.code for d in e.diagnostics if d.severity == sinew.Severity.error}
        assert broken <= {"S202", "S203", "S204", "S205", "S206", "S207"}, e  # masses and inertias that no body has
        pytest.skip("refused: " + str(e).splitlines()[0])
    compare(theirs, spec, rng)


def every_joint(rng):
    """A tree with each of Pinocchio's joints that we have, at random places."""
    composite = pin.JointModelComposite()
    composite.addJoint(pin.JointModelRX())
    composite.addJoint(pin.JointModelSpherical(), pin.SE3.Random())
    composite.addJoint(pin.JointModelPY(), pin.SE3.Random())
    composite.addJoint(pin.JointModelRUBZ(), pin.SE3.Random())
    axis = np.array([0.6, 0.0, 0.8])
    joints = [pin.JointModelFreeFlyer(), pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ(), pin.JointModelRUBX(),
              pin.JointModelRUBY(), pin.JointModelRUBZ(), pin.JointModelRevoluteUnaligned(axis),
              pin.JointModelPX(), pin.JointModelPY(), pin.JointModelPZ(),
              pin.JointModelPrismaticUnaligned(axis), pin.JointModelHX(0.2), pin.JointModelHY(0.2), pin.JointModelHZ(-0.2),
              pin.JointModelHelicalUnaligned(axis, 0.3), pin.JointModelSpherical(), pin.JointModelSphericalZYX(),
              pin.JointModelPlanar(), pin.JointModelTranslation(), composite,
              pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))]
    model, parents = pin.Model(), [0]  # numbered depth first, as Pinocchio's crba wants it
    model.name = "every joint"
    model.gravity.linear = rng.uniform(-9, 9, 3)
    for k, joint in enumerate(joints):
        parents = parents[:int(rng.integers(max(1, len(parents) - 2), len(parents) + 1))]
        parents.append(model.addJoint(parents[-1], joint, pin.SE3.Random(), f"j{k} {joint.shortname()}"))
        model.appendBodyToJoint(parents[-1], pin.Inertia.Random(), pin.SE3.Random())
        model.addFrame(pin.Frame(f"tool{k}", parents[-1], 0, pin.SE3.Random(), pin.FrameType.OP_FRAME))
    one = [i for i in range(1, model.njoints) if model.nvs[i] == 1]
    armature = np.zeros(model.nv)
    armature[[model.idx_vs[i] for i in one]] = rng.uniform(0, 1, len(one))
    model.armature = armature
    return model


def test_every_joint(rng):
    pin.seed(3)
    theirs = every_joint(rng)
    spec = sinew.from_pinocchio(theirs)
    model, _ = compare(theirs, spec, rng)
    kinds = {j.kind for j in model.joints}
    assert {sinew.JointKind.free, sinew.JointKind.spherical, sinew.JointKind.planar, sinew.JointKind.helical,
            sinew.JointKind.composite, sinew.JointKind.universal, sinew.JointKind.spherical_ypr} <= kinds
    assert len(spec.frames) >= 22 and model.armature.any()


MIMIC = """<robot name="gripper"><link name="palm"/>{links}
<joint name="left" type="prismatic"><parent link="palm"/><child link="a"/><axis xyz="0 1 0"/>{limit}</joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="b"/><axis xyz="0 0.6 0.8"/>
<mimic joint="left" multiplier="-0.7" offset="0.1"/>{limit}</joint>
<joint name="thumb" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.1 0.2 0.3" rpy="1 2 3"/>
<axis xyz="1 0 0"/><mimic joint="left" multiplier="3"/>{limit}</joint></robot>"""


def test_mimic_joints_are_couplings(rng):
    link = '<link name="{}"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>' \
           '<inertia ixx="1" iyy="1.2" izz="1" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
    text = MIMIC.format(links="".join(link.format(n) for n in "abc"),
                        limit='<limit lower="-1" upper="1" effort="5" velocity="1"/>')
    theirs = pin.buildModelFromXML(text, mimic=True)
    assert theirs.nv == 1
    spec = sinew.from_pinocchio(theirs)
    model, c = compare(theirs, spec, rng)
    assert model.nv == 3 and [j.name for j in spec.joints if j.kind == sinew.JointKind.revolute] == ["thumb"]
    terms = {s.dependent: (s.offset, s.terms[0].joint, s.terms[0].coefficients[0]) for s in spec.couplings}
    assert terms == {"right": (0.1, "left", -0.7), "thumb": (0.0, "left", 3.0)}
    np.testing.assert_allclose(c.to_sinew_q([0.5]), [0.5, 0.1 - 0.35, 1.5], rtol=1e-15)
    # As constrained dynamics: the same acceleration as Pinocchio's, which has one freedom.
    Q, V, T = np.array([0.3]), np.array([1.0]), np.array([2.0])
    data = theirs.createData()
    q, v = c.to_sinew(Q, V)
    s = sinew.ConstraintSet(model)
    a = sinew.constrained_forward_dynamics(model, s, sinew.ConstrainedWorkspace(model, s), q, v, c.to_sinew_tau(T))
    a = a[0] if isinstance(a, tuple) else a
    M = pin.crba(theirs, data, Q)
    np.testing.assert_allclose(c.to_pinocchio_a(a), (T - pin.nonLinearEffects(theirs, data, Q, V)) / M[0, 0], rtol=1e-10)


def test_limits_keyframes_and_remarks():
    theirs = pin.Model()
    theirs.name = "one"
    j = theirs.addJoint(0, pin.JointModelRY(), pin.SE3.Random(), "j", *(np.array([x]) for x in (
        -5.0, 5.0, -3.0, 3.0, -1.0, 2.0, -0.5, 0.5, 0.25)))
    theirs.appendBodyToJoint(j, pin.Inertia.Random(), pin.SE3.Identity())
    theirs.referenceConfigurations["half"] = np.array([0.5])
    spec = sinew.from_pinocchio(theirs)
    dof = spec.joints["j"].dofs[0]
    assert (dof.lower, dof.upper, dof.max_effort, dof.max_velocity, dof.friction, dof.damping) == (-1, 2, 5, 3, 0.5, 0.25)
    assert spec.keyframes["half"].q.tolist() == [0.5] and not spec.remarks
    theirs.lowerEffortLimit = np.array([-4.0])
    theirs.rotorInertia, theirs.rotorGearRatio = np.array([1.0]), np.array([10.0])
    texts = [str(r) for r in sinew.from_pinocchio(theirs).remarks]
    assert len(texts) == 2 and "effort" in texts[0] and "rotorInertia" in texts[1]


def test_what_cannot_be_taken_is_named():
    theirs = pin.Model()
    theirs.addJoint(0, pin.JointModelEllipsoid(1.0, 2.0, 3.0), pin.SE3.Identity(), "egg")
    with pytest.raises(ValueError, match="egg.*Ellipsoid"):
        sinew.from_pinocchio(theirs)
    humanoid = pin.buildSampleModelHumanoid()
    model = sinew.compile(sinew.from_pinocchio(humanoid))
    c = sinew.PinocchioMap(model, humanoid)
    with pytest.raises(ValueError, match=rf"\(3,\).*\({humanoid.nq},\)"):
        c.to_sinew_q([1, 2, 3])
    with pytest.raises(ValueError, match="from_pinocchio"):
        sinew.PinocchioMap(sinew.compile(sinew.mechanisms.chain(3)), humanoid)
