"""Specifications, models and scenes through pickle, and to other processes."""
import concurrent.futures
import copy
import enum
import math
import multiprocessing
import pickle

import numpy as np
import pytest
import sinew
from conftest import MECHANISMS

LISTS = ["bodies", "joints", "frames", "shapes", "meshes", "heightfields", "loops", "couplings", "tendons",
         "tendon_couplings", "actuators", "exclusions", "pairs", "keyframes", "sensors"]
ENTRIES = ["BodySpec", "FrameSpec", "KeyframeSpec", "SensorSpec", "DofSpec", "JointSpec", "LoopSpec", "CouplingTerm",
           "CouplingSpec", "ShapeSpec", "MeshSpec", "HeightfieldSpec", "ExclusionSpec", "PairSpec", "TendonPart",
           "TendonSpec", "TendonCouplingSpec", "MuscleSpec", "ActuatorSpec", "MaskConstraint", "RollingConstraint"]
MJCF = """<mujoco model="arm">
  <option timestep="0.002" density="1.2" viscosity="0.00002" wind="1 0 0"/>
  <asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" friction="0.7 0.01 0.001" condim="4"/>
    <body name="upper" pos="0 0 2" gravcomp="0.25">
      <joint name="shoulder" axis="0 1 0" range="-100 100" damping="0.3" stiffness="2" armature="0.01"/>
      <geom name="bone" type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/>
      <site name="tip" pos="0 0 -.5" size=".01"/>
      <body name="lower" pos="0 0 -.5">
        <joint name="elbow" axis="0 1 0" range="-150 0" frictionloss="0.1"/>
        <geom type="mesh" mesh="tetra" mass="0.5"/>
        <site name="hand" pos="0 0 -.4"/>
      </body>
    </body>
  </worldbody>
  <tendon><spatial name="string" stiffness="3" damping="0.1"><site site="tip"/><site site="hand"/></spatial></tendon>
  <equality><joint joint1="elbow" joint2="shoulder" polycoef="0 0.5 0.1 0 0" active="false"/></equality>
  <actuator>
    <muscle name="biceps" tendon="string" force="30" lengthrange="0.1 0.9" timeconst="0.02 0.05"/>
    <position name="servo" joint="shoulder" kp="20" kv="1" ctrlrange="-1 1"/>
  </actuator>
  <sensor><gyro name="gyro" site="hand" cutoff="9"/></sensor>
  <contact><exclude body1="upper" body2="lower"/></contact>
  <keyframe><key name="bent" qpos="0.3 -0.7" qvel="0.1 0.2" ctrl="0.4 0.5" act="0.6"/></keyframe>
</mujoco>"""


def again(x):
    return pickle.loads(pickle.dumps(x))


def humanoid():
    return sinew.make_scene(sinew.mechanisms.humanoid(), floor=sinew.FloorOptions(), hold=sinew.HoldOptions(),
                            self_collision=sinew.SelfCollision.start, timestep=1e-3)


def fall(scene):
    sim = sinew.Simulation(scene)
    sim.run(steps=30)
    return sim.q.copy(), sim.model.hash


def swing(t):
    return math.sin(t), math.cos(t), -math.sin(t)


def compare(a, b):
    for name in ["name", "world", "timestep"]:
        assert getattr(a, name) == getattr(b, name)
    np.testing.assert_array_equal(a.gravity, b.gravity)
    assert repr(a.medium) == repr(b.medium)
    for name in LISTS:
        assert repr(list(getattr(a, name))) == repr(list(getattr(b, name))), name
    assert [str(r) for r in a.remarks] == [str(r) for r in b.remarks]


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_specifications(name):
    spec = MECHANISMS[name]()
    compare(spec, again(spec))
    model = sinew.compile(spec)
    other = again(model)
    assert other.hash == model.hash and other.nv == model.nv
    q = sinew.random_configuration(model, 3)
    v = np.linspace(-1, 1, model.nv)
    a = [sinew.aba(m, sinew.AbaWorkspace(m), q, v, v) for m in (model, other)]
    np.testing.assert_array_equal(*a)


def test_a_model_with_a_bit_of_everything():
    spec = sinew.parse_mjcf(MJCF)
    spec.add_remark("body 'upper'", "is only a test")
    assert all(len(getattr(spec, x)) for x in ["meshes", "tendons", "couplings", "actuators", "keyframes", "sensors"])
    other = again(spec)
    compare(spec, other)
    assert sinew.to_mjcf(other, lossy=True) == sinew.to_mjcf(spec, lossy=True)
    assert other.bodies["upper"].where == spec.bodies["upper"].where
    model, twin = sinew.compile(spec), again(sinew.compile(spec))
    assert model.hash == twin.hash and [str(r) for r in model.remarks] == [str(r) for r in twin.remarks]
    sims = [sinew.Simulation(m) for m in (model, twin)]
    for s in sims:
        s.q[:], s.control[:] = [0.3, -0.7], [0.9, 0.2]
        s.run(steps=50)
    np.testing.assert_array_equal(sims[0].q, sims[1].q)


