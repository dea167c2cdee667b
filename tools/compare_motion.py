#!/usr/bin/env python3
"""Motion of tendons, muscles and bodies in a fluid beside MuJoCo's, as both steps shrink.

    .venv/bin/python tools/compare_motion.py build/release/sinew [--write docs/mujoco_motion.md]

Scenes without contact and within their limits, where both programs solve the same equations. Both start from the first
keyframe, or from the reference position, under constant controls. The measure is the largest distance between the
positions of a body [m] at the end. The reference is MuJoCo's Runge-Kutta rule with a sixteenth of the smallest step.
"""
import argparse
import csv
import dataclasses
import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import mujoco
import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
import robots  # noqa: E402

STEPS = (4e-3, 2e-3, 1e-3, 5e-4)

ARM = """<mujoco><worldbody><site name="top" pos=".15 0 1.2"/>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping=".05"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass="1" contype="0" conaffinity="0"/>
    <geom name="drum" type="cylinder" size=".06 .1" pos="0 0 -.4" euler="90 0 0" mass=".1" contype="0" conaffinity="0"/>
    <site name="side" pos=".15 0 -.4"/> <site name="high" pos=".05 0 -.1"/>
    <body name="lower" pos="0 0 -.4"><joint name="elbow" axis="0 1 0" damping=".05"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".03" mass=".6" contype="0" conaffinity="0"/>
      <site name="low" pos=".05 0 -.2"/></body></body></worldbody>
  <tendon>{tendons}</tendon><actuator>{actuators}</actuator>
  <keyframe><key qpos=".4 .6"/></keyframe></mujoco>"""
STRING = '<spatial name="string" {}><site site="high"/><geom geom="drum" sidesite="side"/><site site="low"/></spatial>'
OWN = {
    "string around a drum, spring and damper": (1, ARM.format(
        tendons=STRING.format('stiffness="60" damping="2" springlength=".3"'), actuators=""), []),
    "sum of joints, servo on it": (1, ARM.format(
        tendons='<fixed name="sum"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed>',
        actuators='<position name="servo" tendon="sum" kp="8" kv=".5"/>'), [0.3]),
    "muscle on a string": (1, ARM.format(
        tendons=STRING.format(""),
        actuators='<muscle name="muscle" tendon="string" force="60" lengthrange=".15 .5"/>'), [0.4]),
    "filtered servo": (1, ARM.format(
        tendons="", actuators='<position name="servo" joint="elbow" kp="4" kv=".1" timeconst=".1"/>'), [1.0]),
    "plate that falls in water, inertia box": (1, """<mujoco><option density="1000" viscosity=".0009"/><worldbody>
      <body name="plate" pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .01" density="2700"/></body></worldbody>
      <keyframe><key qpos="0 0 1 .9 .3 .2 .1" qvel=".3 .1 0 1 2 3"/></keyframe></mujoco>""", []),
    "ellipsoid that spins in air": (1, """<mujoco><option density="1.2" viscosity="2e-5" wind="1 0 0"/><worldbody>
      <body name="ball" pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".12 .1 .08" density="20"
      fluidshape="ellipsoid"/></body></worldbody>
      <keyframe><key qpos="0 0 1 1 0 0 0" qvel="6 1 3 10 30 5"/></keyframe></mujoco>""", []),
}
PUBLIC = {
    "gymnasium swimmer (viscous fluid)": (1, "gymnasium/envs/mujoco/assets/swimmer.xml", [0.03, -0.04]),
    "dm_control fish (ellipsoids in a fluid)": (0.3, "dm_control/suite/fish.xml", 0.2),
}


@dataclasses.dataclass
class Row:
    name: str
    apart: list  # ours from MuJoCo's, per step
    ours: list   # from the reference
    theirs: list


def run_mujoco(file, seconds, step, controls, integrator):
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.timestep, model.opt.integrator = step, integrator
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = controls if model.nu else 0
    for _ in range(round(seconds / step)):
        mujoco.mj_step(model, data)
        if data.nefc:
            raise RuntimeError(f"{file}: at {data.time} s a limit or a contact acts; there both programs differ")
    mujoco.mj_kinematics(model, data)
    return model, data


