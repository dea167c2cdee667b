#!/usr/bin/env python3
"""Loads MJCF files with Sinew and with MuJoCo and compares the models.

usage: compare.py --dump DUMP [--write] [FILE_OR_FOLDER ...]

DUMP is the program of dump.cpp:
  g++ -std=c++20 -O2 -Iinclude tools/mjcf_compare/dump.cpp BUILD/libsinew.a -ltinyxml2 -lfmt -o dump
Without files: every .xml that the installed mujoco, dm_control, gymnasium and gymnasium_robotics bring along.
Exits with 1 when a file that MuJoCo loads is refused or differs by more than 1e-10.

Inertias of bodies with mesh geoms are held to 1e-6: MuJoCo stops looking for a mesh's principal axes when the next
turn has 1 - cos < 1e-12, that is, with the axes up to 1.4e-6 rad off.
"""
import argparse
import glob
import importlib.util
import json
import os
import subprocess
import sys
import time

import mujoco
import numpy as np

PACKAGES = ["mujoco", "dm_control", "gymnasium", "gymnasium_robotics"]
TOLERANCE, MESH_TOLERANCE = 1e-10, 1e-6


def public_files():
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec:
            yield from sorted(glob.glob(os.path.dirname(spec.origin) + "/**/*.xml", recursive=True))


def matrix(quat):
    m = np.zeros(9)
    mujoco.mju_quat2Mat(m, np.asarray(quat, float))
    return m.reshape(3, 3)


def compare(model, ours):
    """Largest differences by name: absolute for poses, relative for masses and inertias."""
    worst = {"bodies": abs(model.nbody - 1 - len(ours["inertia"])), "geoms": abs(model.ngeom - ours["shapes"])}
    if worst["bodies"]:
        return worst
    gravity = model.opt.gravity * (not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    worst["option"] = max(abs(gravity - ours["gravity"]).max(), abs(model.opt.timestep - ours["timestep"]))
    worst.update(mass=0.0, com=0.0, inertia=0.0, mesh_inertia=0.0)
    for b, (mass, *rest) in enumerate(ours["inertia"], 1):
        worst["mass"] = max(worst["mass"], abs(mass - model.body_mass[b]) / (model.body_mass[b] or 1))
        if not model.body_mass[b] or not model.body_inertia[b].any():
            continue
        worst["com"] = max(worst["com"], abs(np.array(rest[:3]) - model.body_ipos[b]).max())
        xx, xy, xz, yy, yz, zz = rest[3:]
        r = matrix(model.body_iquat[b])
        theirs = r @ np.diag(model.body_inertia[b]) @ r.T
        error = abs(theirs - [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).max() / abs(theirs).max()
        first = model.body_geomadr[b]
        meshes = mujoco.mjtGeom.mjGEOM_MESH in model.geom_type[first : first + model.body_geomnum[b]]
        kind = "mesh_inertia" if meshes else "inertia"
        worst[kind] = max(worst[kind], error)
    total = model.body_mass[1:].sum()
    worst["total_mass"] = abs(sum(x[0] for x in ours["inertia"]) - total) / (total or 1)
    if not ours["compiles"]:
        return worst
    worst["nv"] = abs(model.nv - ours["nv"])
    data = mujoco.MjData(model)
    for where, poses in zip(("neutral", "sample"), ours["poses"]):
        if where == "neutral" and model.nq:
            worst["qpos0"] = abs(model.qpos0 - poses["qpos"]).max()
        data.qpos[:] = poses["qpos"]
        mujoco.mj_kinematics(model, data)
        scale = max(1, abs(data.xpos).max())
        for what, xpos, xmat in (("bodies", data.xpos[1:], data.xmat[1:]), ("sites", data.site_xpos, data.site_xmat)):
            key = f"{where}_{what}"
            worst[key] = 0.0 if len(xpos) == len(poses[what]) else 1.0
            for p, x, m in zip(poses[what], xpos, xmat):
                worst[key] = max(worst[key], abs(x - p[:3]).max() / scale, abs(m.reshape(3, 3) - matrix(p[3:])).max())
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--write", action="store_true", help="compare what to_mjcf wrote, as load_mjcf and MuJoCo read it back")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    files = []
    for f in args.files:
        files += sorted(glob.glob(f + "/**/*.xml", recursive=True)) if os.path.isdir(f) else [f]
    files = files or list(public_files())
    command = [args.dump] + (["--write"] if args.write else []) + files
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    counts = {"both load": 0, "agree": 0, "both refuse": 0, "only MuJoCo loads": 0, "only Sinew loads": 0, "not compiled": 0}
    worst, failed = {}, False
    for ours in map(json.loads, lines):
        file = ours["file"]
        start = time.perf_counter()
        try:
            model = mujoco.MjModel.from_xml_path(file)
        except ValueError as error:
            model, reason = None, str(error).splitlines()[0]
        seconds = time.perf_counter() - start
        errors = [d for d in ours["diagnostics"] + ours.get("write", []) if ": error " in d]
        if model is None:
            counts["only Sinew loads" if ours["loads"] else "both refuse"] += 1
            print(f"refused by MuJoCo: {file}\n    MuJoCo: {reason}\n    Sinew: {errors[0] if errors else 'loads it'}")
            continue
        if "inertia" not in ours:
            counts["only MuJoCo loads"] += 1
            failed = True
            print(f"REFUSED {file}\n    " + "\n    ".join(errors[:3]))
            continue
        counts["both load"] += 1
        if not ours["compiles"]:
            counts["not compiled"] += 1
            print(f"not compiled: {file}\n    {ours['compile'][0]}")
        differences = compare(model, ours)
        if "text" in ours:
            try:
                again = compare(mujoco.MjModel.from_xml_string(ours["text"]), ours)
                differences = {k: max(differences.get(k, 0), again.get(k, 0)) for k in differences | again}
            except ValueError as error:
                differences["MuJoCo reads what was written"] = 1.0
                print(f"MuJoCo: {error}")
        bad = {k: v for k, v in differences.items() if not v <= (MESH_TOLERANCE if k == "mesh_inertia" else TOLERANCE)}
        counts["agree"] += not bad
        failed |= bool(bad)
        if bad:
            print(f"DIFFERS {file}: {bad}")
        if seconds > 0.2:
            print(f"time {ours['seconds']:.3f} s, MuJoCo {seconds:.3f} s: {file}")
        for k, v in differences.items():
            if v > worst.get(k, (-1, ""))[0]:
                worst[k] = (v, file)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    for k, (v, file) in worst.items():
        print(f"  worst {k:16} {v:8.1e}  {os.path.basename(file)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