def change(old):
    """Another value of the same kind."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, enum.Enum) or type(old).__name__ in ("ShapeKind", "JointKind", "FrictionLaw"):
        return next(x for x in type(old) if x != old)
    if isinstance(old, int):
        return old + 3
    if isinstance(old, float):
        return 0.37
    if isinstance(old, str):
        return "text"
    if isinstance(old, np.ndarray) and old.size:
        return np.where(np.isfinite(old), old, 0) + 0.25 * np.ones_like(old)
    if isinstance(old, np.ndarray):
        return np.array([1.5, -2.5])
    if isinstance(old, sinew.Transform):
        return sinew.Transform([1.0, 2.0, 3.0])
    return None


SPECIAL = {("MeshSpec", "vertices"): [[1, 2, 3], [4, 5, 6]], ("MeshSpec", "triangles"): [[0, 1, 2], [3, 4, 5]],
           ("JointSpec", "dofs"): [sinew.DofSpec(damping=3)], ("JointSpec", "law"): swing,
           ("JointSpec", "parts"): [sinew.JointSpec(name="part", kind=sinew.JointKind.prismatic)],
           ("CouplingSpec", "terms"): [sinew.CouplingTerm(joint="a", coefficients=[1, 2])],
           ("TendonSpec", "parts"): [sinew.TendonPart(target="here")], ("TendonSpec", "rest"): [0.1, 0.2],
           ("ActuatorSpec", "muscle"): sinew.MuscleSpec(force=7), ("ActuatorSpec", "length_range"): [0.2, 0.4],
           ("MaskConstraint", "blocked"): [True, False, True, False, True, False],
           ("MaskConstraint", "laws"): [swing, None], ("BodySpec", "inertia"): np.diag([1.0, 2.0, 3.0]),
           ("BodySpec", "principal_axes"): [0.6, 0.8, 0.0, 0.0]}


@pytest.mark.parametrize("kind", ENTRIES)
def test_every_field(kind):
    """All fields that Python can set, each with another value than the default. (C++ does not compile without all.)"""
    entry = getattr(sinew, kind)()
    fields = [n for n in dir(type(entry)) if not n.startswith("_") and n not in ("replace", "where", "user")]
    for name in fields:
        before = repr(getattr(entry, name))
        value = SPECIAL.get((kind, name), change(getattr(entry, name)))
        assert value is not None, f"no other value for {kind}.{name}"
        setattr(entry, name, value)
        assert repr(getattr(entry, name)) != before, name
    other = again(entry)
    for name in fields:
        np.testing.assert_equal(repr(getattr(other, name)), repr(getattr(entry, name)))


def test_handles_become_values():
    spec = sinew.mechanisms.chain(3)
    body = again(spec.bodies[1])
    body.mass = 17
    assert spec.bodies[1].mass != 17 and copy.copy(body).mass == 17


def test_another_process():
    scene = humanoid()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        (q, hash_), mine = pool.submit(fall, scene).result(timeout=120), fall(scene)
    np.testing.assert_array_equal(q, mine[0])
    assert hash_ == mine[1]


def test_scenes_keep_what_they_hold_and_share_models():
    scene = humanoid()
    other, model = again((scene, scene.model))
    assert other.model is model
    for name in ["q", "v", "control", "activation"]:
        np.testing.assert_array_equal(getattr(scene, name), getattr(other, name))
    assert other.held == scene.held and other.left_out == scene.left_out and other.notes == scene.notes


def test_laws():
    spec = sinew.mechanisms.chain(2)
    spec.joints[0].kind, spec.joints[0].law, spec.joints[0].dofs = sinew.JointKind.prescribed, swing, []
    assert again(spec).joints[0].law is swing
    assert again(sinew.compile(spec)).hash == sinew.compile(spec).hash
    spec.joints[0].law = lambda t: (t, 1.0, 0.0)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(spec)


def test_users_joints_are_refused_by_name():
    spec = sinew.mechanisms.chain(2)
    spec.joints[1].user = sinew.UserJoint("cam", [0.0], lambda q, v: None)
    with pytest.raises(TypeError, match=spec.joints[1].name):
        pickle.dumps(spec)


def test_damaged_bytes():
    spec = sinew.mechanisms.chain(2)
    (data, functions) = spec.__getstate__()
    fresh = sinew.ModelSpec.__new__(sinew.ModelSpec)
    for bad, match in [(data[:-1], "damaged or cut"), (data[:5], "cut off"), (b"\x09" + data[1:], "form 9"),
                       (data[:40] + bytes([data[40] ^ 1]) + data[41:], "damaged")]:
        with pytest.raises(ValueError, match=match):
            fresh.__setstate__((bad, functions))