def run_ours(app, file, seconds, step, controls, names):
    with tempfile.TemporaryDirectory() as folder:
        record, table = pathlib.Path(folder) / "run.csv", pathlib.Path(folder) / "controls.csv"
        options = []
        if names:
            table.write_text(",".join(["time", *names]) + "\n" + ",".join(map(str, [0, *controls])) + "\n")
            options = ["--control", str(table)]
        done = subprocess.run([app, "sim", str(file), "--for", str(seconds), "--dt", str(step), "--record", str(record),
                               "--every", f"{seconds}s", *options], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{file}: {done.stderr}")
        with open(record, newline="") as f:
            return list(csv.DictReader(f))[-1]


def measure(app, name, file, seconds, controls):
    def distance(a, b):
        return float(np.max(np.linalg.norm(a - b, axis=1)))

    model, data = run_mujoco(file, seconds, STEPS[-1] / 16, controls, mujoco.mjtIntegrator.mjINT_RK4)
    bodies = [b for b in range(1, model.nbody) if model.body(b).name]
    values = np.broadcast_to(np.asarray(controls, float), (model.nu,)).tolist() if model.nu else []
    names = [model.actuator(a).name for a in range(model.nu)]
    reference = data.xpos[bodies].copy()
    row = Row(name, [], [], [])
    for step in STEPS:
        _, theirs = run_mujoco(file, seconds, step, controls, mujoco.mjtIntegrator.mjINT_EULER)
        last = run_ours(app, file, seconds, step, values, names)
        ours = np.array([[float(last[f"{model.body(b).name}.{axis}"]) for axis in "xyz"] for b in bodies])
        row.apart.append(distance(ours, theirs.xpos[bodies]))
        row.ours.append(distance(ours, reference))
        row.theirs.append(distance(theirs.xpos[bodies], reference))
    return row


def with_names(file, folder):
    """A copy in which every actuator has a name, for the table of controls."""
    spec = mujoco.MjSpec.from_file(str(file))
    for k, actuator in enumerate(spec.actuators):
        actuator.name = actuator.name or f"actuator_{k}"
    spec.compile()
    out = pathlib.Path(folder) / file.name
    out.write_text(spec.to_xml())
    return out


def rows(app):
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, (seconds, text, controls)) in enumerate(OWN.items()):
            file = pathlib.Path(folder) / f"scene_{k}.xml"
            file.write_text(text)
            yield measure(app, name, file, seconds, controls)
        for name, (seconds, path, controls) in PUBLIC.items():
            if (robots.packages() / path).exists():
                yield measure(app, name, with_names(robots.packages() / path, folder), seconds, controls)


def page(table):
    head = "| scene | " + " | ".join(f"{1e3 * h:g} ms" for h in STEPS) + " |"
    line = "|---|" + "---|" * len(STEPS)
    out = ["# Motion beside MuJoCo: tendons, muscles, fluids", "",
           textwrap.fill(
               "Scenes without contact and within their limits, where both programs solve the same equations. Both "
               "start alike, run under constant controls, and end after 1 s (fish: 0.3 s). Numbers are the largest "
               "distance between positions of a body [m]. The reference is MuJoCo's Runge-Kutta rule with 1/16 of the "
               "smallest step. With half the step each error falls to a half: both rules are of the first order, and "
               "tend to the same motion.", 119), "",
           f"Made by `make mujoco-motion` (`tools/compare_motion.py`). Measured on {datetime.date.today()}."]
    for title, pick in (("Ours from MuJoCo's, both with this step", "apart"), ("Ours from the reference", "ours"),
                        ("MuJoCo's (Euler's rule, its default) from the reference", "theirs")):
        out += ["", f"## {title}", "", head, line]
        out += [f"| {r.name} | " + " | ".join(f"{x:.1e}" for x in getattr(r, pick)) + " |" for r in table]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("app", type=str)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    text = page(list(rows(options.app)))
    if options.write:
        options.write.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
